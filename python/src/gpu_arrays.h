// Arrays on a GPU: torch's, CuPy's and others' as inputs, in the order of their streams, and
// DeviceArray for results that stay there.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/record.h>
#include <fovea/core/stream.h>

#include <nanobind/nanobind.h>

#include <memory>
#include <utility>
#include <vector>

#include "arrays.h"

namespace fovea::python {

// Whether an object says that it lies on a GPU, by DLPack or by CUDA's array interface.
bool lies_on_gpu(nb::handle value);

// Imports such an object. `stream` awaits the work that fills it; it is null where a function takes
// arrays of the CPU only, and owns no stream where the CPU was chosen: both are refused.
AnyArray gpu_array(const char* name, nb::handle value, const Stream* stream);

// An array on a GPU that Python holds. It is complete: calls that make one wait for their work.
class DeviceArray {
 public:
  // Axes: height, width, and channels where there are several.
  template <class T>
  DeviceArray(Image<T>&& image, Device device) : type_(nb::dtype<T>()), device_(device) {
    const auto kept = std::make_shared<const Image<T>>(std::move(image));
    shape_ = {static_cast<std::size_t>(kept->height()), static_cast<std::size_t>(kept->width())};
    strides_ = {kept->stride(), kept->channels()};
    if (kept->channels() > 1) {
      shape_.push_back(static_cast<std::size_t>(kept->channels()));
      strides_.push_back(1);
    }
    data_ = std::shared_ptr<const void>(kept, kept->view().data);
  }
  // Without gaps.
  template <class T>
  DeviceArray(Array<T>&& values, std::vector<std::size_t> shape, Device device)
      : shape_(std::move(shape)),
        strides_(shape_.size(), 1),
        type_(nb::dtype<T>()),
        device_(device) {
    for (std::size_t axis = shape_.size() - 1; axis > 0; --axis)
      strides_[axis - 1] = strides_[axis] * static_cast<std::int64_t>(shape_[axis]);
    const auto kept = std::make_shared<const Array<T>>(std::move(values));
    data_ = std::shared_ptr<const void>(kept, kept->data());
  }

  // The elements of a view that `owner` keeps alive.
  DeviceArray(const std::shared_ptr<void>& owner, const ArrayView& view, nb::dlpack::dtype type,
              Device device)
      : data_(owner, view.data),
        shape_(view.shape),
        strides_(view.strides.begin(), view.strides.end()),
        type_(type),
        device_(device) {}

  const std::vector<std::size_t>& shape() const { return shape_; }
  const std::vector<std::int64_t>& strides() const { return strides_; }  // in elements
  const void* data() const { return data_.get(); }
  nb::dlpack::dtype type() const { return type_; }
  Device device() const { return device_; }
  nb::object numpy() const;

 private:
  std::shared_ptr<const void> data_;
  std::vector<std::size_t> shape_;
  std::vector<std::int64_t> strides_;
  nb::dlpack::dtype type_;
  Device device_;
};

// What Python gets: a NumPy array, or a DeviceArray for what lies on a GPU.
template <class T>
nb::object to_python(Image<T>&& image, Device device) {
  if (image.view().memory == Memory::kCuda) return nb::cast(DeviceArray(std::move(image), device));
  return to_numpy(std::move(image));
}
template <class T>
nb::object to_python(Array<T>&& values, const std::vector<std::size_t>& shape, Device device) {
  if (values.memory() == Memory::kCuda)
    return nb::cast(DeviceArray(std::move(values), shape, device));
  auto* kept = new Array<T>(std::move(values));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<Array<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

}  // namespace fovea::python
