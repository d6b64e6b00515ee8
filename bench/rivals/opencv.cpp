// OpenCV as a rival: each entry sets up buffers like ours and runs the function that users would
// call for the same result. Loaded by `fovea bench` alone.
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/rival_table.h"

namespace {

using Work = std::function<void()>;
using Shape = FoveaRivalShape;

cv::Mat noise(const Shape& shape, int depth) {
  cv::Mat image(shape.height, shape.width, CV_MAKETYPE(depth, shape.channels));
  cv::randu(image, 0, depth == CV_8U ? 256 : depth == CV_16U ? 65536 : 1);
  return image;
}

Work spatial_gradient(const Shape& shape) {
  const cv::Mat image = noise(shape, CV_8U);
  const auto dx = std::make_shared<cv::Mat>(), dy = std::make_shared<cv::Mat>();
  return [=] { cv::spatialGradient(image, *dx, *dy, 3, cv::BORDER_REPLICATE); };
}

template <int kFrom, int kTo>
Work integral(const Shape& shape) {
  const cv::Mat image = noise(shape, kFrom);
  const auto sum = std::make_shared<cv::Mat>();
  return [=] { cv::integral(image, *sum, kTo); };
}

template <int kDepth>
Work resize(const Shape& shape) {
  const cv::Mat image = noise(shape, kDepth);
  const auto result = std::make_shared<cv::Mat>();
  const cv::Size size(shape.to_width, shape.to_height);
  return [=] { cv::resize(image, *result, size, 0, 0, cv::INTER_LINEAR); };
}

Work separable(const Shape& shape) {
  const cv::Mat image = noise(shape, CV_32F);
  const cv::Mat kernel = cv::getGaussianKernel(shape.taps, -1, CV_32F);
  const auto result = std::make_shared<cv::Mat>();
  return [=] {
    cv::sepFilter2D(image, *result, CV_32F, kernel, kernel, {-1, -1}, 0, cv::BORDER_REPLICATE);
  };
}

Work general(const Shape& shape) {
  const cv::Mat image = noise(shape, CV_32F);
  cv::Mat kernel(shape.taps, shape.taps, CV_32F);
  cv::randu(kernel, 0, 1);
  const auto result = std::make_shared<cv::Mat>();
  return [=] { cv::filter2D(image, *result, CV_32F, kernel, {-1, -1}, 0, cv::BORDER_REPLICATE); };
}

template <int kDepth>
Work pyramid_down(const Shape& shape) {
  const cv::Mat image = noise(shape, kDepth);
  const auto result = std::make_shared<cv::Mat>();
  return [=] { cv::pyrDown(image, *result, {}, cv::BORDER_DEFAULT); };
}

// The whole detector with its own vector and grouping, as people call it.
Work people(const Shape& shape) {
  const int type = CV_MAKETYPE(CV_8U, shape.channels);
  const cv::Mat image = shape.pixels == nullptr ? noise(shape, CV_8U)
                                                : cv::Mat(shape.height, shape.width, type,
                                                          const_cast<unsigned char*>(shape.pixels))
                                                      .clone();
  const auto hog = std::make_shared<cv::HOGDescriptor>();
  hog->setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
  return [image, hog, ratio = shape.ratio] {
    std::vector<cv::Rect> found;
    hog->detectMultiScale(image, found, 0, cv::Size(8, 8), cv::Size(), ratio, 2);
  };
}

template <Work (*kMake)(const Shape&)>
FoveaRivalWork prepare(const Shape* shape, int threads) {
  try {
    cv::setNumThreads(threads);
    auto work = std::make_unique<Work>(kMake(*shape));
    (*work)();  // buffers are made by the first call, and what OpenCV cannot do it refuses here
    return {work.release(), [](void* state) { (*static_cast<Work*>(state))(); },
            [](void* state) { delete static_cast<Work*>(state); }};
  } catch (const std::exception&) {
    return {};
  }
}

constexpr std::array kRivals{
    FoveaRival{"gradient_sobel_u8", "cv::spatialGradient", prepare<spatial_gradient>},
    FoveaRival{"integral_u8_s32", "cv::integral", prepare<integral<CV_8U, CV_32S>>},
    FoveaRival{"integral_u8_f64", "cv::integral", prepare<integral<CV_8U, CV_64F>>},
    FoveaRival{"integral_f32_f32", "cv::integral", prepare<integral<CV_32F, CV_32F>>},
    FoveaRival{"integral_f32_f64", "cv::integral", prepare<integral<CV_32F, CV_64F>>},
    FoveaRival{"resize_u8", "cv::resize", prepare<resize<CV_8U>>},
    FoveaRival{"resize_u16", "cv::resize", prepare<resize<CV_16U>>},
    FoveaRival{"resize_f32", "cv::resize", prepare<resize<CV_32F>>},
    FoveaRival{"convolve_separable_f32", "cv::sepFilter2D", prepare<separable>},
    FoveaRival{"convolve_f32", "cv::filter2D", prepare<general>},
    FoveaRival{"pyramid_down_u8", "cv::pyrDown", prepare<pyramid_down<CV_8U>>},
    FoveaRival{"pyramid_down_f32", "cv::pyrDown", prepare<pyramid_down<CV_32F>>},
    FoveaRival{"people_hog", "cv::HOGDescriptor", prepare<people>},
    FoveaRival{"people_hog-cells", "cv::HOGDescriptor", prepare<people>},
    FoveaRival{"people_hog-integral", "cv::HOGDescriptor", prepare<people>},
    FoveaRival{"people_cascade", "cv::HOGDescriptor", prepare<people>},
    FoveaRival{"people_channels", "cv::HOGDescriptor", prepare<people>},
};

const std::string& library() {
  static const std::string kName = std::string("OpenCV ") + cv::getVersionString();
  return kName;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const FoveaRivalTable* fovea_rivals() {
  static const FoveaRivalTable kTable{kFoveaRivalVersion, library().c_str(), kRivals.data(),
                                      static_cast<int>(kRivals.size())};
  return &kTable;
}
