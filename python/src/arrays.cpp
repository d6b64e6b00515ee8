#include "arrays.h"

#include <fovea/core/error.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "errors.h"
#include "gpu_arrays.h"

namespace fovea::python {
namespace {

// One number per axis as Python writes a tuple.
template <class Number>
std::string tuple_text(const AnyArray& array, Number number) {
  std::string text = "(";
  for (std::size_t i = 0; i < array.ndim(); ++i)
    text += fmt::format("{}{}", i > 0 ? ", " : "", number(i));
  return text + (array.ndim() == 1 ? ",)" : ")");
}
std::string shape_text(const AnyArray& array) {
  return tuple_text(array, [&](std::size_t axis) { return array.shape(axis); });
}

std::string type_text(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  const auto named = [&](const char* name) { return fmt::format("{}{}", name, int{type.bits}); };
  switch (static_cast<Code>(type.code)) {
    case Code::Int: return named("int");
    case Code::UInt: return named("uint");
    case Code::Float: return named("float");
    case Code::Bfloat: return named("bfloat");
    case Code::Complex: return named("complex");
    case Code::Bool: return "bool";
    default: return fmt::format("a type of {} bits", int{type.bits});
  }
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
  return text;
}

std::string need_text(const ImageNeed& need) {
  std::vector<std::string> samples, channels;
  for (const io::SampleType type : need.samples) samples.emplace_back(io::to_string(type));
  for (const int count : need.channels) channels.push_back(std::to_string(count));
  if (channels.empty())
    return fmt::format("an array of {} and of shape (height, width) or (height, width, bands)",
                       joined(samples));
  const bool plain =
      std::find(need.channels.begin(), need.channels.end(), 1) != need.channels.end();
  return fmt::format("an array of {} and of shape {}(height, width, {})", joined(samples),
                     plain ? "(height, width) or " : "", joined(channels));
}

[[noreturn]] void refuse_type(const char* name, nb::handle value, const std::string& need) {
  throw_invalid_type(fmt::format("{} is {}; expected {}", name, array_text(value), need));
}

// Imports what has __dlpack__ on the CPU or the buffer protocol.
bool import_array(nb::handle value, AnyArray& array) {
  if (value.is_none() || PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) return false;
  // A single number is no array, and NumPy's times describe themselves wrongly as buffers.
  const nb::object axes = nb::getattr(value, "ndim", nb::none());
  if (PyLong_Check(axes.ptr()) && PyObject_IsTrue(axes.ptr()) == 0) return false;
  if (nb::try_cast<AnyArray>(value, array, false)) return true;
  PyErr_Clear();
  // Images of PIL and others that describe themselves to NumPy alone.
  if (!nb::hasattr(value, "__array_interface__")) return false;
  try {
    const nb::object made = nb::module_::import_("numpy").attr("asarray")(value);
    return nb::try_cast<AnyArray>(made, array, false);
  } catch (nb::python_error&) {
    return false;
  }
}

// Arrays of numpy.ma hand out their numbers without saying which of them do not count.
bool is_masked(nb::handle value) {
  const nb::object module = nb::steal(PyImport_GetModule(nb::str("numpy.ma").ptr()));
  if (!module.is_valid()) {  // was never imported, so that nothing is masked
    PyErr_Clear();
    return false;
  }
  return nb::isinstance(value, module.attr("MaskedArray"));
}

constexpr int kCudaHost = 3;  // DLPack's kind of pinned memory, which the CPU reads

Memory memory_of(const AnyArray& array) {
  const bool gpu = array.device_type() == nb::device::cuda::value ||
                   array.device_type() == nb::device::cuda_managed::value;
  return gpu ? Memory::kCuda : Memory::kHost;
}

// Images of PIL whose numbers are neither gray levels nor red, green and blue would be misread.
void require_pillow_mode(const char* name, nb::handle value) {
  if (!nb::hasattr(value, "mode") || !nb::hasattr(value, "getbands")) return;
  const std::string mode = text_of(nb::object(value.attr("mode")));
  for (const char* known : {"1", "L", "I", "F", "I;16", "RGB", "RGBA"})
    if (mode == known) return;
  throw InvalidArgument(
      fmt::format("{0} is an image of mode {1}; pass {0}.convert('RGB')", name, mode));
}

AnyArray array_of(const char* name, nb::handle value, const std::string& need,
                  const Stream* stream = nullptr) {
  if (is_masked(value))
    throw_invalid_type(fmt::format(
        "{0} is a masked array, whose mask would be lost; pass {0}.filled(VALUE) or {0}.data",
        name));
  if (lies_on_gpu(value)) return gpu_array(name, value, stream);
  require_pillow_mode(name, value);
  AnyArray array;
  if (!import_array(value, array)) refuse_type(name, value, need);
  const int device = array.device_type();
  if (device != nb::device::cpu::value && device != kCudaHost && memory_of(array) != Memory::kCuda)
    throw DeviceError(fmt::format(
        "{} lies on a device of DLPack's kind {}; expected memory of the CPU or of CUDA", name,
        device));
  return array;
}

template <class T>
ImageView<const T> view_of(const AnyArray& array) {
  const auto* first = static_cast<const T*>(array.data());
  if (array.ndim() == 1)
    return packed_view(first, static_cast<int>(array.shape(0)), 1, 1, memory_of(array));
  const int channels = array.ndim() == 3 ? static_cast<int>(array.shape(2)) : 1;
  return {first,
          static_cast<int>(array.shape(1)),
          static_cast<int>(array.shape(0)),
          channels,
          static_cast<std::ptrdiff_t>(array.stride(0)),
          memory_of(array)};
}

// Rows may have a gap between them; pixels and channels may not.
void require_rows(const char* name, const AnyArray& array) {
  const auto channels = static_cast<std::int64_t>(array.ndim() == 3 ? array.shape(2) : 1);
  const auto width = static_cast<std::int64_t>(array.shape(1));
  const bool packed =
      (channels == 1 || array.stride(2) == 1) && (width == 1 || array.stride(1) == channels);
  const bool ordered = array.shape(0) == 1 || array.stride(0) >= width * channels;
  if (packed && ordered) return;
  throw InvalidArgument(
      fmt::format("{0} does not lie in memory row by row (its strides are {1} elements); pass "
                  "numpy.ascontiguousarray({0})",
                  name, tuple_text(array, [&](std::size_t axis) { return array.stride(axis); })));
}

template <class T>
bool has_type(const AnyArray& array) {
  return array.dtype() == nb::dtype<T>();
}

io::AnyView any_view(const AnyArray& array, bool& known) {
  known = true;
  if (has_type<std::uint8_t>(array)) return view_of<std::uint8_t>(array);
  if (has_type<std::uint16_t>(array)) return view_of<std::uint16_t>(array);
  if (has_type<std::uint32_t>(array)) return view_of<std::uint32_t>(array);
  if (has_type<std::int8_t>(array)) return view_of<std::int8_t>(array);
  if (has_type<std::int16_t>(array)) return view_of<std::int16_t>(array);
  if (has_type<std::int32_t>(array)) return view_of<std::int32_t>(array);
  if (has_type<float>(array)) return view_of<float>(array);
  if (has_type<double>(array)) return view_of<double>(array);
  known = false;
  return {};
}

bool fits_int(const AnyArray& array) {
  std::size_t elements = 1;
  for (std::size_t i = 1; i < array.ndim(); ++i) elements *= array.shape(i);
  return array.shape(0) <= std::numeric_limits<int>::max() &&
         elements <= std::numeric_limits<int>::max();
}

}  // namespace

std::string array_text(nb::handle value) {
  if (value.is_none()) return "None";
  AnyArray array;
  if (!lies_on_gpu(value) && import_array(value, array))
    return fmt::format("{} of shape {}", type_text(array.dtype()), shape_text(array));
  // An array that cannot be imported still says what it is.
  if (nb::hasattr(value, "dtype") && nb::hasattr(value, "shape"))
    return fmt::format("an array of {} and of shape {}", text_of(nb::object(value.attr("dtype"))),
                       text_of(nb::object(value.attr("shape"))));
  return "of type " + class_name(value);
}

ImageInput image_input(nb::handle value, const ImageNeed& need) {
  ImageInput input{array_of(need.name, value, need_text(need), need.stream), {}};
  const AnyArray& array = input.array;
  const std::size_t axes = array.ndim();
  if (axes != 2 && axes != 3) refuse_type(need.name, value, need_text(need));
  if (!fits_int(array))
    throw InvalidArgument(
        fmt::format("{} is {}, which is too large", need.name, array_text(value)));
  const int channels = axes == 3 ? static_cast<int>(array.shape(2)) : 1;
  bool known = false;
  input.view = any_view(array, known);
  const auto type = static_cast<io::SampleType>(input.view.index());
  known = known && std::find(need.samples.begin(), need.samples.end(), type) != need.samples.end();
  if (!known) refuse_type(need.name, value, need_text(need));
  if (need.channels.size() > 0 &&
      std::find(need.channels.begin(), need.channels.end(), channels) == need.channels.end())
    throw InvalidArgument(
        fmt::format("{} is {}; expected {}", need.name, array_text(value), need_text(need)));
  if (array.size() == 0)
    throw InvalidArgument(fmt::format("{} is empty ({})", need.name, array_text(value)));
  require_rows(need.name, array);
  return input;
}

ImageInput byte_image(nb::handle value, const char* name, const Stream* stream) {
  return image_input(value, {name, {io::SampleType::kUint8}, {1, 3, 4}, stream});
}

ImageInput mask_input(nb::handle value, const char* name) {
  if (value.is_none()) return {{}, ImageView<const std::uint8_t>{}};
  const ImageNeed need{name, {io::SampleType::kUint8}, {1}};
  ImageInput input{array_of(name, value, need_text(need)), {}};
  const bool flags =
      input.array.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool);
  if (!flags) return image_input(value, need);
  if (input.array.ndim() != 2) refuse_type(name, value, need_text(need));
  if (input.array.size() == 0)
    throw InvalidArgument(fmt::format("{} is empty ({})", name, array_text(value)));
  require_rows(name, input.array);
  // Truth values are bytes of 0 and 1, and a mask asks only whether a byte is 0.
  input.view = view_of<std::uint8_t>(input.array);
  return input;
}

