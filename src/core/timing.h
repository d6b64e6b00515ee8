// What a benchmark holds an operation against: the clock of a GPU, graphs without the cost of
// launches, and the two ceilings of any machine, a plain copy and multiply-adds in registers.
#pragma once
#include <fovea/core/exec.h>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace fovea::cpu {
FOVEA_API void copy_bytes(const void* from, void* to, std::size_t bytes, const Exec& exec);
// Every core makes `rounds` rounds of float multiply-adds that wait for no memory; returns how many
// operations that was, a multiply and an add counting as two.
FOVEA_API double multiply_add(std::int64_t rounds, const Exec& exec);
}  // namespace fovea::cpu

namespace fovea::cuda {
FOVEA_API void copy_bytes(const void* from, void* to, std::size_t bytes, const Exec& exec);
FOVEA_API double multiply_add(std::int64_t rounds, const Exec& exec);
// Seconds that the device takes for what `work` puts on the stream it is given.
FOVEA_API double time_on_device(const Exec& exec, const std::function<void(const Exec&)>& work);
// Records what `work` puts on the stream it is given as a CUDA graph; the function that comes back
// replays it and waits for it. Everything must lie on the device.
FOVEA_API std::function<void()> record_on_device(const Exec& exec,
                                                 const std::function<void(const Exec&)>& work);
}  // namespace fovea::cuda
