// Covers: kernels
#include <fovea/core/error.h>
#include <fovea/ops/convolve.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "reference/convolve.h"
#include "support/devices.h"
#include "support/images.h"
#include "support/messages.h"
#include "support/sanitized.h"

namespace fovea {
namespace {

using test::message_of;
using test::random_image;

class Convolve : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(Convolve);

std::vector<float> random_kernel(Random& random, int taps) {
  std::vector<float> kernel(static_cast<std::size_t>(taps));
  for (float& weight : kernel) weight = random.uniform(-1, 1);
  return kernel;
}

// column * row.
Image<float> outer_product(const std::vector<float>& row, const std::vector<float>& column) {
  Image<float> kernel(static_cast<int>(row.size()), static_cast<int>(column.size()));
  for (int y = 0; y < kernel.height(); ++y)
    for (int x = 0; x < kernel.width(); ++x) kernel.at(x, y) = row[x] * column[y];
  return kernel;
}

// A kernel size (often small, sometimes larger than the image), an anchor and a border.
struct Case {
  int width, height;
  ConvolveOptions options;
};
Case random_case(Random& random, Device device, int most_taps) {
  const auto below = [&](int n) {
    return static_cast<int>(random.below(static_cast<std::uint32_t>(n)));
  };
  Case c{1 + below(most_taps), 1 + below(most_taps), {}};
  c.options.border = static_cast<Border>(below(5));
  c.options.border_value = 2;
  if (below(2) == 0) c.options.anchor_x = below(c.width);
  if (below(2) == 0) c.options.anchor_y = below(c.height);
  c.options.flip = below(3) == 0;
  c.options.exec.device = device;
  return c;
}

template <class T, class Out>
void expect_textbook(ImageView<const T> image, ImageView<const Out> out,
                     ImageView<const float> kernel, const ConvolveOptions& options) {
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x)
      for (int c = 0; c < out.channels; ++c) {
        const auto expected = reference::convolved_at(image, x, y, c, kernel, options);
        const double error = 1e-5 * expected.magnitude;
        if constexpr (sizeof(Out) == 1) {
          ASSERT_NEAR(out.at(x, y, c), std::clamp(expected.sum, 0.0, 255.0), 0.5 + error);
        } else {
          ASSERT_NEAR(out.at(x, y, c), expected.sum, error)
              << detail::shape_text(image) << " by " << detail::shape_text(kernel) << " at " << x
              << ' ' << y << ' ' << c;
        }
      }
}

template <class T, class Out>
void compare_separable(Device device) {
  Random random(31);
  for (int round = 0; round < 40; ++round) {
    const Case c = random_case(random, device, round % 4 == 0 ? 40 : 8);
    const auto [width, height] = test::random_size(random, round % 4 == 0 ? 20 : 70);
    const int channels = 1 + static_cast<int>(random.below(4));
    const auto image = random_image<T>(random, width, height, channels);
    const auto row = random_kernel(random, c.width), column = random_kernel(random, c.height);
    Image<Out> out(width, height, channels);
    convolve_separable(image, out, row, column, c.options);
    ASSERT_NO_FATAL_FAILURE((expect_textbook<T, Out>(image, std::as_const(out).view(),
                                                     outer_product(row, column), c.options)));
  }
}
TEST_P(Convolve, SeparableEqualsTextbookLoopForFloats) {
  compare_separable<float, float>(device());
}
TEST_P(Convolve, SeparableEqualsTextbookLoopForBytesToFloats) {
  compare_separable<std::uint8_t, float>(device());
}
TEST_P(Convolve, SeparableEqualsTextbookLoopForBytes) {
  compare_separable<std::uint8_t, std::uint8_t>(device());
}

template <class T, class Out>
void compare_general(Device device) {
  Random random(32);
  for (int round = 0; round < 40; ++round) {
    const Case c = random_case(random, device, round % 4 == 0 ? 40 : 8);
    const auto [width, height] = test::random_size(random, round % 4 == 0 ? 20 : 70);
    const int channels = 1 + static_cast<int>(random.below(4));
    const auto image = random_image<T>(random, width, height, channels);
    Image<float> kernel(c.width, c.height);
    for (int y = 0; y < c.height; ++y)
      for (int x = 0; x < c.width; ++x) kernel.at(x, y) = random.uniform(-1, 1);
    Image<Out> out(width, height, channels);
    convolve(image, out, kernel, c.options);
    ASSERT_NO_FATAL_FAILURE(
        (expect_textbook<T, Out>(image, std::as_const(out).view(), kernel, c.options)));
  }
}
TEST_P(Convolve, GeneralEqualsTextbookLoopForFloats) { compare_general<float, float>(device()); }
TEST_P(Convolve, GeneralEqualsTextbookLoopForBytesToFloats) {
  compare_general<std::uint8_t, float>(device());
}
TEST_P(Convolve, GeneralEqualsTextbookLoopForBytes) {
  compare_general<std::uint8_t, std::uint8_t>(device());
}

TEST_P(Convolve, LongestKernelsOnASmallImage) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  Random random(33);
  const auto image = random_image<float>(random, 5, 3);
  const auto row = random_kernel(random, 255), column = random_kernel(random, 254);
  for (int border = 0; border < 5; ++border) {
    const ConvolveOptions options{
        .border = static_cast<Border>(border), .border_value = -3, .exec = {.device = device()}};
    Image<float> separable(5, 3), general(5, 3);
    const auto kernel = outer_product(row, column);
    convolve_separable(image, separable, row, column, options);
    convolve(image, general, kernel, options);
    ASSERT_NO_FATAL_FAILURE(
        (expect_textbook<float, float>(image, std::as_const(separable).view(), kernel, options)));
    ASSERT_NO_FATAL_FAILURE(
        (expect_textbook<float, float>(image, std::as_const(general).view(), kernel, options)));
  }
}

