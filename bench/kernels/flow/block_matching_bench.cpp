// Compares block matching with a loop over every pixel of every pair of blocks, which finds the
// same field.
#include <benchmark/benchmark.h>
#include <fovea/core/random.h>

#include "flow/bm/block_matching_cpu.h"
#include "reference/block_matching.h"

namespace fovea::flow {
namespace {

// Noise with averaged neighbors, which is smooth enough for a texture that can be matched.
Image<float> texture(int width, int height, int shift) {
  Random random(1);
  Image<float> image(width, height);
  std::vector<float> line(static_cast<std::size_t>(width) + 16, 128);
  for (int y = 0; y < height; ++y) {
    for (float& value : line) value = 0.6F * value + 0.4F * static_cast<float>(random.below(256));
    for (int x = 0; x < width; ++x) image.at(x, y) = line[static_cast<std::size_t>(x + 8 - shift)];
  }
  return image;
}

bm::Settings setting(const benchmark::State& state) {
  return {.block = static_cast<int>(state.range(0)),
          .step = static_cast<int>(state.range(1)),
          .range = static_cast<int>(state.range(2)),
          .levels = 1};
}

void BM_BlockSearch(benchmark::State& state) {
  const bm::Settings options = setting(state);
  const Exec exec{.device = Device::cpu(), .threads = static_cast<int>(state.range(3))};
  cpu::BlockFrame first, second;
  const Image<float> before = texture(640, 480, 0), after = texture(640, 480, 2);
  const ImageView<const float> gray[] = {before.view(), after.view()};
  cpu::prepare_block_frame(first, {&gray[0], 1}, {}, options, exec);
  cpu::prepare_block_frame(second, {&gray[1], 1}, {}, options, exec);
  cpu::BlockField found;
  for (auto _ : state)
    cpu::search_blocks({first.levels[0], second.levels[0], options, options.range, nullptr}, found,
                       exec);
}
BENCHMARK(BM_BlockSearch)
    ->Args({7, 1, 3, 1})
    ->Args({7, 1, 3, 2})
    ->Args({7, 2, 3, 1})
    ->Args({11, 1, 5, 1})
    ->Args({16, 16, 16, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BM_BlockSearchDirect(benchmark::State& state) {
  const bm::Settings options = setting(state);
  const auto first = reference::block_levels(texture(640, 480, 0), {}, 1);
  const auto second = reference::block_levels(texture(640, 480, 2), {}, 1);
  for (auto _ : state)
    reference::search_blocks({first[0], second[0], options, options.range, nullptr});
}
BENCHMARK(BM_BlockSearchDirect)
    ->Args({7, 1, 3, 1})
    ->Args({7, 2, 3, 1})
    ->Args({11, 1, 5, 1})
    ->Args({16, 16, 16, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

void BM_BlockMatching(benchmark::State& state) {
  const int width = static_cast<int>(state.range(0)), height = static_cast<int>(state.range(1));
  const Exec exec{.device = Device::cpu(), .threads = static_cast<int>(state.range(3))};
  bm::Settings options;
  if (state.range(2) == 16) options = {.block = 16, .step = 16, .range = 16};
  const auto matcher = cpu::make_block_matching(options);
  auto first = matcher->prepare(texture(width, height, 0), {}, nullptr, exec);
  auto second = matcher->prepare(texture(width, height, 2), {}, nullptr, exec);
  Image<float> u(width, height), v(width, height), confidence(width, height);
  for (auto _ : state) matcher->match({*first, *second}, {u, v, confidence}, exec);
}
BENCHMARK(BM_BlockMatching)
    ->Args({640, 480, 7, 1})
    ->Args({640, 480, 7, 2})
    ->Args({1920, 1080, 7, 2})
    ->Args({1920, 1080, 16, 1})
    ->Args({1920, 1080, 16, 2})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace fovea::flow
