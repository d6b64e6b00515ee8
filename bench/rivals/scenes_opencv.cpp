// The bank of 32 filters by OpenCV: cv::filter2D with the kernels, cv::sepFilter2D with their
// separable parts by singular values (47 pairs of passes), and words by cv::BFMatcher.
#include "rivals/scenes_opencv.h"

#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>

#include <cmath>
#include <memory>
#include <vector>

#include "rivals/ready.h"

namespace {

constexpr int kSizes[] = {3, 5, 7, 9, 11, 17, 21, 31};
constexpr double kSigmas[] = {0.3, 0.5, 1, 1.5, 2, 3, 4, 6};

FoveaRivalWork ready(const rivals::Run& run, int threads) {
  cv::setNumThreads(threads);
  return rivals::ready(run);
}

// The Gaussian of one size, its Laplacian, and its derivatives to the right and downwards.
std::vector<cv::Mat> kernels() {
  std::vector<cv::Mat> all;
  for (int s = 0; s < 8; ++s) {
    const int size = kSizes[s], middle = size / 2;
    const double variance = std::pow(kSigmas[s], 2);
    cv::Mat bell(size, size, CV_64F), bent(size, size, CV_64F);
    for (int y = 0; y < size; ++y)
      for (int x = 0; x < size; ++x)
        bell.at<double>(y, x) =
            std::exp(-(std::pow(x - middle, 2) + std::pow(y - middle, 2)) / (2 * variance));
    bell /= cv::sum(bell)[0];
    for (int y = 0; y < size; ++y)
      for (int x = 0; x < size; ++x)
        bent.at<double>(y, x) = bell.at<double>(y, x) *
                                (std::pow(x - middle, 2) + std::pow(y - middle, 2) - 2 * variance) /
                                (variance * variance);
    bent -= cv::mean(bent)[0];
    const cv::Mat rise = (cv::Mat_<double>(1, 3) << 1, 0, -1);
    cv::Mat across, down;
    cv::filter2D(bell, across, CV_64F, rise, {-1, -1}, 0, cv::BORDER_CONSTANT);
    cv::filter2D(bell, down, CV_64F, rise.t(), {-1, -1}, 0, cv::BORDER_CONSTANT);
    all.insert(all.end(), {bell, bent, across, down});
  }
  return all;
}

struct Pass {
  cv::Mat row, column;
};
std::vector<Pass> passes(const cv::Mat& kernel) {
  cv::Mat weights, columns, rows;
  cv::SVD::compute(kernel, weights, columns, rows);
  std::vector<Pass> all;
  for (int i = 0; i < weights.rows; ++i) {
    if (weights.at<double>(i) < 1e-6 * weights.at<double>(0)) break;
    Pass pass;
    cv::Mat(columns.col(i) * weights.at<double>(i)).convertTo(pass.column, CV_32F);
    rows.row(i).convertTo(pass.row, CV_32F);
    all.push_back(pass);
  }
  return all;
}

cv::Mat photo(const FoveaRivalShape& shape) {
  return cv::Mat(shape.height, shape.width, CV_8U, const_cast<unsigned char*>(shape.pixels))
      .clone();
}

// The responses of a photo, one plane per filter, by separable passes.
class SeparableBank {
 public:
  explicit SeparableBank(const cv::Mat& image) : image_(image), planes_(32) {
    for (const cv::Mat& kernel : kernels()) passes_.push_back(passes(kernel));
  }
  void run() {
    image_.convertTo(gray_, CV_32F, 1 / 255.0);
    for (std::size_t f = 0; f < passes_.size(); ++f) {
      for (std::size_t i = 0; i < passes_[f].size(); ++i) {
        cv::sepFilter2D(gray_, i == 0 ? planes_[f] : part_, CV_32F, passes_[f][i].row,
                        passes_[f][i].column, {-1, -1}, 0, cv::BORDER_REPLICATE);
        if (i > 0) planes_[f] += part_;
      }
    }
  }
  const std::vector<cv::Mat>& planes() const { return planes_; }

 private:
  cv::Mat image_, gray_, part_;
  std::vector<std::vector<Pass>> passes_;
  std::vector<cv::Mat> planes_;
};

}  // namespace

FoveaRivalWork fovea_opencv_bank(const FoveaRivalShape* shape, int threads) {
  if (shape->pixels == nullptr) return {};
  std::vector<cv::Mat> singles;
  for (const cv::Mat& kernel : kernels()) {
    singles.emplace_back();
    kernel.convertTo(singles.back(), CV_32F);
  }
  const auto planes = std::make_shared<std::vector<cv::Mat>>(32);
  return ready(
      [=, image = photo(*shape)] {
        cv::Mat gray;
        image.convertTo(gray, CV_32F, 1 / 255.0);
        for (std::size_t f = 0; f < singles.size(); ++f)
          cv::filter2D(gray, (*planes)[f], CV_32F, singles[f], {-1, -1}, 0, cv::BORDER_REPLICATE);
      },
      threads);
}

FoveaRivalWork fovea_opencv_bank_separable(const FoveaRivalShape* shape, int threads) {
  if (shape->pixels == nullptr) return {};
  const auto bank = std::make_shared<SeparableBank>(photo(*shape));
  return ready([=] { bank->run(); }, threads);
}

FoveaRivalWork fovea_opencv_words(const FoveaRivalShape* shape, int threads) {
  if (shape->pixels == nullptr || shape->second == nullptr) return {};
  const auto bank = std::make_shared<SeparableBank>(photo(*shape));
  cv::Mat words;
  cv::Mat(shape->to_height, shape->to_width, CV_8U, const_cast<unsigned char*>(shape->second))
      .convertTo(words, CV_32F);
  const cv::Ptr<cv::BFMatcher> matcher = cv::BFMatcher::create(cv::NORM_L2);
  return ready(
      [=] {
        bank->run();
        cv::Mat together;
        cv::merge(bank->planes(), together);
        std::vector<cv::DMatch> matches;
        matcher->match(together.reshape(1, together.rows * together.cols), words, matches);
      },
      threads);
}
