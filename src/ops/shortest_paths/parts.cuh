// What the partitioned engine keeps on the device: the results of the first three steps of
// path_plan.h, and the products of the fourth.
#pragma once
#include <vector>

#include "core/on_device.cuh"
#include "ops/shortest_paths/path_plan.h"
#include "ops/shortest_paths/products.cuh"
#include "ops/shortest_paths/squares.cuh"

namespace fovea::cuda {

class Parts {
 public:
  Parts(const detail::PathPlan& plan, const Exec& exec, cudaStream_t stream);

  // Row k has the distances from gate k of a part to the part's own nodes, or to all columns.
  Strip gates_inside(const detail::PathPart& part) const;
  Strip gates_far(const detail::PathPart& part) const;
  // The rows of gates_far() for a part are the rows gate_numbers() of far().
  const std::int32_t* gate_numbers(const detail::PathPart& part) const;
  const std::int32_t* gate_locals(const detail::PathPart& part) const;
  const float* far() const { return far_.data(); }
  // Distances inside a part, one row per own node.
  Strip inside(const detail::PathPart& part) const;
  const std::int32_t* nodes_of(const detail::PathPart& part) const;  // the part's own nodes
  const std::int32_t* columns() const;  // the node of each column; -1 between parts

 private:
  void upload_lists();
  void close_parts(const Exec& exec);
  void close_gates(const Exec& exec);
  void find_far();

  const detail::PathPlan& plan_;
  cudaStream_t stream_;
  std::vector<std::size_t> first_;  // where each part begins in locals_
  DeviceBuffer<std::int32_t> lists_;
  DeviceBuffer<float> locals_;
  DeviceBuffer<float> gates_;
  DeviceBuffer<float> far_;
};

}  // namespace fovea::cuda
