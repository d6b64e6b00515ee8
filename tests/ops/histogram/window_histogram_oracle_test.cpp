// The window histogram against OpenCV: the mask of a bin, summed over the window.
#include <fovea/ops/window_histogram.h>
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "support/images.h"

namespace fovea {
namespace {

cv::Mat counts_of(const cv::Mat& bin, int value, const WindowHistogramOptions& options) {
  const cv::Size window(options.window.width, options.window.height);
  const int x = window.width / 2, y = window.height / 2;
  const bool repeat = options.border == WindowBorder::kRepeat;
  cv::Mat mask, padded, sums;
  cv::compare(bin, value, mask, cv::CMP_EQ);
  mask /= 255;
  cv::copyMakeBorder(mask, padded, y, y, x, x, repeat ? cv::BORDER_REPLICATE : cv::BORDER_CONSTANT);
  cv::boxFilter(padded, sums, CV_32S, window, {-1, -1}, false);
  return sums(cv::Rect(x, y, bin.cols, bin.rows));
}

TEST(WindowHistogramOracle, EqualsOpenCvsBoxFilterOfEveryBin) {
  Random random(1);
  for (int round = 0; round < 16; ++round) {
    const auto [width, height] = test::random_size(random, 80);
    const int bins = 1 + static_cast<int>(random.below(20));
    auto bin = test::random_image<std::uint8_t>(random, width, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) bin.at(x, y) %= static_cast<std::uint8_t>(bins + 1);
    const WindowHistogramOptions options{
        .window = {1 + 2 * static_cast<int>(random.below(10)),
                   1 + 2 * static_cast<int>(random.below(10))},
        .border = round % 2 == 0 ? WindowBorder::kClip : WindowBorder::kRepeat,
        .exec = {.device = Device::cpu()}};
    Image<std::uint16_t> counts(width, height, bins);
    window_histogram(bin, counts, options);
    const cv::Mat image(height, width, CV_8U, bin.row(0), static_cast<std::size_t>(bin.stride()));
    for (int b = 0; b < bins; ++b) {
      const cv::Mat expected = counts_of(image, b, options);
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
          ASSERT_EQ(counts.at(x, y, b), expected.at<int>(y, x))
              << "bin " << b << " at " << x << ' ' << y << " of " << width << 'x' << height;
    }
  }
}

}  // namespace
}  // namespace fovea
