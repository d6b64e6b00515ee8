// The scanners of channels and of filtered channels: what holds for both kinds is written once.
// Covers: tree_walk
#include <fovea/core/error.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <type_traits>

#include "people/filtered/filter_cells.h"
#include "people/filtered/random_filtered.h"
#include "people/scanner.h"
#include "people/trees/tree_walk.h"
#include "support/devices.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::people {
namespace {

constexpr float kEveryWindow = -std::numeric_limits<float>::infinity();
constexpr Extent kTinyWindow{16, 32};

struct Shape {
  int trees = 30;
  int depth = 3;  // of filtered trees; those of channels have 2
  int exact_per_octave = 2;
};

// Trees of chance that reject many windows early and pass some.
ChannelsModel random_channels(const Shape& shape) {
  ChannelsModel model;
  model.window = kTinyWindow;
  model.exact_per_octave = shape.exact_per_octave;
  model.decay.fill(0.1F);
  Random random(9);
  const std::uint32_t features = 4 * 8 * 10;
  for (int t = 0; t < shape.trees; ++t) {
    ChannelTree tree;
    for (int n = 0; n < 3; ++n) {
      tree.feature[n] = random.below(features);
      tree.threshold[n] = static_cast<std::uint8_t>(20 + random.below(60));
    }
    for (int n = 0; n < 4; ++n)
      tree.leaf[n] = static_cast<std::int16_t>(static_cast<int>(random.below(2000)) - 1000);
    model.trees.push_back(tree);
    model.rejection.push_back(-300);
  }
  return model;
}

// The value of a feature of one window.
using Values = std::function<int(std::uint32_t feature)>;
// The values of the window that begins at this cell of a level.
using WindowValues = std::function<Values(int x, int y)>;
template <class Cells>
WindowValues values_of(const Cells& cells, int first_column, int first_row) {
  return [=, &cells](int x, int y) -> Values {
    return [=, &cells](std::uint32_t feature) {
      const int index = static_cast<int>(feature);
      return cells.line(first_row + y + index / 4 % 8, index / 32)[first_column + x + index % 4];
    };
  };
}

struct Channels {
  using Model = ChannelsModel;
  static Model model(const Shape& shape) { return random_channels(shape); }
  static auto cpu_scanner(const Model& model) { return cpu::make_channels_scanner(model); }
  static auto cuda_scanner(const Model& model) { return cuda::make_channels_scanner(model); }

  static WindowValues values(const Model& /*model*/, const cpu::ChannelLevels::Level& level,
                             FilteredCells& /*space*/) {
    return values_of(*level.cells, level.first_column, level.first_row);
  }
  static int leaf(const Model& model, std::size_t t, const Values& value) {
    const ChannelTree& tree = model.trees[t];
    const auto at_least = [&](int node) {
      return value(tree.feature[node]) >= tree.threshold[node];
    };
    return at_least(0) ? tree.leaf[at_least(2) ? 3 : 2] : tree.leaf[at_least(1) ? 1 : 0];
  }
};

struct Filtered {
  using Model = FilteredModel;
  static Model model(const Shape& shape) {
    return people_test::random_filtered(
        {shape.trees, shape.depth, shape.depth, shape.exact_per_octave}, kTinyWindow);
  }
  static auto cpu_scanner(const Model& model) { return cpu::make_filtered_scanner(model); }
  static auto cuda_scanner(const Model& model) { return cuda::make_filtered_scanner(model); }

