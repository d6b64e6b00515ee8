#include <fovea/core/error.h>
#include <fovea/ops/window_histogram.h>
#include <gmock/gmock.h>

#include <cmath>

#include "reference/window_histogram.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

class WindowHistogram : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(WindowHistogram);

Image<std::uint8_t> random_bins(Random& random, int width, int height, int bins) {
  Image<std::uint8_t> image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.at(x, y) = static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(bins)));
  return image;
}

template <class Count>
testing::AssertionResult equals_textbook(ImageView<const std::uint8_t> bin,
                                         ImageView<const Count> counts,
                                         const WindowHistogramOptions& options) {
  for (int y = 0; y < bin.height; ++y)
    for (int x = 0; x < bin.width; ++x) {
      const auto expected = reference::window_histogram_at(bin, x, y, counts.channels, options);
      for (int b = 0; b < counts.channels; ++b)
        if (counts.at(x, y, b) != expected[static_cast<std::size_t>(b)])
          return testing::AssertionFailure()
                 << "bin " << b << " at " << x << ' ' << y << " of " << detail::shape_text(counts)
                 << ": " << +counts.at(x, y, b) << " instead of "
                 << expected[static_cast<std::size_t>(b)];
    }
  return testing::AssertionSuccess();
}

int random_odd(Random& random, std::uint32_t most) {
  return 1 + 2 * static_cast<int>(random.below((most + 1) / 2));
}

TEST_P(WindowHistogram, CountsTheWindowInsideTheImage) {
  Image<std::uint8_t> bin(50, 40);
  for (int y = 0; y < 40; ++y) std::fill_n(bin.row(y), 50, std::uint8_t{3});
  Image<std::uint16_t> counts(50, 40, 5);
  window_histogram(bin, counts, {.window = {7, 5}, .exec = {.device = device()}});
  EXPECT_EQ(counts.at(20, 20, 3), 35);
  EXPECT_EQ(counts.at(0, 20, 3), 20);
  EXPECT_EQ(counts.at(49, 39, 3), 12);
  EXPECT_EQ(counts.at(20, 20, 2), 0);
}

TEST_P(WindowHistogram, EqualsTextbookForAnySizeWindowAndBins) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    const auto [width, height] = test::random_size(random, 60);
    const int bins = 1 + static_cast<int>(random.below(64));
    const auto bin = random_bins(random, width, height, bins + 2);
    const WindowHistogramOptions options{.window = {random_odd(random, 25), random_odd(random, 25)},
                                         .border = static_cast<WindowBorder>(round % 2),
                                         .exec = {.device = device()}};
    Image<std::uint16_t> counts(width, height, bins);
    window_histogram(bin, counts, options);
    ASSERT_TRUE(equals_textbook(bin.view(), std::as_const(counts).view(), options));
  }
}

TEST_P(WindowHistogram, EqualsTextbookInBytes) {
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    const auto [width, height] = test::random_size(random, round % 6 == 0 ? 300 : 60);
    const int bins = 1 + static_cast<int>(random.below(64));
    const auto bin = random_bins(random, width, height, bins);
    const WindowHistogramOptions options{.window = {random_odd(random, 15), random_odd(random, 17)},
                                         .border = static_cast<WindowBorder>(round % 2),
                                         .exec = {.device = device()}};
    Image<std::uint8_t> counts(width, height, bins);
    window_histogram(bin, counts, options);
    ASSERT_TRUE(equals_textbook(bin.view(), std::as_const(counts).view(), options));
  }
}

TEST_P(WindowHistogram, LargestWindowsOfOneValueFillTheirCounts) {
  Image<std::uint8_t> bin(300, 270);
  for (int y = 0; y < 270; ++y) std::fill_n(bin.row(y), 300, std::uint8_t{1});
  Image<std::uint16_t> counts(300, 270, 2);
  window_histogram(
      bin, counts,
      {.window = {255, 255}, .border = WindowBorder::kRepeat, .exec = {.device = device()}});
  for (int y = 0; y < 270; ++y)
    for (int x = 0; x < 300; ++x) {
      ASSERT_EQ(counts.at(x, y, 0), 0);
      ASSERT_EQ(counts.at(x, y, 1), 255 * 255);
    }
}

TEST_P(WindowHistogram, CropsReadAndWriteOnlyThemselves) {
  Random random(3);
  auto bin = random_bins(random, 80, 60, 7);
  Image<std::uint16_t> counts(90, 70, 7);
  for (int y = 0; y < 70; ++y) std::fill_n(counts.row(y), 90 * 7, std::uint16_t{999});
  const auto part = bin.view().crop(3, 5, 51, 41);
  const auto target = counts.view().crop(11, 13, 51, 41);
  const WindowHistogramOptions options{.window = {9, 5}, .exec = {.device = device()}};
  window_histogram(part, target, options);
  EXPECT_TRUE(equals_textbook<std::uint16_t>(part, target, options));
  for (int y = 0; y < 70; ++y)
    for (int x = 0; x < 90; ++x) {
      const bool inside = x >= 11 && x < 62 && y >= 13 && y < 54;
      for (int b = 0; b < 7; ++b) ASSERT_TRUE(inside || counts.at(x, y, b) == 999) << x << ' ' << y;
    }
}

