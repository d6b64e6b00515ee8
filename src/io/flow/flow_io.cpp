// Recognizes the format of a flow field by its content; when writing, the file's name decides.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "io/flow/flow_format.h"
#include "io/image/codec.h"
#include "io/text/extension.h"

namespace fovea::io {
namespace {

FlowField read_flow(const Source& source, const FlowReadOptions& given) {
  check_options(given);
  const ImageReadOptions options{.max_pixels = given.max_pixels};
  std::array<std::byte, kHeadBytes> buffer{};
  const std::size_t got = source.read_at(0, buffer);
  const std::string_view head(reinterpret_cast<const char*>(buffer.data()), got);
  if (is_flo(head)) return read_flo(source, options);
  if (kPngCodec.recognizes(head)) return read_kitti(source, options);
  if (kPfmCodec.recognizes(head)) return read_pfm_field(source, options);
  if (kNpyCodec.recognizes(head)) return read_npy_field(source, options);
  if (kTiffCodec.recognizes(head)) return read_tiff_field(source, options);
  if (head.empty()) source.fail("is empty");
  std::string bytes;
  for (const char c : head.substr(0, 4))
    bytes += fmt::format("{}{:02x}", bytes.empty() ? "" : " ", static_cast<unsigned char>(c));
  source.fail(fmt::format(
      "begins with {}, as no flow field does; .flo (PIEH, 50 49 45 48), KITTI PNG, PFM, .npy "
      "and TIFF are read",
      bytes));
}

void check_planes(const std::string& path, const FlowFieldView& field) {
  const auto same = [&](const auto& plane) {
    return plane.width == field.u.width && plane.height == field.u.height && plane.channels == 1;
  };
  if (field.u.empty() || !same(field.u) || !same(field.v) ||
      (!field.known.empty() && !same(field.known)) ||
      (!field.confidence.empty() && !same(field.confidence)))
    throw InvalidArgument(fmt::format(
        "{}: the planes are {}, {}, {} and {}; a flow field has planes of one size and one channel",
        path, fovea::detail::shape_text(field.u), fovea::detail::shape_text(field.v),
        fovea::detail::shape_text(field.known), fovea::detail::shape_text(field.confidence)));
}

// 255 where a vector is known and its confidence is not less than `least`.
Image<std::uint8_t> confident(const FlowFieldView& field, double least) {
  Image<std::uint8_t> known(field.u.width, field.u.height);
  for (int y = 0; y < known.height(); ++y)
    for (int x = 0; x < known.width(); ++x)
      known.at(x, y) = field.is_known(x, y) && double{field.confidence.at(x, y)} >= least ? 255 : 0;
  return known;
}

void write_host(const std::string& path, const FlowFieldView& field, bool confidence) {
  const std::string extension = extension_of(path);
  const int channels = confidence && !field.confidence.empty() ? 3 : 2;
  if (extension == ".png") return write_image(path, kitti_pixels(path, field));
  if (extension == ".npy") return write_image(path, plane_pixels(field, channels));
  if (extension == ".tif" || extension == ".tiff")
    return write_image(path, plane_pixels(field, channels), {.alpha = Alpha::kNone});
  if (extension == ".pfm") {
    FlowFieldView written = field;
    if (!confidence) written.confidence = {};
    return write_image(path, plane_pixels(written, 3));
  }
  OutputFile file(path);
  write_flo(file, field);
  file.commit();
}

// Returns the plane itself, or its copy on the host.
template <class T>
ImageView<const T> on_host(ImageView<const T> plane, Image<T>& copy) {
  if (plane.empty() || plane.memory != Memory::kCuda) return plane;
  copy = clone(plane);
  return copy.view();
}

}  // namespace

FlowField make_field(int width, int height) {
  return {Image<float>(width, height), Image<float>(width, height),
          Image<std::uint8_t>(width, height)};
}

void set_vector(FlowField& field, int x, int y, double u, double v) {
  constexpr double kUnknown = kUnknownMotion;
  const bool known = std::abs(u) < kUnknown && std::abs(v) < kUnknown;  // false for NaN as well
  field.known.at(x, y) = known ? 255 : 0;
  field.u.at(x, y) = known ? static_cast<float>(u) : 0;
  field.v.at(x, y) = known ? static_cast<float>(v) : 0;
}

void keep_confidence(FlowField& field, Image<float> channel, bool zeros_count) {
  bool any = zeros_count;
  for (int y = 0; y < field.height(); ++y)
    for (int x = 0; x < field.width(); ++x) {
      float& value = channel.at(x, y);
      if (field.known.at(x, y) == 0) value = 0;
      if (!(value >= 0 && value <= 1)) return;
      any = any || value > 0;
    }
  if (any) field.confidence = std::move(channel);
}

void describe(OptionVisitor& visit, FlowWriteOptions& options) {
  visit("least-confidence", options.least_confidence,
        "write vectors of less confidence as not known, in every format", 0, 1,
        {.absent = "0.001 in KITTI's PNG, which marks valid vectors; elsewhere all are written"});
  visit("confidence", options.confidence,
        "write the confidence as a third channel of .pfm, .npy and .tif",
        {.off_help = "write u and v alone to .pfm, .npy and .tif, without the confidence"});
}

void describe(OptionVisitor& visit, FlowReadOptions& options) {
  visit("max-pixels", options.max_pixels,
        "refuse fields of more pixels before memory is taken for them; 0 is no limit", 0, 0x1p62);
}

FlowField read_flow(const std::string& path, const FlowReadOptions& options) {
  return read_flow(Source(path), options);
}
FlowField read_flow(std::span<const std::byte> data, const std::string& name,
                    const FlowReadOptions& options) {
  return read_flow(Source(data, name), options);
}

void require_flow_path(const std::string& path) {
  static constexpr std::array<std::string_view, 6> kExtensions{".flo", ".png", ".pfm",
                                                               ".npy", ".tif", ".tiff"};
  const std::string extension = extension_of(path);
  if (std::find(kExtensions.begin(), kExtensions.end(), extension) == kExtensions.end())
    throw InvalidArgument(
        fmt::format("{}: extension '{}' names no flow field; use .flo, .png (KITTI), .pfm, .npy or "
                    ".tif",
                    path, extension));
}

void write_flow(const std::string& path, const FlowFieldView& field,
                const FlowWriteOptions& options) {
  require_flow_path(path);
  check_options(options);
  check_planes(path, field);
  Image<float> u, v, confidence;
  Image<std::uint8_t> known, valid;
  FlowFieldView here{on_host(field.u, u), on_host(field.v, v), on_host(field.known, known),
                     on_host(field.confidence, confidence)};
  std::optional<double> least = options.least_confidence;
  if (!least && extension_of(path) == ".png") least = kLeastValidConfidence;
  if (least && *least > 0 && !here.confidence.empty()) {
    valid = confident(here, *least);
    here.known = valid.view();
  }
  write_host(path, here, options.confidence);
}

}  // namespace fovea::io
