// The content of a DistanceTable, for code that continues to work where the distances are:
//   const auto& memory = detail::TableMemory::of(table);
//   memory.on_device()   square on the table's GPU, or empty where it lies on the host
//   memory.on_host()     half a matrix on the host, or of 0 nodes where it lies on a GPU
#pragma once
#include <fovea/ops/shortest_paths.h>

#include "ops/shortest_paths/engine_choice.h"

namespace fovea::detail {

// Runs a chosen engine whose result comes to host memory: any storage but a square.
void fill_half(const ChosenEngine& chosen, const Graph& graph, const PathOptions& options,
               std::span<float> lower);

class FOVEA_API TableMemory {
 public:
  static const TableMemory& of(const DistanceTable& table);

  // One row per node in the order of the graph, row-major. Width and height are the number of
  // nodes; rows are stride() floats apart and aligned to 512 bytes. It has both halves and is
  // finished when compute() has returned: any stream of that device may read it until the table is
  // computed again or destroyed.
  ImageView<const float> on_device() const { return square_; }
  const DistanceMatrix& on_host() const { return half_; }

  int nodes() const { return nodes_; }
  const PathReport& report() const { return report_; }
  Device device() const { return square_.empty() ? Device::cpu() : device_; }

  // Chooses an engine and runs it; errors name `call`.
  void compute(const char* call, const Graph& graph, const PathOptions& options);
  // The same with a chosen engine and a resolved device.
  void fill(const ChosenEngine& chosen, const Graph& graph, const PathOptions& options);
  // All distances, moved to the host; the table is empty afterwards.
  DistanceMatrix take_matrix();
  DistanceMatrix matrix() const;

 private:
  std::uint64_t held_bytes(Device device) const;
  void reserve(int nodes, Device device);

  Device device_ = Device::cpu();
  int nodes_ = 0;
  PathReport report_;
  DistanceMatrix half_;
  Array<float> values_;  // on device_
  ImageView<float> square_;
};

}  // namespace fovea::detail
