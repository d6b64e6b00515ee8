// Flow fields in image files: KITTI's 16-bit PNG (Geiger, Lenz and Urtasun, CVPR 2012), and u and v
// as channels of PFM and .npy.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "io/flow/flow_format.h"
#include "io/image/codec.h"

namespace fovea::io {
namespace {

constexpr float kSteps = 64;      // of KITTI, a pixel
constexpr float kMiddle = 32768;  // stands for no motion

bool is_known(const FlowFieldView& field, int x, int y) {
  return field.known.empty() || field.known.at(x, y) != 0;
}

std::uint16_t kitti_sample(const std::string& path, float value, int x, int y) {
  const double sample = std::nearbyint(double{value} * double{kSteps} + double{kMiddle});
  // Written so that NaN fails as well.
  if (!(sample >= 0 && sample <= 65535))
    throw InvalidArgument(fmt::format(
        "{}: a motion of {} pixels at ({}, {}); a KITTI PNG holds -512 to 511.98, write .flo", path,
        value, x, y));
  return static_cast<std::uint16_t>(sample);
}

}  // namespace

FlowField read_kitti(const Source& source) {
  const AnyImage image = kPngCodec.read(source, {});
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

FlowField read_planes(const Source& source, std::string_view head) {
  const Codec& codec = kPfmCodec.recognizes(head) ? kPfmCodec : kNpyCodec;
  const AnyImage image = codec.read(source, {});
  const auto* pixels = std::get_if<Image<float>>(&image.pixels);
  if (pixels == nullptr || pixels->channels() < 2)
    source.fail(fmt::format(
        "is a {} of {} with {} channel{}; a flow field has u and v in two channels of float32",
        codec.name, to_string(image.type()), image.channels(), image.channels() == 1 ? "" : "s"));
  FlowField field = make_field(image.width(), image.height());
  for (int y = 0; y < field.height(); ++y)
    for (int x = 0; x < field.width(); ++x)
      set_vector(field, x, y, pixels->at(x, y, 0), pixels->at(x, y, 1));
  return field;
}

Image<std::uint16_t> kitti_pixels(const std::string& path, const FlowFieldView& field) {
  Image<std::uint16_t> pixels(field.u.width, field.u.height, 3);
  for (int y = 0; y < field.u.height; ++y) {
    for (int x = 0; x < field.u.width; ++x) {
      const bool known = is_known(field, x, y);
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
      const bool known = is_known(field, x, y);
      pixels.at(x, y, 0) = known ? field.u.at(x, y) : kUnknown;
      pixels.at(x, y, 1) = known ? field.v.at(x, y) : kUnknown;
      for (int c = 2; c < channels; ++c) pixels.at(x, y, c) = 0;
    }
  }
  return pixels;
}

}  // namespace fovea::io
