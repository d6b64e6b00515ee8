#include <fovea/core/error.h>
#include <fovea/ops/integral.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/integral/integral_math.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

using test::random_image;

class IntegralHistogram : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(IntegralHistogram);

Image<std::uint8_t> random_bins(Random& random, int width, int height, int bins) {
  Image<std::uint8_t> image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.at(x, y) = static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(bins)));
  return image;
}

// Every sum of every plane, one pixel at a time.
template <class WeightOf>
testing::AssertionResult equals_textbook(ImageView<const std::uint8_t> bin, WeightOf weight_of,
                                         StackView<const std::uint32_t> sums) {
  for (int b = 0; b < sums.count; ++b) {
    const auto plane = sums.plane(b);
    std::vector<std::uint32_t> above(static_cast<std::size_t>(sums.width));
    for (int y = 0; y < sums.height; ++y) {
      std::uint32_t row = 0;
      for (int x = 0; x < sums.width; ++x) {
        if (y > 0 && x > 0 && bin.at(x - 1, y - 1) == b) row += weight_of(x - 1, y - 1);
        above[static_cast<std::size_t>(x)] += row;
        if (plane.at(x, y) != above[static_cast<std::size_t>(x)])
          return testing::AssertionFailure()
                 << "plane " << b << " at " << x << ' ' << y << ": " << plane.at(x, y)
                 << " instead of " << above[static_cast<std::size_t>(x)];
      }
    }
  }
  return testing::AssertionSuccess();
}

TEST_P(IntegralHistogram, RectanglesGiveTheHistogram) {
  Image<std::uint8_t> bin(40, 30);
  Image<float> weight(40, 30);
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) bin.at(x, y) = x < 20 ? 0 : 2, weight.at(x, y) = 0.5F;
  Stack<std::uint32_t> sums(41, 31, 3);
  integral_histogram(bin, weight, sums, {.fraction_bits = 4, .exec = {.device = device()}});
  EXPECT_EQ(rectangle_sum(sums.plane(0), 15, 3, 10, 4), 5 * 4 * 8);
  EXPECT_EQ(rectangle_sum(sums.plane(1), 15, 3, 10, 4), 0);
  EXPECT_EQ(rectangle_sum(sums.plane(2), 15, 3, 10, 4), 5 * 4 * 8);
}

TEST_P(IntegralHistogram, EqualsTextbookForAnySizeAndBins) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const auto [width, height] = test::random_size(random, round % 5 == 0 ? 600 : 70);
    const int bins = 1 + static_cast<int>(random.below(12));
    const int fraction_bits = static_cast<int>(random.below(25));
    const auto bin = random_bins(random, width, height, bins + 2);
    const auto weight = random_image<float>(random, width, height);
    Stack<std::uint32_t> sums(width + 1, height + 1, bins);
    const IntegralHistogramOptions options{.fraction_bits = fraction_bits,
                                           .exec = {.device = device(), .threads = 1 + round % 3}};
    integral_histogram(bin, weight, sums, options);
    EXPECT_TRUE(equals_textbook(
        bin,
        [&](int x, int y) {
          return static_cast<std::uint32_t>(
              std::floor(std::ldexp(static_cast<double>(weight.at(x, y)), fraction_bits) + 0.5));
        },
        std::as_const(sums).view()));
    integral_histogram(bin, sums, options);
    EXPECT_TRUE(equals_textbook(
        bin, [](int, int) { return 1U; }, std::as_const(sums).view()));
  }
}

TEST_P(IntegralHistogram, CropsReadAndWriteOnlyThemselves) {
  Random random(2);
  auto bin = random_bins(random, 90, 60, 4);
  auto weight = random_image<float>(random, 95, 70);
  Image<std::uint32_t> all(131, 200);
  for (int y = 0; y < 200; ++y) std::fill_n(all.row(y), 131, 7U);
  const auto first = all.view().crop(3, 1, 62, 42);
  const StackView<std::uint32_t> sums{first.data,        62,           42, 4, 1, first.stride,
                                      first.stride * 45, Memory::kHost};
  const auto part = bin.view().crop(5, 7, 61, 41);
  const auto part_weight = weight.view().crop(11, 2, 61, 41);
  integral_histogram(part, part_weight, sums, {.exec = {.device = device()}});
  EXPECT_TRUE(equals_textbook(
      part, [&](int x, int y) { return detail::fixed_point(part_weight.at(x, y), 1024); }, sums));
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 131; ++x) {
      const bool inside = x >= 3 && x < 65 && y >= 1 && (y - 1) / 45 < 4 && (y - 1) % 45 < 42;
      ASSERT_TRUE(inside || all.at(x, y) == 7U) << x << ' ' << y;
    }
}

