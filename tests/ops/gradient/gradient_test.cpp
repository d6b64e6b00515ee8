// Covers: polar_gradient
#include <fovea/core/error.h>
#include <fovea/ops/gradient.h>
#include <gmock/gmock.h>

#include <array>
#include <limits>

#include "ops/gradient/gradient_math.h"
#include "reference/gradient.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

using test::random_image;

class Gradient : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(Gradient);

TEST_P(Gradient, RampHasItsSlopeEverywhereButAtTheBorder) {
  Image<float> ramp(40, 9), dx(40, 9), dy(40, 9);
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 40; ++x) ramp.at(x, y) = 3.0F * x - 2.0F * y;
  gradient(ramp, dx, dy, {.exec = {.device = device()}});
  EXPECT_EQ(dx.at(20, 4), 6);
  EXPECT_EQ(dy.at(20, 4), -4);
  EXPECT_EQ(dx.at(0, 4), 3);
  EXPECT_EQ(dy.at(20, 8), -2);
}

TEST_P(Gradient, EqualsTextbookLoopForBytes) {
  Random random(1);
  for (int round = 0; round < 30; ++round) {
    const auto [width, height] = test::random_size(random);
    const int channels = 1 + static_cast<int>(random.below(4));
    const auto kernel = static_cast<GradientKernel>(random.below(3));
    const auto image = random_image<std::uint8_t>(random, width, height, channels);
    Image<std::int16_t> dx(width, height, channels), dy(width, height, channels);
    gradient(image, dx, dy, {.kernel = kernel, .exec = {.device = device()}});
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int c = 0; c < channels; ++c) {
          const auto expected = reference::gradient_at(image.view(), x, y, c, kernel);
          ASSERT_EQ(dx.at(x, y, c), expected.dx) << x << ' ' << y << ' ' << c;
          ASSERT_EQ(dy.at(x, y, c), expected.dy) << x << ' ' << y << ' ' << c;
        }
  }
}

TEST_P(Gradient, EqualsTextbookLoopForFloats) {
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    const auto [width, height] = test::random_size(random);
    const auto kernel = static_cast<GradientKernel>(random.below(3));
    const auto image = random_image<float>(random, width, height);
    Image<float> dx(width, height), dy(width, height);
    gradient(image, dx, dy, {.kernel = kernel, .exec = {.device = device()}});
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const auto expected = reference::gradient_at(image.view(), x, y, 0, kernel);
        ASSERT_NEAR(dx.at(x, y), expected.dx, 1e-5);
        ASSERT_NEAR(dy.at(x, y), expected.dy, 1e-5);
      }
  }
}

TEST_P(Gradient, PolarTakesTheStrongestChannelAndItsBin) {
  Random random(3);
  for (int round = 0; round < 40; ++round) {
    const auto [width, height] = test::random_size(random);
    const int channels = 1 + static_cast<int>(random.below(4));
    const int bins = 1 + static_cast<int>(random.below(32));
    const bool signed_angle = random.below(2) == 1;
    const auto image = random_image<std::uint8_t>(random, width, height, channels);
    Image<float> magnitude(width, height);
    Image<std::uint8_t> bin(width, height);
    polar_gradient(image, magnitude, bin,
                   {.bins = bins, .signed_angle = signed_angle, .exec = {.device = device()}});
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        reference::Gradient best{0, 0};
        for (int c = 0; c < channels; ++c) {
          const auto g = reference::gradient_at(image.view(), x, y, c, GradientKernel::kCentered);
          if (std::hypot(g.dx, g.dy) > std::hypot(best.dx, best.dy)) best = g;
        }
        ASSERT_NEAR(magnitude.at(x, y), std::hypot(best.dx, best.dy), 1e-4);
        const double position = reference::bin_position(best, bins, signed_angle);
        // On a border between bins either side is right.
        const double distance =
            std::min(std::abs(position - bin.at(x, y)), std::abs(position - bin.at(x, y) - 1));
        ASSERT_TRUE(static_cast<int>(position) == bin.at(x, y) || distance < 1e-4)
            << position << " of " << bins << " is in bin " << +bin.at(x, y);
      }
  }
}

