#include <fovea/ops/convolve.h>
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "support/images.h"

namespace fovea {
namespace {

// The image as OpenCV sees it, not copied.
template <class T>
cv::Mat matrix(const Image<T>& image) {
  return cv::Mat(
      image.height(), image.width(), CV_MAKETYPE(cv::DataType<T>::depth, image.channels()),
      const_cast<T*>(image.row(0)), static_cast<std::size_t>(image.stride()) * sizeof(T));
}

int opencv_border(Border border) {
  switch (border) {
    case Border::kRepeat: return cv::BORDER_REPLICATE;
    case Border::kReflect: return cv::BORDER_REFLECT;
    default: return cv::BORDER_REFLECT_101;
  }
}

template <class T, class Out>
void compare(double tolerance) {
  Random random(41);
  for (int round = 0; round < 40; ++round) {
    // OpenCV's reflections do not reach further than one image size.
    const int width = 12 + static_cast<int>(random.below(60)),
              height = 12 + static_cast<int>(random.below(60)),
              channels = 1 + static_cast<int>(random.below(4));
    const auto image = test::random_image<T>(random, width, height, channels);
    Image<float> kernel(1 + static_cast<int>(random.below(9)),
                        1 + static_cast<int>(random.below(9)));
    for (int y = 0; y < kernel.height(); ++y)
      for (int x = 0; x < kernel.width(); ++x) kernel.at(x, y) = random.uniform(-0.1F, 0.3F);
    const std::vector<float> row(kernel.row(0), kernel.row(0) + kernel.width());
    std::vector<float> column;
    for (int y = 0; y < kernel.height(); ++y) column.push_back(kernel.at(0, y));
    const auto border = static_cast<Border>(random.below(3));
    const ConvolveOptions options{.border = border, .exec = {.device = Device::cpu()}};
    Image<Out> ours(width, height, channels), theirs(width, height, channels);
    cv::Mat out = matrix(theirs);
    const int depth = cv::DataType<Out>::depth, cv_border = opencv_border(border);

    convolve(image, ours, kernel, options);
    cv::filter2D(matrix(image), out, depth, matrix(kernel), {-1, -1}, 0, cv_border);
    ASSERT_TRUE(test::images_equal(ours, theirs, tolerance));

    convolve_separable(image, ours, row, column, options);
    cv::sepFilter2D(matrix(image), out, depth, row, column, {-1, -1}, 0, cv_border);
    ASSERT_TRUE(test::images_equal(ours, theirs, tolerance));
  }
}

TEST(ConvolveOracle, FloatsAgreeWithOpenCv) { compare<float, float>(1e-5); }
TEST(ConvolveOracle, BytesToFloatsAgreeWithOpenCv) { compare<std::uint8_t, float>(255e-5); }
TEST(ConvolveOracle, BytesWithinOneGrayLevelOfOpenCv) { compare<std::uint8_t, std::uint8_t>(1); }

TEST(ConvolveOracle, BlurAgreesWithOpenCv) {
  Random random(42);
  const auto image = test::random_image<float>(random, 71, 53, 3);
  Image<float> ours(71, 53, 3), theirs(71, 53, 3);
  cv::Mat out = matrix(theirs);
  const auto size = static_cast<int>(gaussian_kernel(1.7).size());
  gaussian_blur(image, ours, 1.7, {.exec = {.device = Device::cpu()}});
  cv::GaussianBlur(matrix(image), out, {size, size}, 1.7);
  EXPECT_TRUE(test::images_equal(ours, theirs, 1e-5));
}

}  // namespace
}  // namespace fovea
