// Measures work by events on a stream of its own, repeats it as a graph, and measures the two
// limits of a GPU: memory bandwidth and arithmetic.
#include <memory>

#include "core/backend.h"
#include "core/on_device.cuh"
#include "core/timing/timing.h"

namespace fovea::cuda {
namespace {

// Four chains per thread and 2048 threads per multiprocessor hide every latency.
constexpr struct { int block = 256, blocks_per_multiprocessor = 8, chains = 4; } kTuning;

__global__ void chains_kernel(std::int64_t rounds, float* never_written) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (std::int64_t round = 0; round < rounds; ++round) {
    a = fmaf(a, 0.999F, 0.001F);
    b = fmaf(b, 0.999F, 0.001F);
    c = fmaf(c, 0.999F, 0.001F);
    d = fmaf(d, 0.999F, 0.001F);
  }
  if (a + b + c + d == -1.0F) *never_written = a;
}

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "making an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  cudaEvent_t get() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

class OwnStream {
 public:
  OwnStream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
  }
  ~OwnStream() { cudaStreamDestroy(stream_); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

using Graph = std::shared_ptr<std::remove_pointer_t<cudaGraph_t>>;
using RunnableGraph = std::shared_ptr<std::remove_pointer_t<cudaGraphExec_t>>;

// A stream is never left in recording mode, whatever happens in `work`.
Graph record(cudaStream_t stream, const std::function<void()>& work) {
  cudaGraph_t graph = nullptr;
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording a graph");
  try {
    work();
  } catch (...) {
    if (cudaStreamEndCapture(stream, &graph) == cudaSuccess) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(stream, &graph), "recording a graph");
  return Graph(graph, cudaGraphDestroy);
}

}  // namespace

void copy_bytes(const void* from, void* to, std::size_t bytes, const Exec& exec) {
  Session session(exec);
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, session.stream()), "copying");
  session.finish("copying");
}

double multiply_add(std::int64_t rounds, const Exec& exec) {
  Session session(exec);
  int multiprocessors = 0;
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, exec.device.index),
        "reading device properties");
  const int blocks = multiprocessors * kTuning.blocks_per_multiprocessor;
  DeviceBuffer<float> result(1, session.stream());
  chains_kernel<<<blocks, kTuning.block, 0, session.stream()>>>(rounds, result.data());
  session.finish("multiply_add");
  return 2.0 * kTuning.chains * static_cast<double>(rounds) * blocks * kTuning.block;
}

double time_on_device(const Exec& exec, const std::function<void(const Exec&)>& work) {
  const Session session(exec);  // only makes the device current
  const OwnStream stream;
  const Event begin, end;
  Exec on_stream = exec;
  on_stream.stream = stream.get();
  check(cudaEventRecord(begin.get(), stream.get()), "starting the clock");
  work(on_stream);
  check(cudaEventRecord(end.get(), stream.get()), "stopping the clock");
  check(cudaEventSynchronize(end.get()), "timed work");
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "reading the clock");
  return milliseconds * 1e-3;
}

std::function<void()> record_on_device(const Exec& exec,
                                       const std::function<void(const Exec&)>& work) {
  const ScopedDevice device(exec.device);
  const auto stream = std::make_shared<OwnStream>();
  Exec on_stream = exec;
  on_stream.stream = stream->get();
  const Graph graph = record(stream->get(), [&] { work(on_stream); });
  cudaGraphExec_t instance = nullptr;
  check(cudaGraphInstantiate(&instance, graph.get(), 0), "making a graph");
  const RunnableGraph runnable(instance, cudaGraphExecDestroy);
  return [stream, runnable, where = exec.device] {
    const ScopedDevice replay_device(where);
    check(cudaGraphLaunch(runnable.get(), stream->get()), "replaying a graph");
    check(cudaStreamSynchronize(stream->get()), "replaying a graph");
  };
}

}  // namespace fovea::cuda
