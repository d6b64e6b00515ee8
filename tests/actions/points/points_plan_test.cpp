#include "actions/points/points_plan.h"

#include <gmock/gmock.h>

#include "support/messages.h"

namespace fovea::actions {
namespace {

using test::message_of;
using test::says;
using testing::ElementsAre;

SpaceTimePoint point(float sigma2, float tau2) { return {.sigma2 = sigma2, .tau2 = tau2}; }

TEST(PointsPlan, AFrequencyBeyondHalfACycleIsRefused) {
  PointOptions options;
  options.detector = PointDetector::kPeriodic;
  options.periodic.frequency = 0.6;
  EXPECT_THAT(message_of([&] { plan_points(options); }), says("0.6", "0.5"));
  options.periodic.frequency = 0.5;
  EXPECT_FALSE(plan_points(options).periodic.even.empty());
}

// As a file of points may have them; options keep below it.
TEST(PointsPlan, AKernelThatIsTooLongIsRefused) {
  EXPECT_THAT(message_of([&] { plan_descriptors(std::vector{point(4, 1e6F)}, {}); }),
              says("variance of 1e+06", "at most 255"));
  PointOptions options;
  options.harris.sigma2 = options.harris.tau2 = 100;
  options.harris.scales = 4;
  EXPECT_EQ(plan_points(options).channels.size(), 48U);
}

TEST(PointsPlan, ALevelIsTheLastWhoseVarianceIsLargeEnough) {
  const PointOptions options;  // three levels, of which each variance of 4 is four times the last
  for (const auto& [sigma2, level] :
       {std::pair{1.0, 0}, {4.0, 0}, {15.9, 0}, {16.0, 1}, {63.9, 1}, {64.0, 2}, {1e4, 2}})
    EXPECT_EQ(level_of(sigma2, options), level) << sigma2;
}

TEST(PointsPlan, DescriptorsShareAChannelPerPairOfScales) {
  const PointPlan plan = plan_descriptors(
      std::vector{point(16, 2), point(4, 4), point(16, 2), point(16, 4), point(4, 4)}, {});
  std::vector<std::vector<float>> channels;
  for (const Channel& channel : plan.channels) {
    channels.push_back({static_cast<float>(channel.level), channel.sigma2, channel.tau2});
    EXPECT_TRUE(channel.sum_space.empty()) << "no points are detected";
  }
  EXPECT_THAT(channels,
              ElementsAre(ElementsAre(1, 16, 2), ElementsAre(0, 4, 4), ElementsAre(1, 16, 4)));
  EXPECT_EQ(plan.levels, 2);
}

TEST(PointsPlan, LevelsKeepTheLastOddRowAndColumn) {
  EXPECT_THAT(level_sizes(5, 3, 4),
              ElementsAre(Extent{5, 3}, Extent{3, 2}, Extent{2, 1}, Extent{1, 1}));
}

}  // namespace
}  // namespace fovea::actions
