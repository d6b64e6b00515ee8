#include "gpu_arrays.h"

#include <fovea/core/device.h>
#include <fovea/core/error.h>

#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>

#include "errors.h"
#include "systems.h"

namespace fovea::python {
namespace {

constexpr int kCuda = nb::device::cuda::value;

bool is_gpu(int type) { return type == kCuda || type == nb::device::cuda_managed::value; }

// Type and number of the device that an object says it lies on; nothing where it does not say so.
std::optional<std::pair<int, int>> dlpack_device(nb::handle value) {
  if (!nb::hasattr(value, "__dlpack_device__")) return {};
  try {
    const nb::object device = value.attr("__dlpack_device__")();
    return std::pair(nb::cast<int>(nb::object(device[0])), nb::cast<int>(nb::object(device[1])));
  } catch (const std::exception&) {
    return {};  // its import says why it is no array
  }
}

nb::dlpack::dtype dtype_of(const std::string& typestr) {
  const auto bits = static_cast<std::uint8_t>(8 * std::atoi(typestr.c_str() + 2));
  using Code = nb::dlpack::dtype_code;
  const Code code = typestr[1] == 'f'   ? Code::Float
                    : typestr[1] == 'u' ? Code::UInt
                    : typestr[1] == 'b' ? Code::Bool
                                        : Code::Int;
  return {static_cast<std::uint8_t>(code), bits, 1};
}

// CUDA's array interface, version 3, for objects without DLPack.
AnyArray interface_array(const char* name, nb::handle value, const Stream& stream) {
  const nb::dict facts = value.attr("__cuda_array_interface__");
  const auto typestr = nb::cast<std::string>(facts["typestr"]);
  const auto shape = nb::cast<std::vector<std::size_t>>(facts["shape"]);
  const auto address = nb::cast<std::uintptr_t>(nb::object(nb::tuple(facts["data"])[0]));
  const bool plain = typestr.size() == 3 && typestr[0] != '>' &&
                     std::string_view("fiub").find(typestr[1]) != std::string_view::npos &&
                     std::string_view("1248").find(typestr[2]) != std::string_view::npos;
  if (!plain)
    throw_invalid_type(
        fmt::format("{} has elements of the type {}; expected whole numbers or "
                    "floating point of this machine's byte order",
                    name, typestr));
  const nb::dlpack::dtype type = dtype_of(typestr);
  std::vector<std::int64_t> strides;
  if (facts.contains("strides") && !nb::object(facts["strides"]).is_none())
    for (const auto bytes : nb::cast<std::vector<std::int64_t>>(facts["strides"]))
      strides.push_back(bytes / (type.bits / 8));
  if (!strides.empty() && strides.size() != shape.size())
    throw InvalidArgument(
        fmt::format("{} has {} strides for {} axes", name, strides.size(), shape.size()));
  if (facts.contains("mask") && !nb::object(facts["mask"]).is_none())
    throw InvalidArgument(fmt::format("{} has a mask; pass a plain array", name));
  if (facts.contains("stream") && !nb::object(facts["stream"]).is_none())
    stream.wait_for(reinterpret_cast<void*>(nb::cast<std::uintptr_t>(nb::object(facts["stream"]))));
  return AnyArray(reinterpret_cast<const void*>(address), shape.size(), shape.data(), value,
                  strides.empty() ? nullptr : strides.data(), type, kCuda, 0);
}

}  // namespace

bool lies_on_gpu(nb::handle value) {
  if (value.is_none()) return false;
  if (const auto device = dlpack_device(value)) return is_gpu(device->first);
  return nb::hasattr(value, "__cuda_array_interface__");
}

AnyArray gpu_array(const char* name, nb::handle value, const Stream* stream) {
  const auto device = dlpack_device(value);
  const int number = device ? device->second : 0;
  if (stream == nullptr)
    throw DeviceError(fmt::format(
        "{} lies on cuda:{}; this function takes arrays of the CPU, bring it there first", name,
        number));
  if (stream->get() == nullptr)
    throw DeviceError(fmt::format(
        "{0} lies on cuda:{1}, but the work is done on the CPU; ask for device='cuda:{1}'", name,
        number));
  if (!device) return interface_array(name, value, *stream);
  // The object itself lets our stream wait for what fills it.
  const auto handle = reinterpret_cast<std::intptr_t>(stream->get());
  const nb::object capsule = value.attr("__dlpack__")(nb::arg("stream") = handle);
  AnyArray array;
  if (!nb::try_cast<AnyArray>(capsule, array, false))
    throw_invalid_type(fmt::format("{} is {}, which cannot be imported", name, array_text(value)));
  return array;
}

nb::object DeviceArray::numpy() const {
  const std::size_t element = type_.bits / 8U;
  const bool flat = shape_.size() == 1;
  const std::size_t rows = flat ? 1 : shape_[0];
  std::size_t row_bytes = element;
  for (std::size_t axis = flat ? 0 : 1; axis < shape_.size(); ++axis) row_bytes *= shape_[axis];
  auto bytes = std::make_unique_for_overwrite<std::uint8_t[]>(rows * row_bytes);
  const auto step = static_cast<std::ptrdiff_t>(row_bytes);
  const auto step_there = flat ? step : strides_[0] * static_cast<std::ptrdiff_t>(element);
  if (rows * row_bytes > 0)
    fovea::detail::copy_rows({data(), step_there, 0, Memory::kCuda},
                             {bytes.get(), step, 0, Memory::kHost},
                             {row_bytes, static_cast<int>(rows), 1});
  std::uint8_t* first = bytes.release();
  const nb::capsule owner(first, [](void* p) noexcept { delete[] static_cast<std::uint8_t*>(p); });
  return nb::cast(
      nb::ndarray<nb::numpy>(first, shape_.size(), shape_.data(), owner, nullptr, type_));
}

namespace {

std::string typestr_of(nb::dlpack::dtype type) {
  const auto code = static_cast<nb::dlpack::dtype_code>(type.code);
  const char letter = code == nb::dlpack::dtype_code::Float  ? 'f'
                      : code == nb::dlpack::dtype_code::UInt ? 'u'
                                                             : 'i';
  return fmt::format("{}{}{}", type.bits == 8 ? '|' : '<', letter, type.bits / 8);
}

// The array's memory as a capsule of DLPack. It is complete, so that no stream has to wait.
nb::object dlpack(nb::handle self, const nb::kwargs& wishes) {
  const auto& array = nb::cast<const DeviceArray&>(self);
  if (wishes.contains("copy") && nb::object(wishes["copy"]).is(nb::bool_(true)))
    throw nb::buffer_error("a DeviceArray is not copied by __dlpack__; use numpy() or clone it");
  const nb::ndarray<nb::array_api> shared(const_cast<void*>(array.data()), array.shape().size(),
                                          array.shape().data(), self, array.strides().data(),
                                          array.type(), kCuda, array.device().index);
  const nb::object made = nb::cast(shared);
  if (!wishes.contains("max_version")) return made.attr("__dlpack__")();
  return made.attr("__dlpack__")(nb::arg("max_version") = nb::object(wishes["max_version"]));
}

nb::dict cuda_interface(const DeviceArray& array) {
  nb::list shape, strides;
  for (const std::size_t axis : array.shape()) shape.append(axis);
  for (const std::int64_t step : array.strides()) strides.append(step * array.type().bits / 8);
  nb::dict facts;
  facts["shape"] = nb::tuple(shape);
  facts["typestr"] = typestr_of(array.type());
  facts["data"] = nb::make_tuple(reinterpret_cast<std::uintptr_t>(array.data()), false);
  facts["strides"] = nb::tuple(strides);
  facts["version"] = 3;
  facts["stream"] = nb::none();  // nothing is left to wait for
  return facts;
}

std::string repr(const DeviceArray& array) {
  std::string shape;
  for (const std::size_t axis : array.shape())
    shape += fmt::format("{}{}", shape.empty() ? "" : ", ", axis);
  return fmt::format("DeviceArray({} of shape ({}) on {})", typestr_of(array.type()).substr(1),
                     shape, to_string(array.device()));
}

}  // namespace

void bind_gpu_arrays(nb::module_& parent) {
  parent.def("lies_on_gpu", &lies_on_gpu);
  nb::class_<DeviceArray>(parent, "DeviceArray")
      .def("__dlpack__", &dlpack)
      .def("__dlpack_device__",
           [](const DeviceArray& array) { return std::pair(kCuda, array.device().index); })
      .def_prop_ro("__cuda_array_interface__", &cuda_interface)
      .def("numpy", &DeviceArray::numpy)
      .def(
          "__array__",
          [](const DeviceArray& array, nb::handle dtype, nb::handle) {
            const nb::object here = array.numpy();
            return dtype.is_none() ? here : here.attr("astype")(dtype);
          },
          nb::arg("dtype").none() = nb::none(), nb::arg("copy").none() = nb::none())
      .def_prop_ro("ndim", [](const DeviceArray& array) { return array.shape().size(); })
      .def_prop_ro("shape",
                   [](const DeviceArray& array) {
                     nb::list shape;
                     for (const std::size_t axis : array.shape()) shape.append(axis);
                     return nb::tuple(shape);
                   })
      .def_prop_ro("device", [](const DeviceArray& array) { return to_string(array.device()); })
      .def("__repr__", &repr);
}

}  // namespace fovea::python
