#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/ops/max_flow.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/messages.h"

namespace fovea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Problem {
  int nodes = 0;
  std::vector<CutArc> arcs;
  std::vector<CutTie> ties;
};

double value_of(const Problem& problem, unsigned sides) {
  const auto source = [&](std::int32_t node) {
    return (sides >> static_cast<unsigned>(node) & 1U) != 0;
  };
  double value = 0;
  for (const CutArc& arc : problem.arcs)
    if (source(arc.a) != source(arc.b)) value += arc.capacity;
  for (const CutTie& tie : problem.ties) value += source(tie.node) ? tie.to_sink : tie.to_source;
  return value;
}

double least_of_all(const Problem& problem) {
  double least = std::numeric_limits<double>::infinity();
  for (unsigned sides = 0; sides < 1U << static_cast<unsigned>(problem.nodes); ++sides)
    least = std::min(least, value_of(problem, sides));
  return least;
}

Problem random_problem(Random& random) {
  Problem problem;
  problem.nodes = 2 + static_cast<int>(random.below(9));
  const auto node = [&] {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(problem.nodes)));
  };
  const bool whole = random.below(2) == 0;  // many ties between cuts
  const auto capacity = [&] {
    return whole ? static_cast<double>(random.below(4)) : static_cast<double>(random.uniform());
  };
  for (std::uint32_t i = 0, count = random.below(25); i < count; ++i)
    problem.arcs.push_back({node(), node(), capacity()});
  for (std::uint32_t i = 0, count = random.below(8); i < count; ++i)
    problem.ties.push_back({node(), capacity(), capacity()});
  problem.ties.push_back({0, kMustTie, 0});
  problem.ties.push_back({1, 0, kMustTie});
  return problem;
}

TEST(MaxFlow, NoCutIsCheaper) {
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    const Problem problem = random_problem(random);
    const MinimumCut cut = minimum_cut(problem.nodes, problem.arcs, problem.ties);
    unsigned sides = 0;
    for (std::size_t node = 0; node < cut.source_side.size(); ++node)
      if (cut.source_side[node]) sides |= 1U << node;
    EXPECT_DOUBLE_EQ(cut.value, value_of(problem, sides));
    EXPECT_NEAR(cut.value, least_of_all(problem), 1e-9);
    EXPECT_TRUE(cut.source_side[0]);
    EXPECT_FALSE(cut.source_side[1]);
  }
}

// A chain is cut where it is weakest, and what is tied to nothing lies on the sink's side.
TEST(MaxFlow, AChainBreaksAtItsWeakestLink) {
  const std::vector<CutArc> arcs{{0, 1, 5}, {1, 2, 1}, {2, 3, 4}};
  const std::vector<CutTie> ties{{0, kMustTie, 0}, {3, 0, kMustTie}};
  const MinimumCut cut = minimum_cut(5, arcs, ties);
  EXPECT_THAT(cut.source_side, ElementsAre(true, true, false, false, false));
  EXPECT_EQ(cut.value, 1);
}

TEST(MaxFlow, LargeAndSmallCapacitiesKeepTheirRatio) {
  for (const double unit : {1e-20, 1.0, 1e20}) {
    const std::vector<CutArc> arcs{{0, 1, 3 * unit}, {1, 2, 2.999 * unit}};
    const std::vector<CutTie> ties{{0, kMustTie, 0}, {2, 0, kMustTie}};
    EXPECT_THAT(minimum_cut(3, arcs, ties).source_side, ElementsAre(true, true, false)) << unit;
  }
}

TEST(MaxFlow, NothingToCut) {
  EXPECT_TRUE(minimum_cut(0, {}, {}).source_side.empty());
  EXPECT_THAT(minimum_cut(2, {}, {}).source_side, ElementsAre(false, false));
  const std::vector<CutArc> arcs{{0, 1, 0}, {1, 1, 3}};
  EXPECT_EQ(minimum_cut(2, arcs, {}).value, 0);
}

std::string refusal(const std::vector<CutArc>& arcs, const std::vector<CutTie>& ties) {
  return test::message_of([&] { minimum_cut(2, arcs, ties); });
}

TEST(MaxFlow, WhatCannotBeIsRefused) {
  EXPECT_THAT(refusal({{0, 2, 1}}, {}), HasSubstr("arc 0 is of node 2; there are 2 nodes"));
  EXPECT_THAT(refusal({{0, 1, -1}}, {}), HasSubstr("arc 0 has capacity -1"));
  EXPECT_THAT(refusal({{0, 1, std::nan("")}}, {}), HasSubstr("capacity nan"));
  EXPECT_THAT(refusal({}, {{-1, 1, 1}}), HasSubstr("tie 0 is of node -1"));
  EXPECT_THAT(refusal({}, {{1, HUGE_VAL, 1}}), HasSubstr("capacity inf"));
}

}  // namespace
}  // namespace fovea
