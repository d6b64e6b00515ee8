// OpenCV as a rival: each entry allocates buffers like ours and runs the function that users would
// call for the same result. `fovea bench` and evaluations load it.
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/objdetect.hpp>
#include <opencv2/video/tracking.hpp>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "operations/rivals/rival_table.h"
#include "rivals/boost_paths.h"
#include "rivals/cgal_mesh.h"
#include "rivals/faiss.h"
#include "rivals/files_opencv.h"
#include "rivals/lemon.h"
#include "rivals/scenes_opencv.h"
#include "rivals/stereo_opencv.h"
#include "rivals/track_opencv.h"

namespace {

// Work to run, and the numbers that it finds where they are measured.
struct Work {
  std::function<void()> run;
  std::shared_ptr<cv::Mat> result{};

  template <class Run>
  requires(std::is_invocable_v<Run>) Work(Run work) : run(std::move(work)) {}
  template <class Run>
  Work(Run work, std::shared_ptr<cv::Mat> found) : run(std::move(work)), result(std::move(found)) {}
};
using Shape = FoveaRivalShape;

// The bytes that both sides look at, spread over the range of another depth as Fovea spreads them;
// noise where there are none.
cv::Mat picture(const Shape& shape, int depth) {
  cv::Mat image(shape.height, shape.width, CV_MAKETYPE(depth, shape.channels));
  if (shape.pixels == nullptr)
    cv::randu(image, 0, depth == CV_8U ? 256 : depth == CV_16U ? 65536 : 1);
  else
    cv::Mat(shape.height, shape.width, CV_MAKETYPE(CV_8U, shape.channels),
            const_cast<unsigned char*>(shape.pixels))
        .convertTo(image, depth,
                   depth == CV_8U    ? 1
                   : depth == CV_16U ? 257
                                     : 1.0 / 255);
  return image;
}

Work spatial_gradient(const Shape& shape) {
  const cv::Mat image = picture(shape, CV_8U);
  const auto dx = std::make_shared<cv::Mat>(), dy = std::make_shared<cv::Mat>();
  return [=] { cv::spatialGradient(image, *dx, *dy, 3, cv::BORDER_REPLICATE); };
}

template <int kFrom, int kTo>
Work integral(const Shape& shape) {
  const cv::Mat image = picture(shape, kFrom);
  const auto sum = std::make_shared<cv::Mat>();
  return [=] { cv::integral(image, *sum, kTo); };
}

template <int kDepth>
Work resize(const Shape& shape) {
  const cv::Mat image = picture(shape, kDepth);
  const auto result = std::make_shared<cv::Mat>();
  const cv::Size size(shape.to_width, shape.to_height);
  return [=] { cv::resize(image, *result, size, 0, 0, cv::INTER_LINEAR); };
}

Work separable(const Shape& shape) {
  const cv::Mat image = picture(shape, CV_32F);
  const cv::Mat kernel = cv::getGaussianKernel(shape.taps, -1, CV_32F);
  const auto result = std::make_shared<cv::Mat>();
  return [=] {
    cv::sepFilter2D(image, *result, CV_32F, kernel, kernel, {-1, -1}, 0, cv::BORDER_REPLICATE);
  };
}

Work general(const Shape& shape) {
  const cv::Mat image = picture(shape, CV_32F);
  cv::Mat kernel(shape.taps, shape.taps, CV_32F);
  cv::randu(kernel, 0, 1);
  const auto result = std::make_shared<cv::Mat>();
  return [=] { cv::filter2D(image, *result, CV_32F, kernel, {-1, -1}, 0, cv::BORDER_REPLICATE); };
}

template <int kDepth>
Work pyramid_down(const Shape& shape) {
  const cv::Mat image = picture(shape, kDepth);
  const auto result = std::make_shared<cv::Mat>();
  return [=] { cv::pyrDown(image, *result, {}, cv::BORDER_DEFAULT); };
}

// The whole detector with its own model and grouping, as people call it.
Work people(const Shape& shape) {
  const cv::Mat image = picture(shape, CV_8U);
  const auto hog = std::make_shared<cv::HOGDescriptor>();
  hog->setSVMDetector(cv::HOGDescriptor::getDefaultPeopleDetector());
  return [image, hog, ratio = shape.ratio] {
    std::vector<cv::Rect> found;
    hog->detectMultiScale(image, found, 0, cv::Size(8, 8), cv::Size(), ratio, 2);
  };
}

// A gray image that both sides read.
cv::Mat gray(const Shape& shape, const unsigned char* pixels) {
  return pixels == nullptr
             ? picture(shape, CV_8U)
             : cv::Mat(shape.height, shape.width, CV_8U, const_cast<unsigned char*>(pixels))
                   .clone();
}

// Dense inverse search (Kroeger et al., ECCV 2016); `finest` below 0 keeps the preset's level.
template <int kPreset, int kFinest = -1>
Work inverse_search(const Shape& shape) {
  const cv::Mat first = gray(shape, shape.pixels), second = gray(shape, shape.second);
  const auto flow = std::make_shared<cv::Mat>();
  const auto method = cv::DISOpticalFlow::create(kPreset);
  if (kFinest >= 0) method->setFinestScale(kFinest);
  return {[=] {
            flow->release();  // an existing flow would be used as a start
            method->calc(first, second, *flow);
          },
          flow};
}

Work farneback(const Shape& shape) {
  const cv::Mat first = gray(shape, shape.pixels), second = gray(shape, shape.second);
  const auto flow = std::make_shared<cv::Mat>();
  const auto method = cv::FarnebackOpticalFlow::create();
  return {[=] { method->calc(first, second, *flow); }, flow};
}

// The middles of as many cells as the result has columns and rows.
Work follow_points(const Shape& shape) {
  const cv::Mat first = gray(shape, shape.pixels), second = gray(shape, shape.second);
  cv::Mat points;
  for (int j = 0; j < shape.to_height; ++j)
    for (int i = 0; i < shape.to_width; ++i)
      points.push_back(
          cv::Point2f((static_cast<float>(i) + 0.5F) * static_cast<float>(shape.width) /
                          static_cast<float>(shape.to_width),
                      (static_cast<float>(j) + 0.5F) * static_cast<float>(shape.height) /
                          static_cast<float>(shape.to_height)));
  const auto found = std::make_shared<cv::Mat>();
  return {[=] {
            cv::Mat status, error;
            cv::calcOpticalFlowPyrLK(first, second, points, *found, status, error);
          },
          found};
}

// One call per pair of histograms, as cv::EMD is used; signatures and costs are made beforehand.
Work earth_movers(const Shape& shape) {
  const int rows = shape.width, columns = shape.to_width > 0 ? shape.to_width : rows;
  cv::Mat costs(rows, columns, CV_32F);
  for (int k = 0; k < rows * columns; ++k)
    costs.at<float>(k / columns, k % columns) = static_cast<float>(shape.ground[k]);
  const auto signatures = [&](const unsigned char* from, int bins) {
    std::vector<cv::Mat> all;
    for (int k = 0; k < shape.height; ++k)
      all.push_back(cv::Mat(bins, 1, CV_8U, const_cast<unsigned char*>(from + k * bins)).clone());
    for (cv::Mat& each : all) each.convertTo(each, CV_32F);
    return all;
  };
  const auto first = signatures(shape.pixels, rows), second = signatures(shape.second, columns);
  const auto found = std::make_shared<cv::Mat>(1, shape.height, CV_32F);
  return {[=] {
            for (std::size_t k = 0; k < first.size(); ++k)
              found->at<float>(static_cast<int>(k)) =
                  cv::EMD(first[k], second[k], cv::DIST_USER, costs);
          },
          found};
}

// The bytes that both sides read, one point per row, as floats.
cv::Mat rows_of(const unsigned char* bytes, int width, int height) {
  cv::Mat rows;
  cv::Mat(height, width, CV_8U, const_cast<unsigned char*>(bytes)).convertTo(rows, CV_32F);
  return rows;
}

Work match_nearest(const Shape& shape) {
  const cv::Mat points = rows_of(shape.pixels, shape.width, shape.height);
  const cv::Mat centers = rows_of(shape.second, shape.width, shape.to_height);
  const cv::Ptr<cv::BFMatcher> matcher = cv::BFMatcher::create(cv::NORM_L2);
  return [=] {
    std::vector<cv::DMatch> matches;
    matcher->match(points, centers, matches);
  };
}

// Two iterations from given labels, which is the least that it does: the second moves the centers
// and measures the distances of the given labels.
Work cluster_once(const Shape& shape) {
  const cv::Mat points = rows_of(shape.pixels, shape.width, shape.height);
  cv::Mat start(shape.height, 1, CV_32S);
  for (int p = 0; p < shape.height; ++p) start.at<int>(p) = p % shape.to_height;
  return [points, start, clusters = shape.to_height] {
    cv::Mat labels = start.clone(), centers;
    cv::kmeans(points, clusters, labels, {cv::TermCriteria::MAX_ITER, 2, 0}, 1,
               cv::KMEANS_USE_INITIAL_LABELS, centers);
  };
}

template <Work (*kMake)(const Shape&)>
FoveaRivalWork prepare(const Shape* shape, int threads) {
  try {
    cv::setNumThreads(threads);
    auto work = std::make_unique<Work>(kMake(*shape));
    work->run();  // the first call allocates buffers and throws for what OpenCV cannot do
    FoveaRivalWork ready{};
    if (work->result != nullptr)
      ready.result = [](void* state) -> const float* {
        return static_cast<Work*>(state)->result->ptr<float>();
      };
    ready.run = [](void* state) { static_cast<Work*>(state)->run(); };
    ready.end = [](void* state) { delete static_cast<Work*>(state); };
    ready.state = work.release();
    return ready;
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
    FoveaRival{"people_hog*", "cv::HOGDescriptor", prepare<people>},
    FoveaRival{"people_cascade*", "cv::HOGDescriptor", prepare<people>},
    FoveaRival{"people_channels*", "cv::HOGDescriptor", prepare<people>},
    FoveaRival{"people_filtered*", "cv::HOGDescriptor", prepare<people>},
    FoveaRival{"pipeline_people", "imread, cv::HOGDescriptor", rivals::people_files},
    FoveaRival{"pipeline_resize", "imread, cv::resize, imwrite", rivals::resize_files},
    FoveaRival{"flow", "DIS ultrafast",
               prepare<inverse_search<cv::DISOpticalFlow::PRESET_ULTRAFAST>>},
    FoveaRival{"flow", "DIS fast", prepare<inverse_search<cv::DISOpticalFlow::PRESET_FAST>>},
    FoveaRival{"flow", "DIS medium", prepare<inverse_search<cv::DISOpticalFlow::PRESET_MEDIUM>>},
    FoveaRival{"flow", "DIS medium finest 0",
               prepare<inverse_search<cv::DISOpticalFlow::PRESET_MEDIUM, 0>>},
    FoveaRival{"flow", "Farneback", prepare<farneback>},
    FoveaRival{"flow_lk_fast", "DIS ultrafast",
               prepare<inverse_search<cv::DISOpticalFlow::PRESET_ULTRAFAST>>},
    FoveaRival{"flow_lk_fast", "DIS fast",
               prepare<inverse_search<cv::DISOpticalFlow::PRESET_FAST>>},
    FoveaRival{"flow_lk_default", "DIS medium",
               prepare<inverse_search<cv::DISOpticalFlow::PRESET_MEDIUM>>},
    FoveaRival{"flow_lk_default", "Farneback", prepare<farneback>},
    FoveaRival{"flow_lk_best", "DIS medium finest 0",
               prepare<inverse_search<cv::DISOpticalFlow::PRESET_MEDIUM, 0>>},
    FoveaRival{"flow_bm", "DIS medium", prepare<inverse_search<cv::DISOpticalFlow::PRESET_MEDIUM>>},
    FoveaRival{"flow_bm", "Farneback", prepare<farneback>},
    FoveaRival{"flow_follow", "cv::calcOpticalFlowPyrLK", prepare<follow_points>},
    FoveaRival{"stereo", "StereoBM", fovea_opencv_stereo_bm},
    FoveaRival{"stereo", "StereoSGBM", fovea_opencv_stereo_sgbm},
    FoveaRival{"stereo", "StereoSGBM HH", fovea_opencv_stereo_sgbm_hh},
    FoveaRival{"flow_stereo_block", "StereoBM", fovea_opencv_stereo_bm},
    FoveaRival{"flow_stereo_sgm", "StereoSGBM", fovea_opencv_stereo_sgbm},
    FoveaRival{"flow_stereo_sgm", "StereoSGBM HH", fovea_opencv_stereo_sgbm_hh},
    FoveaRival{"emd_solver_*", "cv::EMD", prepare<earth_movers>},
    FoveaRival{"kmeans_iteration", "cv::kmeans", prepare<cluster_once>},
    FoveaRival{"kmeans_assign", "cv::BFMatcher", prepare<match_nearest>},
    FoveaRival{"words_assign", "cv::BFMatcher", prepare<match_nearest>},
    FoveaRival{"scenes_filters", "cv::sepFilter2D", fovea_opencv_bank_separable},
    FoveaRival{"scenes_filters", "cv::filter2D", fovea_opencv_bank},
    FoveaRival{"scenes_words", "cv::sepFilter2D, BFMatcher", fovea_opencv_words},
#ifdef FOVEA_FAISS
    FoveaRival{"kmeans_iteration", "faiss::Clustering", fovea_faiss_kmeans},
    FoveaRival{"kmeans_assign", "faiss::IndexFlatL2", fovea_faiss_search},
    FoveaRival{"words_assign", "faiss::IndexFlatL2", fovea_faiss_search},
#endif
#ifdef FOVEA_LEMON
    FoveaRival{"emd_solver_*", "LEMON", fovea_lemon_emd},
#endif
#ifdef FOVEA_BOOST
    FoveaRival{"all_distances_*", "Boost Dijkstra", fovea_boost_paths},
    FoveaRival{"distances_from_64th", "Boost Dijkstra", fovea_boost_sampled_paths},
#endif
#ifdef FOVEA_CGAL
    FoveaRival{"segment_resistance", "CGAL shape diameters", fovea_cgal_segments},
#endif
};

const std::string& library() {
  static const std::string kName = std::string("OpenCV ") + cv::getVersionString()
#ifdef FOVEA_LEMON
                                   + ", LEMON"
#endif
#ifdef FOVEA_BOOST
                                   + ", Boost"
#endif
#ifdef FOVEA_FAISS
                                   + ", FAISS"
#endif
#ifdef FOVEA_CGAL
                                   + ", CGAL"
#endif
      ;
  return kName;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const FoveaRivalTable* fovea_rivals() {
  static const FoveaRivalTable kTable{
      kFoveaRivalVersion,       library().c_str(),
      kRivals.data(),           static_cast<int>(kRivals.size()),
      opencv_trackers().data(), static_cast<int>(opencv_trackers().size())};
  return &kTable;
}
