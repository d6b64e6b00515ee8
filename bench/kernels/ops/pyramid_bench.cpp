// Compares Gaussian halving with cv::pyrDown and pyramids with a chain of cv::resize, from
// 1920x1080. Arguments: channels (halving) or ratio in percent (pyramids), threads.
#include <benchmark/benchmark.h>
#include <fovea/core/random.h>
#include <fovea/ops/pyramid.h>

#ifdef FOVEA_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace fovea {
namespace {

constexpr int kWidth = 1920, kHeight = 1080;

template <class T>
Image<T> noise(int channels) {
  Image<T> image(kWidth, kHeight, channels);
  Random random(1);
  for (int y = 0; y < kHeight; ++y)
    for (int i = 0; i < kWidth * channels; ++i)
      image.row(y)[i] = static_cast<T>(random.bits() & 255);
  return image;
}

int argument(const benchmark::State& state, int i) { return static_cast<int>(state.range(i)); }

PyramidOptions pyramid_options(const benchmark::State& state) {
  return {.ratio = argument(state, 0) / 100.0,
          .min_size = {64, 128},
          .exec = {.device = Device::cpu(), .threads = argument(state, 1)}};
}

template <class T>
void BM_Halve(benchmark::State& state) {
  const int channels = argument(state, 0);
  const auto image = noise<T>(channels);
  Image<T> out(kWidth / 2, kHeight / 2, channels);
  const Exec exec{.device = Device::cpu(), .threads = argument(state, 1)};
  for (auto _ : state) gaussian_halve(image, out, exec);
}

template <class T>
void BM_Pyramid(benchmark::State& state) {
  const auto image = noise<T>(1);
  Pyramid<T> pyramid(pyramid_options(state));
  pyramid.build(image);  // allocates its memory
  for (auto _ : state) pyramid.build(image);
}

void halve_cases(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{1, 3}, {1, 2}})->UseRealTime()->Unit(benchmark::kMicrosecond);
}
void pyramid_cases(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{105, 200}, {1, 2}})->UseRealTime()->Unit(benchmark::kMicrosecond);
}

BENCHMARK(BM_Halve<std::uint8_t>)->Apply(halve_cases);
BENCHMARK(BM_Halve<float>)->Apply(halve_cases);
BENCHMARK(BM_Pyramid<std::uint8_t>)->Apply(pyramid_cases);
BENCHMARK(BM_Pyramid<float>)->Apply(pyramid_cases);

#ifdef FOVEA_OPENCV
template <class T>
cv::Mat matrix(const Image<T>& image) {
  return cv::Mat(image.height(), image.width(),
                 CV_MAKETYPE(cv::DataType<T>::depth, image.channels()),
                 const_cast<T*>(image.row(0)), image.stride() * sizeof(T));
}

template <class T>
void BM_HalveOpenCv(benchmark::State& state) {
  cv::setNumThreads(argument(state, 1));
  const auto image = noise<T>(argument(state, 0));
  const cv::Mat in = matrix(image);
  cv::Mat out;
  for (auto _ : state) cv::pyrDown(in, out);
}

template <class T>
void BM_PyramidOpenCv(benchmark::State& state) {
  cv::setNumThreads(argument(state, 1));
  const auto image = noise<T>(1);
  const cv::Mat in = matrix(image);
  const auto sizes = pyramid_sizes(kWidth, kHeight, pyramid_options(state));
  std::vector<cv::Mat> levels(sizes.size());
  const auto build = [&] {
    for (std::size_t i = 1; i < sizes.size(); ++i)
      cv::resize(in, levels[i], {sizes[i].width, sizes[i].height}, 0, 0, cv::INTER_LINEAR);
  };
  build();
  for (auto _ : state) build();
}

BENCHMARK(BM_HalveOpenCv<std::uint8_t>)->Apply(halve_cases);
BENCHMARK(BM_HalveOpenCv<float>)->Apply(halve_cases);
BENCHMARK(BM_PyramidOpenCv<std::uint8_t>)->Apply(pyramid_cases);
BENCHMARK(BM_PyramidOpenCv<float>)->Apply(pyramid_cases);
#endif

}  // namespace
}  // namespace fovea
