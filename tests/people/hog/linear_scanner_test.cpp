#include <fovea/core/error.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "people/hog/hog_grid.h"
#include "people/level_image.h"
#include "people/model_parts.h"
#include "people/scanner.h"
#include "support/images.h"

namespace fovea::people {
namespace {

constexpr float kAll = -std::numeric_limits<float>::infinity();

HogOptions small() {
  HogOptions hog;
  hog.window.width = 32;
  hog.window.height = 48;
  return hog;
}

// A classifier that likes one window best: no other of its length lies nearer to its descriptor.
LinearModel model_of(ImageView<const std::uint8_t> window, const HogOptions& hog) {
  LinearModel model{hog, hog_descriptor(window, hog), 0};
  double sum = 0;
  for (const float weight : model.weights) sum += static_cast<double>(weight) * weight;
  model.bias = static_cast<float>(-0.75 * sum);
  return model;
}

Image<std::uint8_t> textured(int width, int height, int channels, std::uint64_t seed) {
  Random random(seed);
  return test::random_image<std::uint8_t>(random, width, height, channels);
}

ScanPlan plan_of(const Image<std::uint8_t>& image, const HogOptions& hog, ScanOptions options) {
  return plan_scan({image.width(), image.height()}, hog.window, 0.8, options);
}

Exec on_threads(int threads) { return {.device = Device::cpu(), .threads = threads}; }

TEST(LinearScanner, FindsAPlantedWindow) {
  Image<std::uint8_t> image = textured(150, 130, 3, 1);
  const auto planted = image.view().crop(40, 24, 32, 48);
  const LinearModel model = model_of(planted, small());
  const ScanPlan plan = plan_of(image, small(), {.ratio = 1.3, .padding = 0});
  const auto scanner = cpu::make_linear_scanner(Kind::kHog, model);
  const ScanResult result = scanner->scan({image, plan, 0}, on_threads(1));
  ASSERT_FALSE(result.hits.empty());
  const Hit best = *std::max_element(result.hits.begin(), result.hits.end(),
                                     [](const Hit& a, const Hit& b) { return a.score < b.score; });
  EXPECT_EQ(best.level, 0);
  EXPECT_EQ(best.column, 5);
  EXPECT_EQ(best.row, 3);
}

TEST(LinearScanner, EveryWindowScoresAsItsDescriptorDoes) {
  const Image<std::uint8_t> image = textured(97, 83, 3, 2);
  for (const Kind kind : {Kind::kHog, Kind::kHogCells, Kind::kHogIntegral}) {
    HogOptions hog = small();
    hog.color = kind == Kind::kHog;
    const Image<std::uint8_t> other = textured(32, 48, 1, 3);
    const LinearModel model = model_of(other, hog);
    for (const int stride : {8, 4, 5}) {
      const ScanPlan plan = plan_of(image, hog, {.ratio = 1.5, .stride = stride, .padding = 9});
      const auto scanner = cpu::make_linear_scanner(kind, model);
      const ScanResult all = scanner->scan({image, plan, kAll}, on_threads(1));
      std::size_t at = 0;
      for (std::size_t level = 0; level < plan.levels.size(); ++level) {
        const ScanLevel& windows = plan.levels[level];
        const Extent padded = plan.padded(windows);
        Image<std::uint8_t> pixels(padded.width, padded.height, 3);
        cpu::level_image(image, plan, windows, pixels, on_threads(1));
        cpu::HogGrid grid(kind, hog);
        grid.build(pixels, plan, on_threads(1));
        Image<float> scores(windows.columns, windows.rows);
        grid.scores(model, scores, on_threads(1));
        // Gray before or after the level is resized differs by rounding.
        const double tolerance = kind == Kind::kHog ? 0 : 0.3;
        for (int row = 0; row < windows.rows; ++row)
          for (int column = 0; column < windows.columns; ++column, ++at) {
            const Hit& hit = all.hits.at(at);
            ASSERT_EQ(hit.level, static_cast<int>(level));
            ASSERT_EQ(hit.row, row);
            ASSERT_EQ(hit.column, column);
            ASSERT_NEAR(hit.score, scores.at(column, row), tolerance);
          }
      }
      EXPECT_EQ(at, all.hits.size());
      EXPECT_EQ(all.counts.windows, static_cast<std::int64_t>(at));
      EXPECT_EQ(all.counts.evaluations, all.counts.windows * 3 * 5);
    }
  }
}

TEST(LinearScanner, ThresholdKeepsWhatReachesIt) {
  const Image<std::uint8_t> image = textured(120, 100, 1, 4);
  const LinearModel model = model_of(textured(32, 48, 1, 5), small());
  const ScanPlan plan = plan_of(image, small(), {});
  const auto scanner = cpu::make_linear_scanner(Kind::kHog, model);
  const ScanResult all = scanner->scan({image, plan, kAll}, on_threads(1));
  const float threshold = all.hits[all.hits.size() / 2].score;
  std::vector<Hit> expected;
  for (const Hit& hit : all.hits)
    if (hit.score >= threshold) expected.push_back(hit);
  const ScanResult some = scanner->scan({image, plan, threshold}, on_threads(1));
  EXPECT_EQ(some.hits, expected);
  EXPECT_EQ(some.counts.windows, all.counts.windows);
}

TEST(LinearScanner, ThreadsDoNotMatter) {
  const Image<std::uint8_t> image = textured(170, 190, 3, 6);
  for (const Kind kind : {Kind::kHog, Kind::kHogCells, Kind::kHogIntegral}) {
    const LinearModel model = model_of(textured(32, 48, 1, 7), small());
    const ScanPlan plan = plan_of(image, small(), {.ratio = 1.2, .stride = 4});
    const auto scanner = cpu::make_linear_scanner(kind, model);
    const ScanResult one = scanner->scan({image, plan, kAll}, on_threads(1));
    for (const int threads : {2, 7})
      EXPECT_EQ(scanner->scan({image, plan, kAll}, on_threads(threads)).hits, one.hits);
  }
}

TEST(LinearScanner, StopsWhenAsked) {
  const Image<std::uint8_t> image = textured(64, 64, 1, 8);
  const LinearModel model = model_of(textured(32, 48, 1, 9), small());
  const auto scanner = cpu::make_linear_scanner(Kind::kHog, model);
  std::stop_source stop;
  stop.request_stop();
  Exec exec = on_threads(1);
  exec.stop = stop.get_token();
  EXPECT_THROW(scanner->scan({image, plan_of(image, small(), {}), 0}, exec), Cancelled);
}

}  // namespace
}  // namespace fovea::people
