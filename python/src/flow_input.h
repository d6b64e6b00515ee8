// Images and fields of flow as arrays of Python, for the files of fovea.flow.
#pragma once
#include <fovea/io/flow_io.h>

#include <string>
#include <type_traits>

#include "arrays.h"
#include "errors.h"

namespace fovea::python {

// The types of samples that flow and stereo compare.
template <class T>
constexpr bool kFlowSample =
    std::is_same_v<T, std::uint8_t> || std::is_same_v<T, std::uint16_t> || std::is_same_v<T, float>;

inline ImageInput flow_image(nb::handle value, const char* name, const Stream* stream = nullptr) {
  using enum io::SampleType;
  return image_input(value, {name, {kUint8, kUint16, kFloat32}, {1, 3, 4}, stream});
}

// Calls function(view) with the pixels of such an image.
template <class Function>
auto visit_samples(const ImageInput& image, Function function) {
  using Result = decltype(function(ImageView<const float>{}));
  return std::visit(
      [&]<class T>(const ImageView<T>& view) -> Result {
        if constexpr (kFlowSample<std::remove_const_t<T>>) return function(view);
        else return Result();  // flow_image() has refused it
      },
      image.view);
}

// An image with what Python gave and its name.
struct NamedImage {
  const ImageInput& image;
  nb::handle given;
  const char* name;
};
inline void require_one_type(const NamedImage& a, const NamedImage& b) {
  if (a.image.view.index() != b.image.view.index())
    throw_invalid_type(std::string(a.name) + " is " + array_text(a.given) + " and " + b.name +
                       " is " + array_text(b.given) + "; expected arrays of one type");
}

// A plane of float32, or an empty view for None.
inline ImageInput plane_input(nb::handle value, const char* name) {
  if (value.is_none()) return {{}, ImageView<const float>{}};
  return image_input(value, {name, {io::SampleType::kFloat32}, {1}});
}
// The same, for a plane that must be there.
inline ImageInput whole_plane(nb::handle value, const char* name) {
  return image_input(value, {name, {io::SampleType::kFloat32}, {1}});
}

// A field in arrays of Python, which must outlive it.
struct FieldInput {
  ImageInput u, v, known, confidence;
  io::FlowFieldView view() const {
    return {u.of<float>(), v.of<float>(), known.of<std::uint8_t>(), confidence.of<float>()};
  }
};
inline FieldInput field_input(nb::handle u, nb::handle v, nb::handle known = nb::none(),
                              nb::handle confidence = nb::none()) {
  return {whole_plane(u, "u"), whole_plane(v, "v"), mask_input(known, "known"),
          plane_input(confidence, "confidence")};
}

}  // namespace fovea::python
