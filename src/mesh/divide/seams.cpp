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

// The faces in doubt between two clusters.
struct SeamBand {
  Pair pair;
  std::vector<std::int32_t> faces{};
  std::size_t waits = 0;  // so many bands must have been cut before this one
  // Its flow network, whose terminals are faces that surely belong to one of the two clusters, and
  // the cut through it.
  std::vector<CutArc> arcs{};
  std::vector<CutTie> ties{};
  bool tied = false;  // there are faces of both clusters around it
  bool solved = false;
  MinimumCut cut{};
};

// Bands are cut in the order of their pairs, because the cut of one may relabel faces beside the
// next. Those that touch no earlier band of the same clusters cannot see the difference, so that
// they are solved at the same time.
class SeamCuts {
 public:
  SeamCuts(const Part& part, std::span<const double> capacities, Clusters& clusters)
      : part_(part),
        capacities_(capacities),
        clusters_(clusters),
        band_(part.faces(), -1),
        node_(part.faces(), -1),
        sizes_(static_cast<std::size_t>(clusters.count), 0) {
    for (const std::int32_t label : clusters.labels) ++sizes_[static_cast<std::size_t>(label)];
    find_bands();
  }

  double run(const Exec& exec, std::size_t fewest) {
    double value = 0;
    for (std::size_t done = 0; done < bands_.size();) {
      solve_ready(done, exec, fewest);
      for (; done < bands_.size() && bands_[done].solved; ++done) value += apply(bands_[done]);
    }
    return value;
  }

 private:
  void find_bands() {
    std::map<Pair, std::vector<std::int32_t>> doubtful;
    for (std::size_t face = 0; face < part_.faces(); ++face) {
      const std::int32_t label = clusters_.labels[face];
      const std::int32_t second = clusters_.second[face];
      if (second < 0 || second == label) continue;
      doubtful[std::minmax(label, second)].push_back(static_cast<std::int32_t>(face));
    }
    bands_.reserve(doubtful.size());
    for (auto& [pair, faces] : doubtful) {
      for (std::size_t i = 0; i < faces.size(); ++i) {
        band_[static_cast<std::size_t>(faces[i])] = static_cast<std::int32_t>(bands_.size());
        node_[static_cast<std::size_t>(faces[i])] = static_cast<std::int32_t>(i);
      }
      bands_.push_back({.pair = pair, .faces = std::move(faces)});
    }
    for (std::size_t i = 0; i < bands_.size(); ++i)
      for (const std::int32_t face : bands_[i].faces)
        for (const Neighbor& next : part_.adjacency.of(face)) {
          const std::int32_t other = band_[static_cast<std::size_t>(next.face)];
          if (other < 0 || static_cast<std::size_t>(other) >= i) continue;
          const auto before = static_cast<std::size_t>(other);
          if (share_cluster(bands_[before].pair, bands_[i].pair))
            bands_[i].waits = std::max(bands_[i].waits, before + 1);
        }
  }
  static bool share_cluster(Pair a, Pair b) {
    return a.first == b.first || a.first == b.second || a.second == b.first || a.second == b.second;
  }

  // Solves all bands that need to wait for no more than the `done` first ones.
  void solve_ready(std::size_t done, const Exec& exec, std::size_t fewest) {
    std::size_t faces = 0;
    std::vector<SeamBand*> ready;
    std::vector<CutProblem> problems;
    for (std::size_t i = done; i < bands_.size(); ++i) {
      SeamBand& band = bands_[i];
      if (band.solved || band.waits > done) continue;
      make_network(static_cast<std::int32_t>(i), band);
      band.solved = true;
      if (!band.tied) continue;
      ready.push_back(&band);
      faces += band.faces.size();
      problems.push_back({static_cast<int>(band.faces.size()), band.arcs, band.ties});
    }
    Exec here = exec;
    if (faces < fewest) here.device = Device::cpu();
    std::vector<MinimumCut> cuts = minimum_cuts(problems, here);
    for (std::size_t i = 0; i < ready.size(); ++i) ready[i]->cut = std::move(cuts[i]);
  }

  void make_network(std::int32_t number, SeamBand& band) const {
    bool tied[2] = {false, false};
    band.ties.resize(band.faces.size());
    for (std::size_t i = 0; i < band.faces.size(); ++i) {
      CutTie& tie = band.ties[i];
      tie.node = static_cast<std::int32_t>(i);
      for (const Neighbor& next : part_.adjacency.of(band.faces[i])) {
        const double capacity = capacities_[static_cast<std::size_t>(next.arc)];
        const auto at = static_cast<std::size_t>(next.face);
        if (band_[at] == number) {
          if (band.faces[i] < next.face) band.arcs.push_back({tie.node, node_[at], capacity});
          continue;
        }
        const std::int32_t label = clusters_.labels[at];
        if (label == band.pair.first) tie.to_source += capacity;
        if (label == band.pair.second) tie.to_sink += capacity;
        tied[0] |= label == band.pair.first;
        tied[1] |= label == band.pair.second;
      }
    }
    band.tied = tied[0] && tied[1];
  }

  // Relabels the faces of a band and returns the value of its cut.
  double apply(SeamBand& band) {
    for (std::size_t i = 0; band.tied && i < band.faces.size(); ++i)
      relabel(band.faces[i], band.cut.source_side[i] ? band.pair.first : band.pair.second);
    band.arcs = {};
    band.ties = {};
    clusters_.cuts.push_back(
        {band.pair.first, band.pair.second, std::ssize(band.faces), band.cut.value});
    return band.cut.value;
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
  std::vector<SeamBand> bands_;
  std::vector<std::int32_t> band_;  // one per face: its band, or -1
  std::vector<std::int32_t> node_;  // one per face: its place in its band
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

double cut_seams(const Part& part, std::span<const double> capacities, Clusters& clusters,
                 const Exec& exec, std::size_t fewest) {
  return SeamCuts(part, capacities, clusters).run(exec, fewest);
}

int connected_pieces(const DualGraph& graph, std::span<const std::int32_t> labels,
                     std::vector<std::int32_t>& pieces) {
  Components components(labels.size());
  for (const DualArc& arc : graph.arcs)
    if (labels[static_cast<std::size_t>(arc.a)] == labels[static_cast<std::size_t>(arc.b)])
      components.join(arc.a, arc.b);
  return components.number(pieces);
}

void reassign_islands(const Part& part, int least, Clusters& clusters) {
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
