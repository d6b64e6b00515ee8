// Block matching on CUDA against the CPU's: every number of every field, to the bit.
#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <cmath>

#include "flow/bm/block_matching_settings.h"
#include "flow/matcher.h"
#include "flow/parity.h"
#include "support/devices.h"

namespace fovea::flow {
namespace {

using parity::expect_equal;
using parity::holes;
using parity::picture;

struct Case {
  BlockMatchingOptions bm{};
  int width = 150, height = 117;
  double shift = 2.3;
  bool masked = false;
  std::uint64_t memory_bytes = 0;
};

template <class T = std::uint8_t>
void expect_equal_fields(const Case& given) {
  SCOPED_TRACE(testing::Message() << given.width << "x" << given.height << " cost "
                                  << static_cast<int>(given.bm.cost) << " block " << given.bm.block
                                  << " step " << given.bm.step.value_or(0) << " range "
                                  << given.bm.range.value_or(0) << " refine "
                                  << given.bm.refine.value_or(0) << " masked " << given.masked);
  const Image<T> first = picture<T>(given.width, given.height, 1, 0);
  const Image<T> second = picture<T>(given.width, given.height, 1, given.shift);
  Image<std::uint8_t> mask;
  if (given.masked) mask = holes(given.width, given.height);
  const auto field = [&](Device device) {
    FlowOptions options{.method = Method::kBlockMatching, .bm = given.bm};
    options.memory_bytes = given.memory_bytes;
    options.exec.device = device;
    Estimator estimator(options);
    return estimator.estimate<T>(first, second, mask);
  };
  expect_equal(field(Device::cpu()), field(Device::cuda()));
}

constexpr BlockCost kCosts[] = {BlockCost::kSad, BlockCost::kSsd, BlockCost::kNcc};

TEST(BlockMatchingParity, EveryCostAndSize) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const BlockCost cost : kCosts)
    for (const auto& [width, height] :
         {std::pair{150, 117}, {64, 64}, {33, 200}, {301, 26}, {1, 1}, {7, 3}, {1, 40}})
      for (const bool masked : {false, true})
        expect_equal_fields(
            {.bm = {.cost = cost}, .width = width, .height = height, .masked = masked});
}

TEST(BlockMatchingParity, EveryLayout) {
  FOVEA_SKIP_WITHOUT_CUDA();
  struct Layout {
    int block, step, range, refine;
  };
  for (const BlockCost cost : kCosts)
    for (const Layout& at : {Layout{16, 16, 16, 4},
                             {16, 16, 5, 2},
                             {2, 1, 2, 1},
                             {3, 1, 4, 2},
                             {8, 1, 3, 1},
                             {5, 3, 3, 7},
                             {9, 4, 1, 1},
                             {20, 8, 6, 3},
                             {33, 16, 9, 2},
                             {4, 10, 3, 2},
                             {24, 1, 2, 2},
                             {7, 5, 12, 3},
                             {40, 2, 3, 1},
                             {16, 9, 2, 9}})
      expect_equal_fields({.bm = {.cost = cost,
                                  .block = at.block,
                                  .step = at.step,
                                  .range = at.range,
                                  .refine = at.refine},
                           .masked = (at.block + at.step) % 2 == 0});
}

// Whole tiles without a block that can be matched.
TEST(BlockMatchingParity, LargeMasks) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto first = picture<std::uint8_t>(260, 180, 1, 0);
  const auto second = picture<std::uint8_t>(260, 180, 1, 2);
  Image<std::uint8_t> mask(260, 180);
  for (int y = 0; y < 180; ++y)
    for (int x = 0; x < 260; ++x) {
      const int dx = x - 80, dy = y - 100;
      mask.at(x, y) = dx * dx + dy * dy < 35 * 35 ? 255 : 0;
    }
  for (const Quality quality : {Quality::kFast, Quality::kDefault, Quality::kBest}) {
    FlowOptions options{.method = Method::kBlockMatching, .quality = quality};
    options.exec.device = Device::cpu();
    const Flow here = Estimator(options).estimate(first, second, mask);
    options.exec.device = Device::cuda();
    expect_equal(here, Estimator(options).estimate(first, second, mask));
  }
}

TEST(BlockMatchingParity, LargeRangesAndBlocks) {
  FOVEA_SKIP_WITHOUT_CUDA();
  expect_equal_fields({.bm = {.block = 16, .step = 16, .range = 64, .levels = 1}, .shift = 31});
  expect_equal_fields({.bm = {.block = 5, .step = 4, .range = 40, .levels = 1}, .shift = 20});
  expect_equal_fields({.bm = {.block = 12, .step = 12, .range = 4, .refine = 50, .levels = 2}});
  expect_equal_fields({.bm = {.block = 128, .step = 40, .range = 4}, .width = 300, .height = 210});
  expect_equal_fields(
      {.bm = {.cost = BlockCost::kSsd, .block = 128, .step = 20, .range = 2, .levels = 1},
       .masked = true});
}

