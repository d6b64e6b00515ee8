// What benchmarks need: times by a GPU's own clock, CUDA graphs that hide the cost of launches,
// what kernels take of a GPU, and the two limits of any machine, which are a plain copy and
// multiply-adds in registers.
#pragma once
#include <fovea/core/exec.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace fovea::cpu {
FOVEA_API void copy_bytes(const void* from, void* to, std::size_t bytes, const Exec& exec);
// Every core makes `rounds` rounds of float multiply-adds that wait for no memory. Returns the
// number of operations, where a multiply and an add count as two.
FOVEA_API double multiply_add(std::int64_t rounds, const Exec& exec);
}  // namespace fovea::cpu

namespace fovea::cuda {
// What a kernel takes of a multiprocessor, and how far that lets it fill one.
struct KernelFacts {
  int threads = 0;       // per block
  int registers = 0;     // per thread
  int shared_bytes = 0;  // per block
  double occupancy =
      0;  // warps that can be resident at once, divided by the most that there can be
};
FOVEA_API void copy_bytes(const void* from, void* to, std::size_t bytes, const Exec& exec);
FOVEA_API double multiply_add(std::int64_t rounds, const Exec& exec);
// The seconds that the device takes for the work that `work` puts on the given stream.
FOVEA_API double time_on_device(const Exec& exec, const std::function<void(const Exec&)>& work);
// Records the work that `work` puts on the given stream as a CUDA graph. The returned function
// replays the graph and waits for it. All data must lie on the device.
FOVEA_API std::function<void()> record_on_device(const Exec& exec,
                                                 const std::function<void(const Exec&)>& work);
}  // namespace fovea::cuda
