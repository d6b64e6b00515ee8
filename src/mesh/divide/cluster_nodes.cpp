// Fuzzy clusters of any graph: the face of the passes over distances that segmentation uses too.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/mesh/fuzzy_clusters.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/dispatch.h"
#include "core/words.h"
#include "mesh/divide/fuzzy.h"

namespace fovea::mesh {
namespace {

void check_nodes(int nodes, const FuzzyClusterOptions& options) {
  check_options(options);
  if (nodes < 1 || nodes < options.clusters)
    throw InvalidArgument(
        fmt::format("fuzzy_clusters: cannot make {} of {}",
                    fovea::detail::counted(std::max(options.clusters, 1), "cluster"),
                    fovea::detail::counted(nodes, "node")));
}

bool has_gaps(std::span<const float> distances) {
  return std::any_of(distances.begin(), distances.end(),
                     [](float distance) { return !(distance < kUnreachable); });
}

// Rounding may make the two directions differ a little.
void check_both_ways(ImageView<const float> distances, int x, int y) {
  constexpr float kRounding = 1e-4F;
  const float there = distances.at(x, y), back = distances.at(y, x);
  if (there == back || std::abs(there - back) <= kRounding * std::min(there, back)) return;
  throw InvalidArgument(
      fmt::format("fuzzy_clusters: the distance between nodes {} and {} is {}, but {} between {} "
                  "and {}; expected a symmetric square",
                  y, x, there, back, x, y));
}

// Infinite distances become twice the greatest finite one; 1 where all others are 0.
void bridge_gaps(Image<float>& rows) {
  float greatest = 0;
  const auto each = [&](auto&& take) {
    for (int y = 0; y < rows.height(); ++y)
      for (int x = 0; x < rows.width(); ++x) take(rows.at(x, y));
  };
  each([&](float& distance) {
    if (distance < kUnreachable) greatest = std::max(greatest, distance);
  });
  const float far = greatest > 0 ? 2 * std::min(greatest, 1e30F) : 1;
  each([&](float& distance) {
    if (!(distance < kUnreachable)) distance = far;
  });
}

// Memberships are computed from distances between 1e-12 and 1e18 (nearness()).
void check_scale(FuzzyEngine& engine) {
  constexpr float kLeast = 1e-6F, kMost = 1e15F;
  const std::vector<float> reaches = engine.reaches();
  const float greatest = *std::max_element(reaches.begin(), reaches.end());
  if (greatest > 0 && (greatest < kLeast || greatest > kMost))
    throw InvalidArgument(fmt::format(
        "fuzzy_clusters: the greatest distance is {:g}; expected {:g} to {:g}: multiply all "
        "distances or costs by one number, which does not change the clusters",
        greatest, kLeast, kMost));
}

FuzzyClusters cluster(FuzzyEngine& engine, int nodes, const FuzzyClusterOptions& options) {
  check_scale(engine);
  std::vector<std::int32_t> all(static_cast<std::size_t>(nodes));
  std::iota(all.begin(), all.end(), 0);
  FuzzyClusters result;
  result.chosen = options.clusters == 0;
  const FuzzyRun run =
      settle_representatives(engine, all,
                             {nodes == 1 ? 1 : options.clusters, options.most_clusters,
                              options.rounds, options.power, options.exec});
  result.count = static_cast<int>(run.representatives.size());
  result.rounds = run.rounds;
  result.converged = run.converged;
  const Image<float>& shares = engine.memberships();
  result.memberships = Image<float>(nodes, result.count);
  for (int i = 0; i < result.count; ++i)
    std::copy_n(&shares.at(0, i), nodes, &result.memberships.at(0, i));
  result.labels.assign(all.size(), 0);
  for (int node = 0; node < nodes; ++node)
    for (int i = 1; i < result.count; ++i) {
      std::int32_t& best = result.labels[static_cast<std::size_t>(node)];
      if (result.memberships.at(node, i) > result.memberships.at(node, best)) best = i;
    }
  // A representative belongs to its own cluster even where another one is at distance 0.
  for (const std::size_t node : run.representatives) {
    result.labels[node] = static_cast<std::int32_t>(result.representatives.size());
    result.representatives.push_back(static_cast<std::int32_t>(node));
  }
  return result;
}

FuzzyClusters cluster_rows(ImageView<const float> rows, const FuzzyClusterOptions& options) {
  const std::unique_ptr<FuzzyEngine> engine = cpu::make_fuzzy_engine({rows}, options.exec);
  return cluster(*engine, rows.height, options);
}

Image<float> rows_of(const DistanceTable& table) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(table.nodes()));
  std::iota(all.begin(), all.end(), 0);
  return table.rows(all);
}

