#include "actions/match/match_costs.h"

#include <fovea/core/error.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "actions/match_problems.h"
#include "support/messages.h"

namespace fovea::actions {
namespace {

using test::MatchShape;
using test::message_of;
using testing::HasSubstr;

TEST(MatchCosts, OfNodesAddUpToTheMatch) {
  Random random(62);
  const MatchShape shape{.nodes = 6, .frames = 20, .points = 24};
  std::vector<Chain> chains;
  chains.push_back(test::random_chain(shape, random));
  const Scene scene = test::random_scene(shape, random);
  const MatchOptions options{.dummy_cost = 0.5, .exec = {.device = Device::cpu()}};
  Match match = Matcher(chains, options).match(scene).at(0);
  NodeCost sum;
  const std::vector<NodeCost> costs = node_costs(chains[0], scene, match, options);
  ASSERT_EQ(costs.size(), 6U);
  for (const NodeCost& cost : costs) {
    sum.appearance += cost.appearance;
    sum.dummy += cost.dummy;
    sum.time += cost.time;
    sum.angles += cost.angles;
  }
  EXPECT_NEAR(sum.appearance, match.appearance, 1e-5);
  EXPECT_NEAR(sum.dummy, match.dummies, 1e-5);
  EXPECT_NEAR(sum.time, match.time, 1e-5);
  EXPECT_NEAR(sum.angles, match.angles, 1e-5);
  match.path.pop_back();
  EXPECT_THAT(message_of<InvalidArgument>([&] { node_costs(chains[0], scene, match, options); }),
              HasSubstr("a path of 5 nodes for a chain of 6"));
}

}  // namespace
}  // namespace fovea::actions
