// Frames and examples as fovea.emd.Tracker takes them.
#pragma once
#include <fovea/core/error.h>
#include <fovea/emd/scene.h>

#include <fmt/format.h>

#include <variant>

#include "arrays.h"

namespace fovea::python {

// Colors where an array is uint8 with one channel or three, or else bands of samples of any type;
// both in host memory or on a GPU. It keeps the array alive.
class TrackInput {
 public:
  TrackInput(nb::handle value, const char* name, const Stream& stream)
      : image_(read(value, name, stream)), name_(name) {}

  bool has_bands() const {
    const auto* bytes = std::get_if<ImageView<const std::uint8_t>>(&image_.view);
    return bytes == nullptr || (bytes->channels != 1 && bytes->channels != 3);
  }
  double samples() const {
    return std::visit(
        [](const auto& view) {
          return static_cast<double>(view.width) * view.height * view.channels;
        },
        image_.view);
  }
  void require_kind_of(const TrackInput& other) const {
    if (has_bands() == other.has_bands()) return;
    throw InvalidArgument(fmt::format(
        "{} and {} differ: one has colors (uint8 of one or three channels), the other bands; "
        "expected the same of both",
        name_, other.name_));
  }

  // Calls function with the colors or with the bands, which are made in the order of exec.stream
  // where they lie on a GPU; needs no lock of Python's.
  template <class Function>
  auto visit(const Exec& exec, Function function) const {
    if (!has_bands()) return function(image_.of<std::uint8_t>());
    const emd::BandFrame frame = emd::bands_of(image_.view, name_, exec);
    return function(StackView<const float>(frame.bands));
  }

 private:
  static ImageInput read(nb::handle value, const char* name, const Stream& stream) {
    using enum io::SampleType;
    return image_input(
        value,
        {name, {kUint8, kUint16, kUint32, kInt8, kInt16, kInt32, kFloat32, kFloat64}, {}, &stream});
  }

  ImageInput image_;
  const char* name_;
};

}  // namespace fovea::python
