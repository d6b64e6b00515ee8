// The clusters of one connected graph, and the interface that both methods share.
#pragma once
#include <fovea/mesh/explain.h>
#include <fovea/mesh/segment.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "mesh/graph/adjacency.h"

namespace fovea::mesh {

// A part of a mesh's dual graph, with faces numbered from 0.
struct Part {
  DualGraph graph;
  std::vector<float> costs;  // one per arc, relative to the means of the whole component
  bool own_costs = false;    // whether the costs are the caller's
  Adjacency adjacency;

  std::size_t faces() const { return graph.areas.size(); }
};

struct Clusters {
  int count = 1;
  std::vector<std::int32_t> labels;           // one per face; every cluster has a face
  std::vector<std::int32_t> representatives;  // one face per cluster
  std::vector<float> membership;              // one per face: membership in its own cluster
  std::vector<std::int32_t> second;  // one per face: another cluster it may belong to, or -1
  // One row per cluster: the memberships of all faces. Empty unless options keep them.
  std::vector<std::vector<float>> shares{};
  std::vector<HierarchyNode> tree{};  // filled by divide_by_halves(); faces and area are not
  double apart = 0;                   // the distance between the representatives of two clusters
  CountChoice choice{};               // why there are so many clusters
  std::vector<SeamCut> cuts{};        // filled by cut_seams()
  double seconds = 0;                 // the time that distances took
  std::string engine;
};

// Puts everything into one cluster, for this reason.
Clusters one_cluster(const Part& part, CountRule rule = CountRule::kGiven);

// A component after so many rounds of smoothing, with costs of the caller, relative to their mean,
// or these if there are none.
Part prepare_part(const DualGraph& component, std::span<const float> own, double rounds,
                  const ArcCosts& costs, const SegmentOptions& options);
// Returns costs of the caller divided by their mean, or 0 where they are all 0.
std::vector<double> relative_costs(const Part& part);

// A method of dividing: prepare() makes a part with costs from a component, and divide() makes
// `count` clusters of a part (0 chooses the number) and may keep memory for the next call. A part
// that comes from an earlier division need not be connected.
class Divider {
 public:
  virtual ~Divider() = default;
  // `own` are costs of the caller, one per arc, or empty.
  virtual Part prepare(const DualGraph& component, std::span<const float> own) const = 0;
  virtual Clusters divide(const Part& part, int count) = 0;
  // Marks the faces that the cut may give to another cluster, unless divide() has done so.
  virtual void doubt(const Part&, Clusters&) const {}
  // Returns one capacity per arc, for the minimum cut through the faces in doubt.
  virtual std::vector<double> capacities(const Part& part) const = 0;
};
std::unique_ptr<Divider> make_resistance(const SegmentOptions& options);
std::unique_ptr<Divider> make_fuzzy(const SegmentOptions& options);

// Divides parts into two, those with the most to gain first, until there are `count` parts or, if
// `count` is 0, until the rules stop it.
Clusters divide_by_halves(Divider& divider, const Part& part, const SegmentOptions& options,
                          int count);

}  // namespace fovea::mesh
