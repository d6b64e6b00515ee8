// Trainings that search on CUDA against those that search on the CPU: the same bytes.
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/people/train.h>

#include "people/train/run.h"
#include "support/devices.h"
#include "support/files.h"

namespace fovea::people {
namespace {

using people_test::TrainRun;
using people_test::with;

// Noise of all strengths with an upright bar in the middle, or with lying bars.
class ParityBars final : public ImageSet {
 public:
  ParityBars(int count, bool positive) : count_(count), positive_(positive) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Random random(positive_ ? 5 : 6, static_cast<std::uint64_t>(index));
    const int width = positive_ ? 76 : 150 + 13 * index, height = positive_ ? 140 : 190;
    Image<std::uint8_t> image(width, height, 3);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const bool bar = positive_ ? x > 28 && x < 48 && y > 24 && y < 118 : y / 17 % 3 == 1;
        for (int c = 0; c < 3; ++c)
          image.at(x, y, c) = static_cast<std::uint8_t>(
              (bar ? 120 + 10 * c : 60) + random.below(static_cast<std::uint32_t>(8 + x / 2)));
      }
    return image;
  }

 private:
  int count_;
  bool positive_;
};

const ParityBars kPositives(16, true), kNegatives(5, false);

Model trained(Kind kind, const TrainRun& run) {
  const TrainData data{kPositives, kNegatives};
  if (kind == Kind::kCascade)
    return train_cascade(data, with(CascadeTrainOptions{.stages = 3,
                                                        .false_rate = 0.5,
                                                        .blocks_per_round = 6,
                                                        .negatives = 100,
                                                        .enlarge = 1,
                                                        .ratio = 1.3,
                                                        .ranking_windows = 60},
                                    run));
  if (kind == Kind::kChannels)
    return train_channels(data, with(ChannelsTrainOptions{.trees = 64,
                                                          .negatives_per_round = 60,
                                                          .most_negatives = 90,
                                                          .enlarge = 1,
                                                          .ratio = 1.3},
                                     run));
  if (kind == Kind::kFiltered)
    return train_filtered(data, with(FilteredTrainOptions{.trees = 64,
                                                          .negatives_per_round = 60,
                                                          .most_negatives = 90,
                                                          .feature_share = 0.02,
                                                          .enlarge = 1,
                                                          .ratio = 1.3},
                                     run));
  return train_linear(
      kind, {}, data,
      with(LinearTrainOptions{.enlarge = 1.2, .ratio = 1.2, .rounds = 2, .hard_windows = 80}, run));
}

std::string bytes_of(const Model& model) {
  const test::TempFolder folder;
  model.write(folder / "m");
  return test::load(folder / "m");
}

class TrainParity : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, TrainParity,
                         testing::Values(Kind::kHog, Kind::kHogCells, Kind::kHogIntegral,
                                         Kind::kCascade, Kind::kChannels, Kind::kFiltered));

TEST_P(TrainParity, TheGpuGivesTheSameModel) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const std::string expected =
      bytes_of(trained(GetParam(), {.exec = {.device = Device::cpu(), .threads = 2}}));
  for (const int threads : {1, 8})
    EXPECT_EQ(
        bytes_of(trained(GetParam(), {.exec = {.device = Device::cuda(), .threads = threads}})),
        expected);
  EXPECT_EQ(bytes_of(trained(GetParam(), {})), expected);  // auto
}

TEST_P(TrainParity, AGpuThatIsNotThereIsRefusedAtOnce) {
  Exec exec{.device = Device::cuda(99)};
  exec.progress = [](const Progress&) { FAIL() << "began"; };
  EXPECT_NE(
      test::message_of<DeviceError>([&] { trained(GetParam(), {.exec = exec}); }).find("cuda:99"),
      std::string::npos);
}

// A training may go on on another device.
TEST_P(TrainParity, ACheckpointGoesOnAnywhere) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const test::TempFolder folder;
  TrainRun run{.checkpoint = folder / "checkpoint", .exec = {.device = Device::cuda()}};
  const std::string expected = bytes_of(trained(GetParam(), run));
  run.exec.device = Device::cpu();
  EXPECT_EQ(bytes_of(trained(GetParam(), run)), expected);
}

}  // namespace
}  // namespace fovea::people
