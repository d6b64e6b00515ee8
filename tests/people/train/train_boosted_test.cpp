// Boosted trees over channels and over filtered channels: what holds for both is written once.
// Covers: train_channels, train_channels_samples, train_filtered, train_trees
#include <fovea/core/error.h>
#include <fovea/people/train.h>
#include <gmock/gmock.h>

#include <algorithm>
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
const Pictures kOtherPeople(32, {72, 136}, true), kOtherNoise(32, {72, 136}, false);

template <class Options>
Options small_options() {
  Options options;
  options.trees = 64;
  options.negatives_per_round = 40;
  options.most_negatives = 60;
  options.enlarge = 1;
  options.ratio = 1.3;
  return options;
}

struct Channels {
  using Options = ChannelsTrainOptions;
  static constexpr Kind kKind = Kind::kChannels;
  static Options options() { return small_options<Options>(); }
  static Model train(const TrainData& data, const Options& options) {
    return train_channels(data, options);
  }
  static bool same(const Model& a, const Model& b) {
    const auto &x = std::get<ChannelsModel>(a.classifier),
               &y = std::get<ChannelsModel>(b.classifier);
    const auto equal = [](const ChannelTree& s, const ChannelTree& t) {
      return s.feature == t.feature && s.threshold == t.threshold && s.leaf == t.leaf;
    };
    return x.decay == y.decay && x.rejection == y.rejection &&
           std::equal(x.trees.begin(), x.trees.end(), y.trees.begin(), y.trees.end(), equal);
  }
};

struct Filtered {
  using Options = FilteredTrainOptions;
  static constexpr Kind kKind = Kind::kFiltered;
  static Options options() {
    auto options = small_options<Options>();
    options.feature_share = 0.02;
    return options;
  }
  static Model train(const TrainData& data, const Options& options) {
    return train_filtered(data, options);
  }
  static bool same(const Model& a, const Model& b) {
    const auto &x = std::get<FilteredModel>(a.classifier),
               &y = std::get<FilteredModel>(b.classifier);
    return x.decay == y.decay && x.bank.weights == y.bank.weights && x.bank.gain == y.bank.gain &&
           x.bank.offset == y.bank.offset && x.trees.feature == y.trees.feature &&
           x.trees.threshold == y.trees.threshold && x.trees.leaf == y.trees.leaf &&
           x.rejection == y.rejection;
  }
};

float score(const Model& model, const Image<std::uint8_t>& crop) {
  const auto scanner = make_scanner(model, false);
  const ScanPlan plan = plan_crop({crop.width(), crop.height()}, model.window());
  return scanner->scan({crop, plan, -std::numeric_limits<float>::infinity()}, {}).hits[0].score;
}

template <class Type>
class TrainBoosted : public testing::Test {
 protected:
  using Options = typename Type::Options;
  static Model train(const Options& options) {
    return Type::train({kPositives, kNegatives}, options);
  }
  static Model run(const TrainRun& how = {}) { return train(with(Type::options(), how)); }
};
using BothKinds = testing::Types<Channels, Filtered>;
struct KindNames {
  template <class Type>
  static std::string GetName(int /*index*/) {
    return to_string(Type::kKind);
  }
};
TYPED_TEST_SUITE(TrainBoosted, BothKinds, KindNames);

TYPED_TEST(TrainBoosted, TellsPeopleFromNoise) {
  const Model model = this->run();
  EXPECT_EQ(model.kind, TypeParam::kKind);
  EXPECT_THAT(model.facts.at("training"), testing::HasSubstr("\"trees\": 64,"));
  EXPECT_THAT(model.facts.at("training"), testing::HasSubstr("\"seed\": 1234"));
  EXPECT_THAT(model.facts.at("data"), testing::HasSubstr("24 positives"));
  for (int i = 24; i < 32; ++i) {
    EXPECT_GT(score(model, kOtherPeople.read(i)), 0.5F) << i;
    EXPECT_LT(score(model, kOtherNoise.read(i)), -0.5F) << i;
  }
}

// Trains until a round begins.
template <class Train>
void interrupt(TrainRun& run, const char* stop_in, Train&& train) {
  std::stop_source stop;
  run.exec.stop = stop.get_token();
  run.exec.progress = [&](const Progress& progress) {
    if (progress.stage.starts_with(stop_in)) stop.request_stop();
  };
  EXPECT_THROW(train(run), Cancelled) << stop_in;
  EXPECT_TRUE(std::filesystem::exists(run.checkpoint));
  run.exec = {};
}

