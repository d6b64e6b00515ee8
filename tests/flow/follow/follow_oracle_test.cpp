#include <fovea/flow/follow.h>
#include <gtest/gtest.h>

#include <cmath>
#include <opencv2/video/tracking.hpp>
#include <vector>

#include "support/images.h"

namespace fovea::flow {
namespace {

// A smooth texture of all sizes, as each level of a pyramid needs, and the same moved by parts of a
// pixel.
Image<std::uint8_t> follow_frame(double dx, double dy) {
  Image<std::uint8_t> image(320, 240);
  for (int y = 0; y < 240; ++y)
    for (int x = 0; x < 320; ++x) {
      const double u = x - dx, v = y - dy;
      image.at(x, y) = static_cast<std::uint8_t>(
          125.5 + 40 * std::sin(0.045 * u + 0.02 * v) + 35 * std::sin(0.05 * v - 0.017 * u + 1) +
          15 * std::sin(0.31 * u + 0.11 * v) + 15 * std::sin(0.23 * v - 0.13 * u + 1) +
          10 * std::sin(0.47 * u) * std::cos(0.41 * v));
    }
  return image;
}

cv::Mat as_gray_mat(const Image<std::uint8_t>& image) {
  return {image.height(), image.width(), CV_8U, const_cast<std::uint8_t*>(image.row(0)),
          static_cast<std::size_t>(image.stride())};
}

// OpenCV rounds levels to bytes, gradients to whole numbers and weights to 14 bits.
TEST(FollowOracle, PointsAreWhereOpenCvFindsThem) {
  const auto first = follow_frame(0, 0), second = follow_frame(5.4, -7.7);
  std::vector<Position> points;
  std::vector<cv::Point2f> theirs, there;
  for (int y = 25; y < 215; y += 13)
    for (int x = 25; x < 295; x += 17) {
      points.push_back({static_cast<float>(x) + 0.25F, static_cast<float>(y) + 0.6F});
      theirs.emplace_back(points.back().x, points.back().y);
    }
  std::vector<unsigned char> status;
  std::vector<float> error;
  cv::calcOpticalFlowPyrLK(as_gray_mat(first), as_gray_mat(second), theirs, there, status, error);
  const Followed found = follow(first, second, {points}, {.exec = {.device = Device::cpu()}});
  for (std::size_t i = 0; i < points.size(); ++i) {
    ASSERT_EQ(found.status[i], status[i]) << i;
    EXPECT_NEAR(found.points[i].x, there[i].x, 0.03) << i;
    EXPECT_NEAR(found.points[i].y, there[i].y, 0.03) << i;
    EXPECT_NEAR(found.error[i], error[i], 0.2) << i;
  }
}

}  // namespace
}  // namespace fovea::flow
