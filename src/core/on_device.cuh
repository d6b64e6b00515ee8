// What every CUDA twin begins and ends with: the right device, a stream, scratch memory in the
// order of that stream, and its inputs and outputs on the device, whatever memory the caller keeps
// them in.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <type_traits>

#include "core/cuda_check.h"
#include "core/staging_cuda.cuh"

namespace fovea::cuda {

// Makes the device of `exec` current during its lifetime, and provides the stream to work on.
// finish() ends a call: on the caller's own stream the work is left in flight; otherwise the host
// waits for it, so that errors are reported by the call that caused them.
class Session {
 public:
  explicit Session(const Exec& exec);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  cudaStream_t stream() const { return stream_; }
  void finish(const char* what);
  // Data on the host is read, refilled or freed as soon as the call returns, so that the host waits
  // even for the caller's own stream.
  void must_wait() { wait_ = true; }

 private:
  int previous_device_ = 0;
  cudaStream_t stream_ = nullptr;
  bool wait_ = true;
};

// Writes to the device by a copy or, where there is little to write or the stream is being
// captured, in the arguments of a kernel. A graph then holds the values themselves and not the
// address where they once were. `from` may be freed at once.
void upload(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

// Scratch memory in stream order: allocating and freeing it takes microseconds and does not stop
// the device.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer(std::size_t size, cudaStream_t stream) : size_(size), stream_(stream) {
    if (size > 0)
      check(cudaMallocAsync(reinterpret_cast<void**>(&data_), size * sizeof(T), stream),
            "scratch memory");
  }
  ~DeviceBuffer() {
    if (data_ != nullptr) cudaFreeAsync(data_, stream_);
  }
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  // Copies the whole buffer from the host.
  void fill(const T* from) { upload(data_, from, size_ * sizeof(T), stream_); }
  void set_bytes(int byte) {
    check(cudaMemsetAsync(data_, byte, size_ * sizeof(T), stream_), "clearing scratch memory");
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  cudaStream_t stream_ = nullptr;
};

// A stack of images on the device: the caller's own memory if it lies there, otherwise a copy. An
// input (const T) is uploaded at once; an output is downloaded by fetch(), which the launcher calls
// after its last kernel.
template <class T>
class OnDevice {
  using Value = std::remove_const_t<T>;

 public:
  OnDevice(Session& session, StackView<T> caller)
      : session_(session),
        caller_(caller),
        stride_(detail::padded_stride(caller.width, caller.channels, sizeof(T))),
        copy_(caller.memory == Memory::kCuda
                  ? 0
                  : static_cast<std::size_t>(stride_) * caller.height * caller.count,
              session.stream()) {
    if (copy_.size() == 0) {
      view_ = caller;
      return;
    }
    session.must_wait();
    view_ = {copy_.data(),    caller.width, caller.height,           caller.count,
             caller.channels, stride_,      stride_ * caller.height, Memory::kCuda};
    if constexpr (std::is_const_v<T>) {
      transfer(caller,
               StackView<Value>(copy_.data(), caller.width, caller.height, caller.count,
                                caller.channels, stride_, stride_ * caller.height, Memory::kCuda));
    }
  }
  OnDevice(Session& session, ImageView<T> caller) : OnDevice(session, StackView<T>(caller)) {}

  StackView<T> stack() const { return view_; }
  ImageView<T> image() const { return view_.plane(0); }

  void fetch() {
    if (copy_.size() > 0) transfer(StackView<const Value>(view_), caller_);
  }

 private:
  void transfer(StackView<const Value> from, StackView<Value> to) {
    const auto row_bytes = static_cast<std::size_t>(from.width) * from.channels * sizeof(T);
    for (int i = 0; i < from.count; ++i) {
      const PlaneCopy rows{to.plane(i).data,
                           to.stride * sizeof(T),
                           to.memory,
                           from.plane(i).data,
                           from.stride * sizeof(T),
                           from.memory,
                           row_bytes,
                           static_cast<std::size_t>(from.height)};
      copy_plane(rows, session_.stream());
    }
  }

  Session& session_;
  StackView<T> caller_;
  std::ptrdiff_t stride_;
  DeviceBuffer<Value> copy_;
  StackView<T> view_;
};

// The number of blocks of `block` items that cover `count` items.
inline unsigned blocks_for(std::int64_t count, int block) {
  return static_cast<unsigned>((count + block - 1) / block);
}

// A grid of columns x rows blocks. CUDA limits y to 65535 blocks; further rows continue in z. In
// the kernel block_row() is the row, which may lie beyond the last one.
inline dim3 tall_grid(unsigned columns, unsigned rows) {
  constexpr int kMostRows = 65535;
  const unsigned folds = blocks_for(rows, kMostRows);
  return dim3(columns, folds > 1 ? blocks_for(rows, static_cast<int>(folds)) : rows, folds);
}
__device__ inline int block_row() { return static_cast<int>(blockIdx.z * gridDim.y + blockIdx.y); }

// Throws DeviceError where a block of the current device has less shared memory than `bytes`.
// Returns how much it has at most.
int require_shared(std::size_t bytes, const char* operation);

// Call this before a launch with so much dynamic shared memory. The limit is always set to all that
// the device has besides the kernel's static shared memory, so that calls in several threads do not
// lower it for each other.
template <class Kernel>
void allow_shared(Kernel* kernel, std::size_t bytes, const char* operation) {
  constexpr std::size_t kWithoutAsking = 48 << 10;
  cudaFuncAttributes own{};
  check(cudaFuncGetAttributes(&own, kernel), operation);
  if (bytes + own.sharedSizeBytes <= kWithoutAsking) return;
  const int most = require_shared(bytes + own.sharedSizeBytes, operation);
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most - static_cast<int>(own.sharedSizeBytes)),
        operation);
}

}  // namespace fovea::cuda
