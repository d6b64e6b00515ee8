#include "arrays.h"

#include <fovea/core/error.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "array_rules.h"
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

// The words for types, in the order of preference.
std::vector<std::string> names_of(const auto& types) {
  std::vector<std::string> names;
  for (const io::SampleType type : types) names.emplace_back(io::to_string(type));
  return names;
}
// The same for messages, in an order that is always the same.
std::string listed(std::vector<io::SampleType> types) {
  std::sort(types.begin(), types.end());
  return joined(names_of(types));
}

std::string need_text(const ImageNeed& need) {
  std::vector<std::string> channels;
  for (const int count : need.channels) channels.push_back(std::to_string(count));
  if (channels.empty())
    return fmt::format("an array of {} and of shape (height, width) or (height, width, bands)",
                       listed(need.samples));
  const bool plain =
      std::find(need.channels.begin(), need.channels.end(), 1) != need.channels.end();
  return fmt::format("an array of {} and of shape {}(height, width, {})", listed(need.samples),
                     plain ? "(height, width) or " : "", joined(channels));
}

std::string imported_text(const AnyArray& array) {
  return fmt::format("{} of shape {}", type_text(array.dtype()), shape_text(array));
}

[[noreturn]] void refuse_type(const char* name, nb::handle value, const std::string& need) {
  throw_invalid_type(fmt::format("{} is {}; expected {}", name, array_text(value), need));
}
[[noreturn]] void refuse_array(const char* name, const AnyArray& array, const std::string& need) {
  throw_invalid_type(fmt::format("{} is {}; expected {}", name, imported_text(array), need));
}
[[noreturn]] void refuse_size(const char* name, const AnyArray& array) {
  throw InvalidArgument(fmt::format("{} is {}, which is too large", name, imported_text(array)));
}

// Most arrays are NumPy's own, which say all there is to know about themselves.
bool is_plain_array(nb::handle value) {
  static PyObject* const kind =
      nb::object(nb::module_::import_("numpy").attr("ndarray")).release().ptr();
  return Py_TYPE(value.ptr()) == reinterpret_cast<PyTypeObject*>(kind);
}

