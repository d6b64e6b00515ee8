#include "rivals/stereo_opencv.h"

#include <opencv2/calib3d.hpp>
#include <opencv2/core.hpp>

#include <limits>
#include <memory>

namespace {

constexpr int kLanes = 16;  // OpenCV wants a multiple of this many disparities
constexpr int kSpeckle = 100, kSpeckleRange = 32, kCheck = 1;
constexpr double kFraction = 16;  // OpenCV's units per pixel

struct StereoRival {
  cv::Mat left, right, found, disparity;
  cv::Ptr<cv::StereoMatcher> matcher;

  void run() { matcher->compute(left, right, found); }
  // Disparities as floats, infinite where they are not known.
  const float* result() {
    found.convertTo(disparity, CV_32F, 1 / kFraction);
    disparity.setTo(std::numeric_limits<float>::infinity(), found < 0);
    return disparity.ptr<float>();
  }
};

FoveaRivalWork stereo_work(const FoveaRivalShape& shape, int threads,
                           const cv::Ptr<cv::StereoMatcher>& matcher) {
  try {
    if (shape.pixels == nullptr || shape.second == nullptr) return {};
    cv::setNumThreads(threads);
    const auto gray = [&](const unsigned char* pixels) {
      return cv::Mat(shape.height, shape.width, CV_8U, const_cast<unsigned char*>(pixels)).clone();
    };
    matcher->setSpeckleWindowSize(kSpeckle);
    matcher->setSpeckleRange(kSpeckleRange);
    matcher->setDisp12MaxDiff(kCheck);
    auto rival = std::make_unique<StereoRival>();
    rival->left = gray(shape.pixels);
    rival->right = gray(shape.second);
    rival->matcher = matcher;
    rival->run();
    FoveaRivalWork work{};
    work.run = [](void* state) { static_cast<StereoRival*>(state)->run(); };
    work.result = [](void* state) { return static_cast<StereoRival*>(state)->result(); };
    work.end = [](void* state) { delete static_cast<StereoRival*>(state); };
    work.state = rival.release();
    return work;
  } catch (const std::exception&) {
    return {};
  }
}

int disparities(const FoveaRivalShape& shape) {
  return (shape.disparities + kLanes - 1) / kLanes * kLanes;
}

FoveaRivalWork semi_global(const FoveaRivalShape& shape, int threads, int mode) {
  constexpr int kBlock = 3, kCap = 63, kUniqueness = 10;
  return stereo_work(shape, threads,
                     cv::StereoSGBM::create(0, disparities(shape), kBlock, 8 * kBlock * kBlock,
                                            32 * kBlock * kBlock, kCheck, kCap, kUniqueness,
                                            kSpeckle, kSpeckleRange, mode));
}

}  // namespace

FoveaRivalWork fovea_opencv_stereo_bm(const FoveaRivalShape* shape, int threads) {
  constexpr int kBlock = 9, kCap = 31, kTexture = 10, kUniqueness = 15;
  const cv::Ptr<cv::StereoBM> matcher = cv::StereoBM::create(disparities(*shape), kBlock);
  matcher->setPreFilterCap(kCap);
  matcher->setTextureThreshold(kTexture);
  matcher->setUniquenessRatio(kUniqueness);
  return stereo_work(*shape, threads, matcher);
}

FoveaRivalWork fovea_opencv_stereo_sgbm(const FoveaRivalShape* shape, int threads) {
  return semi_global(*shape, threads, cv::StereoSGBM::MODE_SGBM);
}

FoveaRivalWork fovea_opencv_stereo_sgbm_hh(const FoveaRivalShape* shape, int threads) {
  return semi_global(*shape, threads, cv::StereoSGBM::MODE_HH);
}
