#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/people/train.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "people/hog/hog_layout.h"
#include "people/model_parts.h"
#include "people/train/run.h"
#include "people/train/train_linear_windows.h"
#include "support/files.h"
#include "support/sanitized.h"

namespace fovea::people {
namespace {

using people_test::TrainRun;
using people_test::with;

using test::message_of;
using testing::HasSubstr;

// Crops of 40x72 around a window of 32x64 with a bright bar that stands, and images of noise and of
// bars that lie.
class Figures final : public ImageSet {
 public:
  explicit Figures(int count) : count_(count) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Image<std::uint8_t> image(40, 72, 3);
    Random random(1, static_cast<std::uint64_t>(index));
    const int left = 16 + static_cast<int>(random.below(3)),
              top = 12 + static_cast<int>(random.below(4));
    for (int y = 0; y < 72; ++y)
      for (int x = 0; x < 40; ++x) {
        const bool inside = x >= left && x < left + 8 && y >= top && y < top + 44;
        for (int c = 0; c < 3; ++c)
          image.at(x, y, c) = static_cast<std::uint8_t>((inside ? 150 : 60) + random.below(40));
      }
    return image;
  }

 private:
  int count_;
};

class Clutter final : public ImageSet {
 public:
  explicit Clutter(int count, std::uint64_t seed = 2) : count_(count), seed_(seed) {}
  int count() const override { return count_; }
  Image<std::uint8_t> read(int index) const override {
    Image<std::uint8_t> image(90 + 7 * index, 100, 3);
    Random random(seed_, static_cast<std::uint64_t>(index));
    for (int y = 0; y < image.height(); ++y)
      for (int i = 0; i < image.view().row_elements(); ++i)
        image.row(y)[i] = static_cast<std::uint8_t>((y / 9 % 2 ? 150 : 60) + random.below(40));
    return image;
  }

 private:
  int count_;
  std::uint64_t seed_;
};

HogOptions small_hog() {
  HogOptions hog;
  hog.window.width = 32;
  hog.window.height = 64;
  return hog;
}

struct Task {
  Figures positives{12};
  Clutter negatives{4};
  LinearTrainOptions options{.cost = 0.1, .enlarge = 1.2, .random_windows = 5, .hard_windows = 60};
  TrainRun run{};

