#include "mesh/divide/seams.h"

#include <fovea/ops/max_flow.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <utility>

#include "mesh/graph/mesh_edges.h"

namespace fovea::mesh {
namespace {

using Waiting = std::pair<float, std::int32_t>;
using Pair = std::pair<std::int32_t, std::int32_t>;

// Faces in doubt between two clusters as nodes of a flow network; faces that surely belong to one
// of the two are its terminals.
class SeamCut {
 public:
  SeamCut(const Part& part, std::span<const double> capacities, Clusters& clusters)
      : part_(part),
        capacities_(capacities),
        clusters_(clusters),
        node_(part.faces(), -1),
        sizes_(static_cast<std::size_t>(clusters.count), 0) {
    for (const std::int32_t label : clusters.labels) ++sizes_[static_cast<std::size_t>(label)];
  }

  double between(Pair pair, const std::vector<std::int32_t>& faces) {
    for (std::size_t i = 0; i < faces.size(); ++i)
      node_[static_cast<std::size_t>(faces[i])] = static_cast<std::int32_t>(i);
    const double value = solve(pair, faces);
    for (const std::int32_t face : faces) node_[static_cast<std::size_t>(face)] = -1;
    return value;
  }

 private:
  double solve(Pair pair, const std::vector<std::int32_t>& faces) {
    std::vector<CutArc> arcs;
    std::vector<CutTie> ties(faces.size());
    bool tied[2] = {false, false};
    for (std::size_t i = 0; i < faces.size(); ++i) {
      ties[i].node = static_cast<std::int32_t>(i);
      for (const Neighbor& next : part_.adjacency.of(faces[i])) {
        const double capacity = capacities_[static_cast<std::size_t>(next.arc)];
        const std::int32_t other = node_[static_cast<std::size_t>(next.face)];
        if (other >= 0) {
          if (faces[i] < next.face) arcs.push_back({ties[i].node, other, capacity});
          continue;
        }
        const std::int32_t label = clusters_.labels[static_cast<std::size_t>(next.face)];
        if (label == pair.first) ties[i].to_source += capacity;
        if (label == pair.second) ties[i].to_sink += capacity;
        tied[0] |= label == pair.first;
        tied[1] |= label == pair.second;
      }
    }
    if (!tied[0] || !tied[1]) return 0;
    const MinimumCut cut = minimum_cut(static_cast<int>(faces.size()), arcs, ties);
    for (std::size_t i = 0; i < faces.size(); ++i)
      relabel(faces[i], cut.source_side[i] ? pair.first : pair.second);
    return cut.value;
  }
  void relabel(std::int32_t face, std::int32_t to) {
    std::int32_t& label = clusters_.labels[static_cast<std::size_t>(face)];
    if (label == to || sizes_[static_cast<std::size_t>(label)] == 1) return;
    --sizes_[static_cast<std::size_t>(label)];
    ++sizes_[static_cast<std::size_t>(to)];
    label = to;
  }

