// Graphs to find paths in.
#pragma once
#include <fovea/core/random.h>
#include <fovea/ops/shortest_paths.h>

#include <vector>

namespace fovea::test {

// A rectangle of nodes joined to their neighbors.
inline Graph grid(int width, int height, float cost = 1) {
  std::vector<GraphArc> arcs;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      if (x > 0) arcs.push_back({y * width + x, y * width + x - 1, cost});
      if (y > 0) arcs.push_back({y * width + x, y * width + x - width, cost});
    }
  return {width * height, arcs};
}

// Arcs drawn by chance, every fifth without a cost; some nodes may have none.
inline Graph scattered(int nodes, int arcs, std::uint64_t seed) {
  Random random(seed);
  std::vector<GraphArc> all;
  const auto node = [&] {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(nodes)));
  };
  for (int i = 0; i < arcs; ++i)
    all.push_back({node(), node(), i % 5 == 0 ? 0.F : random.uniform(0, 10)});
  return {nodes, all};
}

// Several graphs that do not touch, their nodes dealt out in turns.
inline Graph apart(const Graph& one, int copies) {
  std::vector<GraphArc> arcs;
  for (int c = 0; c < copies; ++c)
    for (int a = 0; a < one.nodes(); ++a)
      for (std::size_t i = 0; i < one.degree(a); ++i)
        arcs.push_back({a * copies + c, one.neighbors(a)[i] * copies + c, one.costs(a)[i]});
  return {one.nodes() * copies, arcs};
}

}  // namespace fovea::test
