// k-means at the size of a dictionary: the search for the nearest of 500 centers, an iteration in
// which every point changes its cluster, one in which few do, and the k-means++ start. They are
// compared with OpenCV's exhaustive matcher where that is installed.
#include <benchmark/benchmark.h>
#include <fovea/core/random.h>
#include <fovea/ops/kmeans.h>

#include "ops/kmeans/backend.h"
#ifdef FOVEA_OPENCV
#include <opencv2/features2d.hpp>
#endif

namespace fovea {
namespace {

constexpr int kDimensions = 32, kClusters = 500, kPoints = 76260;

// Points that are evenly random where `centers` is 0, or else lie around that many places.
Image<float> points_around(int centers, int count) {
  Random random(1);
  Image<float> middle(kDimensions, centers), points(kDimensions, count);
  for (int c = 0; c < centers; ++c)
    for (int i = 0; i < kDimensions; ++i) middle.row(c)[i] = random.uniform();
  for (int p = 0; p < count; ++p)
    for (int i = 0; i < kDimensions; ++i)
      points.row(p)[i] =
          centers > 0 ? middle.row(p % centers)[i] + 0.05F * random.normal() : random.uniform();
  return points;
}

Exec one_thread() { return {.device = Device::cpu(), .threads = 1}; }

std::unique_ptr<detail::KmeansEngine> engine_of(const Image<float>& points) {
  auto engine = cpu::make_kmeans_engine(points, one_thread());
  engine->set_scales({std::vector<double>(kDimensions, 0x1p38), 0x1p34});
  return engine;
}

void nearest_center(benchmark::State& state) {
  const auto points = points_around(0, kPoints), centers = points_around(0, kClusters);
  NearestCenter nearest(centers, one_thread());
  std::vector<std::int32_t> labels(kPoints);
  for (auto _ : state) nearest.find(points, labels);
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * kPoints * kDimensions * kClusters,
                                                 benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(nearest_center)->Unit(benchmark::kMillisecond);

void kmeans_first_iteration(benchmark::State& state) {
  const auto points = points_around(0, kPoints);
  const auto engine = engine_of(points);
  std::vector<std::int32_t> start;
  for (int c = 0; c < kClusters; ++c) start.push_back(c * (kPoints / kClusters));
  for (auto _ : state) {
    engine->start_at(start);
    benchmark::DoNotOptimize(engine->step(true).inertia);
  }
}
BENCHMARK(kmeans_first_iteration)->Unit(benchmark::kMillisecond);

// Measures evenly random points and clustered ones.
void kmeans_later_iteration(benchmark::State& state) {
  const auto points = points_around(static_cast<int>(state.range(0)), kPoints);
  const auto engine = engine_of(points);
  engine->start_plus_plus(kClusters, 1, 1);
  for (int i = 0; i < 3; ++i) engine->step(true);
  for (auto _ : state) benchmark::DoNotOptimize(engine->step(true).inertia);
}
BENCHMARK(kmeans_later_iteration)->Arg(0)->Arg(400)->Unit(benchmark::kMillisecond);

void kmeans_plus_plus(benchmark::State& state) {
  const auto points = points_around(static_cast<int>(state.range(0)), kPoints);
  const auto engine = engine_of(points);
  for (auto _ : state) engine->start_plus_plus(kClusters, 1, 1);
}
BENCHMARK(kmeans_plus_plus)->Arg(0)->Arg(400)->Unit(benchmark::kMillisecond);

#ifdef FOVEA_OPENCV
void opencv_matcher(benchmark::State& state) {
  cv::setNumThreads(1);
  const auto points = points_around(0, kPoints), centers = points_around(0, kClusters);
  const auto mat = [](const Image<float>& image) {
    return cv::Mat(image.height(), image.width(), CV_32F, const_cast<float*>(image.row(0)),
                   static_cast<std::size_t>(image.stride()) * sizeof(float));
  };
  std::vector<cv::DMatch> matches;
  for (auto _ : state) cv::BFMatcher(cv::NORM_L2).match(mat(points), mat(centers), matches);
}
BENCHMARK(opencv_matcher)->Unit(benchmark::kMillisecond);
#endif

}  // namespace
}  // namespace fovea