TEST_P(IntegralHistogram, WeightsRoundHalfUpAndStrangeOnesDoNoHarm) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float weights[] = {0.5F,   0.49999997F, -0.5F,     -0.75F, 1e30F,
                           -1e30F, infinity,    -infinity, NAN};
  const std::uint32_t expected[] = {
      1, 0, 0, 0xFFFFFFFFU, 0x7FFFFF80U, 0x80000000U, 0x7FFFFF80U, 0x80000000U, 0};
  Image<std::uint8_t> bin(9, 1);
  Image<float> weight(9, 1);
  std::fill_n(bin.row(0), 9, std::uint8_t{0});
  std::copy_n(weights, 9, weight.row(0));
  Stack<std::uint32_t> sums(10, 2, 1);
  integral_histogram(bin, weight, sums, {.fraction_bits = 0, .exec = {.device = device()}});
  for (int x = 0; x < 9; ++x)
    EXPECT_EQ(rectangle_sum(sums.plane(0), x, 0, 1, 1), expected[x]) << weights[x];
}

TEST_P(IntegralHistogram, RectanglesAreRightThoughTheTableWraps) {
  Image<std::uint8_t> bin(300, 200);
  Image<float> weight(300, 200);
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 300; ++x) bin.at(x, y) = 0, weight.at(x, y) = 360.0F;
  Stack<std::uint32_t> sums(301, 201, 1);
  integral_histogram(bin, weight, sums, {.exec = {.device = device()}});
  EXPECT_EQ(rectangle_sum(sums.plane(0), 200, 50, 64, 128), 360U * 1024U * 64U * 128U);
}

TEST(IntegralHistogramThreads, DoNotChangeTheResult) {
  Random random(3);
  const auto bin = random_bins(random, 1201, 203, 9);
  const auto weight = random_image<float>(random, 1201, 203);
  Stack<std::uint32_t> one(1202, 204, 9), many(1202, 204, 9);
  integral_histogram(bin, weight, one, {.exec = {.device = Device::cpu(), .threads = 1}});
  for (const int threads : {2, 7}) {
    integral_histogram(bin, weight, many, {.exec = {.device = Device::cpu(), .threads = threads}});
    for (int b = 0; b < 9; ++b) EXPECT_TRUE(test::images_equal(one.plane(b), many.plane(b)));
  }
}

TEST(IntegralHistogramParity, CudaEqualsCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(4);
  const auto bin = random_bins(random, 1280, 960, 10);
  const auto weight = random_image<float>(random, 1280, 960);
  Stack<std::uint32_t> sums(1281, 961, 9), on_cuda(1281, 961, 9);
  integral_histogram(bin, weight, sums, {.exec = {.device = Device::cpu()}});
  integral_histogram(bin, weight, on_cuda, {.exec = {.device = Device::cuda()}});
  for (int b = 0; b < 9; ++b) EXPECT_TRUE(test::images_equal(sums.plane(b), on_cuda.plane(b)));
}

TEST(IntegralHistogramError, NamesWhatDoesNotFit) {
  const IntegralHistogramOptions cpu{.exec = {.device = Device::cpu()}};
  Image<std::uint8_t> bin(8, 6);
  Image<float> weight(8, 5);
  Stack<std::uint32_t> sums(9, 7, 2), small(8, 6, 2);
  EXPECT_THAT([&] { integral_histogram(bin, weight, sums, cpu); },
              testing::ThrowsMessage<InvalidArgument>(
                  testing::AllOf(testing::HasSubstr("weight"), testing::HasSubstr("8x5"))));
  EXPECT_THAT([&] { integral_histogram(bin, small, cpu); },
              testing::ThrowsMessage<InvalidArgument>(testing::HasSubstr("9x7")));
  EXPECT_THROW(integral_histogram(bin, Image<float>(), sums, cpu), InvalidArgument);
  EXPECT_THROW(integral_histogram(bin, sums, {.fraction_bits = 25}), InvalidArgument);
}

}  // namespace
}  // namespace fovea
