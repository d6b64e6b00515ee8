// Compares the bilinear resize with cv::resize. Arguments: source width and height, output width
// and height, channels, threads.
#include <benchmark/benchmark.h>
#include <fovea/core/random.h>
#include <fovea/ops/resize.h>

#ifdef FOVEA_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace fovea {
namespace {

template <class T>
Image<T> noise(int width, int height, int channels) {
  Image<T> image(width, height, channels);
  Random random(1);
  for (int y = 0; y < height; ++y)
    for (int i = 0; i < width * channels; ++i)
      image.row(y)[i] = static_cast<T>(random.bits() & 255);
  return image;
}

int argument(const benchmark::State& state, int i) { return static_cast<int>(state.range(i)); }

template <class T>
void BM_Resize(benchmark::State& state) {
  const int channels = argument(state, 4);
  const auto image = noise<T>(argument(state, 0), argument(state, 1), channels);
  Image<T> out(argument(state, 2), argument(state, 3), channels);
  const ResizeOptions options{.exec = {.device = Device::cpu(), .threads = argument(state, 5)}};
  for (auto _ : state) resize(image, out, options);
}

template <class T>
void BM_ResizeAntialias(benchmark::State& state) {
  const int channels = argument(state, 4);
  const auto image = noise<T>(argument(state, 0), argument(state, 1), channels);
  Image<T> out(argument(state, 2), argument(state, 3), channels);
  const ResizeOptions options{.antialias = true,
                              .exec = {.device = Device::cpu(), .threads = argument(state, 5)}};
  for (auto _ : state) resize(image, out, options);
}

void sizes(benchmark::internal::Benchmark* bench, std::initializer_list<int> channel_counts) {
  for (const int threads : {1, 2})
    for (const int channels : channel_counts) {
      bench->Args({1920, 1080, 1280, 720, channels, threads});
      bench->Args({1920, 1080, 640, 480, channels, threads});
      bench->Args({640, 480, 1280, 960, channels, threads});
      bench->Args({1280, 960, 1219, 914, channels, threads});
    }
  bench->UseRealTime()->Unit(benchmark::kMicrosecond);
}
void byte_sizes(benchmark::internal::Benchmark* bench) { sizes(bench, {1, 3}); }
void float_sizes(benchmark::internal::Benchmark* bench) { sizes(bench, {1}); }

BENCHMARK(BM_Resize<std::uint8_t>)->Apply(byte_sizes);
BENCHMARK(BM_Resize<float>)->Apply(float_sizes);
BENCHMARK(BM_ResizeAntialias<std::uint8_t>)
    ->Args({1920, 1080, 640, 480, 1, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMicrosecond);

#ifdef FOVEA_OPENCV
template <class T>
void BM_ResizeOpenCv(benchmark::State& state) {
  cv::setNumThreads(argument(state, 5));
  const auto image = noise<T>(argument(state, 0), argument(state, 1), argument(state, 4));
  const cv::Mat in(image.height(), image.width(),
                   CV_MAKETYPE(cv::DataType<T>::depth, image.channels()),
                   const_cast<T*>(image.row(0)), image.stride() * sizeof(T));
  cv::Mat out;
  const cv::Size size(argument(state, 2), argument(state, 3));
  for (auto _ : state) cv::resize(in, out, size, 0, 0, cv::INTER_LINEAR);
}
BENCHMARK(BM_ResizeOpenCv<std::uint8_t>)->Apply(byte_sizes);
BENCHMARK(BM_ResizeOpenCv<float>)->Apply(float_sizes);
#endif

}  // namespace
}  // namespace fovea