TEST_P(Convolve, DeltaGivesTheKernelBackTurned) {
  Image<float> delta(15, 15), out(15, 15), kernel(5, 4);
  for (int y = 0; y < 15; ++y) std::fill_n(delta.row(y), 15, 0.0F);
  delta.at(7, 7) = 1;
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 5; ++x) kernel.at(x, y) = static_cast<float>(1 + x + 5 * y);
  convolve(delta, out, kernel, {.exec = {.device = device()}});
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 5; ++x) EXPECT_EQ(out.at(7 - (x - 2), 7 - (y - 2)), kernel.at(x, y));
  convolve(delta, out, kernel, {.flip = true, .exec = {.device = device()}});
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 5; ++x) EXPECT_EQ(out.at(7 + (x - 2), 7 + (y - 2)), kernel.at(x, y));
}

TEST_P(Convolve, BlurKeepsAConstantAndACropIsLikeItsCopy) {
  Image<std::uint8_t> gray(33, 20, 3), blurred(33, 20, 3);
  for (int y = 0; y < 20; ++y) std::fill_n(gray.row(y), 99, std::uint8_t{200});
  gaussian_blur(gray, blurred, 2.5, {.exec = {.device = device()}});
  EXPECT_TRUE(test::images_equal(gray, blurred));

  Random random(34);
  const auto image = random_image<float>(random, 80, 60, 2);
  const auto crop = image.view().crop(11, 7, 43, 31);
  Image<float> from_crop(43, 31, 2), from_copy(43, 31, 2);
  gaussian_blur(crop, from_crop, 1.2, {.exec = {.device = device()}});
  gaussian_blur(clone(crop), from_copy, 1.2, {.exec = {.device = device()}});
  EXPECT_TRUE(test::images_equal(from_crop, from_copy));
}

