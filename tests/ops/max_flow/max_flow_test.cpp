// Covers: boykov_kolmogorov
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/ops/max_flow.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stop_token>
#include <thread>

#include "reference/minimum_cut.h"
#include "support/devices.h"
#include "support/messages.h"
#include "support/waiting.h"

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

class MaxFlow : public testing::TestWithParam<Device> {
 protected:
  void SetUp() override {
    if (GetParam().kind == DeviceKind::kCuda) FOVEA_SKIP_WITHOUT_CUDA();
  }
  static MinimumCut cut_of(const Problem& problem) {
    return minimum_cut(problem.nodes, problem.arcs, problem.ties, {.device = GetParam()});
  }
};
INSTANTIATE_TEST_SUITE_P(Devices, MaxFlow, testing::Values(Device::cpu(), Device::cuda()),
                         [](const auto& one) {
                           return one.param.kind == DeviceKind::kCuda ? "Cuda" : "Cpu";
                         });

TEST_P(MaxFlow, NoCutIsCheaper) {
  Random random(3);
  for (int i = 0; i < (GetParam().kind == DeviceKind::kCuda ? 60 : 400); ++i) {
    const Problem problem = random_problem(random);
    const MinimumCut cut = cut_of(problem);
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
TEST_P(MaxFlow, AChainBreaksAtItsWeakestLink) {
  const MinimumCut cut =
      cut_of({5, {{0, 1, 5}, {1, 2, 1}, {2, 3, 4}}, {{0, kMustTie, 0}, {3, 0, kMustTie}}});
  EXPECT_THAT(cut.source_side, ElementsAre(true, true, false, false, false));
  EXPECT_EQ(cut.value, 1);
}

TEST_P(MaxFlow, LargeAndSmallCapacitiesKeepTheirRatio) {
  for (const double unit : {1e-310, 1e-290, 1e-20, 1.0, 1e20, 1e300}) {
    const Problem problem{
        3, {{0, 1, 3 * unit}, {1, 2, 2.999 * unit}}, {{0, kMustTie, 0}, {2, 0, kMustTie}}};
    EXPECT_THAT(cut_of(problem).source_side, ElementsAre(true, true, false)) << unit;
  }
}

TEST_P(MaxFlow, NothingToCut) {
  EXPECT_TRUE(cut_of({}).source_side.empty());
  EXPECT_THAT(cut_of({2, {}, {}}).source_side, ElementsAre(false, false));
  EXPECT_EQ(cut_of({2, {{0, 1, 0}, {1, 1, 3}}, {}}).value, 0);
}

// Of all cheapest cuts the result has the fewest nodes on the source's side.
TEST_P(MaxFlow, OfEqualCutsTheOneNextToTheSource) {
  const MinimumCut cut =
      cut_of({4, {{0, 1, 2}, {1, 2, 2}, {2, 3, 2}}, {{0, kMustTie, 0}, {3, 0, kMustTie}}});
  EXPECT_THAT(cut.source_side, ElementsAre(true, false, false, false));
}

TEST_P(MaxFlow, TheTextbooksSidesAndFlow) {
  Random random(17);
  for (int i = 0; i < 40; ++i) {
    Problem problem = random_problem(random);
    for (CutArc& arc : problem.arcs) arc.capacity = std::floor(5 * arc.capacity);
    for (CutTie& tie : problem.ties)
      for (double* capacity : {&tie.to_source, &tie.to_sink})
        if (*capacity < kMustTie) *capacity = std::floor(5 * *capacity);
    const MinimumCut cut = cut_of(problem);
    const reference::WholeCut expected =
        reference::minimum_cut({problem.nodes, problem.arcs, problem.ties});
    EXPECT_EQ(cut.source_side, expected.source_side) << "problem " << i;
    EXPECT_EQ(cut.value, static_cast<double>(expected.flow)) << "problem " << i;
  }
}

TEST_P(MaxFlow, ManyProblemsAreSolvedAsEachAlone) {
  Random random(23);
  std::vector<Problem> each(30);
  for (Problem& problem : each) problem = random_problem(random);
  each[3] = {};
  each[7] = {3, {}, {}};
  std::vector<CutProblem> problems;
  for (const Problem& problem : each)
    problems.push_back({problem.nodes, problem.arcs, problem.ties});
  const std::vector<MinimumCut> cuts = minimum_cuts(problems, {.device = GetParam()});
  ASSERT_EQ(cuts.size(), each.size());
  for (std::size_t i = 0; i < each.size(); ++i) {
    const MinimumCut alone =
        minimum_cut(each[i].nodes, each[i].arcs, each[i].ties, {.device = Device::cpu()});
    EXPECT_EQ(cuts[i].source_side, alone.source_side) << i;
    EXPECT_EQ(cuts[i].value, alone.value) << i;
  }
  EXPECT_TRUE(minimum_cuts({}, {.device = GetParam()}).empty());
}

TEST_P(MaxFlow, StopsOnRequest) {
  std::stop_source stop;
  stop.request_stop();
  const std::vector<CutTie> ties{{0, 1, 0}};
  EXPECT_THROW(minimum_cut(2, {}, ties, {.device = GetParam(), .stop = stop.get_token()}),
               Cancelled);
}

// The search itself looks for the request, which may come from another thread at any time.
TEST(MaxFlowOnCpu, StopsInTheMiddle) {
  constexpr int kSide = 400;
  std::vector<CutArc> arcs;
  std::vector<CutTie> ties;
  Random random(5);
  for (int y = 0; y < kSide; ++y)
    for (int x = 0; x < kSide; ++x) {
      const std::int32_t node = y * kSide + x;
      const auto capacity = [&] { return static_cast<double>(random.uniform()); };
      if (x + 1 < kSide) arcs.push_back({node, node + 1, capacity()});
      if (y + 1 < kSide) arcs.push_back({node, node + kSide, capacity()});
      ties.push_back({node, 3 * capacity(), 3 * capacity()});
    }
  std::stop_source stop;
  const std::jthread stopper = test::stop_after_work(stop, 30);
  EXPECT_THROW(
      minimum_cut(kSide * kSide, arcs, ties, {.device = Device::cpu(), .stop = stop.get_token()}),
      Cancelled);
}

std::string refusal(const std::vector<CutArc>& arcs, const std::vector<CutTie>& ties) {
  return test::message_of([&] { minimum_cut(2, arcs, ties); });
}

TEST(MaxFlowArguments, WhatCannotBeIsRefused) {
  EXPECT_THAT(refusal({{0, 2, 1}}, {}), HasSubstr("arc 0 is of node 2; there are 2 nodes"));
  EXPECT_THAT(refusal({{0, 1, -1}}, {}), HasSubstr("arc 0 has capacity -1"));
  EXPECT_THAT(refusal({{0, 1, std::nan("")}}, {}), HasSubstr("capacity nan"));
  EXPECT_THAT(refusal({}, {{-1, 1, 1}}), HasSubstr("tie 0 is of node -1"));
  EXPECT_THAT(refusal({}, {{1, HUGE_VAL, 1}}), HasSubstr("capacity inf"));
  const std::vector<CutArc> arcs{{0, 5, 1}};
  const std::vector<CutProblem> problems{{2, {}, {}}, {4, arcs, {}}};
  EXPECT_THAT(test::message_of([&] { minimum_cuts(problems); }),
              test::says("problem 1", "arc 0", "node 5", "4 nodes"));
}

}  // namespace
}  // namespace fovea