  Model train(Kind kind = Kind::kHog) const {
    return train_linear(kind, small_hog(), {positives, negatives}, with(options, run));
  }
};

const LinearModel& linear(const Model& model) { return std::get<LinearModel>(model.classifier); }

void expect_same(const Model& a, const Model& b) {
  EXPECT_EQ(linear(a).weights, linear(b).weights);
  EXPECT_EQ(linear(a).bias, linear(b).bias);
  EXPECT_EQ(a.threshold, b.threshold);
  EXPECT_EQ(a.facts, b.facts);
}

// Scores of the positives, by the descriptors that the training itself uses.
std::vector<float> positive_scores(const Task& task, const Model& model) {
  const LinearModel& classifier = linear(model);
  const TrainData data{task.positives, task.negatives};
  const ScanOptions search{};
  const std::vector<Extent> sizes;
  const Exec exec;
  TrainWindows windows({model.kind, classifier.hog, data, search, sizes}, exec);
  SampleRows samples{Image<float>(static_cast<int>(classifier.weights.size()), 12), 0};
  windows.describe_positives(false, samples);
  std::vector<float> scores;
  for (int i = 0; i < samples.used; ++i) {
    const auto row = samples.row(i);
    scores.push_back(
        std::inner_product(row.begin(), row.end(), classifier.weights.begin(), classifier.bias));
  }
  return scores;
}

TEST(TrainLinear, TellsFiguresFromClutter) {
  const Task task;
  for (const Kind kind : {Kind::kHog, Kind::kHogCells, Kind::kHogIntegral}) {
    const Model model = task.train(kind);
    EXPECT_EQ(model.kind, kind);
    EXPECT_EQ(model.window(), (Extent{32, 64}));
    for (const float score : positive_scores(task, model)) EXPECT_GT(score, model.threshold);
    EXPECT_LT(model.threshold, 0);
    EXPECT_THAT(model.facts.at("samples"), HasSubstr("24 positives, 20 random"));
  }
}

TEST(TrainLinear, SameModelWhateverTheThreads) {
  Task task;
  task.run.exec.threads = 1;
  const Model expected = task.train();
  for (const int threads : {2, 7}) {
    task.run.exec.threads = threads;
    expect_same(task.train(), expected);
  }
  task.run.exec.seed = 99;
  EXPECT_NE(linear(task.train()).weights, linear(expected).weights);
}

// With enough negatives the threshold comes from windows that were not learned from.
TEST(TrainLinear, ThresholdStandsBetweenFiguresAndClutter) {
  Task task;
  task.negatives = Clutter(15);
  task.run.exec.threads = 2;
  const Model model = task.train();
  for (const float score : positive_scores(task, model)) EXPECT_GT(score, model.threshold);
  EXPECT_GT(model.threshold, -1.5F);
  task.run.exec.threads = 1;
  expect_same(task.train(), model);
}

TEST(TrainLinear, MirrorDoublesThePositives) {
  Task task;
  task.options.mirror = false;
  EXPECT_THAT(task.train().facts.at("samples"), HasSubstr("12 positives"));
}

TEST(TrainLinear, InterruptedAndContinuedGivesTheSame) {
  const test::TempFolder folder;
  Task task;
  task.options.rounds = 2;
  const Model expected = task.train();
  task.run.checkpoint = folder / "checkpoint";
  for (const std::string stage : {"searching negatives, round 1", "finding the threshold"}) {
    std::filesystem::remove(task.run.checkpoint);
    std::stop_source source;
    Task stopped = task;
    stopped.run.exec.stop = source.get_token();
    stopped.run.exec.progress = [&](const Progress& progress) {
      if (progress.stage == stage) source.request_stop();
    };
    try {
      stopped.train();
    } catch (const Cancelled&) {
    }
    ASSERT_TRUE(std::filesystem::exists(task.run.checkpoint));
    expect_same(task.train(), expected);
  }
  // A finished one is continued at its end.
  expect_same(task.train(), expected);
}

TEST(TrainLinear, OnlyTheSameTrainingIsContinued) {
  const test::TempFolder folder;
  Task task;
  task.run.checkpoint = folder / "checkpoint";
  task.train();
  Task other = task;
  other.options.cost = 0.2;
  EXPECT_THAT(message_of<InvalidArgument>([&] { other.train(); }), HasSubstr("other options"));
  Task moved;
  moved.negatives = Clutter(4, 77);
  moved.run = task.run;
  EXPECT_THAT(message_of<InvalidArgument>([&] { moved.train(); }), HasSubstr("other images"));
  test::save(task.run.checkpoint, "no checkpoint");
  EXPECT_THROW(task.train(), FormatError);
}

TEST(TrainLinear, MemoryBoundsTheHardWindows) {
  Task task;
  const auto row_bytes = static_cast<std::uint64_t>(
      detail::padded_stride(descriptor_size(small_hog()), 1, sizeof(float)) * sizeof(float));
  task.run.sample_bytes = row_bytes * (24 + 20 + 3);
  task.options.hard_windows = 10;
  const Model model = task.train();
  EXPECT_THAT(model.facts.at("memory"), HasSubstr("held fewer windows than asked for"));
  task.run.sample_bytes = row_bytes * 10;
  EXPECT_THAT(message_of<InvalidArgument>([&] { task.train(); }), HasSubstr("bytes for samples"));
}

TEST(TrainLinear, RefusesWhatCannotBeTrained) {
  Task task;
  EXPECT_THAT(message_of<InvalidArgument>([&] { task.train(Kind::kCascade); }),
              HasSubstr("cascade is no kind with one linear classifier"));
  task.options.cost = -1;
  EXPECT_THAT(message_of<InvalidArgument>([&] { task.train(); }), HasSubstr("cost"));
  task.options.cost = 1;
  task.negatives = Clutter(0);
  EXPECT_THAT(message_of<InvalidArgument>([&] { task.train(); }), HasSubstr("no negatives"));
}

TEST(TrainLinear, HardestAreKeptWhateverTheOrder) {
  HardWindows hard(4, -1);
  const std::pair<float, int> all[] = {{0.5F, 9}, {-1, 1}, {0, 8},    {2, 3},
                                       {0, 2},    {1, 7},  {-0.5F, 4}};
  EXPECT_GT(hard.least(), -1);
  for (const auto& [score, image] : all) hard.offer(score, {image, 0, 0, 0});
  EXPECT_TRUE(hard.full());
  EXPECT_EQ(hard.lowest(), 0);
  EXPECT_EQ(hard.least(), 0);
  const auto windows = hard.windows();
  ASSERT_EQ(windows.size(), 4U);
  const int expected[] = {2, 3, 7, 9};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(windows[i].place.image, expected[i]);
}

// A window described alone has the descriptor that it has among all windows of its level, to the
// bit, so that it does not matter with which others it is asked for.
TEST(TrainLinear, DescriptorsDoNotDependOnTheCompany) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  const Figures positives(1);
  const Clutter negatives(1);
  const TrainData data{positives, negatives};
  const std::vector<Extent> sizes{{90, 100}};
  const Exec exec;
  HogOptions wide = small_hog();
  wide.cell = 6;
  wide.block = 3;
  wide.block_stride = 12;
  wide.window.width = 30;
  wide.window.height = 66;
  HogOptions round = small_hog();
  round.shape = BlockShape::kCircular;
  HogOptions blurred = small_hog();
  blurred.smooth = 1;
  blurred.mask = GradientMask::kCubic;
  blurred.cell_height = 6;
  blurred.window = {31, 62};
  for (const HogOptions& hog : {small_hog(), wide, round, blurred})
    for (const Kind kind : {Kind::kHog, Kind::kHogCells, Kind::kHogIntegral})
      for (const int stride : {3, 8, 12}) {
        const ScanOptions search{.ratio = 1.25, .stride = stride, .padding = 0};
        TrainWindows windows({kind, hog, data, search, sizes}, exec);
        std::vector<WindowPlace> places;
        const ScanPlan plan = windows.plan(0);
        for (int l = 0; l < static_cast<int>(plan.levels.size()); ++l)
          for (int row = 0; row < plan.levels[l].rows; ++row)
            for (int column = 0; column < plan.levels[l].columns; ++column)
              places.push_back({0, l, column, row});
        const auto count = static_cast<int>(places.size());
        const int size = descriptor_size(hog_of_kind(kind, hog));
        SampleRows together{Image<float>(size, count), 0}, alone{Image<float>(size, count), 0};
        windows.describe_places(places, together);
        for (int k = 0; k < count; k += 13) {
          alone.used = k;
          windows.describe_places(std::span(places).subspan(k, 1), alone);
          ASSERT_TRUE(std::ranges::equal(together.row(k), alone.row(k)))
              << to_string(kind) << ", cells of " << hog.cell << ", stride " << stride << ", level "
              << places[k].level << ", " << places[k].column << ", " << places[k].row;
        }
      }
}

}  // namespace
}  // namespace fovea::people