TEST_P(Convolve, NotANumberSpreadsNoFurtherThanTheKernel) {
  Image<float> image(40, 40), out(40, 40);
  for (int y = 0; y < 40; ++y) std::fill_n(image.row(y), 40, 1.0F);
  image.at(20, 20) = std::nanf("");
  const auto kernel = box_kernel(5);
  convolve_separable(image, out, kernel, kernel, {.exec = {.device = device()}});
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 40; ++x)
      ASSERT_EQ(std::isnan(out.at(x, y)), std::abs(x - 20) <= 2 && std::abs(y - 20) <= 2);
}

TEST(ConvolveKernels, HaveTheirMoments) {
  for (const double sigma : {0.5, 1.0, 2.3, 8.0}) {
    const auto gaussian = gaussian_kernel(sigma);
    EXPECT_NEAR(std::accumulate(gaussian.begin(), gaussian.end(), 0.0), 1, 1e-6);
    const auto first = gaussian_derivative_kernel(sigma),
               second = gaussian_derivative_kernel(sigma, 2);
    const int radius = static_cast<int>(first.size()) / 2;
    double constant1 = 0, ramp1 = 0, constant2 = 0, parabola2 = 0;
    for (int i = -radius; i <= radius; ++i) {
      constant1 += first[i + radius];
      ramp1 += first[i + radius] * i;
      constant2 += second[i + radius];
      parabola2 += second[i + radius] * i * i;
    }
    EXPECT_NEAR(constant1, 0, 1e-6);
    EXPECT_NEAR(ramp1, 1, 1e-5);
    EXPECT_NEAR(constant2, 0, 1e-6);
    EXPECT_NEAR(parabola2, 2, 1e-4);
    const auto laplacian = laplacian_of_gaussian_kernel(sigma);
    double constant = 0, bowl = 0;
    for (int y = -radius; y <= radius; ++y)
      for (int x = -radius; x <= radius; ++x) {
        constant += laplacian.at(x + radius, y + radius);
        bowl += laplacian.at(x + radius, y + radius) * (x * x + y * y);
      }
    EXPECT_NEAR(constant, 0, 1e-5);
    EXPECT_NEAR(bowl, 4, 1e-3);
  }
  EXPECT_EQ(gaussian_kernel(1, 7).size(), 7U);
  EXPECT_EQ(box_kernel(4), std::vector<float>(4, 0.25F));
}

TEST(ConvolveThreads, DoNotChangeTheResult) {
  Random random(35);
  const auto image = random_image<float>(random, 301, 203, 3);
  const auto kernel = random_kernel(random, 9);
  const auto kernel_2d = outer_product(kernel, random_kernel(random, 6));
  Image<float> separable1(301, 203, 3), separable_n(301, 203, 3), general1(301, 203, 3),
      general_n(301, 203, 3);
  const auto options = [](int threads) {
    return ConvolveOptions{.exec = {.device = Device::cpu(), .threads = threads}};
  };
  convolve_separable(image, separable1, kernel, kernel, options(1));
  convolve(image, general1, kernel_2d, options(1));
  for (const int threads : {2, 7}) {
    convolve_separable(image, separable_n, kernel, kernel, options(threads));
    convolve(image, general_n, kernel_2d, options(threads));
    EXPECT_TRUE(test::images_equal(separable1, separable_n));
    EXPECT_TRUE(test::images_equal(general1, general_n));
  }
}

