// Pinned and device memory, and copies that touch the device.
#include <string>

#include "core/backend.h"
#include "core/cuda_check.h"

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

void copy_rows(detail::ConstRows from, detail::Rows to, std::size_t row_bytes, int rows) {
  check(cudaMemcpy2D(to.data, static_cast<std::size_t>(to.stride_bytes), from.data,
                     static_cast<std::size_t>(from.stride_bytes), row_bytes,
                     static_cast<std::size_t>(rows), cudaMemcpyDefault),
        "copying an image");
}

}  // namespace fovea::cuda
