// Compares separable and general convolution of a 1920x1080 image with cv::sepFilter2D and
// cv::filter2D. Arguments: taps, threads.
#include <benchmark/benchmark.h>
#include <fovea/core/random.h>
#include <fovea/ops/convolve.h>

#ifdef FOVEA_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace fovea {
namespace {

constexpr int kWidth = 1920, kHeight = 1080;

template <class T>
Image<T> noise(int width, int height) {
  Image<T> image(width, height);
  Random random(1);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image.at(x, y) = static_cast<T>(random.bits() & 255);
  return image;
}

int argument(const benchmark::State& state, int i) { return static_cast<int>(state.range(i)); }

template <class T, class Out>
void BM_Separable(benchmark::State& state) {
  const auto image = noise<T>(kWidth, kHeight);
  Image<Out> out(kWidth, kHeight);
  const int taps = argument(state, 0);
  const auto kernel = gaussian_kernel(taps / 6.0, taps);
  const ConvolveOptions options{.exec = {.device = Device::cpu(), .threads = argument(state, 1)}};
  for (auto _ : state) convolve_separable(image, out, kernel, kernel, options);
}

template <class T, class Out>
void BM_General(benchmark::State& state) {
  const auto image = noise<T>(kWidth, kHeight);
  Image<Out> out(kWidth, kHeight);
  const auto kernel = noise<float>(argument(state, 0), argument(state, 0));
  const ConvolveOptions options{.exec = {.device = Device::cpu(), .threads = argument(state, 1)}};
  for (auto _ : state) convolve(image, out, kernel, options);
}

void separable_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{7, 31}, {1, 2}})->UseRealTime()->Unit(benchmark::kMicrosecond);
}
void general_sizes(benchmark::internal::Benchmark* bench) {
  bench->ArgsProduct({{7}, {1, 2}})->UseRealTime()->Unit(benchmark::kMicrosecond);
}

BENCHMARK(BM_Separable<float, float>)->Apply(separable_sizes);
BENCHMARK(BM_Separable<std::uint8_t, float>)->Apply(separable_sizes);
BENCHMARK(BM_Separable<std::uint8_t, std::uint8_t>)->Apply(separable_sizes);
BENCHMARK(BM_General<float, float>)->Apply(general_sizes);
BENCHMARK(BM_General<std::uint8_t, std::uint8_t>)->Apply(general_sizes);

#ifdef FOVEA_OPENCV
template <class T>
cv::Mat matrix(const Image<T>& image) {
  return cv::Mat(image.height(), image.width(), cv::DataType<T>::depth,
                 const_cast<T*>(image.row(0)), image.stride() * sizeof(T));
}

template <class T, class Out>
void BM_SeparableOpenCv(benchmark::State& state) {
  cv::setNumThreads(argument(state, 1));
  const auto image = noise<T>(kWidth, kHeight);
  const int taps = argument(state, 0);
  const auto kernel = gaussian_kernel(taps / 6.0, taps);
  const cv::Mat in = matrix(image);
  cv::Mat out;
  for (auto _ : state) cv::sepFilter2D(in, out, cv::DataType<Out>::depth, kernel, kernel);
}

template <class T, class Out>
void BM_GeneralOpenCv(benchmark::State& state) {
  cv::setNumThreads(argument(state, 1));
  const auto image = noise<T>(kWidth, kHeight);
  const auto kernel = noise<float>(argument(state, 0), argument(state, 0));
  const cv::Mat in = matrix(image), weights = matrix(kernel);
  cv::Mat out;
  for (auto _ : state) cv::filter2D(in, out, cv::DataType<Out>::depth, weights);
}

BENCHMARK(BM_SeparableOpenCv<float, float>)->Apply(separable_sizes);
BENCHMARK(BM_SeparableOpenCv<std::uint8_t, float>)->Apply(separable_sizes);
BENCHMARK(BM_SeparableOpenCv<std::uint8_t, std::uint8_t>)->Apply(separable_sizes);
BENCHMARK(BM_GeneralOpenCv<float, float>)->Apply(general_sizes);
BENCHMARK(BM_GeneralOpenCv<std::uint8_t, std::uint8_t>)->Apply(general_sizes);
#endif

}  // namespace
}  // namespace fovea
