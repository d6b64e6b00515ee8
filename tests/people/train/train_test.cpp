#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>
#include <fovea/people/train.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/files.h"

namespace fovea::people {
namespace {

using test::message_of;
using testing::HasSubstr;

// BarsInNoise, in crops with a bright bar.
class BarsInNoise final : public ImageSet {
 public:
  BarsInNoise(int count, Extent size, bool bar) : count_(count), size_(size), bar_(bar) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Image<std::uint8_t> image(size_.width, size_.height, 3);
    Random random(bar_ ? 1 : 2, static_cast<std::uint64_t>(index));
    for (int y = 0; y < image.height(); ++y)
      for (int i = 0; i < image.view().row_elements(); ++i) {
        const bool inside = bar_ && std::abs(i / 3 - image.width() / 2) < 12;
        image.row(y)[i] = static_cast<std::uint8_t>((inside ? 150 : 60) + random.below(40));
      }
    return image;
  }

 private:
  int count_;
  Extent size_;
  bool bar_;
};

TrainOptions quick_options() {
  TrainOptions options;
  options.linear.enlarge = 1;
  options.linear.hard_windows = 50;
  options.exec = {.device = Device::cpu(), .threads = 2};
  return options;
}

TEST(Train, AKindIsTrainedWithItsOwnOptions) {
  const BarsInNoise crops(6, {64, 128}, true), scenes(2, {100, 140}, false);
  TrainOptions options = quick_options();
  options.exec.seed = 5;
  const Model model = train(Kind::kHogCells, {crops, scenes}, options);
  LinearTrainOptions linear = options.linear;
  linear.exec = options.exec;
  const Model same = train_linear(Kind::kHogCells, options.hog, {crops, scenes}, linear);
  EXPECT_EQ(model.kind, Kind::kHogCells);
  EXPECT_EQ(std::get<LinearModel>(model.classifier).weights,
            std::get<LinearModel>(same.classifier).weights);
  EXPECT_EQ(model.facts, same.facts);
}

TEST(Train, CheckpointMemoryAndSettingsReachEveryKind) {
  const BarsInNoise crops(6, {64, 128}, true), scenes(2, {100, 140}, false);
  TrainOptions options = quick_options();
  options.sample_bytes = 1000;
  for (const Kind kind : {Kind::kHog, Kind::kCascade, Kind::kChannels, Kind::kFiltered})
    EXPECT_NE(message_of<>([&] { train(kind, {crops, scenes}, options); }), "") << to_string(kind);
  options = quick_options();
  const test::TempFolder folder;
  test::save(options.checkpoint = folder / "checkpoint", "no checkpoint");
  for (const Kind kind : {Kind::kHog, Kind::kCascade, Kind::kChannels, Kind::kFiltered}) {
    options.cascade.ranking_windows = 100;
    options.cascade.negatives = 20;
    EXPECT_THAT(message_of<Error>([&] {
                  train(kind, {crops, scenes}, options);
                }),
                HasSubstr("checkpoint"))
        << to_string(kind);
  }
}

TEST(Train, FieldsAreNamedByTheirPart) {
  TrainOptions options;
  std::vector<std::string> names;
  for_each_option(options, [&](const OptionField& field) { names.push_back(field.name); });
  EXPECT_THAT(names, testing::IsSupersetOf({"memory", "hog-bins", "linear-cost", "cascade-stages",
                                            "channels-trees", "filtered-depth"}));
}

}  // namespace
}  // namespace fovea::people