// Pixels at the ends of what a float holds, among ordinary ones.
Image<float> extreme_image(Random& random, int width, int height, int channels) {
  using Limits = std::numeric_limits<float>;
  constexpr std::array kExtremes{0.0F,
                                 -0.0F,
                                 1.0F,
                                 -1.0F,
                                 1e-38F,
                                 Limits::denorm_min(),
                                 Limits::max(),
                                 Limits::lowest(),
                                 Limits::infinity(),
                                 -Limits::infinity(),
                                 Limits::quiet_NaN()};
  auto image = random_image<float>(random, width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int i = 0; i < width * channels; ++i)
      if (random.below(4) == 0) image.row(y)[i] = kExtremes[random.below(kExtremes.size())];
  return image;
}

bool same_number(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

TEST_P(Gradient, InfinitiesReachOnlyThePixelsBesideThem) {
  Random random(7);
  for (const int width : {1, 5, 33, 64, 67}) {
    const auto image = extreme_image(random, width, 9, 1);
    Image<float> dx(width, 9), dy(width, 9);
    gradient(image, dx, dy, {.exec = {.device = device()}});
    for (int y = 0; y < 9; ++y)
      for (int x = 0; x < width; ++x) {
        const float right = image.at(std::min(x + 1, width - 1), y),
                    left = image.at(std::max(x - 1, 0), y);
        const float below = image.at(x, std::min(y + 1, 8)),
                    above = image.at(x, std::max(y - 1, 0));
        ASSERT_TRUE(same_number(dx.at(x, y), right - left)) << x << ' ' << y << " of " << width;
        ASSERT_TRUE(same_number(dy.at(x, y), below - above)) << x << ' ' << y << " of " << width;
      }
  }
}

// Every number of bins, to the bit.
template <class T>
testing::AssertionResult polar_equals_the_rule(const Image<T>& image,
                                               const PolarGradientOptions& options) {
  const int width = image.width(), height = image.height();
  Image<float> magnitude(width, height);
  Image<std::uint8_t> bin(width, height);
  polar_gradient(image, magnitude, bin, options);
  const detail::PolarParams params = detail::polar_params(options);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float best_dx = 0, best_dy = 0, best = 0;
      const auto at = [&](int px, int py, int c) {
        return static_cast<float>(
            image.at(std::clamp(px, 0, width - 1), std::clamp(py, 0, height - 1), c));
      };
      for (int c = 0; c < image.channels(); ++c) {
        const float dx = at(x + 1, y, c) - at(x - 1, y, c), dy = at(x, y + 1, c) - at(x, y - 1, c);
        const float square = dx * dx + dy * dy;
        if (square > best) best = square, best_dx = dx, best_dy = dy;
      }
      const int expected = detail::orientation_bin(best_dx, best_dy, params);
      if (bin.at(x, y) != expected || magnitude.at(x, y) != std::sqrt(best))
        return testing::AssertionFailure()
               << x << ' ' << y << " of " << detail::shape_text(image.view()) << ", "
               << options.bins << " bins: (" << best_dx << ", " << best_dy << ") has bin "
               << +bin.at(x, y) << " instead of " << expected << " and length "
               << magnitude.at(x, y);
    }
  return testing::AssertionSuccess();
}

TEST_P(Gradient, PolarIsTheSharedRuleForEveryNumberOfBins) {
  Random random(8);
  for (int bins = 1; bins <= 32; ++bins)
    for (const bool signed_angle : {false, true}) {
      const PolarGradientOptions options{
          .bins = bins, .signed_angle = signed_angle, .exec = {.device = device()}};
      const auto [width, height] = test::random_size(random, 90);
      const int channels = 1 + bins % 4;
      auto bytes = random_image<std::uint8_t>(random, width, height, channels);
      ASSERT_TRUE(polar_equals_the_rule(bytes, options));
      for (int y = 0; y < height; ++y)  // small differences: ties, diagonals and flat places
        for (int i = 0; i < width * channels; ++i) bytes.row(y)[i] &= 3;
      ASSERT_TRUE(polar_equals_the_rule(bytes, options));
      ASSERT_TRUE(
          polar_equals_the_rule(random_image<float>(random, width, height, channels), options));
      ASSERT_TRUE(polar_equals_the_rule(extreme_image(random, width, height, channels), options));
    }
}

