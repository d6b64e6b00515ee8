// OpenCV reads what is written here and writes what is read here.
#include <fovea/io/image_io.h>

#include <algorithm>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::images_equal;
using test::random_image;
using test::TempFolder;

// A view of OpenCV's pixels.
template <class T>
ImageView<const T> view_of(const cv::Mat& mat) {
  return {mat.ptr<T>(), mat.cols, mat.rows, mat.channels(),
          static_cast<std::ptrdiff_t>(mat.step1())};
}

// OpenCV keeps blue first.
cv::Mat swapped(const cv::Mat& mat) {
  cv::Mat result = mat;
  if (mat.channels() == 3) cv::cvtColor(mat, result, cv::COLOR_BGR2RGB);
  if (mat.channels() == 4) cv::cvtColor(mat, result, cv::COLOR_BGRA2RGBA);
  return result;
}

template <class T>
cv::Mat mat_of(const Image<T>& image) {
  cv::Mat mat(image.height(), image.width(), CV_MAKETYPE(cv::DataType<T>::depth, image.channels()));
  for (int y = 0; y < image.height(); ++y)
    std::copy_n(image.row(y), image.width() * image.channels(), mat.ptr<T>(y));
  return mat;
}

// A smooth picture: JPEG decoders may differ by a rounding where chroma is interpolated.
Image<std::uint8_t> smooth_image(int width, int height, int channels) {
  Image<std::uint8_t> image(width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        image.at(x, y, c) = static_cast<std::uint8_t>((x * (c + 1) + 2 * y) % 256);
  return image;
}

template <class T>
class ImageIoOracle : public testing::Test {
 protected:
  // Both directions through a file of this name.
  void exchange(const std::string& name, int channels) {
    const TempFolder folder;
    const std::string path = folder / name;
    const auto image = random_image<T>(random_, 37, 23, channels);
    write_image(path, image);
    const cv::Mat theirs = swapped(cv::imread(path, cv::IMREAD_UNCHANGED));
    ASSERT_EQ(theirs.depth(), cv::DataType<T>::depth) << name;
    EXPECT_TRUE(images_equal(view_of<T>(theirs), image.view())) << name << " " << channels;
    ASSERT_TRUE(cv::imwrite(path, swapped(mat_of(image))));
    const AnyImage back = read_image(path);
    EXPECT_TRUE(images_equal(std::get<Image<T>>(back.pixels), image)) << name << " " << channels;
  }
  Random random_{1};
};
using Types =
    testing::Types<std::uint8_t, std::uint16_t, std::int16_t, std::int32_t, float, double>;
TYPED_TEST_SUITE(ImageIoOracle, Types);

TYPED_TEST(ImageIoOracle, ExchangesEveryFormatThatHoldsTheType) {
  constexpr bool kPicture =
      std::is_same_v<TypeParam, std::uint8_t> || std::is_same_v<TypeParam, std::uint16_t>;
  if (kPicture) {
    for (const int channels : {1, 3, 4}) this->exchange("a.png", channels);
    this->exchange("a.pgm", 1);
    this->exchange("a.ppm", 3);
  }
  if (std::is_same_v<TypeParam, float>) {
    this->exchange("a.pfm", 1);
    this->exchange("a.pfm", 3);
  }
  // OpenCV 4.6 reads integer TIFF other than 8 and 16 bits unsigned only partly.
  if (kPicture || std::is_floating_point_v<TypeParam>) this->exchange("a.tif", 1);
  if (kPicture) this->exchange("a.tif", 3);
}

// OpenCV writes float color in LogLuv, which keeps about three digits.
TEST(ImageIoOracleTiff, ExchangesFloatColor) {
  const TempFolder folder;
  Random random(3);
  auto image = random_image<float>(random, 20, 10, 3);
  write_image(folder / "a.tif", image);
  const cv::Mat theirs = swapped(cv::imread(folder / "a.tif", cv::IMREAD_UNCHANGED));
  EXPECT_TRUE(images_equal(view_of<float>(theirs), image.view()));
  for (int y = 0; y < image.height(); ++y)
    for (int i = 0; i < 60; ++i) image.row(y)[i] = 0.5F + 0.2F * image.row(y)[i];
  ASSERT_TRUE(cv::imwrite(folder / "b.tif", swapped(mat_of(image))));
  EXPECT_TRUE(images_equal(to_float(read_image(folder / "b.tif")), image, 0.02));
}

TEST(ImageIoOracleJpeg, DecodesAlike) {
  const TempFolder folder;
  for (const int channels : {1, 3}) {
    const auto image = smooth_image(83, 61, channels);
    write_image(folder / "a.jpg", image);
    const cv::Mat theirs = swapped(cv::imread(folder / "a.jpg", cv::IMREAD_UNCHANGED));
    EXPECT_TRUE(images_equal(view_of<std::uint8_t>(theirs),
                             to_bytes(read_image(folder / "a.jpg")).view(), 2));
    ASSERT_TRUE(cv::imwrite(folder / "b.jpg", swapped(mat_of(image))));
    const cv::Mat again = swapped(cv::imread(folder / "b.jpg", cv::IMREAD_UNCHANGED));
    EXPECT_TRUE(images_equal(view_of<std::uint8_t>(again),
                             to_bytes(read_image(folder / "b.jpg")).view(), 2));
  }
}

TEST(ImageIoOracleJpeg, TurnsAlike) {
  const TempFolder folder;
  for (int orientation = 1; orientation <= 8; ++orientation) {
    write_image(folder / "a.jpg", smooth_image(40, 24, 3), {.orientation = orientation});
    const cv::Mat theirs = swapped(cv::imread(folder / "a.jpg", cv::IMREAD_COLOR));
    const AnyImage ours = read_image(folder / "a.jpg", {.orientation = Orientation::kApply});
    EXPECT_TRUE(images_equal(view_of<std::uint8_t>(theirs), to_bytes(ours).view(), 2))
        << orientation;
  }
}

TEST(ImageIoOracleGray, WeighsAlike) {
  Random random(2);
  const auto image = random_image<std::uint8_t>(random, 50, 40, 3);
  cv::Mat theirs;
  cv::cvtColor(mat_of(image), theirs, cv::COLOR_RGB2GRAY);
  EXPECT_TRUE(images_equal(view_of<std::uint8_t>(theirs), to_gray(image.view()).view(), 1));
}

}  // namespace
}  // namespace fovea::io