TEST(BlockMatchingParity, EveryOption) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto with = [](auto change) {
    for (const bool masked : {false, true}) {
      Case given;
      given.masked = masked;
      change(given.bm);
      expect_equal_fields(given);
    }
  };
  with([](auto& bm) { bm.subpixel = false; });
  with([](auto& bm) { bm.interpolate = false; });
  with([](auto& bm) { bm.neighbors = false; });
  with([](auto& bm) { bm.trust = BlockTrust::kScore; });
  with([](auto& bm) {  // of single nodes, not of tiles
    bm.trust = BlockTrust::kScore;
    bm.neighbors = false;
    bm.block = 128;
    bm.step = 40;
    bm.range = 4;
  });
  with([](auto& bm) { bm.levels = 1; });
  with([](auto& bm) { bm.levels = 12; });
  with([](auto& bm) { bm.least_texture = 0; });
  with([](auto& bm) { bm.least_texture = 30; });
  with([](auto& bm) { bm.margin = 1.5F; });
  with([](auto& bm) { bm.passes = 0; });
  with([](auto& bm) { bm.passes = 5; });
  with([](auto& bm) { bm.forward_backward = true; });
  with([](auto& bm) { bm.forward_backward = true, bm.step = 16, bm.block = 16; });
}

TEST(BlockMatchingParity, LargeMotionAndEveryPixel) {
  FOVEA_SKIP_WITHOUT_CUDA();
  expect_equal_fields<std::uint8_t>({.width = 400, .height = 300, .shift = 25});
  expect_equal_fields<std::uint16_t>({.width = 400, .height = 300, .shift = 25, .masked = true});
  expect_equal_fields<float>({.width = 401, .height = 299, .shift = -18});
}

TEST(BlockMatchingParity, Video) {
  FOVEA_SKIP_WITHOUT_CUDA();
  FlowOptions on_cpu{.method = Method::kBlockMatching}, on_gpu = on_cpu;
  on_cpu.exec.device = Device::cpu();
  on_gpu.exec.device = Device::cuda();
  Estimator cpu(on_cpu), gpu(on_gpu);
  for (int frame = 0; frame < 6; ++frame) {
    SCOPED_TRACE(frame);
    const Image<std::uint8_t> image = picture<std::uint8_t>(130, 100, 1, 1.5 * frame);
    const auto from_cpu = cpu.push<std::uint8_t>(image);
    // Frames in device memory stay there.
    const auto from_gpu = gpu.push<std::uint8_t>(clone(image, Memory::kCuda));
    ASSERT_EQ(from_cpu.has_value(), from_gpu.has_value());
    if (!from_cpu) continue;
    expect_equal(*from_cpu, {clone(from_gpu->u), clone(from_gpu->v), clone(from_gpu->confidence)});
  }
}

TEST(BlockMatchingParity, Tiles) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const bool masked : {false, true})
    expect_equal_fields(
        {.width = 1500, .height = 1100, .masked = masked, .memory_bytes = 100 << 20});
}

// A match that begins or ends between levels, of an image that may itself be a coarse level.
TEST(BlockMatchingParity, StartAndLastLevel) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const int width = 203, height = 151;
  const Image<float> images[2] = {picture<float>(width, height, 1, 0),
                                  picture<float>(width, height, 1, 6)};
  const Image<std::uint8_t> mask = holes(width, height);
  for (const bool both_ways : {false, true})
    for (const bool masked : {false, true})
      for (const int base : {0, 1}) {
        const bm::Settings options{.levels = 4, .forward_backward = both_ways};
        const auto fields = [&](Memory memory) {
          const bool cuda = memory == Memory::kCuda;
          const Exec exec{.device = cuda ? Device::cuda() : Device::cpu()};
          const auto matcher =
              cuda ? cuda::make_block_matching(options) : cpu::make_block_matching(options);
          matcher->set_base_level(base);
          std::unique_ptr<PreparedFrame> frames[2];
          const Image<std::uint8_t> mask_there = clone(mask, memory);
          for (int k = 0; k < 2; ++k)
            frames[k] = matcher->prepare(
                clone(images[k], memory),
                masked && k == 0 ? mask_there.view() : ImageView<const std::uint8_t>{}, nullptr,
                exec);
          const auto make = [&](int w, int h) {
            return Flow{Image<float>(w, h, 1, memory), Image<float>(w, h, 1, memory),
                        Image<float>(w, h, 1, memory)};
          };
          const auto view = [](Flow& flow) {
            return FlowView{flow.u.view(), flow.v.view(), flow.confidence.view()};
          };
          Flow coarse = make((width + 3) / 4, (height + 3) / 4), fine = make(width, height);
          matcher->match({.first = *frames[0], .second = *frames[1], .last_level = 2}, view(coarse),
                         exec);
          matcher->match(
              {.first = *frames[0], .second = *frames[1], .start = view(coarse), .start_level = 2},
              view(fine), exec);
          return std::pair{Flow{clone(coarse.u), clone(coarse.v), clone(coarse.confidence)},
                           Flow{clone(fine.u), clone(fine.v), clone(fine.confidence)}};
        };
        const auto cpu = fields(Memory::kHost), gpu = fields(Memory::kCuda);
        expect_equal(cpu.first, gpu.first);
        expect_equal(cpu.second, gpu.second);
      }
}

}  // namespace
}  // namespace fovea::flow
