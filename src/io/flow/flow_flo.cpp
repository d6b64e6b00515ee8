// Middlebury's .flo: "PIEH" (the float 202021.25), width and height as 32-bit integers, then u and
// v of every pixel as floats, row after row, all little-endian.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <array>
#include <bit>
#include <vector>

#include "io/flow/flow_format.h"
#include "io/image/codec.h"

namespace fovea::io {
namespace {

constexpr std::string_view kFloMagic = "PIEH";
constexpr std::size_t kFloHeaderBytes = 12;
constexpr float kUnknown = 1e10F;

// Swaps bytes between the file's byte order and this machine's, in either direction.
void to_little_endian(std::span<std::byte> words) {
  if (std::endian::native == std::endian::big) swap_bytes(words, 4);
}

std::int32_t whole_number(Cursor& cursor) {
  std::array<std::byte, 4> bytes{};
  cursor.read_all(bytes);
  to_little_endian(bytes);
  return std::bit_cast<std::int32_t>(bytes);
}

PictureShape read_shape(Cursor& cursor, const ImageReadOptions& options) {
  const Source& source = cursor.source();
  const std::int32_t width = whole_number(cursor);
  const std::int32_t height = whole_number(cursor);
  if (width < 1 || height < 1)
    source.fail(
        fmt::format("says it is {}x{}; expected a flow field of 1x1 at least", width, height));
  const PictureShape shape{static_cast<std::uint64_t>(width), static_cast<std::uint64_t>(height), 2,
                           SampleType::kFloat32};
  check_shape(source, shape);
  const double needed = static_cast<double>(width) * static_cast<double>(height) * 8;
  const auto there = static_cast<double>(cursor.remaining());
  if (needed != there)
    source.fail(
        fmt::format("is {}: {}x{} vectors take {:.0f} bytes after the header, {:.0f} are there",
                    needed > there ? "truncated" : "too long", width, height, needed, there));
  check_shape(source, shape, options);
  return shape;
}

}  // namespace

bool is_flo(std::string_view head) { return head.starts_with(kFloMagic); }

FlowField read_flo(const Source& source, const ImageReadOptions& options) {
  if (source.size() < kFloHeaderBytes)
    source.fail(fmt::format("is truncated: {} bytes, and a .flo file's header has {}",
                            source.size(), kFloHeaderBytes));
  Cursor cursor(source, kFloMagic.size());
  const PictureShape shape = read_shape(cursor, options);
  FlowField field = make_field(static_cast<int>(shape.width), static_cast<int>(shape.height));
  std::vector<float> row(2 * static_cast<std::size_t>(shape.width));
  for (int y = 0; y < field.height(); ++y) {
    const auto bytes = std::as_writable_bytes(std::span(row));
    cursor.read_all(bytes);
    to_little_endian(bytes);
    const float* vector = row.data();
    for (int x = 0; x < field.width(); ++x, vector += 2)
      set_vector(field, x, y, vector[0], vector[1]);
  }
  return field;
}

void write_flo(OutputFile& file, const FlowFieldView& field) {
  std::array<std::int32_t, 2> sides{field.u.width, field.u.height};
  to_little_endian(std::as_writable_bytes(std::span(sides)));
  file.write(kFloMagic);
  file.write(sides.data(), sizeof sides);
  std::vector<float> row(2 * static_cast<std::size_t>(field.u.width));
  for (int y = 0; y < field.u.height; ++y) {
    float* vector = row.data();
    for (int x = 0; x < field.u.width; ++x, vector += 2) {
      const bool known = field.is_known(x, y);
      vector[0] = known ? field.u.at(x, y) : kUnknown;
      vector[1] = known ? field.v.at(x, y) : kUnknown;
    }
    to_little_endian(std::as_writable_bytes(std::span(row)));
    file.write(row.data(), row.size() * sizeof(float));
  }
}

}  // namespace fovea::io
