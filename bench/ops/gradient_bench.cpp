#include <benchmark/benchmark.h>
#include <fovea/gradient.h>

#ifdef FOVEA_OPENCV
#include <opencv2/imgproc.hpp>
#endif

namespace fovea {
namespace {

void BM_SobelBytes(benchmark::State& state) {
  const int width = static_cast<int>(state.range(0)), height = static_cast<int>(state.range(1));
  Image<std::uint8_t> image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image.at(x, y) = static_cast<std::uint8_t>(x * 7 + y * 13);
  Image<std::int16_t> dx(width, height), dy(width, height);
  const GradientOptions options{
      .kernel = GradientKernel::kSobel,
      .exec = {.device = Device::cpu(), .threads = static_cast<int>(state.range(2))}};
  for (auto _ : state) gradient(image, dx, dy, options);
  state.SetBytesProcessed(state.iterations() * 5 * width * height);
}
BENCHMARK(BM_SobelBytes)->Args({640, 480, 1})->Args({1920, 1080, 1})->Args({1920, 1080, 2});

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
