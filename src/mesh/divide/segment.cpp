// The face of both methods: checks, cuts each component by itself, and puts the parts together.
#include <fovea/mesh/segment.h>

#include <fmt/format.h>
#include <fovea/core/error.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "core/dispatch.h"
#include "mesh/divide/clusters.h"
#include "mesh/divide/seams.h"
#include "mesh/graph/mesh_edges.h"

namespace fovea::mesh {
namespace {

// Components below this share of the area are not divided where the number is chosen.
constexpr double kLeastShare = 0.01;

class Stopwatch {
 public:
  // Since the last call.
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> spent = now - start_;
    start_ = now;
    return spent.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void check(const io::TriangleMesh& mesh, const SegmentOptions& options) {
  check_options(options);
  if (mesh.faces.empty()) throw InvalidArgument("segment: the mesh has no faces");
  if (static_cast<std::size_t>(options.segments) > mesh.faces.size())
    throw InvalidArgument(
        fmt::format("segment: {} segments of a mesh of {} faces; at most one each",
                    options.segments, mesh.faces.size()));
}

std::vector<std::vector<std::int32_t>> faces_of_components(const DualGraph& graph) {
  std::vector<std::vector<std::int32_t>> faces;
  for (std::size_t face = 0; face < graph.components.size(); ++face) {
    const auto component = static_cast<std::size_t>(graph.components[face]);
    if (component == faces.size()) faces.emplace_back();
    faces[component].push_back(static_cast<std::int32_t>(face));
  }
  return faces;
}

// One each, and every further one to the component with the most area a segment. 0: each chooses,
// but for the small ones.
std::vector<int> budgets(const DualGraph& graph,
                         const std::vector<std::vector<std::int32_t>>& components, int segments) {
  std::vector<double> areas(components.size(), 0);
  for (std::size_t i = 0; i < components.size(); ++i)
    for (const std::int32_t face : components[i])
      areas[i] += static_cast<double>(graph.areas[static_cast<std::size_t>(face)]);
  std::vector<int> result(components.size(), 1);
  if (segments == 0) {
    const double all = std::accumulate(areas.begin(), areas.end(), 0.0);
    for (std::size_t i = 0; i < result.size(); ++i)
      if (areas[i] >= kLeastShare * all) result[i] = 0;
    return result;
  }
  for (auto given = static_cast<int>(components.size()); given < segments; ++given) {
    std::size_t next = components.size();
    for (std::size_t i = 0; i < components.size(); ++i)
      if (static_cast<std::size_t>(result[i]) < components[i].size() &&
          (next == components.size() || areas[i] / result[i] > areas[next] / result[next]))
        next = i;
    ++result[next];
  }
  return result;
}

void put_in(const std::vector<std::int32_t>& faces, const Clusters& clusters,
            Segmentation& result) {
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const auto face = static_cast<std::size_t>(faces[i]);
    result.labels[face] = result.clusters + clusters.labels[i];
    result.membership[face] =
        std::clamp(clusters.membership[i], 1 / static_cast<float>(clusters.count), 1.0F);
  }
  for (const std::int32_t face : clusters.representatives)
    result.representatives.push_back(faces[static_cast<std::size_t>(face)]);
  result.clusters += clusters.count;
  result.distance_seconds += clusters.seconds;
  if (!clusters.engine.empty()) result.engine = clusters.engine;
}

}  // namespace

Clusters one_cluster(const Part& part) {
  Clusters clusters;
  clusters.labels.assign(part.faces(), 0);
  clusters.membership.assign(part.faces(), 1);
  clusters.second.assign(part.faces(), -1);
  clusters.representatives.assign(
      1,
      static_cast<std::int32_t>(std::max_element(part.graph.areas.begin(), part.graph.areas.end()) -
                                part.graph.areas.begin()));
  return clusters;
}

Segmentation segment(const io::TriangleMesh& mesh, const SegmentOptions& asked) {
  check(mesh, asked);
  SegmentOptions options = asked;
  options.exec = detail::resolve_exec("segment", asked.exec, {});
  Stopwatch watch;
  Segmentation result;
  const DualGraph graph = dual_graph_unbent(mesh, options.exec);
  const std::vector<std::vector<std::int32_t>> components = faces_of_components(graph);
  const std::vector<int> counts = budgets(graph, components, options.segments);
  const std::unique_ptr<Divider> divider =
      options.method == Method::kFuzzy ? make_fuzzy(options) : make_resistance(options);
  result.labels.resize(mesh.faces.size());
  result.membership.resize(mesh.faces.size());
  result.chosen = options.segments == 0;
  result.graph_seconds = watch.seconds();

  for (std::size_t i = 0; i < components.size(); ++i) {
    throw_if_stopped(options.exec);
    const Part part =
        divider->prepare(components.size() == 1 ? graph : part_of(graph, components[i]));
    result.graph_seconds += watch.seconds();
    Clusters clusters = options.division == Division::kHierarchical && counts[i] != 1
                            ? divide_by_halves(*divider, part, options, counts[i])
                            : divider->divide(part, counts[i]);
    result.cluster_seconds += watch.seconds() - clusters.seconds;
    if (options.cut && clusters.count > 1) {
      divider->doubt(part, clusters);
      result.cut_value += cut_seams(part, divider->capacities(part), clusters);
    }
    give_islands_away(part, options.least_island, clusters);
    put_in(components[i], clusters, result);
    result.cut_seconds += watch.seconds();
  }
  result.pieces = connected_pieces(graph, result.labels, result.segments);
  return result;
}

}  // namespace fovea::mesh