  const Part& part_;
  std::span<const double> capacities_;
  Clusters& clusters_;
  std::vector<std::int32_t> node_;
  std::vector<std::int64_t> sizes_;
};

}  // namespace

void doubt_near_seams(const Part& part, double width, Clusters& clusters) {
  std::vector<float> distance(part.faces(), std::numeric_limits<float>::infinity());
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> queue;
  clusters.second.assign(part.faces(), -1);
  for (const DualArc& arc : part.graph.arcs) {
    for (const auto& [face, other] : {Pair(arc.a, arc.b), Pair(arc.b, arc.a)}) {
      const std::int32_t beyond = clusters.labels[static_cast<std::size_t>(other)];
      const auto at = static_cast<std::size_t>(face);
      if (clusters.labels[at] == beyond || distance[at] <= arc.geodesic / 2) continue;
      distance[at] = arc.geodesic / 2;
      clusters.second[at] = beyond;
      queue.emplace(distance[at], face);
    }
  }
  std::vector<float> depth(static_cast<std::size_t>(clusters.count), 0);
  while (!queue.empty()) {
    const auto [far, face] = queue.top();
    queue.pop();
    const auto from = static_cast<std::size_t>(face);
    if (far > distance[from]) continue;
    depth[static_cast<std::size_t>(clusters.labels[from])] = far;
    for (const Neighbor& next : part.adjacency.of(face)) {
      const auto at = static_cast<std::size_t>(next.face);
      const float there = far + part.graph.arcs[static_cast<std::size_t>(next.arc)].geodesic;
      if (clusters.labels[at] != clusters.labels[from] || there >= distance[at]) continue;
      distance[at] = there;
      clusters.second[at] = clusters.second[from];
      queue.emplace(there, next.face);
    }
  }
  for (std::size_t face = 0; face < part.faces(); ++face) {
    const float deepest = depth[static_cast<std::size_t>(clusters.labels[face])];
    if (static_cast<double>(distance[face]) > std::min(width, 0.5 * static_cast<double>(deepest)))
      clusters.second[face] = -1;
  }
}

double cut_seams(const Part& part, std::span<const double> capacities, Clusters& clusters) {
  std::map<Pair, std::vector<std::int32_t>> doubtful;
  for (std::size_t face = 0; face < part.faces(); ++face) {
    const std::int32_t label = clusters.labels[face];
    const std::int32_t second = clusters.second[face];
    if (second < 0 || second == label) continue;
    doubtful[std::minmax(label, second)].push_back(static_cast<std::int32_t>(face));
  }
  SeamCut cut(part, capacities, clusters);
  double value = 0;
  for (const auto& [pair, faces] : doubtful) value += cut.between(pair, faces);
  return value;
}

int connected_pieces(const DualGraph& graph, std::span<const std::int32_t> labels,
                     std::vector<std::int32_t>& pieces) {
  Components components(labels.size());
  for (const DualArc& arc : graph.arcs)
    if (labels[static_cast<std::size_t>(arc.a)] == labels[static_cast<std::size_t>(arc.b)])
      components.join(arc.a, arc.b);
  return components.number(pieces);
}

void give_islands_away(const Part& part, int least, Clusters& clusters) {
  std::vector<std::int32_t> pieces;
  // A piece that is given away may join others and change what is an island, so that this is
  // repeated until no island is left.
  for (;;) {
    const auto count =
        static_cast<std::size_t>(connected_pieces(part.graph, clusters.labels, pieces));
    std::vector<std::int64_t> sizes(count, 0);
    std::vector<std::int32_t> label(count, 0);
    for (std::size_t face = 0; face < pieces.size(); ++face) {
      ++sizes[static_cast<std::size_t>(pieces[face])];
      label[static_cast<std::size_t>(pieces[face])] = clusters.labels[face];
    }
    std::vector<std::size_t> largest(static_cast<std::size_t>(clusters.count), count);
    for (std::size_t piece = 0; piece < count; ++piece) {
      std::size_t& best = largest[static_cast<std::size_t>(label[piece])];
      if (best == count || sizes[piece] > sizes[best]) best = piece;
    }
    std::size_t island = count;
    for (std::size_t piece = 0; piece < count; ++piece)
      if (sizes[piece] < least && largest[static_cast<std::size_t>(label[piece])] != piece &&
          (island == count || sizes[piece] < sizes[island]))
        island = piece;
    if (island == count) return;
    std::map<std::int32_t, double> border;
    const auto here = static_cast<std::int32_t>(island);
    for (const DualArc& arc : part.graph.arcs) {
      const std::int32_t a = pieces[static_cast<std::size_t>(arc.a)];
      const std::int32_t b = pieces[static_cast<std::size_t>(arc.b)];
      if ((a == here) == (b == here)) continue;
      border[clusters.labels[static_cast<std::size_t>(a == here ? arc.b : arc.a)]] +=
          static_cast<double>(arc.edge);
    }
    std::int32_t to = border.begin()->first;
    for (const auto& [other, size] : border)
      if (size > border[to]) to = other;
    for (std::size_t face = 0; face < pieces.size(); ++face)
      if (pieces[face] == here) clusters.labels[face] = to;
  }
}

}  // namespace fovea::mesh
