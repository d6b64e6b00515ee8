// Launches of kernels.
#pragma once
#include <functional>
#include <tuple>
#include <utility>

#include "emulator/api.h"

namespace emulator {

constexpr int kMostShared = 227 << 10;  // bytes of shared memory of a block

struct Config {
  dim3 grid, block;
  std::size_t shared = 0;
  cudaStream_t stream = nullptr;
  dim3 cluster;
  Config(dim3 g, dim3 b, std::size_t s = 0, cudaStream_t st = nullptr)
      : grid(g), block(b), shared(s), stream(st) {}
};
// Runs, queues or records a launch. `thread` is what every thread does.
cudaError_t launch(const Config&, const char* name, std::function<void()> thread);
cudaError_t occupancy(int* blocks, int threads, std::size_t shared);

// Stands for {} as an argument of a kernel.
struct Empty {
  template <class T>
  operator T() const {
    return T{};
  }
};

// kernel<<<...>>>(arguments) where the arguments say what the parameters of a template are.
template <class Call, class... A>
void launch_deduced(const Config& config, const char* name, Call call, const A&... arguments) {
  launch(config, name, [call, kept = std::tuple<std::decay_t<A>...>(arguments...)]() mutable {
    std::apply(call, kept);
  });
}
// kernel<<<...>>>(arguments) where the arguments take their types from the kernel's parameters.
template <class... P>
struct Launcher {
  const Config& config;
  const char* name;
  void (*kernel)(P...);
  void operator()(P... arguments) const {
    launch(config, name,
           [k = kernel, kept = std::tuple<std::decay_t<P>...>(arguments...)]() mutable {
             std::apply(k, kept);
           });
  }
};
template <class... P>
Launcher<P...> launcher(const Config& config, const char* name, void (*kernel)(P...)) {
  return {config, name, kernel};
}

}  // namespace emulator

template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(P...),
                               A&&... arguments) {
  emulator::Config shape(config->gridDim, config->blockDim, config->dynamicSmemBytes,
                         config->stream);
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
      const auto& c = config->attrs[i].val.clusterDim;
      shape.cluster = dim3(c.x, c.y, c.z);
    }
  std::tuple<std::decay_t<P>...> kept(std::forward<A>(arguments)...);
  return emulator::launch(shape, __PRETTY_FUNCTION__,
                          [kernel, kept]() mutable { std::apply(kernel, kept); });
}
template <class F>
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* to, F*) {
  *to = {};
  to->maxThreadsPerBlock = 1024;
  to->numRegs = 64;
  to->ptxVersion = to->binaryVersion = 90;
  to->maxDynamicSharedSizeBytes = emulator::kMostShared;
  return cudaSuccess;
}
template <class F>
cudaError_t cudaFuncSetAttribute(F*, cudaFuncAttribute what, int value) {
  if (what == cudaFuncAttributeMaxDynamicSharedMemorySize && value > emulator::kMostShared)
    return cudaErrorInvalidValue;
  return cudaSuccess;
}
template <class F>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, F*, int threads,
                                                          std::size_t shared) {
  return emulator::occupancy(blocks, threads, shared);
}
