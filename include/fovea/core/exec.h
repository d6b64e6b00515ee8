#pragma once
#include <fovea/core/device.h>
#include <fovea/core/options_fwd.h>

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string_view>

namespace fovea {

// One report of a long call: how far its current stage is.
struct Progress {
  std::string_view stage;  // "mining negatives"
  double done = 0;         // in the stage's own unit
  double total = 0;        // 0 where it is not known
};
using ProgressFn = std::function<void(const Progress&)>;

// How a call runs, as opposed to what it computes: of these fields only the seed influences
// results.
struct Exec {
  Device device{};            // cpu, cuda[:N] or auto
  int threads = 0;            // CPU threads; 0 takes every core
  std::uint64_t seed = 1234;  // seed of every random sequence
  ProgressFn progress{};   // called in the calling thread, at most some hundred times; may be empty
  std::stop_token stop{};  // checked between pieces of work; Cancelled is thrown after a request
  void* stream = nullptr;  // a cudaStream_t. Where it is set and all data is on the device, a call
                           // returns before its work is done
};

// How many CPU threads a call with these settings uses: exec.threads, or every core where that is
// 0.
FOVEA_API int thread_count(const Exec& exec);

// Throws Cancelled once a stop has been requested.
FOVEA_API void throw_if_stopped(const Exec& exec);

FOVEA_API void describe(OptionVisitor& visit, Exec& exec);

}  // namespace fovea
