#include <benchmark/benchmark.h>
#include <fovea/ops/gradient.h>

#ifdef FOVEA_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace fovea {
namespace {

template <class T>
Image<T> pattern(int width, int height, int channels) {
  Image<T> image(width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int i = 0; i < width * channels; ++i)
      image.row(y)[i] = static_cast<T>((i * 7 + y * 13 + (i * y) % 31) & 255);
  return image;
}

void BM_SobelBytes(benchmark::State& state) {
  const int width = static_cast<int>(state.range(0)), height = static_cast<int>(state.range(1));
  const auto image = pattern<std::uint8_t>(width, height, 1);
  Image<std::int16_t> dx(width, height), dy(width, height);
  const GradientOptions options{
      .kernel = GradientKernel::kSobel,
      .exec = {.device = Device::cpu(), .threads = static_cast<int>(state.range(2))}};
  for (auto _ : state) gradient(image, dx, dy, options);
  state.SetBytesProcessed(state.iterations() * 5 * width * height);
}
BENCHMARK(BM_SobelBytes)->Args({640, 480, 1})->Args({1920, 1080, 1})->Args({1920, 1080, 2});

// An image of 1920x1080 on one thread. Arguments: channels, bins, signed.
template <class T>
void BM_Polar(benchmark::State& state) {
  const auto image = pattern<T>(1920, 1080, static_cast<int>(state.range(0)));
  Image<float> magnitude(1920, 1080);
  Image<std::uint8_t> bin(1920, 1080);
  const PolarGradientOptions options{.bins = static_cast<int>(state.range(1)),
                                     .signed_angle = state.range(2) == 1,
                                     .exec = {.device = Device::cpu(), .threads = 1}};
  for (auto _ : state) polar_gradient(image, magnitude, bin, options);
}
BENCHMARK(BM_Polar<std::uint8_t>)
    ->ArgsProduct({{1, 3}, {9}, {0}})
    ->Args({3, 18, 1})
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Polar<float>)->Args({3, 9, 0})->Unit(benchmark::kMillisecond);

#ifdef FOVEA_OPENCV
void BM_SobelBytesOpenCv(benchmark::State& state) {
  cv::setNumThreads(static_cast<int>(state.range(2)));
  cv::Mat image(static_cast<int>(state.range(1)), static_cast<int>(state.range(0)), CV_8U), dx, dy;
  cv::randu(image, 0, 256);
  for (auto _ : state) cv::spatialGradient(image, dx, dy, 3, cv::BORDER_REPLICATE);
}
BENCHMARK(BM_SobelBytesOpenCv)->Args({640, 480, 1})->Args({1920, 1080, 1})->Args({1920, 1080, 2});
#endif

}  // namespace
}  // namespace fovea
