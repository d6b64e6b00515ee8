// What a DistanceTable holds, for code that goes on working where the distances lie:
//   const auto& memory = detail::TableMemory::of(table);
//   memory.on_device()   square on the table's GPU, or empty where it lies on the host
//   memory.on_host()     half a matrix on the host, or of 0 nodes where it lies on a GPU
#pragma once
#include <fovea/ops/shortest_paths.h>

#include "ops/shortest_paths/engine_choice.h"

namespace fovea::detail {

class FOVEA_API TableMemory {
 public:
  static const TableMemory& of(const DistanceTable& table);

  // A row a node, in the graph's order: row-major, width and height the nodes, rows stride() floats
  // apart and on 512 bytes. Complete (both halves), finished when compute() returned: any stream of
  // that device may read it, until the table is computed again or gone.
  ImageView<const float> on_device() const { return square_; }
  const DistanceMatrix& on_host() const { return half_; }

  int nodes() const { return nodes_; }
  const PathReport& report() const { return report_; }
  Device device() const { return square_.empty() ? Device::cpu() : device_; }

  // Chooses an engine and runs it; `call` is named in errors.
  void compute(const char* call, const Graph& graph, const PathOptions& options);
  // With the engine chosen and the device resolved.
  void fill(const ChosenEngine& chosen, const Graph& graph, const PathOptions& options);
  // All distances on the host; what lies there already is gone then.
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
