// Arrays on a GPU: torch's, CuPy's and others' as inputs, in the order of their streams, and
// DeviceArray for results that stay there.
#pragma once
#include <fovea/core/stream.h>
#include <fovea/io/image_io.h>

#include <nanobind/nanobind.h>

#include "arrays.h"

namespace fovea::python {

// Whether an object says that it lies on a GPU, by DLPack or by CUDA's array interface.
bool lies_on_gpu(nb::handle value);

// Imports such an object. `stream` awaits the work that fills it; it is null where a function takes
// arrays of the CPU only, and owns no stream where the CPU was chosen: both are refused.
AnyArray gpu_array(const char* name, nb::handle value, const Stream* stream);

// An image on a GPU that Python holds. It is complete: calls that make one wait for their work.
class DeviceArray {
 public:
  DeviceArray(io::AnyPixels&& pixels, Device device)
      : pixels_(std::move(pixels)), device_(device) {}

  // Dense axes: height, width, and channels where there are several.
  std::vector<std::size_t> shape() const;
  std::vector<std::int64_t> strides() const;  // in elements
  const void* data() const;
  nb::dlpack::dtype type() const;
  Device device() const { return device_; }
  nb::object numpy() const;

 private:
  io::AnyPixels pixels_;
  Device device_;
};

// An image as Python gets it: a NumPy array, or a DeviceArray where it lies on a GPU.
template <class T>
nb::object to_python(Image<T>&& image, Device device) {
  if (image.view().memory == Memory::kCuda) return nb::cast(DeviceArray(std::move(image), device));
  return to_numpy(std::move(image));
}

}  // namespace fovea::python
