// What every CUDA twin starts and ends with: the right device, a stream, scratch memory ordered by
// it, and its inputs and outputs on the device whatever memory the caller keeps them in.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <type_traits>

#include "core/cuda_check.h"

namespace fovea::cuda {

// Makes exec's device current while it lives, and offers the stream to work on. finish() ends a
// call: with the caller's own stream the work is left in flight, else it is awaited, so that errors
// surface in the call that made them.
class Session {
 public:
  explicit Session(const Exec& exec);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  cudaStream_t stream() const { return stream_; }
  void finish(const char* what);
  // Data on the host is read, refilled or freed as soon as the call returns, so that even the
  // caller's own stream is awaited.
  void must_wait() { wait_ = true; }

 private:
  int previous_device_ = 0;
  cudaStream_t stream_ = nullptr;
  bool wait_ = true;
};

// Writes to the device by copy or, where there is little to write or the stream is being captured,
// in the arguments of a kernel: a graph then holds the values themselves and not the place where
// they once lay. `from` may be freed at once.
void upload(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

// Scratch memory in stream order: taking and giving back cost microseconds and do not stop the
// device.
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
  // All of it, from the host.
  void fill(const T* from) { upload(data_, from, size_ * sizeof(T), stream_); }
  void set_bytes(int byte) {
    check(cudaMemsetAsync(data_, byte, size_ * sizeof(T), stream_), "clearing scratch memory");
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
  cudaStream_t stream_ = nullptr;
};

// A stack of images seen on the device: the caller's own memory if it lies there, else a copy. An
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
      check(cudaMemcpy2DAsync(to.plane(i).data, to.stride * sizeof(T), from.plane(i).data,
                              from.stride * sizeof(T), row_bytes, from.height, cudaMemcpyDefault,
                              session_.stream()),
            "copying an image");
    }
  }

  Session& session_;
  StackView<T> caller_;
  std::ptrdiff_t stride_;
  DeviceBuffer<Value> copy_;
  StackView<T> view_;
};

// How many blocks of `block` items cover `count`.
inline unsigned blocks_for(std::int64_t count, int block) {
  return static_cast<unsigned>((count + block - 1) / block);
}

// columns x rows blocks. CUDA has a grid end after 65535 of y: rows go on in z. In the kernel
// block_row() tells the row, which may lie beyond the last.
inline dim3 tall_grid(unsigned columns, unsigned rows) {
  constexpr int kMostRows = 65535;
  const unsigned folds = blocks_for(rows, kMostRows);
  return dim3(columns, folds > 1 ? blocks_for(rows, static_cast<int>(folds)) : rows, folds);
}
__device__ inline int block_row() { return static_cast<int>(blockIdx.z * gridDim.y + blockIdx.y); }

// Throws DeviceError where a block of the current device has less shared memory than `bytes`.
// Returns the most that it has.
int require_shared(std::size_t bytes, const char* operation);

// Call before a launch with so much dynamic shared memory. The limit set is always what the device
// has beside the kernel's own, so that calls in several threads do not lower it for each other.
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
