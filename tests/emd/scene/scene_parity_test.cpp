// Covers: backend, fusion_cuda, scene_cuda, scene_math
#include <fovea/core/random.h>
#include <fovea/emd/scene.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "support/devices.h"

namespace fovea::emd {
namespace {

constexpr int kSceneWidth = 77, kSceneHeight = 45;

BandFrame parity_frame(int bands, std::uint64_t seed, bool missing) {
  Random random(seed);
  BandFrame frame{Stack<float>(kSceneWidth, kSceneHeight, bands), "drawn", missing ? 0.0 : 255.0};
  for (int b = 0; b < bands; ++b)
    for (int y = 0; y < kSceneHeight; ++y)
      for (int x = 0; x < kSceneWidth; ++x)
        frame.bands.plane(b).at(x, y) = static_cast<float>(
            random.below(60) + (x > 20 && x < 50 && y > 10 && (b + y / 9) % 2 == 0 ? 150U : 40U));
  if (missing) {
    frame.bands.plane(bands - 1).at(30, 20) = std::numeric_limits<float>::quiet_NaN();
    frame.bands.plane(0).at(5, 40) = -std::numeric_limits<float>::infinity();
  }
  return frame;
}

BandFrame frame_on_gpu(const BandFrame& frame) {
  BandFrame there{Stack<float>(frame.bands.width(), frame.bands.height(), frame.bands.count(), 1,
                               Memory::kCuda),
                  frame.name, frame.white};
  copy(frame.bands.view(), there.bands.view());
  return there;
}

void expect_same_map(const Image<float>& found, const Image<float>& expected, const char* what) {
  const Image<float> here = clone(found);
  for (int y = 0; y < expected.height(); ++y)
    for (int x = 0; x < expected.width(); ++x)
      ASSERT_TRUE(here.at(x, y) == expected.at(x, y) ||
                  (std::isnan(here.at(x, y)) && std::isnan(expected.at(x, y))))
          << what << ' ' << x << ' ' << y;
}

Image<std::uint8_t> third_columns() {
  Image<std::uint8_t> mask(kSceneWidth, kSceneHeight);
  for (int y = 0; y < kSceneHeight; ++y)
    for (int x = 0; x < kSceneWidth; ++x) mask.at(x, y) = x % 3 == 0 && y > 4 ? 1 : 0;
  return mask;
}

TEST(EmdSceneParity, FramesHaveOneMapWhereverTheyLie) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Rect<int> box{25, 12, 9, 8};
  for (const auto signature : {SceneSignature::kLevels, SceneSignature::kBands,
                               SceneSignature::kContrast, SceneSignature::kColors})
    for (const int bands : {1, 3, 11})
      for (const bool missing : {false, true})
        for (const bool region : {false, true}) {
          if (signature == SceneSignature::kColors && bands > 3) continue;
          SceneMapOptions options{.signature = signature, .window = 5};
          if (signature == SceneSignature::kLevels && bands > 3) options.band = 4;
          if (region) options.roi = Rect<int>{3, 6, 60, 30};
          const BandFrame first = parity_frame(bands, 1, missing);
          options.exec = {.device = Device::cpu(), .threads = 2};
          SceneMapper cpu(first, box, options);
          options.exec = {.device = Device::cuda()};
          SceneMapper gpu(first, box, options), there(frame_on_gpu(first), box, options);
          const std::vector<std::uint16_t> target(cpu.mapper().target().begin(),
                                                  cpu.mapper().target().end());
          EXPECT_TRUE(std::equal(target.begin(), target.end(), there.mapper().target().begin()));
          for (std::uint64_t k = 1; k < 4; ++k) {
            const BandFrame frame = parity_frame(bands, k, missing);
            const Image<float> expected = cpu.map(frame), found = there.map(frame_on_gpu(frame));
            EXPECT_EQ(found.view().memory, Memory::kCuda);
            expect_same_map(found, expected, "a frame on the GPU");
            const Image<float> host = gpu.map(frame);
            EXPECT_NE(host.view().memory, Memory::kCuda);
            expect_same_map(host, expected, "a frame in host memory");
          }
          for (SceneMapper* mapper : {&cpu, &gpu, &there}) mapper->set_mask(third_columns());
          const BandFrame frame = parity_frame(bands, 7, missing);
          const Image<float> expected = cpu.map(frame);
          expect_same_map(gpu.map(frame), expected, "a mask");
          expect_same_map(there.map(frame_on_gpu(frame)), expected, "a mask on the GPU");
        }
}

TEST(EmdSceneParity, FusedScoresAreTheSameWhereverFramesLie) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Rect<int> box{25, 12, 9, 8};
  for (const auto signature : {SceneSignature::kBands, SceneSignature::kContrast})
    for (const int bands : {1, 11, 70})
      for (const bool missing : {false, true})
        for (const bool region : {false, true}) {
          SceneMapOptions options{.signature = signature, .score = SceneScore::kFused};
          if (region) options.roi = Rect<int>{3, 6, 60, 30};
          const BandFrame first = parity_frame(bands, 1, missing);
          options.exec = {.device = Device::cpu(), .threads = 2};
          SceneMapper cpu(first, box, options);
          options.exec = {.device = Device::cuda()};
          SceneMapper gpu(first, box, options), there(frame_on_gpu(first), box, options);
          for (std::uint64_t k = 1; k < 3; ++k) {
            const BandFrame frame = parity_frame(bands, k, missing);
            const Image<float> expected = cpu.map(frame), found = there.map(frame_on_gpu(frame));
            EXPECT_EQ(found.view().memory, Memory::kCuda);
            expect_same_map(found, expected, "fused on the GPU");
            expect_same_map(gpu.map(frame), expected, "fused in host memory");
          }
          for (SceneMapper* mapper : {&cpu, &gpu, &there}) mapper->set_mask(third_columns());
          const BandFrame frame = parity_frame(bands, 7, missing);
          const Image<float> expected = cpu.map(frame);
          expect_same_map(gpu.map(frame), expected, "a mask");
          expect_same_map(there.map(frame_on_gpu(frame)), expected, "a mask on the GPU");
        }
}

