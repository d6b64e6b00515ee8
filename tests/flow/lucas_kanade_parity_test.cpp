// Lucas-Kanade on CUDA against the CPU's: every number of every field, to the bit.
#include <fovea/flow/flow.h>
#include <fovea/random.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/devices.h"

namespace fovea::flow {
namespace {

// Waves, edges and noise, seen `shift` pixels further on and a little turned.
template <class T>
Image<T> picture(int width, int height, int channels, double shift) {
  Image<T> image(width, height, channels);
  Random random(5);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c) {
        const double px = x + shift + 0.02 * y, py = y + 0.5 * shift - 0.01 * x;
        const double wave = 50 * std::sin(0.21 * px + c) + 40 * std::sin(0.17 * py);
        const double edge = std::fmod(std::abs(px), 37.0) < 18 ? 20 : -20;
        const bool plain = static_cast<int>(std::abs(py)) / 30 % 4 == 2;
        image.at(x, y, c) =
            static_cast<T>(plain ? 90.0 : 120 + wave + edge + static_cast<double>(random.below(8)));
      }
  return image;
}

Image<std::uint8_t> holes(int width, int height) {
  Image<std::uint8_t> mask(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      mask.at(x, y) =
          (x - width / 2) * (x - width / 2) + (y - height / 3) * (y - height / 3) < 900 ||
                  (x < width / 4 && y > height / 2)
              ? 0
              : 255;
  return mask;
}

void expect_equal(const Image<float>& cpu, const Image<float>& gpu, const char* what) {
  int different = 0;
  for (int y = 0; y < cpu.height(); ++y)
    for (int x = 0; x < cpu.width(); ++x) {
      if (cpu.at(x, y) == gpu.at(x, y)) continue;
      if (different++ < 3)
        ADD_FAILURE() << what << " (" << x << ", " << y << "): " << cpu.at(x, y) << " and "
                      << gpu.at(x, y);
    }
  EXPECT_EQ(different, 0) << what << " of " << cpu.width() << "x" << cpu.height();
}

struct Case {
  FlowOptions options{};
  int width = 150, height = 117;
  int channels = 1;
  bool masked = false;
};

template <class T = std::uint8_t>
void expect_equal_fields(const Case& given) {
  const Image<T> first = picture<T>(given.width, given.height, given.channels, 0);
  const Image<T> second = picture<T>(given.width, given.height, given.channels, 2.3);
  Image<std::uint8_t> mask;
  if (given.masked) mask = holes(given.width, given.height);
  const auto field = [&](Device device) {
    FlowOptions options = given.options;
    options.exec.device = device;
    Estimator estimator(options);
    return estimator.estimate<T>(first, second, mask);
  };
  const Flow cpu = field(Device::cpu()), gpu = field(Device::cuda());
  expect_equal(cpu.u, gpu.u, "u");
  expect_equal(cpu.v, gpu.v, "v");
  expect_equal(cpu.confidence, gpu.confidence, "confidence");
}

TEST(LucasKanadeParity, EveryQuality) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const Quality quality : {Quality::kFast, Quality::kDefault, Quality::kBest})
    for (const auto& [width, height] : {std::pair{150, 117}, {64, 64}, {33, 200}, {1, 1}, {7, 3}}) {
      SCOPED_TRACE(testing::Message()
                   << static_cast<int>(quality) << " " << width << "x" << height);
      FlowOptions options;
      options.lk.quality = quality;
      expect_equal_fields({options, width, height});
    }
}

TEST(LucasKanadeParity, EveryOption) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto with = [](auto change) {
    Case given;
    change(given.options.lk);
    expect_equal_fields(given);
  };
  with([](auto& lk) { lk.window = Window::kBox; });
  with([](auto& lk) { lk.rank = false; });
  with([](auto& lk) { lk.median = 0; });
  with([](auto& lk) { lk.median = 1; });
  with([](auto& lk) { lk.radius = 1; });
  with([](auto& lk) { lk.radius = 9; });
  with([](auto& lk) { lk.levels = 2; });
  with([](auto& lk) { lk.finest_level = 2; });
  with([](auto& lk) { lk.propagation = 3; });
  with([](auto& lk) { lk.iterations = 1; });
  with([](auto& lk) { lk.min_eigenvalue = 50; });
  with([](auto& lk) { lk.forward_backward = true; });
}

TEST(LucasKanadeParity, EveryPixelAndMasks) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const int channels : {1, 3, 4}) {
    expect_equal_fields<std::uint8_t>({{}, 120, 90, channels, true});
    expect_equal_fields<std::uint16_t>({{}, 120, 90, channels, false});
    expect_equal_fields<float>({{}, 120, 90, channels, true});
  }
}

TEST(LucasKanadeParity, Video) {
  FOVEA_SKIP_WITHOUT_CUDA();
  FlowOptions on_cpu, on_gpu;
  on_cpu.exec.device = Device::cpu();
  on_gpu.exec.device = Device::cuda();
  Estimator cpu(on_cpu), gpu(on_gpu);
  for (int frame = 0; frame < 5; ++frame) {
    const Image<std::uint8_t> image = picture<std::uint8_t>(130, 100, 1, 1.5 * frame);
    const auto from_cpu = cpu.next<std::uint8_t>(image);
    // Frames in device memory stay there.
    const auto from_gpu = gpu.next<std::uint8_t>(clone(image, Memory::kCuda));
    ASSERT_EQ(from_cpu.has_value(), from_gpu.has_value());
    if (!from_cpu) continue;
    expect_equal(from_cpu->u, clone(from_gpu->u), "u");
    expect_equal(from_cpu->v, clone(from_gpu->v), "v");
    expect_equal(from_cpu->confidence, clone(from_gpu->confidence), "confidence");
  }
}

TEST(LucasKanadeParity, Tiles) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Case given;
  given.width = 1500;
  given.height = 1100;
  given.options.memory_bytes = 56 << 20;
  expect_equal_fields(given);
}

}  // namespace
}  // namespace fovea::flow
