#include <gmock/gmock.h>

#include <limits>

#include "ops/max_flow/backend.h"

namespace fovea::detail {
namespace {

using testing::ElementsAre;

constexpr std::int64_t kGreatest = std::int64_t{1} << 40U;
constexpr std::int64_t kMustHold = std::int64_t{1} << 60U;

TEST(CutNetwork, TheGreatestCapacityHas40Bits) {
  for (const double unit : {1e-300, 1e-9, 1.0, 7.0, 1e300}) {
    const std::vector<CutArc> arcs{{0, 1, 4 * unit}, {1, 2, unit}, {2, 2, unit}, {0, 2, 0}};
    const CutNetwork network = make_cut_network({3, arcs, {}});
    ASSERT_EQ(network.edges.size(), 2U) << "without loops and without capacities of 0";
    EXPECT_EQ(network.edges[0].capacity, kGreatest);
    EXPECT_EQ(network.edges[1].capacity, kGreatest / 4) << unit;
  }
}

TEST(CutNetwork, WhatIsCutInAnyCaseIsTakenOff) {
  const std::vector<CutTie> ties{{0, 4, 1}, {0, 0, 1}, {1, kMustTie, 2}, {2, kMustTie, kMustTie}};
  const CutNetwork network = make_cut_network({4, {}, ties});
  EXPECT_THAT(network.from_source, ElementsAre(kGreatest / 2, kMustHold - kGreatest / 2, 0, 0));
  EXPECT_THAT(network.to_sink, ElementsAre(0, 0, 0, 0));
}

// A tie that must hold stays what it is, whatever else is tied to the node.
TEST(CutNetwork, SumsDoNotOverflow) {
  std::vector<CutTie> ties(1U << 12U, {0, std::numeric_limits<float>::max(), 0});
  ties.resize(2 * ties.size(), {0, 1, 0});
  const CutNetwork network = make_cut_network({1, {}, ties});
  EXPECT_THAT(network.from_source, ElementsAre(kMustHold));
}

TEST(CutNetwork, ManyArcsGetFewerBits) {
  const std::vector<CutArc> arcs(std::size_t{3} << 20U, {0, 1, 2.5});
  const CutNetwork network = make_cut_network({2, arcs, {}});
  std::int64_t sum = 0;
  for (const CutEdge& edge : network.edges) sum += edge.capacity;
  EXPECT_LT(sum, kMustHold);
  EXPECT_EQ(network.edges.front().capacity, std::int64_t{1} << 38U);
}

}  // namespace
}  // namespace fovea::detail
