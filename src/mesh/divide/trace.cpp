#include "mesh/divide/trace.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fovea::mesh {
namespace {

// By what the weakest and the strongest edge of a seam are found.
double strength(const CutEdge& edge, Method method) {
  if (method == Method::kFuzzy) return edge.capacity;
  return edge.length > 0 ? edge.capacity / edge.length : 0;
}

}  // namespace

void begin_explanation(const DualGraph& graph, SegmentExplanation& why) {
  why.edges.assign(graph.arcs.size(), {});
  why.doubt.assign(graph.areas.size(), -1);
  why.before.assign(graph.areas.size(), -1);
}

void note_clusters(const Part& part, std::span<const std::int32_t> faces, const Clusters& clusters,
                   std::int32_t first, SegmentExplanation& why) {
  for (std::size_t i = 0; i < part.faces(); ++i) {
    const auto face = static_cast<std::size_t>(faces[i]);
    why.before[face] = first + clusters.labels[i];
    const std::int32_t other = clusters.second[i];
    if (other >= 0 && other != clusters.labels[i]) why.doubt[face] = first + other;
  }
}

void note_choice(const Clusters& clusters, std::int32_t first, SegmentExplanation& why) {
  for (SeamCut cut : clusters.cuts) {
    cut.part_a += first;
    cut.part_b += first;
    why.cuts.push_back(cut);
  }
  CountChoice choice = clusters.choice;
  choice.count = clusters.count;
  for (PartStop& stop : choice.stops) stop.part += first;
  std::ranges::sort(choice.stops, {}, &PartStop::part);
  why.counts.push_back(std::move(choice));
}

void note_edges(const Part& part, std::span<const std::int32_t> faces,
                std::span<const std::int32_t> arcs, std::span<const double> capacities,
                SegmentExplanation& why) {
  for (std::size_t i = 0; i < part.graph.arcs.size(); ++i) {
    const DualArc& arc = part.graph.arcs[i];
    why.edges[arcs.empty() ? i : static_cast<std::size_t>(arcs[i])] = {
        .face_a = faces[static_cast<std::size_t>(arc.a)],
        .face_b = faces[static_cast<std::size_t>(arc.b)],
        .vertex_a = arc.low,
        .vertex_b = arc.high,
        .capacity = capacities[i],
        .length = static_cast<double>(arc.edge),
        .angle = static_cast<double>(arc.angle),
        .concave = arc.concave};
  }
}

void unscale(SegmentExplanation& why, bool lengths, double scale) {
  for (CutEdge& edge : why.edges) {
    edge.length /= scale;
    if (lengths) edge.capacity /= scale;
  }
  for (SeamCut& cut : why.cuts)
    if (lengths) cut.value /= scale;
}

void find_seams(SegmentExplanation& why) {
  std::map<std::pair<std::int32_t, std::int32_t>, Seam> seams;
  const std::vector<std::int32_t>& labels = why.segmentation.labels;
  for (const CutEdge& edge : why.edges) {
    const std::int32_t a = labels[static_cast<std::size_t>(edge.face_a)];
    const std::int32_t b = labels[static_cast<std::size_t>(edge.face_b)];
    if (a == b) continue;
    Seam& seam = seams[std::minmax(a, b)];
    const double here = strength(edge, why.method);
    if (seam.edges == 0 || here < strength(seam.weakest, why.method)) seam.weakest = edge;
    if (seam.edges == 0 || here > strength(seam.strongest, why.method)) seam.strongest = edge;
    ++seam.edges;
    seam.capacity += edge.capacity;
    seam.length += edge.length;
    if (edge.concave) seam.concave_length += edge.length;
  }
  why.seams.reserve(seams.size());
  for (auto& [parts, seam] : seams) {
    seam.part_a = parts.first;
    seam.part_b = parts.second;
    why.capacity += seam.capacity;
    why.seams.push_back(seam);
  }
}

}  // namespace fovea::mesh
