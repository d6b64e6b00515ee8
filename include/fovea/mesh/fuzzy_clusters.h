#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/ops/shortest_paths.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fovea::mesh {

struct FuzzyClusterOptions {
  int clusters = 0;        // how many clusters to make; 0 chooses the number
  int most_clusters = 20;  // 2 to 10000: the most, where their number is chosen
  int rounds = 10;         // 0 to 1000: how often representatives may move
  int power = 1;           // 1 to 16: the power of distances in memberships
  PathOptions paths{};     // how distances in a graph are found; its exec is not used
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, FuzzyClusterOptions& options);

struct FuzzyClusters {
  int count = 0;
  std::vector<std::int32_t> labels;           // one per node: the cluster it belongs to most
  std::vector<std::int32_t> representatives;  // one node per cluster
  Image<float> memberships;  // one row per cluster, one column per node; a column adds up to 1
  int rounds = 0;            // how often representatives moved
  bool converged = false;    // whether they stayed in the end
  bool chosen = false;       // whether the number of clusters was chosen
  std::string engine;        // the engine that found shortest paths; empty where none did
};

// Katz and Tal's fuzzy clustering (SIGGRAPH 2003) on any graph: the first representative has the
// least sum of distances to all nodes, each further one is farthest from those before (two are the
// two nodes farthest apart); memberships are 1 / distance to a power, scaled to a sum of 1; and
// representatives move to the nodes with the least sum of distances weighted by membership until
// they stay. Where there is no path between two nodes, their distance counts as twice the greatest
// one, so that components become clusters. Needs 4 bytes times the square of the number of nodes.
// Throws InvalidArgument for a graph without nodes or with fewer nodes than clusters, and where the
// greatest distance is not 0 but below 1e-6 or above 1e15. Results are the same for any number of
// threads and on any device.
FOVEA_API FuzzyClusters fuzzy_clusters(const Graph& graph, const FuzzyClusterOptions& options = {});
// The same from distances that are there already, which stay where they lie.
FOVEA_API FuzzyClusters fuzzy_clusters(const DistanceTable& distances,
                                       const FuzzyClusterOptions& options = {});
// From a square of distances, by any measure: symmetric, 0 or more, infinite where there is no
// path. It lies in host memory, and the work is done on the CPU.
FOVEA_API FuzzyClusters fuzzy_clusters(ImageView<const float> distances,
                                       const FuzzyClusterOptions& options = {});

}  // namespace fovea::mesh
