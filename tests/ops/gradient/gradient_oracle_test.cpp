#include <fovea/ops/gradient.h>

#include <opencv2/imgproc.hpp>

#include "support/images.h"

namespace fovea {
namespace {

TEST(GradientOracle, SobelEqualsSpatialGradient) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    const auto [width, height] = test::random_size(random, 200);
    if (width < 3 || height < 3) continue;  // OpenCV refuses smaller ones
    auto image = test::random_image<std::uint8_t>(random, width, height);
    Image<std::int16_t> dx(width, height), dy(width, height);
    gradient(image, dx, dy, {.kernel = GradientKernel::kSobel, .exec = {.device = Device::cpu()}});
    const cv::Mat wrapped(height, width, CV_8U, image.row(0), image.stride());
    cv::Mat expected_dx, expected_dy;
    cv::spatialGradient(wrapped, expected_dx, expected_dy, 3, cv::BORDER_REPLICATE);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        ASSERT_EQ(dx.at(x, y), expected_dx.at<std::int16_t>(y, x)) << x << ' ' << y;
        ASSERT_EQ(dy.at(x, y), expected_dy.at<std::int16_t>(y, x)) << x << ' ' << y;
      }
  }
}

}  // namespace
}  // namespace fovea
