#include "people/steps.h"

#include <fovea/core/random.h>

#include <chrono>
#include <set>
#include <thread>

#include "support/devices.h"

namespace fovea::people {
namespace {

Image<std::uint8_t> stripes(int width, int height, int channels) {
  Image<std::uint8_t> image(width, height, channels);
  Random random(9, 0);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c)
        image.at(x, y, c) = static_cast<std::uint8_t>((x / 9 % 2 ? 150 : 60) + random.below(60));
  return image;
}

std::set<std::string> steps_with_time(const StepClock& clock) {
  std::set<std::string> names;
  for (int i = 0; i < kSteps; ++i)
    if (clock.seconds(static_cast<Step>(i)) > 0) names.insert(to_string(static_cast<Step>(i)));
  return names;
}

struct Kindred {
  const char* model;
  std::set<std::string> steps;  // on the CPU, for an image in color
};
const std::vector<Kindred>& kindreds() {
  static const std::vector<Kindred> kAll{
      {"people/hog", {"levels", "gradients", "blocks", "windows", "fusing"}},
      {"people/hog-integral",
       {"planes", "levels", "gradients", "integral histograms", "blocks", "windows", "fusing"}},
      {"people/cascade", {"planes", "levels", "integral histograms", "early stages", "fusing"}},
      {"people/channels", {"levels", "channels", "cells", "trees", "fusing"}},
      {"people/filtered", {"levels", "channels", "cells", "filters", "trees", "fusing"}}};
  return kAll;
}

using StepPlaces = test::OnEveryPlace;

// A clock changes nothing that is found, and every step of the kind gets some
// time.
TEST_P(StepPlaces, AClockSeesEveryStepAndChangesNothing) {
  const Image<std::uint8_t> image = stripes(160, 150, 3);
  for (const auto& [model, steps] : kindreds()) {
    for (const int threads : {1, 3}) {
      Detector detector(model, {.threshold = -2,
                                .scan = {.ratio = 1.2, .padding = 8},
                                .exec = {.device = device(), .threads = threads}});
      const DetectResult plain = detector.detect(image);
      StepClock clock(threads);
      const DetectResult timed = TimedDetector::detect(detector, image, clock);
      ASSERT_EQ(timed.people.size(), plain.people.size()) << model;
      for (std::size_t i = 0; i < plain.people.size(); ++i) {
        EXPECT_EQ(timed.people[i].score, plain.people[i].score);
        EXPECT_EQ(timed.people[i].box, plain.people[i].box);
      }
      EXPECT_EQ(timed.counts.evaluations, plain.counts.evaluations) << model;
      std::set<std::string> seen = steps_with_time(clock);
      seen.erase("late stages");  // no window may get that far
      if (device().kind == DeviceKind::kCpu) EXPECT_EQ(seen, steps) << model << " " << threads;
      else EXPECT_TRUE(seen.contains("copies") && seen.contains("levels")) << model;
    }
  }
}
FOVEA_ON_EVERY_PLACE(StepPlaces);

TEST(StepClock, AddsUpThreadsAndDividesByThem) {
  StepClock clock(4);
  clock.add(Step::kTrees, 2);
  clock.add(Step::kTrees, 1);
  EXPECT_DOUBLE_EQ(clock.seconds(Step::kTrees), 0.75);
  EXPECT_EQ(clock.seconds(Step::kFusing), 0);
  { const StepTimer absent(nullptr, Step::kFusing); }
  {
    const StepTimer shared = shared_step(&clock, Step::kFusing);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_GE(clock.seconds(Step::kFusing), 0.002);  // all four wait
  StepClock two(1);
  std::chrono::duration<double> levels{};
  {
    const auto begin = std::chrono::steady_clock::now();
    StepTimer timer(&two, Step::kLevels);
    timer.next(Step::kBlocks);
    levels = std::chrono::steady_clock::now() - begin;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  EXPECT_LE(two.seconds(Step::kLevels), levels.count() + 1e-9);  // it counts nanoseconds
  EXPECT_GE(two.seconds(Step::kBlocks), 0.002);
}

}  // namespace
}  // namespace fovea::people
