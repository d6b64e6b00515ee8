// Compares minimum cuts of the CPU and of a GPU, which must be equal to the bit.
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/ops/max_flow.h>

#include <stop_token>
#include <vector>

#include "support/devices.h"

namespace fovea {
namespace {

struct Drawn {
  int nodes = 0;
  std::vector<CutArc> arcs;
  std::vector<CutTie> ties;

  CutProblem problem() const { return {nodes, arcs, ties}; }
};

void expect_equal_cuts(const std::vector<Drawn>& drawn) {
  std::vector<CutProblem> problems;
  problems.reserve(drawn.size());
  for (const Drawn& one : drawn) problems.push_back(one.problem());
  const std::vector<MinimumCut> expected = minimum_cuts(problems, {.device = Device::cpu()});
  const std::vector<MinimumCut> cuts = minimum_cuts(problems, {.device = Device::cuda()});
  ASSERT_EQ(cuts.size(), expected.size());
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    EXPECT_EQ(cuts[i].source_side, expected[i].source_side) << "problem " << i;
    EXPECT_EQ(cuts[i].value, expected[i].value) << "problem " << i;
  }
}

// Any two nodes may be connected, also twice. Few different capacities make many cheapest cuts.
Drawn tangle(Random& random, int nodes, int arcs, int levels) {
  Drawn drawn{.nodes = nodes, .arcs = {}, .ties = {}};
  const auto node = [&] {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(nodes)));
  };
  const auto capacity = [&] {
    return levels == 0 ? static_cast<double>(random.uniform())
                       : static_cast<double>(random.below(static_cast<std::uint32_t>(levels)));
  };
  for (int i = 0; i < arcs; ++i) drawn.arcs.push_back({node(), node(), capacity()});
  for (int i = 0; i < 1 + nodes / 8; ++i)
    drawn.ties.push_back({node(), 3 * capacity(), 3 * capacity()});
  drawn.ties.push_back({node(), kMustTie, 0});
  drawn.ties.push_back({node(), 0, kMustTie});
  return drawn;
}

// Squares between a source at the top and a sink at the bottom, as a band of faces has.
Drawn grid(Random& random, int width, int height, int levels) {
  Drawn drawn{.nodes = width * height, .arcs = {}, .ties = {}};
  const auto capacity = [&] {
    return levels == 0 ? 1 / (1 + static_cast<double>(random.uniform()))
                       : static_cast<double>(random.below(static_cast<std::uint32_t>(levels)));
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const std::int32_t node = y * width + x;
      drawn.arcs.push_back({node, y * width + (x + 1) % width, capacity()});
      if (y + 1 < height) drawn.arcs.push_back({node, node + width, capacity()});
      if (y == 0) drawn.ties.push_back({node, capacity(), 0});
      if (y + 1 == height) drawn.ties.push_back({node, 0, capacity()});
    }
  return drawn;
}

TEST(PushRelabel, TanglesAsOnTheCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(41);
  std::vector<Drawn> drawn;
  for (const int levels : {0, 1, 2, 5})
    for (const int nodes : {1, 2, 7, 60, 300}) {
      drawn.push_back(tangle(random, nodes, nodes / 2, levels));  // disconnected
      drawn.push_back(tangle(random, nodes, 3 * nodes, levels));
    }
  expect_equal_cuts(drawn);
}

TEST(PushRelabel, GridsAsOnTheCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(42);
  std::vector<Drawn> drawn;
  for (const int levels : {0, 2, 4}) {
    drawn.push_back(grid(random, 40, 12, levels));
    drawn.push_back(grid(random, 5, 70, levels));
    drawn.push_back(grid(random, 30, 1, levels));
  }
  expect_equal_cuts(drawn);
}

// One path through all nodes, which a search walks node by node.
TEST(PushRelabel, AChainAsOnTheCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Drawn chain{.nodes = 700, .arcs = {}, .ties = {{0, kMustTie, 0}, {699, 0, kMustTie}}};
  for (std::int32_t i = 0; i + 1 < chain.nodes; ++i)
    chain.arcs.push_back({i, i + 1, i == 350 ? 1.0 : 2.0 + i % 3});
  expect_equal_cuts({chain});
}

// Excess in the order of 2^60 arrives from several sides at nodes with capacities of that order.
TEST(PushRelabel, HugeCapacitiesDoNotOverflow) {
  FOVEA_SKIP_WITHOUT_CUDA();
  std::vector<Drawn> drawn;
  for (const double size : {1e-310, 1e29, 1e308}) {
    Drawn star{.nodes = 40, .arcs = {}, .ties = {}};
    for (std::int32_t i = 2; i < 40; ++i) {
      star.arcs.push_back({0, i, size});
      star.arcs.push_back({i, 1, size * (i % 2 == 0 ? 0.5 : 1)});
      star.ties.push_back({i, i % 3 == 0 ? kMustTie : 0, i % 3 == 1 ? kMustTie : 0});
    }
    star.ties.push_back({0, kMustTie, 0});
    star.ties.push_back({1, 0, kMustTie});
    drawn.push_back(star);
  }
  expect_equal_cuts(drawn);
}

// More nodes than one block solves.
TEST(PushRelabel, ALargeNetworkAsOnTheCpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(43);
  expect_equal_cuts({grid(random, 5000, 7, 0), grid(random, 20, 10, 3), grid(random, 3000, 11, 3)});
}

TEST(PushRelabel, StopsOnRequest) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(44);
  std::stop_source stop;
  stop.request_stop();
  for (const int width : {10, 5000}) {
    const Drawn drawn = grid(random, width, 7, 0);
    EXPECT_THROW(minimum_cut(drawn.nodes, drawn.arcs, drawn.ties,
                             {.device = Device::cuda(), .stop = stop.get_token()}),
                 Cancelled);
  }
}

}  // namespace
}  // namespace fovea
