// The integral histogram against OpenCV's integral image of every bin's mask.
#include <fovea/ops/integral.h>
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "support/images.h"

namespace fovea {
namespace {

template <class T>
cv::Mat as_mat(Image<T>& image) {
  return cv::Mat(image.height(), image.width(), CV_MAKETYPE(cv::DataType<T>::depth, 1),
                 image.row(0), static_cast<std::size_t>(image.stride()) * sizeof(T));
}

// The sums of the masked weights are whole numbers below 2^53: exact in double.
void compare(const cv::Mat& bin, const cv::Mat& weight, StackView<const std::uint32_t> sums) {
  for (int b = 0; b < sums.count; ++b) {
    cv::Mat masked = cv::Mat::zeros(bin.size(), CV_64F), expected;
    weight.copyTo(masked, bin == b);
    cv::integral(masked, expected, CV_64F);
    const auto plane = sums.plane(b);
    for (int y = 0; y < sums.height; ++y)
      for (int x = 0; x < sums.width; ++x)
        ASSERT_EQ(plane.at(x, y), expected.at<double>(y, x))
            << "bin " << b << " at " << x << ' ' << y;
  }
}

TEST(IntegralHistogramOracle, EqualsOpenCvsIntegralOfEveryBin) {
  Random random(1);
  for (int round = 0; round < 12; ++round) {
    const auto [width, height] = test::random_size(random, 200);
    const int bins = 1 + static_cast<int>(random.below(12));
    auto bin = test::random_image<std::uint8_t>(random, width, height);
    Image<float> weight(width, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        bin.at(x, y) %= static_cast<std::uint8_t>(bins + 1);
        weight.at(x, y) = static_cast<float>(random.below(1024)) / 256;  // exact in fixed point
      }
    Stack<std::uint32_t> sums(width + 1, height + 1, bins);
    integral_histogram(bin, weight, sums, {.fraction_bits = 8, .exec = {.device = Device::cpu()}});
    cv::Mat scaled;
    as_mat(weight).convertTo(scaled, CV_64F, 256);
    compare(as_mat(bin), scaled, std::as_const(sums).view());
    integral_histogram(bin, sums, {.exec = {.device = Device::cpu()}});
    compare(as_mat(bin), cv::Mat::ones(height, width, CV_64F), std::as_const(sums).view());
  }
}

}  // namespace
}  // namespace fovea
