// CamShift and mean shift over back-projected histograms, set up as in OpenCV's own samples: the
// histogram of the first box, stretched to 255, and ten iterations per frame. "Ratio" divides it by
// the histogram of a ring of twice the box's size.
#include "rivals/track_opencv.h"

#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <memory>
#include <vector>

namespace {

enum class Colors { kHue, kHueSaturation, kRgb };

struct Setting {
  Colors colors = Colors::kHue;
  bool cam_shift = true;
  bool ratio = false;
  int least_saturation = 60;
  int least_value = 32;
};

cv::Mat bgr_of(const FoveaRivalFrame& frame) {
  const int type = frame.channels == 3 ? CV_8UC3 : CV_8UC1;
  const cv::Mat view(frame.height, frame.width, type, const_cast<unsigned char*>(frame.pixels));
  cv::Mat image;
  cv::cvtColor(view, image, frame.channels == 3 ? cv::COLOR_RGB2BGR : cv::COLOR_GRAY2BGR);
  return image;
}

class ColorTracker {
 public:
  ColorTracker(const Setting& setting, const FoveaRivalFrame& first, const double* box)
      : setting_(setting) {
    const cv::Rect frame(0, 0, first.width, first.height);
    window_ = cv::Rect(cvRound(box[0]), cvRound(box[1]), cvRound(box[2]), cvRound(box[3])) & frame;
    prepare(first);
    cv::Mat inside = cv::Mat::zeros(mask_.size(), CV_8U), ring = inside.clone();
    inside(window_) = 255;
    histogram_ = histogram_in(inside & mask_);
    if (setting_.ratio) {
      const cv::Rect around(window_.x - window_.width / 2, window_.y - window_.height / 2,
                            2 * window_.width, 2 * window_.height);
      ring(around & frame) = 255;
      ring(window_) = 0;
      const cv::Mat outside = histogram_in(ring & mask_);
      const double in = std::max(1.0, cv::sum(histogram_)[0]);
      const double out = std::max(1.0, cv::sum(outside)[0]);
      cv::Mat total = histogram_ / in + outside / out + 1e-6;
      cv::divide(histogram_ / in, total, histogram_);
    }
    cv::normalize(histogram_, histogram_, 0, 255, cv::NORM_MINMAX);
  }

  void next(const FoveaRivalFrame& frame, double* box) {
    prepare(frame);
    cv::Mat back;
    cv::calcBackProject(&source_, 1, channels_.data(), histogram_, back, ranges_.data());
    back &= mask_;
    const cv::TermCriteria ending(cv::TermCriteria::EPS | cv::TermCriteria::COUNT, 10, 1);
    if (window_.area() <= 1) {  // starts again, as the sample does
      const int reach = (std::min(back.cols, back.rows) + 5) / 6;
      window_ = cv::Rect(window_.x - reach, window_.y - reach, 2 * reach, 2 * reach) &
                cv::Rect(0, 0, back.cols, back.rows);
    }
    if (window_.area() > 0) {
      if (setting_.cam_shift) cv::CamShift(back, window_, ending);
      else cv::meanShift(back, window_, ending);
    }
    box[0] = window_.x;
    box[1] = window_.y;
    box[2] = window_.width;
    box[3] = window_.height;
  }

 private:
  // The frame in the counted colors, and a mask of the pixels that count.
  void prepare(const FoveaRivalFrame& frame) {
    source_ = bgr_of(frame);
    if (setting_.colors == Colors::kRgb) {
      mask_ = cv::Mat(source_.size(), CV_8U, cv::Scalar(255));
      return;
    }
    cv::cvtColor(source_, source_, cv::COLOR_BGR2HSV);
    cv::inRange(source_, cv::Scalar(0, setting_.least_saturation, setting_.least_value),
                cv::Scalar(180, 256, 256), mask_);
  }

  cv::Mat histogram_in(const cv::Mat& mask) {
    std::array<int, 3> sizes{};
    switch (setting_.colors) {
      case Colors::kHue:
        sizes = {16};
        ranges_ = {hue_.data()};
        channels_ = {0};
        break;
      case Colors::kHueSaturation:
        sizes = {30, 32};
        ranges_ = {hue_.data(), byte_.data()};
        channels_ = {0, 1};
        break;
      case Colors::kRgb:
        sizes = {8, 8, 8};
        ranges_ = {byte_.data(), byte_.data(), byte_.data()};
        channels_ = {0, 1, 2};
        break;
    }
    cv::Mat histogram;
    cv::calcHist(&source_, 1, channels_.data(), mask, histogram, static_cast<int>(channels_.size()),
                 sizes.data(), ranges_.data());
    return histogram;
  }

  Setting setting_;
  cv::Rect window_;
  cv::Mat source_, mask_, histogram_;
  std::array<float, 2> hue_{0, 180}, byte_{0, 256};
  std::vector<const float*> ranges_;
  std::vector<int> channels_;
};

constexpr std::array kSettings{
    Setting{Colors::kHue, true, false, 60, 32},
    Setting{Colors::kHue, true, false, 30, 10},
    Setting{Colors::kHueSaturation, true, false, 0, 0},
    Setting{Colors::kHueSaturation, true, true, 0, 0},
    Setting{Colors::kHue, false, false, 60, 32},
    Setting{Colors::kHueSaturation, false, true, 0, 0},
    Setting{Colors::kRgb, false, false, 0, 0},
    Setting{Colors::kRgb, false, true, 0, 0},
};

template <std::size_t kIndex>
void* begin(const FoveaRivalFrame* frame, const double* box) {
  try {
    return std::make_unique<ColorTracker>(kSettings[kIndex], *frame, box).release();
  } catch (const std::exception&) {
    return nullptr;
  }
}
void next(void* state, const FoveaRivalFrame* frame, double* box) {
  try {
    static_cast<ColorTracker*>(state)->next(*frame, box);
  } catch (const std::exception&) {  // keeps the box where it was
  }
}
void end(void* state) { std::unique_ptr<ColorTracker>(static_cast<ColorTracker*>(state)).reset(); }

constexpr std::array<FoveaRivalTracker, kSettings.size()> kTrackers{{
    {"CamShift hue", begin<0>, next, end},
    {"CamShift hue, pale and dark too", begin<1>, next, end},
    {"CamShift hue-saturation", begin<2>, next, end},
    {"CamShift hue-saturation, ratio", begin<3>, next, end},
    {"mean shift hue", begin<4>, next, end},
    {"mean shift hue-saturation, ratio", begin<5>, next, end},
    {"mean shift RGB", begin<6>, next, end},
    {"mean shift RGB, ratio", begin<7>, next, end},
}};

}  // namespace

std::span<const FoveaRivalTracker> opencv_trackers() { return kTrackers; }