FuzzyClusters cluster_table(const DistanceTable& table, const FuzzyClusterOptions& options) {
  // In an undirected graph, one row has gaps if and only if there are several components.
  const std::int32_t first = 0;
  const Image<float> row = table.rows({&first, 1});
  const bool gaps = has_gaps({&row.at(0, 0), static_cast<std::size_t>(table.nodes())});
  FuzzyClusters result;
  if (table.device().kind == DeviceKind::kCuda && !gaps) {
    Exec exec = options.exec;
    exec.device = table.device();
    const CandidateRows rows{{}, &table};
    const std::unique_ptr<FuzzyEngine> engine = cuda::make_fuzzy_engine(rows, exec);
    result = cluster(*engine, table.nodes(), options);
  } else {
    Image<float> rows = rows_of(table);
    if (gaps) bridge_gaps(rows);
    result = cluster_rows(std::as_const(rows).view(), options);
  }
  result.engine = to_string(table.report().engine);
  return result;
}

}  // namespace

void describe(OptionVisitor& visit, FuzzyClusterOptions& options) {
  visit("clusters", options.clusters, "how many clusters to make; 0 chooses the number", 0, 1e9);
  visit("most-clusters", options.most_clusters, "the most clusters, where their number is chosen",
        2, 10000);
  visit("rounds", options.rounds,
        "how often representatives may move; 0 leaves them where they start", 0, 1000);
  visit("power", options.power, "the power of distances in memberships", 1, 16);
  visit.group("paths", options.paths);
}

FuzzyClusters fuzzy_clusters(const Graph& graph, const FuzzyClusterOptions& options) {
  check_nodes(graph.nodes(), options);
  FuzzyClusterOptions here = options;
  here.exec = detail::resolve_exec("fuzzy_clusters", options.exec, {});
  PathOptions paths = options.paths;
  paths.exec = here.exec;
  // Sums differ in their last bits between engines, so that all devices use the same one.
  if (paths.engine == PathEngine::kAuto) paths.engine = PathEngine::kPartitioned;
  return cluster_table(DistanceTable(graph, paths), here);
}

FuzzyClusters fuzzy_clusters(const DistanceTable& distances, const FuzzyClusterOptions& options) {
  check_nodes(distances.nodes(), options);
  return cluster_table(distances, options);
}

FuzzyClusters fuzzy_clusters(ImageView<const float> distances, const FuzzyClusterOptions& options) {
  if (distances.width != distances.height)
    throw InvalidArgument(fmt::format("fuzzy_clusters: distances are {} x {}; expected a square",
                                      distances.width, distances.height));
  check_nodes(distances.width, options);
  bool gaps = false;
  for (int y = 0; y < distances.height; ++y)
    for (int x = 0; x < distances.width; ++x) {
      const float distance = distances.at(x, y);
      if (!(distance >= 0))
        throw InvalidArgument(fmt::format(
            "fuzzy_clusters: the distance between nodes {} and {} is {}; expected 0 or more", y, x,
            distance));
      gaps = gaps || !(distance < kUnreachable);
      if (x < y) check_both_ways(distances, x, y);
    }
  if (!gaps) return cluster_rows(distances, options);
  Image<float> rows(distances.width, distances.height);
  for (int y = 0; y < distances.height; ++y)
    std::copy_n(&distances.at(0, y), distances.width, &rows.at(0, y));
  bridge_gaps(rows);
  return cluster_rows(std::as_const(rows).view(), options);
}

}  // namespace fovea::mesh
