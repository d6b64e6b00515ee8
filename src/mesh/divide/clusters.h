// What both methods give for one connected graph, and what they are asked.
#pragma once
#include <fovea/mesh/segment.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "mesh/graph/adjacency.h"

namespace fovea::mesh {

// A connected part of a mesh's dual graph, numbered from 0 on.
struct Part {
  DualGraph graph;
  std::vector<float> costs;  // of arcs, by the means of the whole component
  Adjacency adjacency;

  std::size_t faces() const { return graph.areas.size(); }
};

struct Clusters {
  int count = 1;
  std::vector<std::int32_t> labels;           // of each face; every one is used
  std::vector<std::int32_t> representatives;  // a face each
  std::vector<float> membership;              // of each face in its own cluster
  std::vector<std::int32_t> second;  // of each face the cluster it might belong to as well, or -1
  double apart = 0;                  // between the representatives, of two clusters
  double seconds = 0;                // that distances took
  std::string engine;
};

// Everything in one cluster.
Clusters one_cluster(const Part& part);

// A way to divide: a component into its part with costs, a part into `count` clusters (0: chosen).
class Divider {
 public:
  virtual ~Divider() = default;
  virtual Part prepare(const DualGraph& component) const = 0;
  virtual Clusters divide(const Part& part, int count) const = 0;
  // Marks the faces that the cut may give to another cluster, where dividing has not done so.
  virtual void doubt(const Part&, Clusters&) const {}
  // Of arcs, for the minimum cut through the faces in doubt.
  virtual std::vector<double> capacities(const Part& part) const = 0;
};
std::unique_ptr<Divider> make_resistance(const SegmentOptions& options);
std::unique_ptr<Divider> make_fuzzy(const SegmentOptions& options);

// Halves of halves, the farthest apart first, until `count` parts are there, or with 0 until the
// rules stop it.
Clusters divide_by_halves(const Divider& divider, const Part& part, const SegmentOptions& options,
                          int count);

}  // namespace fovea::mesh
