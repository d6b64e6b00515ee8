// Covers: filtered_walk
#include <fovea/core/error.h>

#include <limits>

#include "people/channels/channel_trees.h"
#include "people/filtered/filter_cells.h"
#include "people/filtered/filtered_walk.h"
#include "people/filtered/random_filtered.h"
#include "people/scanner.h"
#include "support/devices.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::people {
namespace {

constexpr float kEveryWindowPasses = -std::numeric_limits<float>::infinity();
constexpr Extent kTinyWindow{16, 32};

ScanPlan filtered_plan(ImageView<const std::uint8_t> image, int stride) {
  return plan_scan({image.width, image.height}, kTinyWindow, 0.8,
                   {.ratio = 1.15, .stride = stride, .padding = 12});
}

// Noise that grows from left to right, so that windows differ.
Image<std::uint8_t> growing_noise(Random& random, int width, int height, int channels) {
  auto image = test::random_image<std::uint8_t>(random, width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int i = 0; i < width * channels; ++i)
      image.row(y)[i] = static_cast<std::uint8_t>(image.row(y)[i] * i / (width * channels));
  return image;
}

// The leaf that a window reaches, node after node.
int leaf_of(const FilteredTrees& trees, int tree, const FilteredCells& cells, Extent at) {
  int node = 0;
  while (node < trees.nodes()) {
    const auto index = static_cast<std::size_t>(tree * trees.nodes() + node);
    const int feature = static_cast<int>(trees.feature[index]);
    const int value = cells.line(at.height + feature / 4 % 8, feature / 32)[at.width + feature % 4];
    node = 2 * node + (value >= trees.threshold[index] ? 2 : 1);
  }
  return trees.leaf[static_cast<std::size_t>(tree * trees.leaves() + node - trees.nodes())];
}

// The scan one window after another, as the model says.
ScanResult one_by_one(ImageView<const std::uint8_t> image, const ScanPlan& plan,
                      const FilteredModel& model, float threshold) {
  ScanResult result;
  cpu::ChannelLevels levels;
  levels.start(image, plan, pyramid_of(model));
  FilteredCells cells;
  for (int l = 0; l < static_cast<int>(plan.levels.size()); ++l) {
    const auto made = levels.make(l, {.threads = 1});
    cpu::filter_cells(*made.cells, model.bank, cells, {.threads = 1});
    for (int row = 0; row < plan.levels[l].rows; ++row)
      for (int column = 0; column < plan.levels[l].columns; ++column) {
        const Extent at{made.first_column - 2 + column * plan.stride / 4,
                        made.first_row - 2 + row * plan.stride / 4};
        int score = 0, passed = 0;
        bool rejected = false;
        for (int t = 0; t < model.trees.count() && !rejected; ++t) {
          score += leaf_of(model.trees, t, cells, at);
          rejected = score < model.rejection[t];
          if (!rejected) ++passed;
          ++result.counts.evaluations;
        }
        ++result.counts.windows;
        const float final = rejected ? rejected_score(passed) : final_score(score);
        if ((!rejected && final >= threshold) || threshold == kEveryWindowPasses)
          result.hits.push_back({l, column, row, final});
      }
  }
  return result;
}

void expect_equal(const ScanResult& found, const ScanResult& expected) {
  EXPECT_EQ(found.hits, expected.hits);
  EXPECT_EQ(found.counts.evaluations, expected.counts.evaluations);
  EXPECT_EQ(found.counts.windows, expected.counts.windows);
}

TEST(FilteredScanner, FindsWhatTheTreesSay) {
  Random random(1);
  for (const int depth : {2, 3, 4, 5}) {
    for (const int stride : {4, 8, 12}) {
      const FilteredModel model =
          people_test::random_filtered({depth == 3 ? 60 : 9, depth, depth, depth - 2}, kTinyWindow);
      const auto image = growing_noise(random, 70, 61, depth == 4 ? 1 : 3);
      const ScanPlan plan = filtered_plan(image, stride);
      const auto scanner = cpu::make_filtered_scanner(model);
      for (const float threshold : {-0.2F, kEveryWindowPasses}) {
        const ScanResult expected = one_by_one(image, plan, model, threshold);
        for (const int threads : {1, 2})
          expect_equal(scanner->scan({image, plan, threshold}, {.threads = threads}), expected);
        EXPECT_FALSE(expected.hits.empty());
      }
    }
  }
}

// Trees without errors, whose sums leave 16 bits in both directions.
TEST(FilteredScanner, StrongTreesAreStillEvaluatedTogether) {
  Random random(2);
  FilteredModel model = people_test::random_filtered({40, 3, 4, 2}, kTinyWindow);
  for (std::int16_t& leaf : model.trees.leaf) leaf = leaf < 0 ? -6144 : 6144;
  for (const int rejection : {-7 * 4096, -32767, -32768}) {
    std::fill(model.rejection.begin(), model.rejection.end(), rejection);
    const auto together = cpu::TreesTogether::of(deep_trees<3>(model, 32));
    EXPECT_EQ(together.count, rejection < -32767 ? 0 : 40);
    const auto image = growing_noise(random, 90, 70, 3);
    const ScanPlan plan = filtered_plan(image, 4);
    expect_equal(cpu::make_filtered_scanner(model)->scan({image, plan, -20}, {.threads = 1}),
                 one_by_one(image, plan, model, -20));
  }
}

TEST(FilteredScanner, TheTwinsFindTheSame) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(5);
  for (const int depth : {2, 3, 4, 5}) {
    for (const int colors : {1, 3}) {
      const FilteredModel model = people_test::random_filtered(
          {depth == 3 ? 100 : 20, depth, depth, 2 * (depth % 2)}, kTinyWindow);
      const auto twin = cuda::make_filtered_scanner(model);
      for (const int width : {61, 90}) {
        const auto image = growing_noise(random, width, 55, colors);
        const ScanPlan plan = filtered_plan(image, 4);
        for (const float threshold : {-0.2F, kEveryWindowPasses})
          expect_equal(twin->scan({image, plan, threshold}, {.device = Device::cuda()}),
                       cpu::make_filtered_scanner(model)->scan({image, plan, threshold}, {}));
      }
    }
  }
}

