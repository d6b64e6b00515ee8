#include <fovea/flow/summary.h>
#include <gtest/gtest.h>

#include <limits>

namespace fovea::flow {
namespace {

TEST(MotionSummary, LeavesOutWhatIsNotKnown) {
  Image<float> u(2, 1), v(2, 1), confidence(2, 1);
  u.at(0, 0) = 3;
  v.at(0, 0) = 4;
  u.at(1, 0) = std::numeric_limits<float>::quiet_NaN();
  v.at(1, 0) = 0;
  confidence.at(0, 0) = 0.25F;
  confidence.at(1, 0) = 1;
  const MotionSummary summary = summarize({u, v});
  EXPECT_EQ(summary.known_share, 0.5);
  EXPECT_EQ(summary.mean_motion, 5);
  EXPECT_EQ(summary.longest_motion, 5);
  EXPECT_FALSE(summary.mean_confidence);
  EXPECT_EQ(summarize({u, v, {}, confidence}).mean_confidence, 0.25);
}

}  // namespace
}  // namespace fovea::flow
