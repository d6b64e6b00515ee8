#include <benchmark/benchmark.h>
#include <fovea/core/random.h>
#include <fovea/ops/window_histogram.h>

#ifdef FOVEA_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace fovea {
namespace {

Image<std::uint8_t> noise(int width, int height, int bins) {
  Image<std::uint8_t> image(width, height);
  Random random(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.at(x, y) = static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(bins)));
  return image;
}

// Arguments: bins, side of the window, threads.
void cases(benchmark::internal::Benchmark* bench) {
  for (const int bins : {8, 16, 64})
    for (const int window : {15, 101}) bench->Args({bins, window, 1});
  bench->Args({16, 15, 2})->UseRealTime()->Unit(benchmark::kMillisecond);
}

void BM_WindowHistogram(benchmark::State& state) {
  const int bins = static_cast<int>(state.range(0)), window = static_cast<int>(state.range(1));
  const auto bin = noise(1280, 720, bins);
  Image<std::uint16_t> counts(1280, 720, bins);
  const WindowHistogramOptions options{
      .window = {window, window},
      .border = WindowBorder::kRepeat,
      .exec = {.device = Device::cpu(), .threads = static_cast<int>(state.range(2))}};
  window_histogram(bin, counts, options);  // touches every page of memory
  for (auto _ : state) window_histogram(bin, counts, options);
}
BENCHMARK(BM_WindowHistogram)->Apply(cases);

#ifdef FOVEA_OPENCV
// OpenCV has no such operation; its users compare the image with each bin and apply a box filter.
void BM_WindowHistogramOpenCv(benchmark::State& state) {
  cv::setNumThreads(static_cast<int>(state.range(2)));
  const int bins = static_cast<int>(state.range(0)), window = static_cast<int>(state.range(1));
  auto bin = noise(1280, 720, bins);
  const cv::Mat from(720, 1280, CV_8U, bin.row(0), static_cast<std::size_t>(bin.stride()));
  std::vector<cv::Mat> planes(static_cast<std::size_t>(bins));
  cv::Mat member, counts;
  for (auto _ : state) {
    for (int b = 0; b < bins; ++b) {
      cv::compare(from, b, member, cv::CMP_EQ);
      cv::bitwise_and(member, 1, member);
      cv::boxFilter(member, planes[static_cast<std::size_t>(b)], CV_16U, {window, window}, {-1, -1},
                    false, cv::BORDER_REPLICATE);
    }
    cv::merge(planes, counts);
  }
}
BENCHMARK(BM_WindowHistogramOpenCv)->Apply(cases);
#endif

}  // namespace
}  // namespace fovea