TEST(FilteredScanner, KeepsNothingOfTheImageBefore) {
  Random random(3);
  const FilteredModel model = people_test::random_filtered({30, 3, 4, 2}, kTinyWindow);
  const auto large = growing_noise(random, 120, 90, 3), small = growing_noise(random, 50, 60, 1);
  const ScanPlan plan = filtered_plan(small, 4);
  const auto used = cpu::make_filtered_scanner(model), fresh = cpu::make_filtered_scanner(model);
  used->scan({large, filtered_plan(large, 4), -1}, {});
  EXPECT_EQ(used->scan({small, plan, -1}, {}).hits, fresh->scan({small, plan, -1}, {}).hits);
}

TEST(FilteredScanner, OneWindowOfACropMayBeginAnywhere) {
  Random random(4);
  const FilteredModel model = people_test::random_filtered({30, 3, 4, 2}, kTinyWindow);
  const auto crop = test::random_image<std::uint8_t>(random, 22, 38, 3);
  const auto scanner = cpu::make_filtered_scanner(model);
  EXPECT_EQ(
      scanner->scan({crop, plan_crop({22, 38}, kTinyWindow), kEveryWindowPasses}, {}).hits.size(),
      1U);
}

TEST(FilteredScanner, ImpossibleModelsAreRefused) {
  FilteredModel model = people_test::random_filtered({3, 3, 4, 2}, kTinyWindow);
  model.rejection.pop_back();
  EXPECT_THROW(cpu::make_filtered_scanner(model), ModelError);
  model = people_test::random_filtered({3, 3, 4, 2}, kTinyWindow);
  model.bank.offset.pop_back();
  EXPECT_THROW(cpu::make_filtered_scanner(model), ModelError);
}

}  // namespace
}  // namespace fovea::people
