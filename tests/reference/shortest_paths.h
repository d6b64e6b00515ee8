// Floyd and Warshall's algorithm as textbooks have it, in double precision.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <limits>
#include <vector>

namespace fovea::reference {

inline std::vector<std::vector<double>> all_distances(const Graph& graph) {
  const auto n = static_cast<std::size_t>(graph.nodes());
  std::vector<std::vector<double>> d(
      n, std::vector<double>(n, std::numeric_limits<double>::infinity()));
  for (std::size_t a = 0; a < n; ++a) {
    d[a][a] = 0;
    const auto neighbors = graph.neighbors(static_cast<int>(a));
    for (std::size_t i = 0; i < neighbors.size(); ++i)
      d[a][static_cast<std::size_t>(neighbors[i])] =
          static_cast<double>(graph.costs(static_cast<int>(a))[i]);
  }
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      // Pointers, since a vector's brackets are calls where nothing is optimized.
      double* to = d[i].data();
      const double* onwards = d[k].data();
      const double through = to[k];
      for (std::size_t j = 0; j < n; ++j)
        if (through + onwards[j] < to[j]) to[j] = through + onwards[j];
    }
  return d;
}

}  // namespace fovea::reference
