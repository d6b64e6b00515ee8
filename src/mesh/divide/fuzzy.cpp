// Katz and Tal, "Hierarchical mesh decomposition using fuzzy clustering and cuts" (SIGGRAPH 2003):
// chooses representatives by shortest paths, computes memberships by distance to them, moves
// representatives until they no longer change, and leaves faces whose two best memberships are
// similar to a minimum cut. Sums run over all faces, and every face may be a representative unless
// the number of candidates is given.
#include "mesh/divide/fuzzy.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "core/dispatch.h"
#include "mesh/divide/clusters.h"
#include "mesh/divide/superfaces.h"
#include "mesh/graph/surface_math.h"

namespace fovea::mesh {
namespace {

class Fuzzy final : public Divider {
 public:
  explicit Fuzzy(const SegmentOptions& options) : options_(options) {}

  Part prepare(const DualGraph& component, std::span<const float> own) const override {
    return prepare_part(component, own, 0, options_.fuzzy.costs, options_);
  }

  Clusters divide(const Part& part, int count) override {
    if (count == 1 || part.faces() < 2) return one_cluster(part);
    const auto start = std::chrono::steady_clock::now();
    const Candidates candidates = measure(part);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    const CandidateRows rows{candidates.rows, candidates.table};
    const std::unique_ptr<FuzzyEngine> engine = detail::on_cuda(options_.exec)
                                                    ? cuda::make_fuzzy_engine(rows, options_.exec)
                                                    : cpu::make_fuzzy_engine(rows, options_.exec);

    const FuzzyOptions& how = options_.fuzzy;
    const FuzzyRun run = settle_representatives(
        *engine, candidates.faces, {count, how.most_parts, how.rounds, how.power, options_.exec});
    const std::vector<std::size_t>& representatives = run.representatives;
    Clusters clusters = assign(candidates.faces, representatives, engine->memberships());
    if (clusters.count == 2)
      clusters.apart = static_cast<double>(
          engine->row(representatives[0])[static_cast<std::size_t>(clusters.representatives[1])]);
    if (count == 0) clusters.choice.rule = CountRule::kDistances;
    for (const double decrease : run.decreases)
      clusters.choice.scores.push_back(
          {static_cast<int>(clusters.choice.scores.size()) + 2, decrease});
    clusters.seconds = spent.count();
    clusters.engine = candidates.engine;
    return clusters;
  }

  // 1 / (1 + angular / mean), as in the paper; the caller's costs stand in for the angular ones.
  std::vector<double> capacities(const Part& part) const override {
    if (part.own_costs) {
      std::vector<double> result = relative_costs(part);
      for (double& value : result) value = 1 / (1 + value);
      return result;
    }
    const double eta = options_.fuzzy.costs.eta;
    std::vector<double> angular(part.graph.arcs.size());
    double sum = 0;
    for (std::size_t i = 0; i < angular.size(); ++i) {
      const DualArc& arc = part.graph.arcs[i];
      angular[i] = (arc.concave ? 1 : eta) * one_minus_cosine(arc.angle);
      sum += angular[i];
    }
    const double mean = sum / std::max<double>(static_cast<double>(angular.size()), 1);
    for (double& value : angular) value = 1 / (1 + (mean > 1e-9 ? value / mean : 0));
    return angular;
  }

 private:
  // The faces that may be representatives, and their distances to all faces.
  struct Candidates {
    std::vector<std::int32_t> faces;
    ImageView<const float> rows{};
    const DistanceTable* table =
        nullptr;  // used instead of rows if a GPU goes on working with them
    std::string engine;
  };
  Candidates measure(const Part& part) {
    std::vector<GraphArc> arcs(part.graph.arcs.size());
    for (std::size_t i = 0; i < arcs.size(); ++i)
      arcs[i] = {part.graph.arcs[i].a, part.graph.arcs[i].b, part.costs[i]};
    const auto faces = static_cast<int>(part.faces());
    const Graph graph(faces, arcs);
    PathOptions paths = options_.paths;
    paths.exec = options_.exec;
    Candidates result;
    const int some = options_.fuzzy.candidates;
    if (some > 0 && some < faces) {
      // From only a few faces, Dijkstra's algorithm on the CPU is fastest, whatever the device.
      paths.exec.device = Device::cpu();
      result.faces = make_superfaces(part, some, options_.exec).seeds;
      rows_ = distances_from(graph, result.faces, paths);
      result.rows = std::as_const(rows_).view();
      result.engine = to_string(PathEngine::kDijkstra);
      return result;
    }
    result.faces.resize(part.faces());
    std::iota(result.faces.begin(), result.faces.end(), 0);
    // Sums differ in their last bits between engines, so that all devices use the same one.
    if (paths.engine == PathEngine::kAuto) paths.engine = PathEngine::kPartitioned;
    PathReport report;
    if (detail::on_cuda(options_.exec)) {
      table_.compute(graph, paths);
      result.table = &table_;
      report = table_.report();
    } else {
      if (rows_.width() < faces || rows_.height() < faces) {
        rows_ = {};  // freed first, so that both tables are never in memory at the same time
        rows_ = Image<float>(faces, faces);
      }
      const auto take = [&](const DistanceRows& some_rows) {
        for (int row = 0; row < some_rows.rows.height; ++row)
          std::copy_n(&some_rows.rows.at(0, row), faces, &rows_.at(0, some_rows.first + row));
      };
      stream_distances(graph, take, paths, &report);
      result.rows = std::as_const(rows_).view();
      result.rows.width = faces;
      result.rows.height = faces;
    }
    result.engine = to_string(report.engine);
    return result;
  }

  Clusters assign(std::span<const std::int32_t> candidates,
                  std::span<const std::size_t> representatives,
                  const Image<float>& membership) const {
    Clusters clusters;
    const auto faces = static_cast<std::size_t>(membership.width());
    clusters.count = static_cast<int>(representatives.size());
    clusters.labels.resize(faces);
    clusters.membership.resize(faces);
    clusters.second.assign(faces, -1);
    for (const std::size_t i : representatives) clusters.representatives.push_back(candidates[i]);
    for (std::size_t face = 0; face < faces; ++face) {
      const auto share = [&](std::int32_t i) { return membership.at(static_cast<int>(face), i); };
      std::int32_t best = 0;
      std::int32_t second = -1;
      for (std::int32_t i = 1; i < clusters.count; ++i) {
        if (share(i) > share(best)) {
          second = best;
          best = i;
        } else if (second < 0 || share(i) > share(second)) {
          second = i;
        }
      }
      clusters.labels[face] = best;
      clusters.membership[face] = share(best);
      if (second >= 0 &&
          static_cast<double>(share(best) - share(second)) < options_.fuzzy.fuzziness)
        clusters.second[face] = second;
    }
    if (options_.keep_memberships)
      for (int i = 0; i < clusters.count; ++i)
        clusters.shares.emplace_back(&membership.at(0, i), &membership.at(0, i) + faces);
    // A representative always belongs to its own cluster, even if another one is at distance 0, so
    // that no cluster is empty.
    for (std::int32_t i = 0; i < clusters.count; ++i) {
      const auto face =
          static_cast<std::size_t>(clusters.representatives[static_cast<std::size_t>(i)]);
      clusters.labels[face] = i;
      clusters.second[face] = -1;
    }
    return clusters;
  }

  const SegmentOptions& options_;
  // Kept from one part or mesh to the next.
  Image<float> rows_;
  DistanceTable table_;
};

}  // namespace

std::unique_ptr<Divider> make_fuzzy(const SegmentOptions& options) {
  return std::make_unique<Fuzzy>(options);
}

}  // namespace fovea::mesh