ImageInput rows_input(nb::handle value, const char* name,
                      std::initializer_list<io::SampleType> samples, const Stream* stream) {
  std::vector<std::string> types;
  for (const io::SampleType type : samples) types.emplace_back(io::to_string(type));
  const std::string need =
      fmt::format("an array of {} and of shape (rows, bins) or (bins,)", joined(types));
  ImageInput input{array_of(name, value, need, stream), {}};
  const AnyArray& array = input.array;
  bool known = array.ndim() == 1 || array.ndim() == 2;
  if (!known) refuse_type(name, value, need);
  if (!fits_int(array))
    throw InvalidArgument(fmt::format("{} is {}, which is too large", name, array_text(value)));
  input.view = any_view(array, known);
  const auto type = static_cast<io::SampleType>(input.view.index());
  if (!known || std::find(samples.begin(), samples.end(), type) == samples.end())
    refuse_type(name, value, need);
  if (array.shape(array.ndim() - 1) == 0)
    throw InvalidArgument(fmt::format("{} has no bins ({})", name, array_text(value)));
  if (array.ndim() == 2 && array.shape(0) > 0) require_rows(name, array);
  if (array.ndim() == 1 && array.shape(0) > 1 && array.stride(0) != 1)
    throw InvalidArgument(
        fmt::format("{0} is not contiguous; pass numpy.ascontiguousarray({0})", name));
  return input;
}