TYPED_TEST(TrainBoosted, NeitherThreadsNorInterruptionShow) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const Model whole = this->run({.exec = {.threads = 1}});
  EXPECT_TRUE(TypeParam::same(whole, this->run({.exec = {.threads = 2}})));

  const test::TempFolder folder;
  TrainRun run{.checkpoint = folder / "training"};
  for (const char* stop_in : {"round 2", "round 3", "round 4"})
    interrupt(run, stop_in, [&](const TrainRun& until) { this->run(until); });
  EXPECT_TRUE(TypeParam::same(whole, this->run(run)));
  EXPECT_EQ(folder.files(), 1U);  // the checkpoint, for who wrote the model to remove
}

TYPED_TEST(TrainBoosted, ACheckpointOfAnotherTrainingIsRefused) {
  const test::TempFolder folder;
  TrainRun run{.checkpoint = folder / "training"};
  interrupt(run, "round 2", [&](const TrainRun& until) { this->run(until); });
  auto other = TypeParam::options();
  other.trees = 128;
  const auto message = test::message_of<InvalidArgument>([&] { this->train(with(other, run)); });
  EXPECT_NE(message.find("other options (trees 64 then, 128 now)"), std::string::npos) << message;
  const Pictures smaller(3, {66, 130}, false);
  const auto changed = test::message_of<InvalidArgument>([&] {
    TypeParam::train({kPositives, smaller}, with(TypeParam::options(), run));
  });
  EXPECT_NE(changed.find("other images"), std::string::npos) << changed;
  test::save(run.checkpoint, "not a checkpoint");
  EXPECT_THROW(this->train(with(other, run)), FormatError);
}

TYPED_TEST(TrainBoosted, BadDataIsNamed) {
  const Pictures none(0, {72, 136}, true), small(3, {40, 40}, true), tiny(3, {8, 8}, false);
  const auto refusal = [](const ImageSet& positives, const ImageSet& negatives,
                          const TrainRun& run = {}) {
    return test::message_of<InvalidArgument>([&] {
      TypeParam::train({positives, negatives}, with(TypeParam::options(), run));
    });
  };
  EXPECT_NE(refusal(none, kNegatives), "");
  EXPECT_NE(refusal(kPositives, none), "");
  EXPECT_NE(refusal(small, kNegatives), "");
  EXPECT_NE(refusal(kPositives, tiny).find("large enough"), std::string::npos);
  EXPECT_NE(refusal(kPositives, kNegatives, {.sample_bytes = 1000}).find("MiB"), std::string::npos);
}

// What is new in every copy of a positive is small, so that it is still found.
TYPED_TEST(TrainBoosted, JitterAddsPositives) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  auto options = TypeParam::options();
  options.jitter = 2;
  const Model model = this->train(options);
  EXPECT_EQ(model.facts.at("positives"), "144");
  EXPECT_GT(score(model, kOtherPeople.read(30)), 0.5F);
}

TYPED_TEST(TrainBoosted, CopiesMayBeResampledAndTheLastRoundRepeated) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  auto options = TypeParam::options();
  options.jitter = 1;
  const Model plain = this->train(options);
  options.jitter_pixels = 2;
  options.jitter_ratio = 1.03;
  options.jitter_resample = true;
  options.final_rounds = 2;
  const Model other = this->train(options);
  EXPECT_FALSE(TypeParam::same(plain, other));
  EXPECT_EQ(other.facts.at("positives"), "96");
  EXPECT_GT(score(other, kOtherPeople.read(30)), score(other, kOtherNoise.read(0)));
}

// Leaves, rejection scores and the threshold shrink together.
TEST(TrainChannels, ShrinkageScalesEveryScore) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  ChannelsTrainOptions options = Channels::options();
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
  EXPECT_GT(score(quarter, kOtherPeople.read(30)), 0.125F);
  EXPECT_LT(score(quarter, kOtherNoise.read(30)), -0.125F);
}

TEST(TrainFiltered, ShrinkageScalesTheThresholdAndTheRejection) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  FilteredTrainOptions options = Filtered::options();
  options.shrinkage = 0.5;
  const Model model = train_filtered({kPositives, kNegatives}, options);
  EXPECT_FLOAT_EQ(model.threshold, 0.16F);
  EXPECT_THAT(std::get<FilteredModel>(model.classifier).rejection, testing::Each(-7 * 2048));
}

}  // namespace
}  // namespace fovea::people
