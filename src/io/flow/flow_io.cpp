// Recognizes the format of a flow field by its content; when writing, the file's name decides.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/flow_io.h>
#include <fovea/io/image_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

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
  if (head.empty()) source.fail("is empty");
  std::string bytes;
  for (const char c : head.substr(0, 4))
    bytes += fmt::format("{}{:02x}", bytes.empty() ? "" : " ", static_cast<unsigned char>(c));
  source.fail(fmt::format(
      "begins with {}, as no flow field does; .flo (PIEH, 50 49 45 48), KITTI PNG, PFM and .npy "
      "are read",
      bytes));
}

void check_planes(const std::string& path, const FlowFieldView& field) {
  const auto same = [&](const auto& plane) {
    return plane.width == field.u.width && plane.height == field.u.height && plane.channels == 1;
  };
  if (field.u.empty() || !same(field.u) || !same(field.v) ||
      (!field.known.empty() && !same(field.known)))
    throw InvalidArgument(fmt::format(
        "{}: the planes are {}, {} and {}; a flow field has planes of one size and one channel",
        path, fovea::detail::shape_text(field.u), fovea::detail::shape_text(field.v),
        fovea::detail::shape_text(field.known)));
}

void write_host(const std::string& path, const std::string& extension, const FlowFieldView& field) {
  if (extension == ".png") return write_image(path, kitti_pixels(path, field));
  if (extension == ".pfm") return write_image(path, plane_pixels(field, 3));
  if (extension == ".npy") return write_image(path, plane_pixels(field, 2));
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
  static constexpr std::array<std::string_view, 4> kExtensions{".flo", ".png", ".pfm", ".npy"};
  const std::string extension = extension_of(path);
  if (std::find(kExtensions.begin(), kExtensions.end(), extension) == kExtensions.end())
    throw InvalidArgument(
        fmt::format("{}: extension '{}' names no flow field; use .flo, .png (KITTI), .pfm or .npy",
                    path, extension));
}

void write_flow(const std::string& path, const FlowFieldView& field) {
  require_flow_path(path);
  check_planes(path, field);
  Image<float> u, v;
  Image<std::uint8_t> known;
  write_host(path, extension_of(path),
             {on_host(field.u, u), on_host(field.v, v), on_host(field.known, known)});
}

}  // namespace fovea::io