PointsInput points_input(nb::handle value, const char* name, const Stream* stream) {
  const std::string need = "an array of float32 and of shape (points, numbers)";
  PointsInput input{array_of(name, value, need, stream), {}};
  const AnyArray& array = input.array;
  if (array.ndim() != 2 || !has_type<float>(array)) refuse_type(name, value, need);
  if (array.size() == 0)
    throw InvalidArgument(fmt::format("{} is empty ({})", name, array_text(value)));
  if (!fits_int(array))
    throw InvalidArgument(fmt::format("{} is {}, which is too large", name, array_text(value)));
  require_rows(name, array);
  input.view = view_of<float>(array);
  return input;
}

AnyArray dense_array(nb::handle value, const char* name, nb::dlpack::dtype type,
                     std::initializer_list<int> dimensions) {
  return dense_array_of(value, name, {type}, dimensions);
}

AnyArray dense_array_of(nb::handle value, const char* name,
                        std::initializer_list<nb::dlpack::dtype> types,
                        std::initializer_list<int> dimensions) {
  std::vector<std::string> kinds, axes;
  for (const nb::dlpack::dtype type : types) kinds.push_back(type_text(type));
  for (const int count : dimensions) axes.push_back(std::to_string(count));
  const std::string need = fmt::format("an array of {} with {} {}", joined(kinds), joined(axes),
                                       axes.size() == 1 && axes[0] == "1" ? "axis" : "axes");
  AnyArray array = array_of(name, value, need);
  const bool fits = std::find(dimensions.begin(), dimensions.end(),
                              static_cast<int>(array.ndim())) != dimensions.end();
  const bool known = std::find(types.begin(), types.end(), array.dtype()) != types.end();
  if (!known || !fits) refuse_type(name, value, need);
  if (array.size() == 0) return array;  // whose strides mean nothing
  std::int64_t step = 1;
  for (std::size_t i = array.size() > 0 ? array.ndim() : 0; i-- > 0;) {
    if (array.shape(i) > 1 && array.stride(i) != step)
      throw InvalidArgument(
          fmt::format("{} is not contiguous; pass numpy.ascontiguousarray({})", name, name));
    step *= static_cast<std::int64_t>(array.shape(i));
  }
  return array;
}

