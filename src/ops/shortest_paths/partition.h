// Divides a graph into equally large parts with few arcs between them.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <cstdint>
#include <vector>

namespace fovea::detail {

// Halves parts again and again. Each part is divided between two nodes that are far apart, by which
// of them is nearer, and the border is then improved by the method of Fiduccia and Mattheyses
// (1982). The result is the same for any number of threads.
class Bisection {
 public:
  explicit Bisection(const Graph& graph);

  // Every part becomes two parts; a part of one node stays.
  void halve(const Exec& exec);
  int parts() const { return static_cast<int>(first_.size()) - 1; }
  const std::vector<std::int32_t>& part_of() const { return part_of_; }

 private:
  struct Range {
    int begin;
    int end;
    int part;
  };
  int divide(const Range& range);
  int walk(const Range& range, std::int32_t from, std::vector<std::int32_t>& distance,
           std::vector<std::int32_t>& reached);
  void smooth(const Range& range, int left);

  const Graph& graph_;
  std::vector<std::int32_t> order_;    // nodes, with those of a part next to each other
  std::vector<std::int32_t> first_{};  // where each part begins in order_, and the end of the last
  std::vector<std::int32_t> part_of_;
  // For each node, while its part is divided.
  std::vector<std::int32_t> near_, far_, gain_;
  std::vector<std::uint8_t> side_, moved_;
};

}  // namespace fovea::detail
