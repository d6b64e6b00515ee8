// Covers: train_channels_samples, train_trees
#include <fovea/core/error.h>
#include <fovea/people/train.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "people/scanner.h"
#include "people/train/run.h"
#include "support/files.h"
#include "support/images.h"
#include "support/sanitized.h"

namespace fovea::people {
namespace {

using people_test::TrainRun;
using people_test::with;

// Pictures of noise; a person is a bright upright bar in the middle of the window.
class Pictures final : public ImageSet {
 public:
  Pictures(int count, Extent size, bool person) : count_(count), size_(size), person_(person) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Image<std::uint8_t> image(size_.width, size_.height, 3);
    Random random(person_ ? 1 : 2, static_cast<std::uint64_t>(index));
    const int left = size_.width / 2 - 9, top = size_.height / 2 - 46;
    for (int y = 0; y < size_.height; ++y)
      for (int x = 0; x < size_.width; ++x) {
        const bool inside = person_ && x >= left && x < left + 18 && y >= top && y < top + 92;
        for (int c = 0; c < 3; ++c)
          image.at(x, y, c) = static_cast<std::uint8_t>((inside ? 140 : 60) + random.below(90));
      }
    return image;
  }

 private:
  int count_;
  Extent size_;
  bool person_;
};

const Pictures kPositives(24, {72, 136}, true), kNegatives(3, {90, 150}, false);

ChannelsTrainOptions small_options() {
  ChannelsTrainOptions options;
  options.trees = 64;
  options.negatives_per_round = 40;
  options.most_negatives = 60;
  options.enlarge = 1;
  options.ratio = 1.3;
  return options;
}

bool same(const Model& a, const Model& b) {
  const auto &x = std::get<ChannelsModel>(a.classifier), &y = std::get<ChannelsModel>(b.classifier);
  if (x.trees.size() != y.trees.size() || x.decay != y.decay || x.rejection != y.rejection)
    return false;
  for (std::size_t t = 0; t < x.trees.size(); ++t)
    if (x.trees[t].feature != y.trees[t].feature || x.trees[t].threshold != y.trees[t].threshold ||
        x.trees[t].leaf != y.trees[t].leaf)
      return false;
  return true;
}

float score(const Model& model, const Image<std::uint8_t>& crop) {
  const auto scanner = cpu::make_channels_scanner(std::get<ChannelsModel>(model.classifier));
  const ScanPlan plan = plan_crop({crop.width(), crop.height()}, model.window());
  return scanner->scan({crop, plan, -std::numeric_limits<float>::infinity()}, {}).hits[0].score;
}

TEST(TrainChannels, TellsPeopleFromNoise) {
  const Model model = train_channels({kPositives, kNegatives}, small_options());
  EXPECT_EQ(model.kind, Kind::kChannels);
  EXPECT_THAT(model.facts.at("training"), testing::HasSubstr("\"trees\": 64,"));
  EXPECT_THAT(model.facts.at("training"), testing::HasSubstr("\"seed\": 1234"));
  EXPECT_THAT(model.facts.at("data"), testing::HasSubstr("24 positives"));
  const Pictures people(32, {72, 136}, true), noise(32, {72, 136}, false);
  for (int i = 24; i < 32; ++i) {
    EXPECT_GT(score(model, people.read(i)), 0.5F) << i;
    EXPECT_LT(score(model, noise.read(i)), -0.5F) << i;
  }
}

TEST(TrainChannels, NeitherThreadsNorInterruptionShow) {
  const TrainData data{kPositives, kNegatives};
  const Model whole = train_channels(data, with(small_options(), {.exec = {.threads = 1}}));
  EXPECT_TRUE(same(whole, train_channels(data, with(small_options(), {.exec = {.threads = 2}}))));

  const test::TempFolder folder;
  TrainRun run{.checkpoint = folder / "training"};
  for (const char* stop_in : {"round 2", "round 3", "round 4"}) {
    std::stop_source stop;
    run.exec.stop = stop.get_token();
    run.exec.progress = [&](const Progress& progress) {
      if (progress.stage.starts_with(stop_in)) stop.request_stop();
    };
    EXPECT_THROW(train_channels(data, with(small_options(), run)), Cancelled) << stop_in;
    EXPECT_TRUE(std::filesystem::exists(run.checkpoint));
  }
  run.exec = {};
  EXPECT_TRUE(same(whole, train_channels(data, with(small_options(), run))));
  EXPECT_EQ(folder.files(), 1U);  // the checkpoint, for who wrote the model to remove
}

TEST(TrainChannels, ACheckpointOfAnotherTrainingIsRefused) {
  const test::TempFolder folder;
  TrainRun run{.checkpoint = folder / "training"};
  std::stop_source stop;
  run.exec.stop = stop.get_token();
  run.exec.progress = [&](const Progress& progress) {
    if (progress.stage.starts_with("round 2")) stop.request_stop();
  };
  EXPECT_THROW(train_channels({kPositives, kNegatives}, with(small_options(), run)), Cancelled);
  ChannelsTrainOptions other = small_options();
  other.trees = 128;
  run.exec = {};
  const auto message = test::message_of<InvalidArgument>([&] {
    train_channels({kPositives, kNegatives}, with(other, run));
  });
  EXPECT_NE(message.find("other options (trees 64 then, 128 now)"), std::string::npos) << message;
  const Pictures smaller(3, {66, 130}, false);
  const auto changed = test::message_of<InvalidArgument>([&] {
    train_channels({kPositives, smaller}, with(small_options(), run));
  });
  EXPECT_NE(changed.find("other images"), std::string::npos) << changed;
  test::save(run.checkpoint, "not a checkpoint");
  EXPECT_THROW(train_channels({kPositives, kNegatives}, with(other, run)), FormatError);
}

TEST(TrainChannels, BadDataIsNamed) {
  const Pictures none(0, {72, 136}, true), small(3, {40, 40}, true), tiny(3, {8, 8}, false);
  const auto refusal = [](const ImageSet& positives, const ImageSet& negatives,
                          const TrainRun& run = {}) {
    return test::message_of<InvalidArgument>([&] {
      train_channels({positives, negatives}, with(small_options(), run));
    });
  };
  EXPECT_NE(refusal(none, kNegatives), "");
  EXPECT_NE(refusal(kPositives, none), "");
  EXPECT_NE(refusal(small, kNegatives), "");
  EXPECT_NE(refusal(kPositives, tiny).find("large enough"), std::string::npos);
  EXPECT_NE(refusal(kPositives, kNegatives, {.sample_bytes = 1000}).find("MiB"), std::string::npos);
}

// What is new in every copy of a positive is small, so that it is still found.
TEST(TrainChannels, JitterAddsPositives) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  ChannelsTrainOptions options = small_options();
  options.jitter = 2;
  const Model model = train_channels({kPositives, kNegatives}, options);
  EXPECT_EQ(model.facts.at("positives"), "144");
  const Pictures people(32, {72, 136}, true);
  EXPECT_GT(score(model, people.read(30)), 0.5F);
}