std::vector<std::int32_t> whole_numbers(nb::handle value, const char* name) {
  const AnyArray array =
      dense_array_of(value, name, {nb::dtype<std::int32_t>(), nb::dtype<std::int64_t>()}, {1});
  std::vector<std::int32_t> numbers(array.size());
  const auto take = [&](const auto* given) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (!std::in_range<std::int32_t>(given[i]))
        throw InvalidArgument(
            fmt::format("{} has {}; expected numbers of 32 bits", name, std::int64_t{given[i]}));
      numbers[i] = static_cast<std::int32_t>(given[i]);
    }
  };
  if (has_type<std::int32_t>(array)) take(static_cast<const std::int32_t*>(array.data()));
  else take(static_cast<const std::int64_t*>(array.data()));
  return numbers;
}

template <class T>
std::vector<T> real_numbers(nb::handle value, const char* name) {
  const AnyArray array =
      dense_array_of(value, name, {nb::dtype<float>(), nb::dtype<double>()}, {1});
  const auto taken = [&](const auto* given) {
    std::vector<T> numbers(array.size());
    std::transform(given, given + array.size(), numbers.begin(),
                   [](auto number) { return static_cast<T>(number); });
    return numbers;
  };
  return has_type<float>(array) ? taken(static_cast<const float*>(array.data()))
                                : taken(static_cast<const double*>(array.data()));
}
template std::vector<float> real_numbers(nb::handle value, const char* name);
template std::vector<double> real_numbers(nb::handle value, const char* name);

template <class T>
std::vector<Rect<T>> rect_rows(nb::handle value, const char* name) {
  const AnyArray rows = dense_array<T>(value, name, {2});
  if (rows.shape(1) != 4)
    throw InvalidArgument(
        fmt::format("{} is {}; expected rows of x, y, width and height", name, array_text(value)));
  std::vector<Rect<T>> boxes(rows.shape(0));
  static_assert(sizeof(Rect<T>) == 4 * sizeof(T));
  if (!boxes.empty()) std::memcpy(boxes.data(), rows.data(), boxes.size() * sizeof(Rect<T>));
  return boxes;
}
template std::vector<Rect<float>> rect_rows(nb::handle value, const char* name);
template std::vector<Rect<double>> rect_rows(nb::handle value, const char* name);

void require_finite(ImageView<const float> rows, const char* name) {
  for (int y = 0; y < rows.height; ++y)
    for (int x = 0; x < rows.width; ++x)
      if (!std::isfinite(rows.at(x, y)))
        throw InvalidArgument(fmt::format("{}: number {} of row {} is {}, expected finite ones",
                                          name, x, y, rows.at(x, y)));
}

nb::object to_numpy(io::AnyImage&& image) {
  return std::visit([](auto& pixels) { return to_numpy(std::move(pixels)); }, image.pixels);
}

}  // namespace fovea::python
