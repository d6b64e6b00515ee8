#include <benchmark/benchmark.h>
#include <fovea/core/random.h>
#include <fovea/ops/integral.h>

#ifdef FOVEA_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace fovea {
namespace {

template <class T>
Image<T> noise(int width, int height) {
  Image<T> image(width, height);
  Random random(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.at(x, y) = static_cast<T>(random.bits() >> (sizeof(T) == 1 ? 24 : 20));
  return image;
}

template <class In, class Out>
void BM_Integral(benchmark::State& state) {
  const int width = static_cast<int>(state.range(0)), height = static_cast<int>(state.range(1));
  const Image<In> image = noise<In>(width, height);
  Image<Out> sums(width + 1, height + 1);
  const IntegralOptions options{
      .exec = {.device = Device::cpu(), .threads = static_cast<int>(state.range(2))}};
  integral(image, sums, options);  // touches every page of memory
  for (auto _ : state) integral(image, sums, options);
  state.SetBytesProcessed(state.iterations() * (sizeof(In) + sizeof(Out)) * width * height);
}

void BM_IntegralHistogram(benchmark::State& state) {
  const int width = static_cast<int>(state.range(0)), height = static_cast<int>(state.range(1));
  Image<std::uint8_t> bin = noise<std::uint8_t>(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) bin.at(x, y) %= 9;
  const Image<float> weight = noise<float>(width, height);
  Stack<std::uint32_t> sums(width + 1, height + 1, 9);
  const IntegralHistogramOptions options{
      .exec = {.device = Device::cpu(), .threads = static_cast<int>(state.range(2))}};
  integral_histogram(bin, weight, sums, options);  // touches every page of memory
  for (auto _ : state) integral_histogram(bin, weight, sums, options);
}
BENCHMARK(BM_IntegralHistogram)->Args({1280, 960, 1})->Args({1280, 960, 2})->UseRealTime();

void sizes(benchmark::internal::Benchmark* bench) {
  for (const auto& [width, height] : {std::pair{640, 480}, {1920, 1080}, {8192, 8192}})
    for (const int threads : {1, 2}) bench->Args({width, height, threads});
  bench->UseRealTime()->Unit(benchmark::kMicrosecond);
}

#ifdef FOVEA_OPENCV
template <class In, class Out>
void BM_IntegralOpenCv(benchmark::State& state) {
  cv::setNumThreads(static_cast<int>(state.range(2)));
  Image<In> image = noise<In>(static_cast<int>(state.range(0)), static_cast<int>(state.range(1)));
  const cv::Mat from(image.height(), image.width(), cv::DataType<In>::type, image.row(0),
                     static_cast<std::size_t>(image.stride()) * sizeof(In));
  cv::Mat sums;
  cv::integral(from, sums, cv::DataType<Out>::depth);  // touches every page of memory
  for (auto _ : state) cv::integral(from, sums, cv::DataType<Out>::depth);
}
// The rivals are registered next to each other, so that a noisy machine disturbs both alike.
#define FOVEA_BENCH(In, Out)                                    \
  BENCHMARK_TEMPLATE(BM_IntegralOpenCv, In, Out)->Apply(sizes); \
  BENCHMARK_TEMPLATE(BM_Integral, In, Out)->Apply(sizes)
#else
#define FOVEA_BENCH(In, Out) BENCHMARK_TEMPLATE(BM_Integral, In, Out)->Apply(sizes)
#endif
FOVEA_BENCH(std::uint8_t, std::int32_t);
FOVEA_BENCH(std::uint8_t, double);
FOVEA_BENCH(float, float);
FOVEA_BENCH(float, double);

}  // namespace
}  // namespace fovea