// Leaves, rejection scores and the threshold shrink together.
TEST(TrainChannels, ShrinkageScalesEveryScore) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  ChannelsTrainOptions options = small_options();
  const Model full = train_channels({kPositives, kNegatives}, options);
  options.shrinkage = 0.25;
  const Model quarter = train_channels({kPositives, kNegatives}, options);
  EXPECT_FLOAT_EQ(full.threshold, 0.32F);
  EXPECT_FLOAT_EQ(quarter.threshold, 0.08F);
  const auto& before = std::get<ChannelsModel>(full.classifier);
  const auto& after = std::get<ChannelsModel>(quarter.classifier);
  EXPECT_THAT(before.rejection, testing::Each(-3 * 4096));
  EXPECT_THAT(after.rejection, testing::Each(-3 * 1024));
  // What is added to both votes of a tree, 0.005 before.
  const auto sum = [](const ChannelTree& tree) {
    const auto [least, most] = std::minmax_element(tree.leaf.begin(), tree.leaf.end());
    return *least + *most;
  };
  EXPECT_NEAR(sum(before.trees[0]), 2 * 20.48, 1);
  EXPECT_NEAR(sum(after.trees[0]), 2 * 5.12, 1);
  const Pictures people(32, {72, 136}, true), noise(32, {72, 136}, false);
  EXPECT_GT(score(quarter, people.read(30)), 0.125F);
  EXPECT_LT(score(quarter, noise.read(30)), -0.125F);
}

TEST(TrainChannels, CopiesMayBeResampledAndTheLastRoundRepeated) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  ChannelsTrainOptions options = small_options();
  options.jitter = 1;
  const Model plain = train_channels({kPositives, kNegatives}, options);
  options.jitter_pixels = 2;
  options.jitter_ratio = 1.03;
  options.jitter_resample = true;
  options.final_rounds = 2;
  const Model other = train_channels({kPositives, kNegatives}, options);
  EXPECT_FALSE(same(plain, other));
  EXPECT_EQ(other.facts.at("positives"), "96");
  const Pictures people(32, {72, 136}, true), others(1, {72, 136}, false);
  EXPECT_GT(score(other, people.read(30)), score(other, others.read(0)));
}

}  // namespace
}  // namespace fovea::people
