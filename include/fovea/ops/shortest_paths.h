#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>

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

// A graph that stores the neighbors of a node next to each other. An arc leads both ways, unless
// the graph was made by directed_graph().
class FOVEA_API Graph {
 public:
  Graph() = default;
  // Where several arcs connect two nodes, the cheapest counts; arcs from a node to itself are
  // ignored. Throws InvalidArgument for a node that does not exist and for a cost that is negative
  // or not finite.
  Graph(int nodes, std::span<const GraphArc> arcs);

  int nodes() const { return nodes_; }
  std::int64_t arcs() const {
    return static_cast<std::int64_t>(neighbors_.size()) / (directed_ ? 1 : 2);
  }
  bool directed() const { return directed_; }
  // The nodes that arcs lead to from this one.
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
  friend FOVEA_API Graph directed_graph(int nodes, std::span<const GraphArc> arcs);
  Graph(int nodes, std::span<const GraphArc> arcs, bool directed);

  int nodes_ = 0;
  bool directed_ = false;
  std::vector<std::int64_t> first_{0};  // where each node's part of the lists below begins, and
                                        // where the last ends
  std::vector<std::int32_t> neighbors_;
  std::vector<float> costs_;
};

// A graph whose arcs lead from a to b only. Throws as the constructor of Graph does.
FOVEA_API Graph directed_graph(int nodes, std::span<const GraphArc> arcs);

// kDijkstra searches from every node and suits sparse graphs; between all nodes it runs on the CPU.
// kFloydWarshall works on half of the matrix in blocks (Katz and Kider 2008) and suits dense
// graphs; PathStorage says what it needs on a GPU. kPartitioned divides the graph and combines
// distances inside its parts with distances over the nodes on their borders (Djidjev et al. 2014);
// it suits large sparse graphs that are easy to divide, as meshes are. Directed graphs work with
// the first two; kFloydWarshall then works on the whole matrix, which takes twice as many steps and
// bytes.
enum class PathEngine : unsigned char { kAuto, kDijkstra, kFloydWarshall, kPartitioned };
FOVEA_API std::span<const Choice> choices(PathEngine);
FOVEA_API const char* to_string(PathEngine engine);

// Where distances lie while they are computed, with the bytes for n nodes. On a GPU, the first of
// these that fits into its memory is taken.
enum class PathStorage : unsigned char {
  kHost,    // in host memory, by the CPU
  kSquare,  // on a GPU: 4 n^2
  kHalf,    // on a GPU: 2 n^2, the blocks on and below the diagonal. Undirected kFloydWarshall
  kTiles,   // 2 n^2 in host memory, from where tiles visit a GPU. Undirected kFloydWarshall
  kRows,    // on a GPU, some rows at a time: kPartitioned, and distances from some nodes
};
FOVEA_API std::span<const Choice> choices(PathStorage);
FOVEA_API const char* to_string(PathStorage storage);

constexpr float kUnreachable = std::numeric_limits<float>::infinity();

struct PathOptions {
  PathEngine engine = PathEngine::kAuto;  // kAuto chooses by size, density, device and memory
  float cutoff = kUnreachable;  // distances beyond it are reported as infinite, which saves
                                // kDijkstra time
  std::uint64_t memory = 0;     // the most bytes for distances on the device; 0 takes what is free
                                // there. What does not fit goes through host memory in tiles
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, PathOptions& options);

// The distances between all nodes of an undirected graph. Each pair is stored once.
class FOVEA_API DistanceMatrix {
 public:
  DistanceMatrix() = default;
  explicit DistanceMatrix(int nodes);

