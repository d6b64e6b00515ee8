#include <fovea/core/error.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "people/channels/channel_levels.h"
#include "people/channels/channel_trees.h"
#include "people/scanner.h"
#include "support/devices.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::people {
namespace {

constexpr float kEvery = -std::numeric_limits<float>::infinity();

// Trees of chance that reject many windows early and pass some.
ChannelsModel random_model(int trees, int exact_per_octave) {
  ChannelsModel model;
  model.window.width = 16;
  model.window.height = 32;
  model.exact_per_octave = exact_per_octave;
  model.decay.fill(0.1F);
  Random random(9);
  const std::uint32_t features = 4 * 8 * 10;
  for (int t = 0; t < trees; ++t) {
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

ScanPlan plan_of(ImageView<const std::uint8_t> image, int stride, int padding = 12) {
  return plan_scan({image.width, image.height}, {16, 32}, 0.8,
                   {.ratio = 1.15, .stride = stride, .padding = padding});
}

// Noise that grows from left to right, so that windows differ.
Image<std::uint8_t> noise(Random& random, int width, int height, int channels) {
  auto image = test::random_image<std::uint8_t>(random, width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int i = 0; i < width * channels; ++i)
      image.row(y)[i] = static_cast<std::uint8_t>(image.row(y)[i] * i / (width * channels));
  return image;
}

// The scan one window after another, as the model says.
ScanResult slow_scan(ImageView<const std::uint8_t> image, const ScanPlan& plan,
                     const ChannelsModel& model, float threshold) {
  ScanResult result;
  cpu::ChannelLevels levels;
  levels.start(image, plan, pyramid_of(model));
  for (int l = 0; l < static_cast<int>(plan.levels.size()); ++l) {
    const auto made = levels.make(l, {.threads = 1});
    for (int row = 0; row < plan.levels[l].rows; ++row)
      for (int column = 0; column < plan.levels[l].columns; ++column) {
        const int x0 = made.first_column + column * plan.stride / 4,
                  y0 = made.first_row + row * plan.stride / 4;
        const auto at_least = [&](const ChannelTree& tree, int node) {
          const int feature = static_cast<int>(tree.feature[node]);
          return made.cells->line(y0 + feature / 4 % 8, feature / 32)[x0 + feature % 4] >=
                 tree.threshold[node];
        };
        int score = 0, passed = 0;
        bool rejected = false;
        for (std::size_t t = 0; t < model.trees.size() && !rejected; ++t) {
          const ChannelTree& tree = model.trees[t];
          score += at_least(tree, 0) ? tree.leaf[at_least(tree, 2) ? 3 : 2]
                                     : tree.leaf[at_least(tree, 1) ? 1 : 0];
          rejected = score < model.rejection[t];
          if (!rejected) ++passed;
          ++result.counts.evaluations;
        }
        ++result.counts.windows;
        const float final = rejected ? rejected_score(passed) : final_score(score);
        if ((!rejected && final >= threshold) || threshold == kEvery)
          result.hits.push_back({l, column, row, final});
      }
  }
  return result;
}

TEST(ChannelsScanner, FindsWhatTheTreesSay) {
  Random random(1);
  for (const int trees : {1, 5, 60}) {
    for (const int stride : {4, 8, 12}) {
      for (const int exact : {0, 1, 3}) {
        const ChannelsModel model = random_model(trees, exact);
        const auto image = noise(random, 90, 71, exact == 1 ? 1 : 3);
        const ScanPlan plan = plan_of(image, stride);
        const auto scanner = cpu::make_channels_scanner(model);
        for (const float threshold : {-0.2F, kEvery}) {
          const ScanResult expected = slow_scan(image, plan, model, threshold);
          for (const int threads : {1, 2}) {
            const ScanResult found = scanner->scan({image, plan, threshold}, {.threads = threads});
            EXPECT_EQ(found.hits, expected.hits);
            EXPECT_EQ(found.counts.evaluations, expected.counts.evaluations);
            EXPECT_EQ(found.counts.windows, expected.counts.windows);
          }
          EXPECT_FALSE(expected.hits.empty());
        }
      }
    }
  }
}

TEST(ChannelsScanner, TheTwinsFindTheSame) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(5);
  for (const int trees : {3, 32, 100}) {
    for (const int colors : {1, 3, 4}) {
      for (const int exact : {0, 2}) {
        const ChannelsModel model = random_model(trees, exact);
        const auto twin = cuda::make_channels_scanner(model);
        for (const int width : {90, 131}) {
          const auto image = noise(random, width, 75, colors);
          const ScanPlan plan = plan_of(image, 4);
          for (const float threshold : {-0.2F, kEvery}) {
            const ScanResult expected = cpu::make_channels_scanner(model)->scan(
                                 {image, plan, threshold}, {}),
                             found =
                                 twin->scan({image, plan, threshold}, {.device = Device::cuda()});
            EXPECT_EQ(found.hits, expected.hits);
            EXPECT_EQ(found.counts.evaluations, expected.counts.evaluations);
            EXPECT_EQ(found.counts.windows, expected.counts.windows);
          }
        }
      }
    }
  }
}

TEST(ChannelsScanner, RejectedWindowsScoreBelowAllOthers) {
  Random random(2);
  ChannelsModel model = random_model(40, 2);
  const auto image = noise(random, 80, 80, 3);
  const ScanPlan plan = plan_of(image, 4);
  // The last tree rejects all below the middle of the scores.
  ScanResult all = cpu::make_channels_scanner(model)->scan({image, plan, kEvery}, {.threads = 1});
  const auto middle = all.hits.begin() + static_cast<std::ptrdiff_t>(all.hits.size() / 2);
  std::nth_element(all.hits.begin(), middle, all.hits.end(),
                   [](const Hit& a, const Hit& b) { return a.score < b.score; });
  model.rejection.back() = static_cast<std::int32_t>(middle->score * ChannelsModel::kScoreUnit);
  const auto scanner = cpu::make_channels_scanner(model);
  const ScanResult every = scanner->scan({image, plan, kEvery}, {.threads = 1}),
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

TEST(ChannelsScanner, KeepsNothingOfTheImageBefore) {
  Random random(3);
  const ChannelsModel model = random_model(30, 2);
  const auto large = noise(random, 120, 90, 3), small = noise(random, 50, 60, 1);
  const ScanPlan small_plan = plan_of(small, 4);
  const auto used = cpu::make_channels_scanner(model), fresh = cpu::make_channels_scanner(model);
  used->scan({large, plan_of(large, 4), -1}, {});
  EXPECT_EQ(used->scan({small, small_plan, -1}, {}).hits,
            fresh->scan({small, small_plan, -1}, {}).hits);
}

TEST(ChannelsScanner, OneWindowOfACropMayBeginAnywhere) {
  Random random(4);
  const ChannelsModel model = random_model(30, 2);
  const auto crop = test::random_image<std::uint8_t>(random, 22, 38, 3);
  const auto scanner = cpu::make_channels_scanner(model);
  EXPECT_EQ(scanner->scan({crop, plan_crop({22, 38}, {16, 32}), kEvery}, {}).hits.size(), 1U);
}

TEST(ChannelsScanner, TreesThatAskForWhatAWindowHasNotAreRefused) {
  ChannelsModel model = random_model(3, 2);
  model.trees[1].feature[2] = 4 * 8 * 10;
  EXPECT_THROW(cpu::make_channels_scanner(model), ModelError);
  model = random_model(3, 2);
  model.rejection.pop_back();
  EXPECT_THROW(cpu::make_channels_scanner(model), ModelError);
}

TEST(ChannelsScanner, SaysWhichStridesItKnows) {
  const ChannelsModel model = random_model(3, 2);
  const Image<std::uint8_t> image(80, 80, 1);
  const ScanPlan plan = plan_of(image, 6);
  const auto message = test::message_of<InvalidArgument>([&] {
    cpu::make_channels_scanner(model)->scan({image, plan, 0}, {});
  });
  EXPECT_NE(message.find("windows 6 pixels apart"), std::string::npos) << message;
}

}  // namespace
}  // namespace fovea::people
