// Flow fields in image files: KITTI's 16-bit PNG (Geiger, Lenz and Urtasun, CVPR 2012), u, v and
// confidence as channels of PFM and TIFF, and .npy with u and v as the last index, as images have
// their channels, or as the first, as many Python programs keep them.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

#include "core/words.h"
#include "io/flow/flow_format.h"
#include "io/image/codec.h"
#include "io/image/npy.h"

namespace fovea::io {
namespace {

constexpr float kSteps = 64;      // steps per pixel of motion in KITTI's files
constexpr float kMiddle = 32768;  // the value that stands for no motion

std::uint16_t kitti_sample(const std::string& path, float value, int x, int y) {
  const double sample = std::nearbyint(double{value} * double{kSteps} + double{kMiddle});
  if (!(sample >= 0 && sample <= 65535))
    throw InvalidArgument(fmt::format(
        "{}: the motion is {} pixels at ({}, {}); a KITTI PNG holds -512 to 511.98, write .flo",
        path, value, x, y));
  return static_cast<std::uint16_t>(sample);
}

// Where the elements of a field lie in the array.
struct VectorLayout {
  std::size_t width, height;
  std::size_t pixel;  // elements from one pixel to the next
  std::size_t plane;  // elements from u to v
};

VectorLayout layout_of(const Source& source, const NpyHeader& header) {
  const auto& shape = header.shape;
  const bool real = header.type == DType::kFloat32 || header.type == DType::kFloat64;
  if (real && shape.size() == 3) {
    if (shape[2] == 2 || shape[2] == 3) return {shape[1], shape[0], shape[2], 1};
    if (shape[0] == 2) return {shape[2], shape[1], 1, shape[1] * shape[2]};
  }
  source.fail(
      fmt::format("holds {} of shape ({}{}); a flow field is float32 or float64 of shape (rows, "
                  "columns, 2), (rows, columns, 3) or (2, rows, columns)",
                  to_string(header.type), fmt::join(shape, ", "), shape.size() == 1 ? "," : ""));
}

template <class T>
void set_vectors(const NdArray& array, const VectorLayout& layout, FlowField& field) {
  const T* element = array.as<T>().data();
  const bool third = layout.pixel == 3;
  Image<float> channel;
  if (third) channel = Image<float>(field.width(), field.height());
  for (int y = 0; y < field.height(); ++y)
    for (int x = 0; x < field.width(); ++x, element += layout.pixel) {
      set_vector(field, x, y, static_cast<double>(element[0]),
                 static_cast<double>(element[layout.plane]));
      if (third) channel.at(x, y) = static_cast<float>(element[2]);
    }
  if (third) keep_confidence(field, std::move(channel), true);
}

// Sets a field from two or three channels.
FlowField field_of_pixels(const Image<float>& pixels, bool zeros_count) {
  FlowField field = make_field(pixels.width(), pixels.height());
  const bool third = pixels.channels() == 3;
  Image<float> channel;
  if (third) channel = Image<float>(pixels.width(), pixels.height());
  for (int y = 0; y < field.height(); ++y)
    for (int x = 0; x < field.width(); ++x) {
      set_vector(field, x, y, pixels.at(x, y, 0), pixels.at(x, y, 1));
      if (third) channel.at(x, y) = pixels.at(x, y, 2);
    }
  if (third) keep_confidence(field, std::move(channel), zeros_count);
  return field;
}

}  // namespace

FlowField read_kitti(const Source& source, const ImageReadOptions& options) {
  const AnyImage image = kPngCodec.read(source, options);
  const auto* pixels = std::get_if<Image<std::uint16_t>>(&image.pixels);
  if (pixels == nullptr || pixels->channels() != 3)
    source.fail(fmt::format(
        "is a PNG of {} with {} channels; a flow field in PNG (KITTI) has 3 channels of 16 bits",
        to_string(image.type()), image.channels()));
  FlowField field = make_field(image.width(), image.height());
  for (int y = 0; y < field.height(); ++y) {
    for (int x = 0; x < field.width(); ++x) {
      const bool known = pixels->at(x, y, 2) != 0;
      field.known.at(x, y) = known ? 255 : 0;
      field.u.at(x, y) = known ? (static_cast<float>(pixels->at(x, y, 0)) - kMiddle) / kSteps : 0;
      field.v.at(x, y) = known ? (static_cast<float>(pixels->at(x, y, 1)) - kMiddle) / kSteps : 0;
    }
  }
  return field;
}

FlowField read_pfm_field(const Source& source, const ImageReadOptions& options) {
  const AnyImage image = kPfmCodec.read(source, options);
  const auto* pixels = std::get_if<Image<float>>(&image.pixels);
  if (pixels == nullptr || pixels->channels() != 3)
    source.fail(
        fmt::format("is a PFM of {} with {}; a flow field in PFM has 3 channels: u, v and one more",
                    to_string(image.type()), fovea::detail::counted(image.channels(), "channel")));
  return field_of_pixels(*pixels, false);
}

FlowField read_tiff_field(const Source& source, const ImageReadOptions& options) {
  const AnyImage image = kTiffCodec.read(source, options);
  const auto* pixels = std::get_if<Image<float>>(&image.pixels);
  if (pixels == nullptr || (pixels->channels() != 2 && pixels->channels() != 3))
    source.fail(
        fmt::format("is a TIFF of {} with {}; a flow field in TIFF has 2 or 3 channels of float32: "
                    "u, v and the confidence",
                    to_string(image.type()), fovea::detail::counted(image.channels(), "channel")));
  return field_of_pixels(*pixels, true);
}

FlowField read_npy_field(const Source& source, const ImageReadOptions& options) {
  Cursor cursor(source);
  const NpyHeader header = read_npy_header(cursor);
  const VectorLayout layout = layout_of(source, header);
  check_shape(source, {layout.width, layout.height, 2, SampleType::kFloat32}, options);
  const NdArray array = read_npy_elements(cursor, header);
  FlowField field = make_field(static_cast<int>(layout.width), static_cast<int>(layout.height));
  if (array.type == DType::kFloat64) set_vectors<double>(array, layout, field);
  else set_vectors<float>(array, layout, field);
  return field;
}

Image<std::uint16_t> kitti_pixels(const std::string& path, const FlowFieldView& field) {
  Image<std::uint16_t> pixels(field.u.width, field.u.height, 3);
  for (int y = 0; y < field.u.height; ++y) {
    for (int x = 0; x < field.u.width; ++x) {
      const bool known = field.is_known(x, y);
      pixels.at(x, y, 0) = known ? kitti_sample(path, field.u.at(x, y), x, y) : std::uint16_t{0};
      pixels.at(x, y, 1) = known ? kitti_sample(path, field.v.at(x, y), x, y) : std::uint16_t{0};
      pixels.at(x, y, 2) = known ? 1 : 0;
    }
  }
  return pixels;
}

Image<float> plane_pixels(const FlowFieldView& field, int channels) {
  constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();
  Image<float> pixels(field.u.width, field.u.height, channels);
  for (int y = 0; y < field.u.height; ++y) {
    for (int x = 0; x < field.u.width; ++x) {
      const bool known = field.is_known(x, y);
      pixels.at(x, y, 0) = known ? field.u.at(x, y) : kUnknown;
      pixels.at(x, y, 1) = known ? field.v.at(x, y) : kUnknown;
      if (channels > 2)
        pixels.at(x, y, 2) = known && !field.confidence.empty() ? field.confidence.at(x, y) : 0;
    }
  }
  return pixels;
}

}  // namespace fovea::io
