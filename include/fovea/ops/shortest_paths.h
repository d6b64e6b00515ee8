#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fovea {

struct GraphArc {
  std::int32_t a = 0;
  std::int32_t b = 0;
  float cost = 0;  // 0 or more, finite
};

// An undirected graph, neighbors of a node together.
class FOVEA_API Graph {
 public:
  Graph() = default;
  // Of several arcs between two nodes the cheapest counts; those from a node to itself do not.
  // InvalidArgument for a node that is not there and a cost that is negative or not finite.
  Graph(int nodes, std::span<const GraphArc> arcs);

  int nodes() const { return nodes_; }
  std::int64_t arcs() const { return static_cast<std::int64_t>(neighbors_.size()) / 2; }
  std::span<const std::int32_t> neighbors(int node) const {
    return {neighbors_.data() + first_[static_cast<std::size_t>(node)], degree(node)};
  }
  std::span<const float> costs(int node) const {
    return {costs_.data() + first_[static_cast<std::size_t>(node)], degree(node)};
  }
  std::size_t degree(int node) const {
    return static_cast<std::size_t>(first_[static_cast<std::size_t>(node) + 1] -
                                    first_[static_cast<std::size_t>(node)]);
  }

 private:
  int nodes_ = 0;
  std::vector<std::int64_t> first_{0};  // of each node in the lists below, and their end
  std::vector<std::int32_t> neighbors_;
  std::vector<float> costs_;
};

// dijkstra: from every node, for sparse graphs; on the CPU whatever device was asked for.
// floyd-warshall: blocked, half of the matrix only (Katz and Kider 2008), for dense graphs. On a
// GPU it needs 4 bytes times the square of the nodes there. partitioned: the graph is cut into
// parts, and distances inside parts and over the nodes on their borders are combined (Djidjev et
// al. 2014), for large sparse graphs that fall into parts, as meshes do.
enum class PathEngine : unsigned char { kAuto, kDijkstra, kFloydWarshall, kPartitioned };
FOVEA_API std::span<const Choice> choices(PathEngine);
FOVEA_API const char* to_string(PathEngine engine);

constexpr float kUnreachable = std::numeric_limits<float>::infinity();

struct PathOptions {
  PathEngine engine = PathEngine::kAuto;  // auto: by size, density, device and free memory
  float cutoff = kUnreachable;  // distances beyond it need not be known and are given as infinite;
                                // saves time with dijkstra
  std::uint64_t memory = 0;     // most bytes for distances on the device; 0: what it has free. What
                                // does not fit goes through the host's memory in tiles
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, PathOptions& options);

// The distances between all nodes, each pair kept once.
class FOVEA_API DistanceMatrix {
 public:
  DistanceMatrix() = default;
  explicit DistanceMatrix(int nodes);

  int nodes() const { return nodes_; }
  // In any order of the two.
  float at(int a, int b) const { return values_[index(a, b)]; }
  void set(int a, int b, float distance) { values_[index(a, b)] = distance; }
  // The distances of one node to all, in their order.
  void row(int node, std::span<float> to) const;
  // Pairs (a, b) with b <= a, row after row.
  std::span<const float> lower() const { return {values_.data(), values_.size()}; }
  std::span<float> lower() { return {values_.data(), values_.size()}; }

 private:
  static std::size_t index(int a, int b) {
    const auto high = static_cast<std::size_t>(a > b ? a : b);
    return high * (high + 1) / 2 + static_cast<std::size_t>(a > b ? b : a);
  }
  int nodes_ = 0;
  Array<float> values_;
};

struct PathRun {
  PathEngine engine = PathEngine::kDijkstra;  // that did it
  std::string why;                            // chosen by auto, in words
  int parts = 0;                              // of partitioned
  double relaxations = 0;  // minima of a sum that were taken (floyd-warshall and partitioned)
};

// Distances from every node to every other; infinite where there is no path. Engines agree to 1e-4
// relative; each gives the same bits for any number of threads, and floyd-warshall and partitioned
// the same on CPU and GPU. Memory: 2 bytes times the square of the nodes.
FOVEA_API DistanceMatrix all_distances(const Graph& graph, const PathOptions& options = {},
                                       PathRun* run = nullptr);

// The same without keeping them: rows of the whole square as they are ready, in their order, from
// the calling thread. Memory does not grow with the square of the nodes (but for floyd-warshall,
// which needs half of it). The numbers are all_distances()'s; with dijkstra, whose sums start at
// the node of the row, they may differ in the last bits.
struct DistanceRows {
  int first = 0;                // node of the first row
  ImageView<const float> rows;  // in host memory, valid during the call
};
FOVEA_API void stream_distances(const Graph& graph,
                                const std::function<void(const DistanceRows&)>& take,
                                const PathOptions& options = {}, PathRun* run = nullptr);

namespace detail {
class TableMemory;
}

// The distances between all nodes, kept where they were made: a GPU's lie in its own memory, as a
// square of 4 bytes a pair, so that what goes on working there copies nothing. Those that a GPU has
// no room for lie on the host, as the CPU's do. The numbers are all_distances()'s.
class FOVEA_API DistanceTable {
 public:
  DistanceTable();
  explicit DistanceTable(const Graph& graph, const PathOptions& options = {});
  ~DistanceTable();
  DistanceTable(DistanceTable&& other) noexcept;
  DistanceTable& operator=(DistanceTable&& other) noexcept;

  // Those of another graph, in the same memory if that is large enough.
  void compute(const Graph& graph, const PathOptions& options = {});

  int nodes() const;
  const PathRun& run() const;
  Device device() const;  // where they lie: cpu, or a GPU
  // The distances of some nodes to all, one a row, on the host.
  Image<float> rows(std::span<const std::int32_t> nodes) const;
  // All of them, on the host.
  DistanceMatrix matrix() const;

 private:
  friend class detail::TableMemory;
  std::unique_ptr<detail::TableMemory> memory_;
};

// Distances from each of some nodes to all, one a row.
FOVEA_API Image<float> distances_from(const Graph& graph, std::span<const std::int32_t> sources,
                                      const PathOptions& options = {});

// For every node the nearest of some nodes, and how far it is.
struct NearestSource {
  std::vector<float> distance;
  std::vector<std::int32_t> source;  // its place in the list; -1 where none is reached
};
FOVEA_API NearestSource nearest_source(const Graph& graph, std::span<const std::int32_t> sources,
                                       const PathOptions& options = {});

}  // namespace fovea
