// The integral image against OpenCV's.
#include <fovea/ops/integral.h>
#include <gtest/gtest.h>

#include <opencv2/imgproc.hpp>

#include "support/images.h"

namespace fovea {
namespace {

template <class T>
cv::Mat as_mat(Image<T>& image) {
  return cv::Mat(image.height(), image.width(),
                 CV_MAKETYPE(cv::DataType<T>::depth, image.channels()), image.row(0),
                 static_cast<std::size_t>(image.stride()) * sizeof(T));
}

template <class In, class Out, class Square>
void compare(Random& random, double tolerance) {
  for (int round = 0; round < 12; ++round) {
    const auto [width, height] = test::random_size(random, 300);
    const int channels = 1 + round % 4;
    Image<In> image = test::random_image<In>(random, width, height, channels);
    Image<Out> sums(width + 1, height + 1, channels);
    Image<Square> squares(width + 1, height + 1, channels);
    integral(image, sums, {.exec = {.device = Device::cpu()}});
    integral(image, squares, {.squares = true, .exec = {.device = Device::cpu()}});
    cv::Mat expected, expected_squares;
    cv::integral(as_mat(image), expected, expected_squares, cv::DataType<Out>::depth,
                 cv::DataType<Square>::depth);
    EXPECT_LE(cv::norm(as_mat(sums), expected, cv::NORM_INF | cv::NORM_RELATIVE), tolerance);
    EXPECT_LE(cv::norm(as_mat(squares), expected_squares, cv::NORM_INF | cv::NORM_RELATIVE),
              tolerance);
  }
}

TEST(IntegralOracle, EqualsOpenCvForBytes) {
  Random random(1);
  compare<std::uint8_t, std::int32_t, double>(random, 0);
  compare<std::uint8_t, double, double>(random, 0);
}

TEST(IntegralOracle, AgreesWithOpenCvForFloats) {
  Random random(2);
  compare<float, float, double>(random, 1e-5);
  compare<float, double, double>(random, 1e-13);
  compare<double, double, double>(random, 1e-13);
}

}  // namespace
}  // namespace fovea