TEST(ConvolveParity, CudaEqualsCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(36);
  for (int round = 0; round < 30; ++round) {
    Case c = random_case(random, Device::cpu(), round % 3 == 0 ? 120 : 33);
    const auto [width, height] = test::random_size(random, 300);
    const int channels = 1 + static_cast<int>(random.below(4));
    const auto image = random_image<float>(random, width, height, channels);
    const auto bytes = random_image<std::uint8_t>(random, width, height, channels);
    auto row = random_kernel(random, c.width), column = random_kernel(random, c.height);
    float magnitude = 0;
    for (const float r : row)
      for (const float k : column) magnitude += std::abs(r * k);
    Image<float> cpu(width, height, channels), cuda(width, height, channels);
    Image<std::uint8_t> cpu8(width, height, channels), cuda8(width, height, channels);
    const auto kernel = outer_product(row, column);
    convolve_separable(image, cpu, row, column, c.options);
    convolve(bytes, cpu8, kernel, c.options);
    c.options.exec.device = Device::cuda();
    convolve_separable(image, cuda, row, column, c.options);
    convolve(bytes, cuda8, kernel, c.options);
    // The constant border is 2, pixels are at most 1.
    ASSERT_TRUE(test::images_equal(cpu, cuda, 2e-5 * magnitude)) << c.width << 'x' << c.height;
    ASSERT_TRUE(test::images_equal(cpu8, cuda8, 1)) << c.width << 'x' << c.height;
  }
}

TEST(ConvolveParity, DataOnTheDeviceStaysThere) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(37);
  const auto image = random_image<float>(random, 333, 77, 3);
  Image<float> cpu(333, 77, 3), cuda(333, 77, 3, Memory::kCuda);
  gaussian_blur(image, cpu, 3, {.exec = {.device = Device::cpu()}});
  gaussian_blur(clone(image, Memory::kCuda), cuda, 3);
  EXPECT_TRUE(test::images_equal(clone(cuda), cpu, 1e-5));
}

TEST(ConvolveError, NamesSizesTapsAndAnchors) {
  using testing::AllOf;
  using testing::HasSubstr;
  Image<float> image(8, 6), out(8, 6), wrong(8, 5), five(8, 6, 5), five_out(8, 6, 5);
  const std::vector<float> three(3), none, many(256);
  EXPECT_THAT(message_of([&] { convolve_separable(image, wrong, three, three); }),
              AllOf(HasSubstr("8x5"), HasSubstr("8x6")));
  EXPECT_THAT(message_of([&] { convolve_separable(image, out, none, three); }),
              AllOf(HasSubstr("row kernel"), HasSubstr("0 taps")));
  EXPECT_THAT(message_of([&] { convolve_separable(image, out, three, many); }),
              AllOf(HasSubstr("column kernel"), HasSubstr("256"), HasSubstr("255")));
  EXPECT_THAT(message_of([&] { convolve_separable(image, out, three, three, {.anchor_x = 3}); }),
              AllOf(HasSubstr("anchor-x 3"), HasSubstr("0 to 2")));
  EXPECT_THAT(message_of([&] { convolve_separable(five, five_out, three, three); }),
              AllOf(HasSubstr("8x6x5"), HasSubstr("1 to 4")));
  EXPECT_THAT(message_of([&] { gaussian_blur(image, out, 0); }), HasSubstr("sigma is 0"));
  EXPECT_THAT(message_of([&] { gaussian_blur(image, out, 100); }), HasSubstr("255"));
  EXPECT_THAT(message_of([&] { gaussian_kernel(1, 4); }), HasSubstr("size is 4"));
  EXPECT_THAT(message_of([&] { gaussian_derivative_kernel(1, 3); }), HasSubstr("order is 3"));
  EXPECT_THAT(message_of([&] { gaussian_derivative_kernel(0.001, 1, 3); }), HasSubstr("0.001"));
  EXPECT_THAT(message_of([&] { box_kernel(0); }), HasSubstr("size is 0"));
}

TEST(Gain, MultipliesAndThenAdds) {
  Image<float> values(2, 1, 2);
  for (int i = 0; i < 4; ++i) values.row(0)[i] = static_cast<float>(i);
  apply_gain(values, {.gain = -2, .offset = 3});
  EXPECT_THAT(std::vector(values.row(0), values.row(0) + 4), testing::ElementsAre(3, 1, -1, -3));
  EXPECT_THAT(message_of([&] { apply_gain(values, {.gain = 1e10}); }), testing::HasSubstr("gain"));
}

}  // namespace
}  // namespace fovea
