#include <fovea/ops/resize.h>
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "support/images.h"

namespace fovea {
namespace {

// The image as OpenCV sees it, not copied.
template <class T>
cv::Mat matrix(ImageView<const T> image) {
  return cv::Mat(image.height, image.width, CV_MAKETYPE(cv::DataType<T>::depth, image.channels),
                 const_cast<T*>(image.data), static_cast<std::size_t>(image.stride) * sizeof(T));
}

template <class T>
void compare(double tolerance) {
  Random random(21);
  for (int round = 0; round < 60; ++round) {
    const auto from = test::random_size(random, 120), to = test::random_size(random, 120);
    const int channels = 1 + static_cast<int>(random.below(4));
    const auto image = test::random_image<T>(random, from.width, from.height, channels);
    Image<T> ours(to.width, to.height, channels), theirs(to.width, to.height, channels);
    resize(image, ours, {.exec = {.device = Device::cpu()}});
    cv::Mat out = matrix<T>(std::as_const(theirs).view());
    cv::resize(matrix<T>(image.view()), out, out.size(), 0, 0, cv::INTER_LINEAR);
    ASSERT_TRUE(test::images_equal(ours, theirs, tolerance))
        << from.width << 'x' << from.height << " to " << to.width << 'x' << to.height;
  }
}

TEST(ResizeOracle, BytesWithinOneGrayLevelOfOpenCv) { compare<std::uint8_t>(1); }
TEST(ResizeOracle, ShortsWithinOneOfOpenCv) { compare<std::uint16_t>(1); }
TEST(ResizeOracle, FloatsAgreeWithOpenCv) { compare<float>(1e-5); }

}  // namespace
}  // namespace fovea