TEST_P(Gradient, OppositeEdgesFoldTogetherUnlessSigned) {
  Image<float> edges(5, 1), magnitude(5, 1);
  Image<std::uint8_t> bin(5, 1);
  const float row[] = {0, 0, 1, 0, 0};
  std::copy_n(row, 5, edges.row(0));
  polar_gradient(edges, magnitude, bin, {.bins = 4, .exec = {.device = device()}});
  EXPECT_EQ(bin.at(1, 0), bin.at(3, 0));
  polar_gradient(edges, magnitude, bin,
                 {.bins = 4, .signed_angle = true, .exec = {.device = device()}});
  EXPECT_EQ(bin.at(1, 0), 0);
  EXPECT_EQ(bin.at(3, 0), 2);
}

TEST(GradientThreads, DoNotChangeTheResult) {
  Random random(4);
  const auto image = random_image<float>(random, 301, 203);
  Image<float> dx1(301, 203), dy1(301, 203), dx7(301, 203), dy7(301, 203);
  gradient(image, dx1, dy1, {.exec = {.device = Device::cpu(), .threads = 1}});
  gradient(image, dx7, dy7, {.exec = {.device = Device::cpu(), .threads = 7}});
  EXPECT_TRUE(test::images_equal(dx1, dx7));
  EXPECT_TRUE(test::images_equal(dy1, dy7));
}

TEST(GradientParity, CudaEqualsCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(5);
  for (int round = 0; round < 20; ++round) {
    const auto [width, height] = test::random_size(random, 500);
    const auto image = random_image<float>(random, width, height, 3);
    Image<float> magnitude(width, height), magnitude_cuda(width, height);
    Image<std::uint8_t> bin(width, height), bin_cuda(width, height);
    polar_gradient(image, magnitude, bin, {.exec = {.device = Device::cpu()}});
    polar_gradient(image, magnitude_cuda, bin_cuda, {.exec = {.device = Device::cuda()}});
    EXPECT_TRUE(test::images_equal(magnitude, magnitude_cuda));
    EXPECT_TRUE(test::images_equal(bin, bin_cuda));
  }
}

TEST(GradientParity, DataOnTheDeviceStaysThere) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(6);
  const auto image = random_image<float>(random, 333, 77);
  Image<float> dx(333, 77), dy(333, 77);
  gradient(image, dx, dy, {.exec = {.device = Device::cpu()}});
  const auto device_image = clone(image, Memory::kCuda);
  Image<float> device_dx(333, 77, 1, Memory::kCuda), device_dy(333, 77, 1, Memory::kCuda);
  gradient(device_image, device_dx, device_dy);
  EXPECT_TRUE(test::images_equal(clone(device_dx), dx));
  EXPECT_TRUE(test::images_equal(clone(device_dy), dy));
}

TEST(GradientError, NamesTheImageOfTheWrongSizeAndBothSizes) {
  Image<float> image(8, 6), right(8, 6), wrong(8, 5);
  try {
    gradient(image, right, wrong, {.exec = {.device = Device::cpu()}});
    FAIL() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("dy"), testing::HasSubstr("8x5"),
                                             testing::HasSubstr("8x6")));
  }
}

TEST(GradientError, BinsOutOfRange) {
  Image<float> image(8, 6), magnitude(8, 6);
  Image<std::uint8_t> bin(8, 6);
  EXPECT_THROW(polar_gradient(image, magnitude, bin, {.bins = 33}), InvalidArgument);
}

}  // namespace
}  // namespace fovea
