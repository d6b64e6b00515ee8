// Launches, streams, events and graphs.
#include "api_state.h"
#include "launch_state.h"
#include "settings.h"

namespace emulator {

std::recursive_mutex api_mutex;
namespace {
Stream default_stream;
}
std::set<Stream*> streams{&default_stream};
unsigned long long work_number = 0;

Stream& stream_of(cudaStream_t handle) { return handle == nullptr ? default_stream : *handle; }

void drain(Stream& stream, unsigned long long last) {
  while (!stream.queue.empty() && stream.queue.front().number <= last) {
    const Work work = std::move(stream.queue.front().work);
    stream.queue.pop_front();
    work();
  }
}
void drain_all() {
  const std::set<Stream*> all = streams;
  for (Stream* stream : all) drain(*stream);
}

void enqueue(cudaStream_t handle, Work work) {
  const std::lock_guard lock(api_mutex);
  Stream& stream = stream_of(handle);
  if (stream.capture != nullptr) {
    stream.capture->nodes.push_back(std::move(work));
  } else if (streams_are_lazy()) {
    stream.queue.push_back({++work_number, std::move(work)});
  } else {
    work();
  }
}

cudaError_t launch(const Config& config, const char* name, std::function<void()> thread) {
  const dim3 g = config.grid, b = config.block, c = config.cluster;
  const std::size_t threads = std::size_t{b.x} * b.y * b.z;
  const std::size_t cluster = std::size_t{c.x} * c.y * c.z;
  const bool grid_fits =
      g.x > 0 && g.y > 0 && g.z > 0 && g.x < (1U << 31) && g.y < (1U << 16) && g.z < (1U << 16);
  const bool block_fits = threads > 0 && threads <= 1024 && b.z <= 64;
  if (!grid_fits || !block_fits || cluster == 0 || cluster > 8 || g.x % c.x != 0 ||
      g.y % c.y != 0 || g.z % c.z != 0)
    return keep(cudaErrorInvalidConfiguration);
  if (config.shared > static_cast<std::size_t>(most_shared())) return keep(cudaErrorInvalidValue);
  enqueue(config.stream,
          [config, name, thread = std::move(thread)] { execute(config, name, thread); });
  return cudaSuccess;
}

}  // namespace emulator

using namespace emulator;

cudaError_t cudaDeviceSynchronize() {
  const std::lock_guard lock(api_mutex);
  drain_all();
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* to) {
  const std::lock_guard lock(api_mutex);
  *to = new Stream;
  streams.insert(*to);
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* to, unsigned) { return cudaStreamCreate(to); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* to, unsigned, int) {
  return cudaStreamCreate(to);
}
cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  const std::lock_guard lock(api_mutex);
  if (handle == nullptr || streams.count(handle) == 0) return keep(cudaErrorInvalidResourceHandle);
  drain(*handle);
  streams.erase(handle);
  delete handle;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  const std::lock_guard lock(api_mutex);
  Stream& stream = stream_of(handle);
  if (stream.capture != nullptr) return keep(cudaErrorStreamCaptureUnsupported);
  drain(stream);
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned) {
  const std::lock_guard lock(api_mutex);
  Stream& stream = stream_of(handle);
  if (event->capture != nullptr) {  // the stream joins the capture
    if (stream.capture == nullptr) stream.capture = event->capture;
  } else if (event->stream != nullptr && event->stream != &stream && stream.capture == nullptr) {
    enqueue(handle, [from = event->stream, number = event->number] {
      if (streams.count(from) != 0) drain(*from, number);
    });
  }
  return cudaSuccess;
}

// Work of streams that join a capture is recorded in the order of the calls.
cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode) {
  const std::lock_guard lock(api_mutex);
  if (handle == nullptr || handle->capture != nullptr) return keep(cudaErrorInvalidValue);
  handle->capture = new Graph;
  handle->began_capture = true;
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* to) {
  const std::lock_guard lock(api_mutex);
  *to = nullptr;
  if (handle == nullptr || handle->capture == nullptr || !handle->began_capture)
    return keep(cudaErrorInvalidValue);
  *to = handle->capture;
  for (Stream* stream : streams)
    if (stream->capture == *to) stream->capture = nullptr;
  handle->began_capture = false;
  return cudaSuccess;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* to) {
  const bool captures = stream_of(handle).capture != nullptr;
  *to = captures ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* to) {
  *to = new Event;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* to, unsigned) { return cudaEventCreate(to); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  const std::lock_guard lock(api_mutex);
  Stream& stream = stream_of(handle);
  event->capture = stream.capture;
  if (stream.capture != nullptr) return cudaSuccess;
  event->stream = &stream;
  enqueue(handle, [time = event->time] { *time = std::chrono::steady_clock::now(); });
  event->number = work_number;
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  const std::lock_guard lock(api_mutex);
  if (event->capture != nullptr) return keep(cudaErrorStreamCaptureUnsupported);
  if (streams.count(event->stream) != 0) drain(*event->stream, event->number);
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const std::lock_guard lock(api_mutex);
  if (streams.count(event->stream) == 0) return cudaSuccess;
  const auto& queue = event->stream->queue;
  const bool done = queue.empty() || queue.front().number > event->number;
  return done ? cudaSuccess : keep(cudaErrorNotReady);
}
cudaError_t cudaEventElapsedTime(float* to, cudaEvent_t begin, cudaEvent_t end) {
  *to = std::chrono::duration<float, std::milli>(*end->time - *begin->time).count();
  return cudaSuccess;
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* to, cudaGraph_t graph, unsigned long long) {
  const std::lock_guard lock(api_mutex);
  *to = new GraphExec{std::make_shared<Graph>(*graph)};
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t handle) {
  enqueue(handle, [graph = exec->graph] {
    for (const Work& node : graph->nodes) node();
  });
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  const std::lock_guard lock(api_mutex);
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  const std::lock_guard lock(api_mutex);
  delete exec;
  return cudaSuccess;
}
