#include <fovea/ops/pyramid.h>
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "support/images.h"

namespace fovea {
namespace {

template <class T>
void compare(double tolerance) {
  Random random(61);
  for (int round = 0; round < 40; ++round) {
    // OpenCV's reflection does not reach further than one image size.
    const int width = 3 + static_cast<int>(random.below(100)),
              height = 3 + static_cast<int>(random.below(100)),
              channels = 1 + static_cast<int>(random.below(4));
    const auto image = test::random_image<T>(random, width, height, channels);
    Image<T> ours((width + 1) / 2, (height + 1) / 2, channels);
    gaussian_halve(image, ours, {.device = Device::cpu()});
    const cv::Mat in(height, width, CV_MAKETYPE(cv::DataType<T>::depth, channels),
                     const_cast<T*>(image.row(0)),
                     static_cast<std::size_t>(image.stride()) * sizeof(T));
    cv::Mat out;
    cv::pyrDown(in, out);
    const ImageView<const T> theirs{
        out.ptr<T>(), out.cols, out.rows, channels, static_cast<std::ptrdiff_t>(out.step1()),
        Memory::kHost};
    ASSERT_TRUE(test::images_equal(std::as_const(ours).view(), theirs, tolerance));
  }
}

TEST(PyramidOracle, HalvingBytesEqualsOpenCv) { compare<std::uint8_t>(0); }
TEST(PyramidOracle, HalvingFloatsAgreesWithOpenCv) { compare<float>(1e-6); }

}  // namespace
}  // namespace fovea