TEST(WindowHistogramThreads, DoNotChangeTheResult) {
  Random random(4);
  const auto bin = random_bins(random, 301, 403, 16);
  Image<std::uint16_t> one(301, 403, 16), many(301, 403, 16);
  window_histogram(bin, one, {.exec = {.device = Device::cpu(), .threads = 1}});
  for (const int threads : {2, 7}) {
    window_histogram(bin, many, {.exec = {.device = Device::cpu(), .threads = threads}});
    EXPECT_TRUE(test::images_equal(one, many));
  }
}

TEST(WindowHistogramParity, CudaEqualsCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(5);
  for (int round = 0; round < 12; ++round) {
    const auto [width, height] = test::random_size(random, 700);
    const int bins = 1 + static_cast<int>(random.below(64));
    const auto bin = random_bins(random, width, height, bins + 1);
    WindowHistogramOptions options{.window = {random_odd(random, 255), random_odd(random, 255)},
                                   .border = static_cast<WindowBorder>(round % 2),
                                   .exec = {.device = Device::cpu()}};
    Image<std::uint16_t> counts(width, height, bins), on_cuda(width, height, bins);
    window_histogram(bin, counts, options);
    options.exec.device = Device::cuda();
    window_histogram(bin, on_cuda, options);
    ASSERT_TRUE(test::images_equal(counts, on_cuda));
  }
}

TEST(WindowHistogramError, SaysWhatDoesNotFit) {
  Image<std::uint8_t> bin(20, 20), bytes(20, 20, 4);
  Image<std::uint16_t> counts(20, 20, 4), many(20, 20, 65);
  const Exec exec{.device = Device::cpu()};
  EXPECT_THAT(
      [&] {
        window_histogram(bin, counts, {.window = {4, 15}, .exec = exec});
      },
      testing::ThrowsMessage<InvalidArgument>(testing::HasSubstr("odd")));
  EXPECT_THAT(
      [&] {
        window_histogram(bin, bytes, {.window = {17, 17}, .exec = exec});
      },
      testing::ThrowsMessage<InvalidArgument>(testing::HasSubstr("289 pixels")));
  EXPECT_THAT([&] { window_histogram(bin, many, {.exec = exec}); },
              testing::ThrowsMessage<InvalidArgument>(testing::HasSubstr("64")));
  EXPECT_THROW(window_histogram(bin, counts, {.window = {257, 15}, .exec = exec}), InvalidArgument);
}

class Quantize : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(Quantize);

TEST_P(Quantize, DividesTheWholeRangeIntoEqualLevels) {
  Image<std::uint8_t> bytes(256, 1), bin(256, 1);
  for (int x = 0; x < 256; ++x) bytes.at(x, 0) = static_cast<std::uint8_t>(x);
  for (const int levels : {1, 8, 11, 64, 255}) {
    quantize(bytes, bin, {.levels = levels, .exec = {.device = device()}});
    for (int x = 0; x < 256; ++x) ASSERT_EQ(bin.at(x, 0), x * levels / 256);
  }
  Image<std::uint16_t> shorts(1000, 1);
  Image<std::uint8_t> levels(1000, 1);
  for (int x = 0; x < 1000; ++x) shorts.at(x, 0) = static_cast<std::uint16_t>(x * 65535 / 999);
  quantize(shorts, levels, {.levels = 37, .exec = {.device = device()}});
  for (int x = 0; x < 1000; ++x) ASSERT_EQ(levels.at(x, 0), shorts.at(x, 0) * 37 / 65536);
}

TEST_P(Quantize, ClampsWhatLiesOutsideAndMarksNotANumber) {
  const float values[] = {-5, 10, 14.9F, 15, 29.9F, 30, INFINITY, -INFINITY, NAN};
  const int expected[] = {0, 0, 0, 1, 3, 3, 3, 0, 255};
  Image<float> image(9, 1);
  Image<std::uint8_t> bin(9, 1);
  std::copy_n(values, 9, image.row(0));
  quantize(image, bin, {.levels = 4, .low = 10, .high = 30, .exec = {.device = device()}});
  for (int x = 0; x < 9; ++x) EXPECT_EQ(bin.at(x, 0), expected[x]) << values[x];
  EXPECT_THROW(quantize(image, bin, {.low = 2, .high = 1}), InvalidArgument);
}

}  // namespace
}  // namespace fovea