// Imports what has __dlpack__ on the CPU or the buffer protocol.
bool import_array(nb::handle value, AnyArray& array) {
  if (value.is_none() || PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) return false;
  if (!is_plain_array(value)) {
    // A single number is no array, and NumPy's times describe themselves wrongly as buffers.
    const nb::object axes = nb::getattr(value, "ndim", nb::none());
    if (PyLong_Check(axes.ptr()) && PyObject_IsTrue(axes.ptr()) == 0) return false;
  }
  if (nb::try_cast<AnyArray>(value, array, false)) return array.ndim() > 0;
  PyErr_Clear();
  return false;
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

// Throws where an array must not be copied.
void require_copies_allowed(const char* name, const AnyArray& array, const std::string& need) {
  if (!array_rules().strict) return;
  const auto step = [&](std::size_t axis) { return array.stride(axis); };
  throw_invalid_type(fmt::format(
      "{} is {} of shape {} with strides of {} elements, which takes a copy that strict "
      "forbids; expected {}, row by row",
      name, type_text(array.dtype()), shape_text(array), tuple_text(array, step), need));
}

// What makes an array of NumPy's of anything else, or one with other elements: functions of
// fovea._arguments.
nb::object made_by(const char* function, const nb::tuple& arguments) {
  return nb::module_::import_("fovea._arguments").attr(function)(*arguments);
}

// `need` says in words what is expected.
template <class Need>
AnyArray array_of(const char* name, nb::handle value, Need need, const Stream* stream = nullptr) {
  AnyArray array;
  if (is_plain_array(value) && import_array(value, array)) return array;
  if (is_masked(value))
    throw_invalid_type(fmt::format(
        "{0} is a masked array, whose mask would be lost; pass {0}.filled(VALUE) or {0}.data",
        name));
  if (lies_on_gpu(value)) return gpu_array(name, value, stream);
  require_pillow_mode(name, value);
  if (!import_array(value, array)) {
    const nb::object made = made_by(
        "array_from", nb::make_tuple(nb::borrow(value), name, need(), array_rules().strict));
    if (!import_array(made, array)) refuse_type(name, value, need());
  }
  const int device = array.device_type();
  if (device != nb::device::cpu::value && device != kCudaHost && memory_of(array) != Memory::kCuda)
    throw DeviceError(fmt::format(
        "{} lies on a device of DLPack's kind {}; expected memory of the CPU or of CUDA", name,
        device));
  return array;
}

// The same array with elements of one of these types, and every value that it has.
AnyArray retyped(const char* name, nb::handle value, const AnyArray& array,
                 const std::vector<std::string>& types, const std::string& need) {
  if (memory_of(array) == Memory::kCuda)
    refuse_type(name, value, need + "; types are converted on the CPU alone");
  require_copies_allowed(name, array, need);
  nb::list words;
  for (const std::string& type : types) words.append(type);
  const nb::object seen = nb::cast(nb::ndarray<nb::numpy, nb::ro>(array));
  const nb::object made = made_by("array_of_type", nb::make_tuple(seen, name, words, need));
  AnyArray other;
  if (!import_array(made, other)) refuse_type(name, value, need);
  return other;
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
bool lies_in_rows(const AnyArray& array) {
  if (array.ndim() == 1) return array.shape(0) <= 1 || array.stride(0) == 1;
  const auto channels = static_cast<std::int64_t>(array.ndim() == 3 ? array.shape(2) : 1);
  const auto width = static_cast<std::int64_t>(array.shape(1));
  const bool packed =
      (channels == 1 || array.stride(2) == 1) && (width == 1 || array.stride(1) == channels);
  return packed && (array.shape(0) == 1 || array.stride(0) >= width * channels);
}

// No gaps at all.
bool is_dense(const AnyArray& array) {
  std::int64_t step = 1;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    if (array.shape(i) > 1 && array.stride(i) != step) return false;
    step *= static_cast<std::int64_t>(array.shape(i));
  }
  return true;
}

// The array in order, on a GPU by the library that it comes from.
AnyArray ordered(const ImageNeed& need, nb::handle value, const AnyArray& array, bool turned) {
  require_copies_allowed(need.name, array, need_text(need));
  if (memory_of(array) != Memory::kCuda) return gathered(array, turned);
  nb::object there = nb::borrow(value);
  const char* const how = nb::hasattr(there, "contiguous") ? "contiguous" : "copy";
  if (!nb::hasattr(there, how))
    throw InvalidArgument(
        fmt::format("{} is {} whose rows or colors lie in another order; bring "
                    "it to the CPU or put it in order first",
                    need.name, array_text(value)));
  if (turned) {
    nb::list order;
    for (const int channel : {2, 1, 0, 3})
      if (channel < static_cast<int>(array.shape(2))) order.append(channel);
    there = there[nb::make_tuple(nb::ellipsis(), order)];
  }
  return gpu_array(need.name, there.attr(how)(), need.stream);
}

// Whether 3 or 4 channels come as blue, green and red. Files that were read and images of PIL say
// themselves what they are.
bool comes_turned(const ImageNeed& need, nb::handle value, int channels) {
  return (channels == 3 || channels == 4) && need.colors && array_rules().bgr &&
         !nb::hasattr(value, "fovea_rgb") && !nb::hasattr(value, "getbands");
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
  if (!lies_on_gpu(value) && import_array(value, array)) return imported_text(array);
  // An array that cannot be imported still says what it is.
  if (nb::hasattr(value, "dtype") && nb::hasattr(value, "shape"))
    return fmt::format("an array of {} and of shape {}", text_of(nb::object(value.attr("dtype"))),
                       text_of(nb::object(value.attr("shape"))));
  return "of type " + class_name(value);
}

ImageInput image_input(nb::handle value, const ImageNeed& need) {
  const auto needed = [&] { return need_text(need); };
  ImageInput input{array_of(need.name, value, needed, need.stream)};
  AnyArray& array = input.array;
  const std::size_t axes = array.ndim();
  if (axes != 2 && axes != 3) refuse_array(need.name, array, needed());
  if (!fits_int(array)) refuse_size(need.name, array);
  const int channels = axes == 3 ? static_cast<int>(array.shape(2)) : 1;
  const auto has = [](const auto& list, auto one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  if (need.channels.size() > 0 && !has(need.channels, channels))
    throw InvalidArgument(
        fmt::format("{} is {}; expected {}", need.name, imported_text(array), needed()));
  if (array.size() == 0)
    throw InvalidArgument(fmt::format("{} is empty ({})", need.name, imported_text(array)));
  const auto view = [&] {
    bool known = false;
    input.view = any_view(array, known);
    return known && has(need.samples, static_cast<io::SampleType>(input.view.index()));
  };
  if (!view()) {
    array = retyped(need.name, value, array, names_of(need.samples), needed());
    view();
  }
  const bool turned = comes_turned(need, value, channels);
  if (turned || !lies_in_rows(array)) {
    array = ordered(need, value, array, turned);
    view();
  }
  return input;
}

ImageInput byte_image(nb::handle value, const char* name, const Stream* stream) {
  return image_input(value, {name, {io::SampleType::kUint8}, {1, 3, 4}, stream});
}

ImageInput mask_input(nb::handle value, const char* name) {
  if (value.is_none()) return {{}, ImageView<const std::uint8_t>{}};
  const ImageNeed need{name, {io::SampleType::kUint8}, {1}};
  const auto needed = [&] { return need_text(need); };
  ImageInput input{array_of(name, value, needed)};
  AnyArray& array = input.array;
  if (array.ndim() != 2) return image_input(value, need);
  if (array.size() == 0)
    throw InvalidArgument(fmt::format("{} is empty ({})", name, imported_text(array)));
  if (!fits_int(array)) refuse_size(name, array);
  // A mask asks only whether a number is 0, and truth values are bytes of 0 and 1.
  const bool flags = array.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool);
  if (!flags && !has_type<std::uint8_t>(array))
    array = retyped(name, value, array, {"bool"}, needed());
  if (!lies_in_rows(array)) array = ordered(need, value, array, false);
  input.view = view_of<std::uint8_t>(array);
  return input;
}

ImageInput rows_input(nb::handle value, const char* name,
                      std::initializer_list<io::SampleType> samples, const Stream* stream) {
  const auto needed = [&] {
    return fmt::format("an array of {} and of shape (rows, bins) or (bins,)", listed(samples));
  };
  ImageInput input{array_of(name, value, needed, stream)};
  AnyArray& array = input.array;
  if (array.ndim() != 1 && array.ndim() != 2) refuse_array(name, array, needed());
  if (!fits_int(array)) refuse_size(name, array);
  const auto view = [&] {
    bool known = false;
    input.view = any_view(array, known);
    const auto type = static_cast<io::SampleType>(input.view.index());
    return known && std::find(samples.begin(), samples.end(), type) != samples.end();
  };
  const bool empty = array.shape(array.ndim() - 1) == 0;
  if (!view()) {
    if (empty) refuse_array(name, array, needed());
    array = retyped(name, value, array, names_of(samples), needed());
    view();
  }
  if (empty) throw InvalidArgument(fmt::format("{} has no bins ({})", name, imported_text(array)));
  if (array.size() > 0 && !lies_in_rows(array)) {
    array = ordered({name, samples, {}, stream, false}, value, array, false);
    view();
  }
  return input;
}

PointsInput points_input(nb::handle value, const char* name, const Stream* stream) {
  const auto needed = [] {
    return std::string("an array of float32 and of shape (points, numbers)");
  };
  PointsInput input{array_of(name, value, needed, stream)};
  AnyArray& array = input.array;
  if (array.ndim() != 2) refuse_array(name, array, needed());
  if (array.size() == 0)
    throw InvalidArgument(fmt::format("{} is empty ({})", name, imported_text(array)));
  if (!fits_int(array)) refuse_size(name, array);
  if (!has_type<float>(array)) array = retyped(name, value, array, {"float32"}, needed());
  if (!lies_in_rows(array))
    array = ordered({name, {io::SampleType::kFloat32}, {}, stream, false}, value, array, false);
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
  const auto kinds = [&] {
    std::vector<std::string> words;
    for (const nb::dlpack::dtype type : types) words.push_back(type_text(type));
    return words;
  };
  const auto needed = [&] {
    std::vector<std::string> axes;
    for (const int count : dimensions) axes.push_back(std::to_string(count));
    return fmt::format("an array of {} with {} {}", joined(kinds()), joined(axes),
                       axes.size() == 1 && axes[0] == "1" ? "axis" : "axes");
  };
  AnyArray array = array_of(name, value, needed);
  const bool fits = std::find(dimensions.begin(), dimensions.end(),
                              static_cast<int>(array.ndim())) != dimensions.end();
  if (!fits) refuse_array(name, array, needed());
  if (std::find(types.begin(), types.end(), array.dtype()) == types.end())
    array = retyped(name, value, array, kinds(), needed());
  if (array.size() == 0 || is_dense(array)) return array;  // strides of nothing mean nothing
  require_copies_allowed(name, array, needed());
  return gathered(array);
}

std::vector<std::int32_t> whole_numbers(nb::handle value, const char* name) {
  const AnyArray array =
      dense_array_of(value, name, {nb::dtype<std::int64_t>(), nb::dtype<std::int32_t>()}, {1});
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
      dense_array_of(value, name, {nb::dtype<double>(), nb::dtype<float>()}, {1});
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
        throw InvalidArgument(
            fmt::format("{}: number {} of row {} is {}, expected finite ones, no NaN or inf", name,
                        x, y, rows.at(x, y)));
}

nb::object picture_to_numpy(Image<std::uint8_t>&& picture) {
  if (array_rules().bgr && picture.channels() >= 3)
    for (int y = 0; y < picture.height(); ++y)
      for (int x = 0; x < picture.width(); ++x)
        std::swap(picture.view().at(x, y, 0), picture.view().at(x, y, 2));
  return to_numpy(std::move(picture));
}

nb::object marked_rgb(nb::object&& pixels) {
  return pixels.attr("view")(nb::module_::import_("fovea._rules").attr("RgbArray"));
}

nb::object to_numpy(io::AnyImage&& image) {
  return std::visit([](auto& pixels) { return to_numpy(std::move(pixels)); }, image.pixels);
}

}  // namespace fovea::python
