#pragma once
#include <fovea/core/image.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

// Files of flow fields: Middlebury's .flo, KITTI's 16-bit PNG, PFM and .npy. A file's format is
// told by its content, never by its name; errors are those of image files (image_io.h), and no more
// memory is taken than the file's length can justify.
namespace fovea::io {

// Pixel (x, y) of one image is found at (x + u, y + v) of another, where that is known.
struct FlowField {
  Image<float> u;             // pixels, to the right; 0 where it is not known
  Image<float> v;             // pixels, downwards
  Image<std::uint8_t> known;  // 0 where the file says nothing, else 255

  int width() const { return u.width(); }
  int height() const { return u.height(); }
};

// A field that someone else owns, in any memory; the planes have one size and one channel.
struct FlowFieldView {
  ImageView<const float> u;
  ImageView<const float> v;
  ImageView<const std::uint8_t> known{};  // 0: not known; empty: everything is

  FlowFieldView(ImageView<const float> u_plane, ImageView<const float> v_plane,
                ImageView<const std::uint8_t> known_plane = {})
      : u(u_plane), v(v_plane), known(known_plane) {}
  FlowFieldView(const FlowField& field) : u(field.u), v(field.v), known(field.known) {}
};

// Read are
//   .flo   Middlebury: the word PIEH, sides, u and v in turns
//   PNG    KITTI: three channels of 16 bits, 64 u + 32768, 64 v + 32768, and whether it is known
//   PFM    three channels, of which the third does not count
//   .npy   rows, columns, and u and v (and more that does not count) as float
// A vector with a value that is not finite or beyond 1e9 either way is not known.
FOVEA_API FlowField read_flow(const std::string& path);
// From memory; `name` stands for the path in messages.
FOVEA_API FlowField read_flow(std::span<const std::byte> data, const std::string& name);

// Writes by extension: .flo .png .pfm .npy. The file appears whole or not at all. What is not known
// is written as Middlebury does (1e10) in .flo, as NaN in PFM and .npy. PNG rounds to 1/64 pixel;
// beyond -512 to 511.98 pixels it holds nothing, which is an InvalidArgument that says where.
FOVEA_API void write_flow(const std::string& path, const FlowFieldView& field);
// Throws the InvalidArgument that write_flow() would for the path's extension, before any work.
FOVEA_API void require_flow_path(const std::string& path);

}  // namespace fovea::io
