// Covers: train_cascade_samples, train_cascade_stage
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/people/train.h>
#include <gtest/gtest.h>

#include <gmock/gmock.h>

#include <limits>

#include "people/scanner.h"
#include "people/train/run.h"
#include "support/files.h"

namespace fovea::people {
namespace {

using people_test::TrainRun;
using people_test::with;

// Positives are upright bars before noise, negatives noise with lying bars.
class Bars final : public ImageSet {
 public:
  Bars(int count, bool positive) : count_(count), positive_(positive) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Random random(positive_ ? 1 : 2, static_cast<std::uint64_t>(index));
    const int width = positive_ ? 70 : 180, height = positive_ ? 134 : 200;
    Image<std::uint8_t> image(width, height, 3);
    for (int y = 0; y < height; ++y)
      for (int i = 0; i < 3 * width; ++i)
        image.row(y)[i] = static_cast<std::uint8_t>(random.below(90));
    for (int bar = 0; bar < (positive_ ? 1 : 12); ++bar) paint(image, random);
    return image;
  }

 private:
  void paint(Image<std::uint8_t>& image, Random& random) const {
    int x = 25 + static_cast<int>(random.below(6)), y = 20 + static_cast<int>(random.below(6));
    int width = 18, height = 90;
    if (!positive_) {
      x = static_cast<int>(random.below(110));
      y = static_cast<int>(random.below(170));
      width = 20 + static_cast<int>(random.below(50));
      height = 5 + static_cast<int>(random.below(20));
    }
    for (int v = y; v < y + height; ++v)
      for (int u = x; u < x + width; ++u)
        for (int c = 0; c < 3; ++c) image.at(u, v, c) = static_cast<std::uint8_t>(150);
  }

  int count_;
  bool positive_;
};

CascadeTrainOptions quick() {
  CascadeTrainOptions options;
  options.stages = 3;
  options.blocks_per_round = 6;
  options.negatives = 100;
  options.false_rate = 0.5;
  options.enlarge = 1;
  options.ratio = 1.3;
  options.stride = 8;
  options.ranking_windows = 60;
  return options;
}

std::vector<std::byte> bytes_of(const Model& model) {
  const test::TempFolder folder;
  model.write(folder / "m");
  const std::string content = test::load(folder / "m");
  const auto bytes = std::as_bytes(std::span(content.data(), content.size()));
  return {bytes.begin(), bytes.end()};
}

TEST(TrainCascade, TellsBarsApartWhateverTheThreads) {
  const Bars positives(30, true), negatives(8, false);
  const TrainData data{positives, negatives};
  const Model model =
      train_cascade(data, with(quick(), {.exec = {.device = Device::cpu(), .threads = 1}}));
  EXPECT_EQ(model.kind, Kind::kCascade);
  EXPECT_THAT(model.facts.at("training"), testing::HasSubstr("\"stages\": 3,"));
  EXPECT_THAT(model.facts.at("training"), testing::HasSubstr("\"seed\": 1234"));
  EXPECT_THAT(model.facts.at("data"), testing::HasSubstr("30 positives"));
  const auto& cascade = std::get<CascadeModel>(model.classifier);
  ASSERT_FALSE(cascade.stages.empty());
  const auto scanner = cpu::make_cascade_scanner(cascade);
  int passed = 0;
  for (int i = 0; i < positives.count(); ++i) {
    const auto crop = positives.read(i);
    passed += static_cast<int>(
        scanner->scan({crop, plan_crop({70, 134}, {64, 128}), -60}, {}).hits.size());
  }
  EXPECT_GE(passed, 28);
  const auto image = negatives.read(0);
  const ScanPlan plan = plan_scan({180, 200}, {64, 128}, 1, {.ratio = 1.3, .padding = 0});
  const ScanResult wrong = scanner->scan({image, plan, -60}, {});
  EXPECT_LT(static_cast<double>(wrong.hits.size()),
            0.6 * static_cast<double>(wrong.counts.windows));
  const Model again =
      train_cascade(data, with(quick(), {.exec = {.device = Device::cpu(), .threads = 3}}));
  EXPECT_EQ(bytes_of(again), bytes_of(model));
}

TEST(TrainCascade, GoesOnFromACheckpoint) {
  const Bars positives(20, true), negatives(6, false);
  const TrainData data{positives, negatives};
  const test::TempFolder folder;
  const std::string checkpoint = folder / "checkpoint";
  CascadeTrainOptions options = quick();
  const Model straight = train_cascade(data, with(options, {.exec = {.device = Device::cpu()}}));
  options.stages = 1;
  train_cascade(data, with(options, {.checkpoint = checkpoint, .exec = {.device = Device::cpu()}}));
  options.stages = 3;
  const Model continued = train_cascade(
      data, with(options, {.checkpoint = checkpoint, .exec = {.device = Device::cpu()}}));
  EXPECT_EQ(bytes_of(continued), bytes_of(straight));
  options.cost *= 2;
  const auto message = test::message_of<InvalidArgument>([&] {
    train_cascade(data,
                  with(options, {.checkpoint = checkpoint, .exec = {.device = Device::cpu()}}));
  });
  EXPECT_NE(message.find(checkpoint), std::string::npos) << message;
}

TEST(TrainCascade, EndsWhereNegativesGiveNoMore) {
  const Bars positives(20, true), negatives(2, false);
  CascadeTrainOptions options = quick();
  options.stages = 50;
  options.false_rate = 0.05;
  options.target_rate = 0;
  const Model model =
      train_cascade({positives, negatives}, with(options, {.exec = {.device = Device::cpu()}}));
  EXPECT_LT(std::get<CascadeModel>(model.classifier).stages.size(), 50U);
  EXPECT_NE(model.facts.at("note").find("ended after"), std::string::npos);
}

TEST(TrainCascade, RefusesWhatCannotBeLearned) {
  const Bars positives(20, true), negatives(2, false), none(0, false);
  const auto message = [&](const ImageSet& p, const ImageSet& n, const TrainRun& run) {
    return test::message_of<InvalidArgument>([&] { train_cascade({p, n}, with(quick(), run)); });
  };
  EXPECT_NE(message(none, negatives, {}), "");
  EXPECT_NE(message(positives, none, {}), "");
  EXPECT_NE(message(positives, negatives, {.sample_bytes = 1000}), "");
  CascadeTrainOptions wide = quick();
  wide.stride = 129;
  EXPECT_THAT(test::message_of<InvalidArgument>([&] {
                train_cascade({positives, negatives}, wide);
              }),
              testing::HasSubstr("128"));
}

TEST(TrainCascade, TakesTheWidestStride) {
  const Bars positives(20, true), negatives(40, false);
  CascadeTrainOptions options = quick();
  options.stride = 128;
  options.negatives = 40;
  const Model model = train_cascade({positives, negatives}, options);
  EXPECT_FALSE(std::get<CascadeModel>(model.classifier).stages.empty());
}

// The solver's memory and what each thread computes with count as well.
TEST(TrainCascade, MemoryAskedForGrowsWithThreads) {
  const Bars positives(20, true), negatives(2, false);
  const auto needed = [&](int threads) {
    TrainRun run{.sample_bytes = 1};
    run.exec.threads = threads;
    const std::string message = test::message_of<InvalidArgument>([&] {
      train_cascade({positives, negatives}, with(CascadeTrainOptions{.ranking_windows = 0}, run));
    });
    return std::stoi(message.substr(message.find("need ") + 5));
  };
  EXPECT_GT(needed(64), needed(1) + 50);
}

}  // namespace
}  // namespace fovea::people