  static WindowValues values(const Model& model, const cpu::ChannelLevels::Level& level,
                             FilteredCells& space) {
    cpu::filter_cells(*level.cells, model.bank, space, {.threads = 1});
    return values_of(space, level.first_column - 2, level.first_row - 2);
  }
  static int leaf(const Model& model, std::size_t t, const Values& value) {
    const FilteredTrees& trees = model.trees;
    const auto nodes = static_cast<std::size_t>(trees.nodes());
    std::size_t node = 0;
    while (node < nodes) {
      const std::size_t index = t * nodes + node;
      node = 2 * node + (value(trees.feature[index]) >= trees.threshold[index] ? 2 : 1);
    }
    return trees.leaf[t * (nodes + 1) + node - nodes];
  }
};

ScanPlan plan_of(ImageView<const std::uint8_t> image, int stride) {
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

// The scan one window after another, as the model says.
template <class Kind>
ScanResult one_by_one(ImageView<const std::uint8_t> image, const ScanPlan& plan,
                      const typename Kind::Model& model, float threshold) {
  ScanResult result;
  cpu::ChannelLevels levels;
  levels.start(image, plan, pyramid_of(model));
  FilteredCells space;
  for (int l = 0; l < static_cast<int>(plan.levels.size()); ++l) {
    const auto made = levels.make(l, {.threads = 1});
    const WindowValues values = Kind::values(model, made, space);
    for (int row = 0; row < plan.levels[l].rows; ++row)
      for (int column = 0; column < plan.levels[l].columns; ++column) {
        const Values window = values(column * plan.stride / 4, row * plan.stride / 4);
        int score = 0, passed = 0;
        bool rejected = false;
        for (std::size_t t = 0; t < model.rejection.size() && !rejected; ++t) {
          score += Kind::leaf(model, t, window);
          rejected = score < model.rejection[t];
          if (!rejected) ++passed;
          ++result.counts.evaluations;
        }
        ++result.counts.windows;
        const float final = rejected ? rejected_score(passed) : final_score(score);
        if ((!rejected && final >= threshold) || threshold == kEveryWindow)
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

using BothKinds = testing::Types<Channels, Filtered>;
template <class Kind>
class TreeScanner : public testing::Test {};
struct KindNames {
  template <class Kind>
  static std::string GetName(int /*index*/) {
    return std::is_same_v<Kind, Channels> ? "channels" : "filtered";
  }
};
TYPED_TEST_SUITE(TreeScanner, BothKinds, KindNames);

TYPED_TEST(TreeScanner, FindsWhatTheTreesSay) {
  Random random(1);
  for (const Shape& shape : {Shape{1, 2, 0}, {9, 4, 1}, {9, 5, 3}, {60, 3, 1}}) {
    const auto model = TypeParam::model(shape);
    const auto scanner = TypeParam::cpu_scanner(model);
    for (const int stride : {4, 8, 12}) {
      const auto image = growing_noise(random, 90, 71, shape.depth == 4 ? 1 : 3);
      const ScanPlan plan = plan_of(image, stride);
      for (const float threshold : {-0.2F, kEveryWindow}) {
        const ScanResult expected = one_by_one<TypeParam>(image, plan, model, threshold);
        for (const int threads : {1, 2})
          expect_equal(scanner->scan({image, plan, threshold}, {.threads = threads}), expected);
        EXPECT_FALSE(expected.hits.empty());
      }
    }
  }
}

// Trees without errors, whose sums leave 16 bits in both directions.
TEST(TreesTogether, StrongTreesAreStillEvaluatedTogether) {
  Random random(2);
  FilteredModel model = Filtered::model({.trees = 40});
  for (std::int16_t& leaf : model.trees.leaf) leaf = leaf < 0 ? -6144 : 6144;
  for (const int rejection : {-7 * 4096, -32767, -32768}) {
    std::fill(model.rejection.begin(), model.rejection.end(), rejection);
    const auto together = cpu::TreesTogether::of(scan_trees<3>(model, 32));
    EXPECT_EQ(together.count, rejection < -32767 ? 0 : 40);
    const auto image = growing_noise(random, 90, 70, 3);
    const ScanPlan plan = plan_of(image, 4);
    expect_equal(Filtered::cpu_scanner(model)->scan({image, plan, -20}, {.threads = 1}),
                 one_by_one<Filtered>(image, plan, model, -20));
  }
}

TYPED_TEST(TreeScanner, TheTwinsFindTheSame) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(5);
  for (const Shape& shape : {Shape{3, 2, 0}, {32, 4, 0}, {20, 5, 2}, {100, 3, 2}}) {
    const auto model = TypeParam::model(shape);
    const auto twin = TypeParam::cuda_scanner(model);
    for (const int colors : {1, 3, 4})
      for (const int width : {61, 90, 131}) {
        const auto image = growing_noise(random, width, 75, colors);
        const ScanPlan plan = plan_of(image, 4);
        for (const float threshold : {-0.2F, kEveryWindow})
          expect_equal(twin->scan({image, plan, threshold}, {.device = Device::cuda()}),
                       TypeParam::cpu_scanner(model)->scan({image, plan, threshold}, {}));
      }
  }
}

// The scores in units of a leaf, each times its number, and how many trees were evaluated: both
// stay the same whichever instructions evaluate them.
class TreeScores : public test::OnEveryPlace {
 protected:
  template <class Kind>
  void expect_scores(const Shape& shape, std::int64_t sum, std::int64_t evaluations) {
    Random random(7);
    const auto image = growing_noise(random, 131, 97, 3);
    const auto model = Kind::model(shape);
    const auto scanner =
        device().kind == DeviceKind::kCuda ? Kind::cuda_scanner(model) : Kind::cpu_scanner(model);
    const ScanPlan plan = plan_of(image, 4);
    const ScanResult found = scanner->scan({image, plan, -0.5F}, {.device = device()});
    std::int64_t total = 0, weight = 0;
    for (const Hit& hit : found.hits)
      total += ++weight * static_cast<std::int64_t>(hit.score * ChannelsModel::kScoreUnit);
    EXPECT_EQ(total, sum);
    EXPECT_EQ(found.counts.evaluations, evaluations);
  }
};
FOVEA_ON_EVERY_PLACE(TreeScores);

TEST_P(TreeScores, StayAsTheyAre) {
  expect_scores<Channels>({12, 2, 2}, 13112116112, 39984);
  expect_scores<Channels>({60, 2, 0}, 10180625545, 189426);
  expect_scores<Filtered>({60, 2, 2}, 18932188722, 145542);
  expect_scores<Filtered>({60, 3, 2}, 1876089726, 198924);
  expect_scores<Filtered>({20, 4, 1}, -473547052, 59387);
  expect_scores<Filtered>({20, 5, 0}, 10410474064, 66547);
}

TYPED_TEST(TreeScanner, RejectedWindowsScoreBelowAllOthers) {
  Random random(2);
  auto model = TypeParam::model({.trees = 40});
  const auto image = growing_noise(random, 80, 80, 3);
  const ScanPlan plan = plan_of(image, 4);
  // The last tree rejects all below the middle of the scores.
  ScanResult all = TypeParam::cpu_scanner(model)->scan({image, plan, kEveryWindow}, {.threads = 1});
  std::erase_if(all.hits, [](const Hit& hit) { return hit.score < -1e5F; });
  const auto middle = all.hits.begin() + static_cast<std::ptrdiff_t>(all.hits.size() / 2);
  std::nth_element(all.hits.begin(), middle, all.hits.end(),
                   [](const Hit& a, const Hit& b) { return a.score < b.score; });
  model.rejection.back() = static_cast<std::int32_t>(middle->score * ChannelsModel::kScoreUnit);
  const auto scanner = TypeParam::cpu_scanner(model);
  const ScanResult every = scanner->scan({image, plan, kEveryWindow}, {.threads = 1}),
                   some = scanner->scan({image, plan, -1e5F}, {.threads = 1});
  EXPECT_EQ(static_cast<std::int64_t>(every.hits.size()), every.counts.windows);
  std::size_t passed = 0;
  for (const Hit& hit : every.hits) {
    if (hit.score < -1e5F) continue;
    ASSERT_LT(passed, some.hits.size());
    EXPECT_EQ(hit, some.hits[passed++]);
  }
  EXPECT_EQ(passed, some.hits.size());
  EXPECT_LT(passed, every.hits.size());
}

TYPED_TEST(TreeScanner, KeepsNothingOfTheImageBefore) {
  Random random(3);
  const auto model = TypeParam::model({});
  const auto large = growing_noise(random, 120, 90, 3), small = growing_noise(random, 50, 60, 1);
  const ScanPlan plan = plan_of(small, 4);
  const auto used = TypeParam::cpu_scanner(model), fresh = TypeParam::cpu_scanner(model);
  used->scan({large, plan_of(large, 4), -1}, {});
  EXPECT_EQ(used->scan({small, plan, -1}, {}).hits, fresh->scan({small, plan, -1}, {}).hits);
}

TYPED_TEST(TreeScanner, OneWindowOfACropMayBeginAnywhere) {
  Random random(4);
  const auto model = TypeParam::model({});
  const auto crop = test::random_image<std::uint8_t>(random, 22, 38, 3);
  const auto scanner = TypeParam::cpu_scanner(model);
  EXPECT_EQ(scanner->scan({crop, plan_crop({22, 38}, kTinyWindow), kEveryWindow}, {}).hits.size(),
            1U);
}

TYPED_TEST(TreeScanner, SaysWhichStridesItKnows) {
  const auto model = TypeParam::model({});
  const Image<std::uint8_t> image(80, 80, 1);
  const ScanPlan plan = plan_of(image, 6);
  const auto message = test::message_of<InvalidArgument>([&] {
    TypeParam::cpu_scanner(model)->scan({image, plan, 0}, {});
  });
  EXPECT_NE(message.find("windows 6 pixels apart"), std::string::npos) << message;
}

TYPED_TEST(TreeScanner, ImpossibleModelsAreRefused) {
  auto model = TypeParam::model({});
  model.rejection.pop_back();
  EXPECT_THROW(TypeParam::cpu_scanner(model), ModelError);
}

TEST(ChannelsScanner, TreesThatAskForWhatAWindowHasNotAreRefused) {
  ChannelsModel model = Channels::model({});
  model.trees[1].feature[2] = 4 * 8 * 10;
  EXPECT_THROW(Channels::cpu_scanner(model), ModelError);
}

TEST(FilteredScanner, FiltersWithoutAnOffsetAreRefused) {
  FilteredModel model = Filtered::model({});
  model.bank.offset.pop_back();
  EXPECT_THROW(Filtered::cpu_scanner(model), ModelError);
}

}  // namespace
}  // namespace fovea::people