  int nodes() const { return nodes_; }
  // The two nodes may be given in any order.
  float at(int a, int b) const { return values_[index(a, b)]; }
  void set(int a, int b, float distance) { values_[index(a, b)] = distance; }
  // The distances from one node to all nodes, in the order of their numbers.
  void row(int node, std::span<float> to) const;
  // The pairs (a, b) with b <= a, row after row.
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

struct PathReport {
  PathEngine engine = PathEngine::kDijkstra;  // the engine that ran
  std::string why;                            // why kAuto chose it, in words
  int parts = 0;                              // how many parts kPartitioned made
  double relaxations = 0;  // how many minima of a sum kFloydWarshall and kPartitioned took
  PathStorage storage = PathStorage::kHost;  // where the distances lay meanwhile
  std::uint64_t device_bytes = 0;            // how much memory of a GPU that takes at most
};
FOVEA_API void describe(FieldVisitor& visit, PathReport& report);

// Distances from every node to every other; they are infinite where there is no path. Engines agree
// to a relative 1e-4. Each gives the same bits for any number of threads, and kFloydWarshall and
// kPartitioned give the same bits on CPU and GPU. The result takes 2 bytes times the square of the
// number of nodes. Throws InvalidArgument for a directed graph, which has two distances per pair.
FOVEA_API DistanceMatrix all_distances(const Graph& graph, const PathOptions& options = {},
                                       PathReport* report = nullptr);

// The same distances as a whole square, for directed graphs too: row a has the distances from a to
// every node. It takes 4 bytes times the square of the number of nodes.
FOVEA_API Image<float> distance_square(const Graph& graph, const PathOptions& options = {},
                                       PathReport* report = nullptr);

// Computes the same distances without keeping them: take() is called from the calling thread with
// rows of the whole square, in their order. Memory does not grow with the square of the number of
// nodes, except with kFloydWarshall, which needs half of the square, or all of it where the graph
// is directed; on a GPU that has room for it, it lies there and not in host memory. The numbers are
// those of all_distances() and distance_square(); with kDijkstra, whose sums start at the node of
// the row, they may differ in the last bits.
struct DistanceRows {
  int first = 0;                // the node of the first row
  ImageView<const float> rows;  // lies in host memory and is valid during the call
};
FOVEA_API void stream_distances(const Graph& graph,
                                const std::function<void(const DistanceRows&)>& take,
                                const PathOptions& options = {}, PathReport* report = nullptr);

namespace detail {
class TableMemory;
}

// The distances between all nodes, kept where they were computed. On a GPU they are a square with 4
// bytes per pair in its memory, so that further work there copies nothing. Distances that a GPU has
// no room for lie in host memory, as those of the CPU do. The numbers are those of all_distances(),
// which refuses the same graphs.
class FOVEA_API DistanceTable {
 public:
  DistanceTable();
  explicit DistanceTable(const Graph& graph, const PathOptions& options = {});
  ~DistanceTable();
  DistanceTable(DistanceTable&& other) noexcept;
  DistanceTable& operator=(DistanceTable&& other) noexcept;

  // Computes the distances of another graph, in the same memory if that is large enough.
  void compute(const Graph& graph, const PathOptions& options = {});

  int nodes() const;
  const PathReport& report() const;
  Device device() const;  // where the distances lie
  // The distances from some nodes to all nodes, one row per node, in host memory.
  Image<float> rows(std::span<const std::int32_t> nodes) const;
  // All distances, in host memory.
  DistanceMatrix matrix() const;

 private:
  friend class detail::TableMemory;
  std::unique_ptr<detail::TableMemory> memory_;
};

// The distances from some nodes to all nodes, one row per source. A distance is the least sum of
// costs over all paths, where a sum begins at the source and is rounded after every arc; CPU and
// GPU find the same bits. A GPU serves each source by one block of threads. Device auto leaves
// fewer than 2^16 distances to the CPU. The engine in the options does not matter.
FOVEA_API Image<float> distances_from(const Graph& graph, std::span<const std::int32_t> sources,
                                      const PathOptions& options = {},
                                      PathReport* report = nullptr);

// For every node the nearest of some nodes and its distance, on the CPU or on a GPU with the same
// results. Of sources at the same distance, the first counts.
struct NearestSource {
  std::vector<float> distance;
  std::vector<std::int32_t> source;  // the place of the nearest in `sources`; -1 where there is
                                     // no path to any
};
FOVEA_API NearestSource nearest_source(const Graph& graph, std::span<const std::int32_t> sources,
                                       const PathOptions& options = {},
                                       PathReport* report = nullptr);

}  // namespace fovea
