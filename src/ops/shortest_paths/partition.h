// Cuts a graph into equally large parts with few arcs between them.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <cstdint>
#include <vector>

namespace fovea::detail {

// Halves parts again and again: each is divided between two nodes that lie far apart, by which of
// them is nearer, and the border then moved by Fiduccia and Mattheyses' method (1982). The same
// for any number of threads.
class Bisection {
 public:
  explicit Bisection(const Graph& graph);

  // Every part becomes two (a part of one node stays).
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
  std::vector<std::int32_t> order_;    // nodes, those of a part together
  std::vector<std::int32_t> first_{};  // of each part in order_, and their end
  std::vector<std::int32_t> part_of_;
  // Of each node, while its part is divided.
  std::vector<std::int32_t> near_, far_, gain_;
  std::vector<std::uint8_t> side_, moved_;
};

}  // namespace fovea::detail
