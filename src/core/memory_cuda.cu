// Pinned and device memory, and copies that touch the device.
#include <string>

#include "core/backend.h"
#include "core/cuda_check.h"
#include "core/staging_cuda.cuh"

namespace fovea::cuda {

void* allocate(std::size_t bytes, Memory memory) {
  void* data = nullptr;
  if (memory == Memory::kPinned) check(cudaMallocHost(&data, bytes), "allocating pinned memory");
  else check(cudaMalloc(&data, bytes), "allocating device memory");
  return data;
}

void release(void* data, Memory memory) noexcept {
  // A failure here means that the device is already lost; the call that lost it has reported it.
  if (memory == Memory::kPinned) cudaFreeHost(data);
  else cudaFree(data);
}

void copy_rows(const detail::ConstRows& from, const detail::Rows& to, detail::RowCopy size,
               void* stream) {
  auto* const order = static_cast<cudaStream_t>(stream);
  for (int i = 0; i < size.planes; ++i)
    copy_plane({.to = static_cast<char*>(to.data) + i * to.plane_bytes,
                .to_stride = static_cast<std::size_t>(to.stride_bytes),
                .to_memory = to.memory,
                .from = static_cast<const char*>(from.data) + i * from.plane_bytes,
                .from_stride = static_cast<std::size_t>(from.stride_bytes),
                .from_memory = from.memory,
                .row_bytes = size.row_bytes,
                .rows = static_cast<std::size_t>(size.rows)},
               order);
  const bool in_flight =
      stream != nullptr && from.memory == Memory::kCuda && to.memory == Memory::kCuda;
  if (!in_flight) check(cudaStreamSynchronize(order), "copying an image");
}

int device_of(const void* data) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    cudaGetLastError();
    return kNoDevice;
  }
  switch (attributes.type) {
    case cudaMemoryTypeDevice: return attributes.device;
    case cudaMemoryTypeUnregistered: return kNoDevice;
    default: return kEveryDevice;
  }
}

int change_device(int index) {
  int previous = 0;
  check(cudaGetDevice(&previous), "reading the current device");
  check(cudaSetDevice(index), "choosing the device");
  return previous;
}

void restore_device(int index) noexcept { cudaSetDevice(index); }

}  // namespace fovea::cuda
