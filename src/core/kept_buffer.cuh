// Device memory of objects that serve one frame after another.
#pragma once
#include <fovea/core/memory.h>

#include <vector>

#include "core/on_device.cuh"

namespace fovea::cuda {

// Device memory that grows when it has to and is kept.
template <class T>
class KeptBuffer {
 public:
  T* reserve(std::size_t size) {
    if (size > array_.size()) {
      array_ = Array<T>();  // freed before the larger array is allocated
      array_ = Array<T>(size, Memory::kCuda);
    }
    return array_.data();
  }
  T* fill(const std::vector<T>& values, cudaStream_t stream) {
    T* data = reserve(values.size());
    upload(data, values.data(), values.size() * sizeof(T), stream);
    return data;
  }
  T* data() { return array_.data(); }
  std::size_t size() const { return array_.size(); }

 private:
  Array<T> array_;
};

}  // namespace fovea::cuda
