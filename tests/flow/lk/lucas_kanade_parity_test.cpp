// Lucas-Kanade on CUDA against the CPU's: every number of every field, to the bit.
#include <fovea/core/random.h>
#include <fovea/flow/flow.h>
#include <gtest/gtest.h>

#include <cmath>

#include "flow/parity.h"
#include "support/devices.h"

namespace fovea::flow {
namespace {

using parity::expect_equal;
using parity::holes;
using parity::picture;

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
  expect_equal(field(Device::cpu()), field(Device::cuda()));
}

TEST(LucasKanadeParity, EveryQuality) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const Quality quality : {Quality::kFast, Quality::kDefault, Quality::kBest})
    for (const auto& [width, height] : {std::pair{150, 117}, {64, 64}, {33, 200}, {1, 1}, {7, 3}}) {
      SCOPED_TRACE(testing::Message()
                   << static_cast<int>(quality) << " " << width << "x" << height);
      FlowOptions options;
      options.quality = quality;
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
  with([](auto& lk) { lk.wide = false; });
  with([](auto& lk) { lk.robust = 0; });
  with([](auto& lk) { lk.greatest_step = 8; });
  with([](auto& lk) { lk.damping = 0; });
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

TEST(LucasKanadeParity, Colors) {
  FOVEA_SKIP_WITHOUT_CUDA();
  FlowOptions options;
  options.channels = Channels::kColor;
  for (const int channels : {1, 3, 4}) {
    expect_equal_fields<std::uint8_t>({options, 120, 90, channels, channels == 3});
    expect_equal_fields<float>({options, 120, 90, channels, false});
  }
  for (const Quality quality : {Quality::kFast, Quality::kBest}) {
    options.quality = quality;
    options.lk.forward_backward = quality == Quality::kBest;
    expect_equal_fields<std::uint16_t>({options, 101, 67, 3, true});
  }
  // The range of values of images in device memory is found there.
  const auto first = picture<std::uint8_t>(90, 70, 3, 0),
             second = picture<std::uint8_t>(90, 70, 3, 2);
  const auto mask = holes(90, 70);
  options.exec.device = Device::cpu();
  const Flow here = Estimator(options).estimate(first, second, mask);
  options.exec.device = Device::cuda();
  expect_equal(here, Estimator(options).estimate(clone(first, Memory::kCuda),
                                                 clone(second, Memory::kCuda), mask));
}

TEST(LucasKanadeParity, ColorsInTiles) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Case given;
  given.width = 1300;
  given.height = 900;
  given.channels = 3;
  given.options.channels = Channels::kColor;
  given.options.quality = Quality::kFast;
  given.options.memory_bytes = 72 << 20;
  expect_equal_fields(given);
}

// Whole tiles of threads without a pixel that counts.
TEST(LucasKanadeParity, LargeMasks) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto first = picture<std::uint8_t>(300, 200, 1, 0),
             second = picture<std::uint8_t>(300, 200, 1, 2);
  Image<std::uint8_t> mask(300, 200), none(300, 200);
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 300; ++x) {
      const int dx = x - 80, dy = y - 120;
      mask.at(x, y) = dx * dx + dy * dy < 35 * 35 ? 255 : 0;
      none.at(x, y) = 0;
    }
  for (const Quality quality : {Quality::kFast, Quality::kDefault, Quality::kBest})
    for (const auto& counting : {mask.view(), none.view()}) {
      FlowOptions options;
      options.quality = quality;
      options.exec.device = Device::cpu();
      const Flow here = Estimator(options).estimate(first, second, counting, mask);
      options.exec.device = Device::cuda();
      expect_equal(here, Estimator(options).estimate(first, second, counting, mask));
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
    const auto from_cpu = cpu.push<std::uint8_t>(image);
    // Frames in device memory stay there.
    const auto from_gpu = gpu.push<std::uint8_t>(clone(image, Memory::kCuda));
    ASSERT_EQ(from_cpu.has_value(), from_gpu.has_value());
    if (from_cpu) expect_equal(*from_cpu, *from_gpu);
  }
}

TEST(LucasKanadeParity, Tiles) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Case given;
  given.width = 1500;
  given.height = 1100;
  given.options.memory_bytes = 56 << 20;
  expect_equal_fields(given);
  // Tiles that only enlarge the field they start from.
  given.width = 1200;
  given.height = 800;
  given.options.memory_bytes = 44 << 20;
  given.options.quality = Quality::kFast;
  expect_equal_fields(given);
}

}  // namespace
}  // namespace fovea::flow
