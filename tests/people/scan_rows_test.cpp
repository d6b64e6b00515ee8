// A search of some rows of windows gives what a search of all rows gives there, for every kind on
// every device.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "people/filtered/random_filtered.h"
#include "people/model_parts.h"
#include "people/scanner.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::people {
namespace {

constexpr float kEveryScore = -std::numeric_limits<float>::infinity();
constexpr Extent kSmallWindow{32, 64};

LinearModel linear_model() {
  LinearModel model;
  model.hog.window.width = kSmallWindow.width;
  model.hog.window.height = kSmallWindow.height;
  Random random(7);
  for (int i = 0; i < descriptor_size(model.hog); ++i)
    model.weights.push_back(static_cast<float>(random.normal()));
  return model;
}

CascadeModel cascade_model() {
  CascadeModel model;
  model.window.width = kSmallWindow.width;
  model.window.height = kSmallWindow.height;
  Random random(11);
  const std::vector<Block> pool = block_pool(kSmallWindow);
  for (int s = 0; s < 4; ++s) {
    CascadeStage stage{{}, -1.F};
    for (int k = 0; k < 3; ++k) {
      BlockClassifier classifier{
          pool[random.below(static_cast<std::uint32_t>(pool.size()))], {}, 0, 1};
      for (int i = 0; i < 36; ++i)
        classifier.weights.push_back(static_cast<float>(random.normal()));
      stage.classifiers.push_back(classifier);
    }
    model.stages.push_back(stage);
  }
  return model;
}

ChannelsModel channels_model() {
  ChannelsModel model;
  model.window.width = kSmallWindow.width;
  model.window.height = kSmallWindow.height;
  model.exact_per_octave = 2;
  model.decay.fill(0.1F);
  Random random(9);
  for (int t = 0; t < 40; ++t) {
    ChannelTree tree;
    for (int n = 0; n < 3; ++n) {
      tree.feature[n] = random.below(8 * 16 * 10);
      tree.threshold[n] = static_cast<std::uint8_t>(20 + random.below(60));
    }
    for (int n = 0; n < 4; ++n)
      tree.leaf[n] = static_cast<std::int16_t>(static_cast<int>(random.below(2000)) - 1000);
    model.trees.push_back(tree);
    model.rejection.push_back(-3000);
  }
  return model;
}

class ScanRows : public test::OnEveryPlace {
 protected:
  using Make = std::function<std::unique_ptr<Scanner>(bool cuda)>;

  void expect_part_of_all(const char* what, int stride, const Make& make) const {
    Random random(5);
    const auto image = test::random_image<std::uint8_t>(random, 121, 150, 3);
    const ScanPlan all =
        plan_scan({121, 150}, kSmallWindow, 0.8, {.ratio = 1.15, .stride = stride, .padding = 12});
    ScanPlan part = all;
    for (std::size_t l = 0; l < part.levels.size(); ++l) {
      ScanLevel& level = part.levels[l];
      level.first_row = std::min(static_cast<int>(l) % 4, level.rows - 1);
      level.rows = std::max(1, level.rows - level.first_row - static_cast<int>(l) % 3);
    }
    const ScanResult whole =
        make(false)->scan({image, all, kEveryScore}, {.device = Device::cpu()});
    std::vector<Hit> expected;
    for (Hit hit : whole.hits) {
      const ScanLevel& level = part.levels[static_cast<std::size_t>(hit.level)];
      hit.row -= level.first_row;
      if (hit.row >= 0 && hit.row < level.rows) expected.push_back(hit);
    }
    const auto scanner = make(device().kind == DeviceKind::kCuda);
    for (const int threads : {1, 3}) {
      const ScanResult found =
          scanner->scan({image, part, kEveryScore}, {.device = device(), .threads = threads});
      EXPECT_EQ(found.hits, expected) << what << ", stride " << stride;
      EXPECT_EQ(found.counts.windows, static_cast<std::int64_t>(expected.size())) << what;
    }
    EXPECT_LT(expected.size(), whole.hits.size());
  }
};
FOVEA_ON_EVERY_PLACE(ScanRows);

TEST_P(ScanRows, OfLinearModels) {
  const LinearModel model = linear_model();
  for (const Kind kind : {Kind::kHog, Kind::kHogCells, Kind::kHogIntegral})
    expect_part_of_all(to_string(kind), 8, [&](bool cuda) {
      return cuda ? cuda::make_linear_scanner(kind, model) : cpu::make_linear_scanner(kind, model);
    });
}

TEST_P(ScanRows, OfCascades) {
  const CascadeModel model = cascade_model();
  for (const int stride : {8, 3})
    expect_part_of_all("cascade", stride, [&](bool cuda) {
      return cuda ? cuda::make_cascade_scanner(model) : cpu::make_cascade_scanner(model);
    });
}

TEST_P(ScanRows, OfChannels) {
  const ChannelsModel model = channels_model();
  for (const int stride : {4, 8})
    expect_part_of_all("channels", stride, [&](bool cuda) {
      return cuda ? cuda::make_channels_scanner(model) : cpu::make_channels_scanner(model);
    });
}

TEST_P(ScanRows, OfFilteredChannels) {
  const FilteredModel model = people_test::random_filtered({20, 3, 4, 2}, kSmallWindow);
  for (const int stride : {4, 8})
    expect_part_of_all("filtered", stride, [&](bool cuda) {
      return cuda ? cuda::make_filtered_scanner(model) : cpu::make_filtered_scanner(model);
    });
}

}  // namespace
}  // namespace fovea::people