// A frame of whole numbers with its samples of 16 bits, some of them negative where T has them.
template <class T>
BandFrame frame_with_samples(int bands, std::uint64_t seed) {
  BandFrame frame = parity_frame(bands, seed, false);
  Stack<T> samples(kSceneWidth, kSceneHeight, bands);
  for (int b = 0; b < bands; ++b)
    for (int y = 0; y < kSceneHeight; ++y)
      for (int x = 0; x < kSceneWidth; ++x) {
        const float whole = frame.bands.plane(b).at(x, y) * 100;
        const auto value = static_cast<T>(std::is_signed_v<T> && b == 2 ? whole - 15000 : whole);
        samples.plane(b).at(x, y) = value;
        frame.bands.plane(b).at(x, y) = static_cast<float>(value);
      }
  frame.samples = std::move(samples);
  return frame;
}
template <class T>
void expect_samples_widened() {
  SceneMapOptions options{.signature = SceneSignature::kContrast};
  const Rect<int> box{25, 12, 9, 8};
  const BandFrame first = frame_with_samples<T>(7, 1);
  for (const bool region : {false, true}) {
    if (region) options.roi = Rect<int>{3, 6, 60, 30};
    options.exec = {.device = Device::cpu(), .threads = 2};
    SceneMapper cpu(first, box, options);
    options.exec = {.device = Device::cuda()};
    SceneMapper gpu(first, box, options);
    for (std::uint64_t k = 1; k < 4; ++k) {
      BandFrame frame = frame_with_samples<T>(7, k);
      const Image<float> expected = cpu.map(frame);
      expect_same_map(gpu.map(frame), expected, "samples of 16 bits");
      frame.samples = {};
      expect_same_map(gpu.map(frame), expected, "the same as floats");
    }
  }
}

TEST(EmdSceneParity, SamplesOf16BitsAreWidenedOnTheGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  expect_samples_widened<std::uint16_t>();
  expect_samples_widened<std::int16_t>();
}

TEST(EmdSceneParity, ChangedPixelsAloneOnTheGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  SceneMapOptions options{.window = 5, .changed_only = true};
  const BandFrame first = parity_frame(3, 1, false);
  options.exec = {.device = Device::cpu()};
  SceneMapper cpu(first, Rect<int>{25, 12, 9, 8}, options);
  options.exec = {.device = Device::cuda()};
  SceneMapper there(frame_on_gpu(first), Rect<int>{25, 12, 9, 8}, options);
  for (const std::uint64_t k : {1, 1, 2})
    expect_same_map(there.map(frame_on_gpu(parity_frame(3, k, false))),
                    cpu.map(parity_frame(3, k, false)), "changes");
}

template <class T>
void expect_bands() {
  Random random(4);
  Image<T> image(37, 11, 5);
  for (int y = 0; y < 11; ++y)
    for (int i = 0; i < 37 * 5; ++i) image.row(y)[i] = static_cast<T>(random.below(100));
  const BandFrame here = bands_of(std::as_const(image).view(), "it");
  const Image<T> copied = clone(image, Memory::kCuda);
  const BandFrame there = bands_of(copied.view(), "it");
  EXPECT_EQ(there.bands.view().memory, Memory::kCuda);
  EXPECT_EQ(there.white, here.white);
  for (int b = 0; b < 5; ++b)
    expect_same_map(clone(there.bands.plane(b)), clone(here.bands.plane(b)), "bands");
}

TEST(EmdSceneParity, ChannelsBecomeBandsOnTheGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  expect_bands<std::uint8_t>();
  expect_bands<std::uint16_t>();
  expect_bands<std::int32_t>();
  expect_bands<float>();
  expect_bands<double>();
}

TEST(EmdSceneParity, FramesInTheWrongPlaceAreRefused) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const BandFrame frame = parity_frame(3, 1, false);
  SceneMapper cpu(frame, Rect<int>{25, 12, 9, 8}, {.exec = {.device = Device::cpu()}});
  EXPECT_THROW(cpu.map(frame_on_gpu(frame)), InvalidArgument);
}

}  // namespace
}  // namespace fovea::emd
