#pragma once
#include <fovea/core/image.h>
#include <fovea/io/image_io.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

// Reads and writes files of flow fields: Middlebury's .flo, KITTI's 16-bit PNG, PFM and .npy. The
// format of a file is recognized by its content, never by its name. Errors are those of image files
// (image_io.h), and reading never takes more memory than the length of the file justifies.
namespace fovea::io {

// A vector with a component of this size (Middlebury's limit) or beyond is not a motion.
inline constexpr float kUnknownMotion = 1e9F;

// Pixel (x, y) of one image is found at (x + u, y + v) of another image, where that is known.
struct FlowField {
  Image<float> u;             // pixels, to the right; 0 where it is not known
  Image<float> v;             // pixels, downward; 0 where it is not known
  Image<std::uint8_t> known;  // 255 where the motion is known, else 0

  int width() const { return u.width(); }
  int height() const { return u.height(); }
};

// A field that someone else owns, in any memory. The planes have one size and one channel.
struct FlowFieldView {
  ImageView<const float> u;
  ImageView<const float> v;
  ImageView<const std::uint8_t>
      known{};  // 0 where the motion is not known; empty: known everywhere

  FlowFieldView(ImageView<const float> u_plane, ImageView<const float> v_plane,
                ImageView<const std::uint8_t> known_plane = {})
      : u(u_plane), v(v_plane), known(known_plane) {}
  FlowFieldView(const FlowField& field) : u(field.u), v(field.v), known(field.known) {}

  // Whether the motion of a pixel is known, for planes in host memory. A vector with a component
  // that is NaN, infinite, or 1e9 and beyond is not known, whatever `known` says.
  bool is_known(int x, int y) const {
    return (known.empty() || known.at(x, y) != 0) && std::abs(u.at(x, y)) < kUnknownMotion &&
           std::abs(v.at(x, y)) < kUnknownMotion;
  }
};

struct FlowReadOptions {
  // Refuse fields of more pixels before memory is taken for them; 0: no such limit
  std::uint64_t max_pixels = ImageReadOptions{}.max_pixels;
};
FOVEA_API void describe(OptionVisitor& visit, FlowReadOptions& options);

// Reads one of these formats:
//   .flo   Middlebury: the word PIEH, width, height, then u and v of every pixel
//   PNG    KITTI: three channels of 16 bits, which are 64 u + 32768, 64 v + 32768 and whether the
//          motion is known
//   PFM    three channels, u, v and one that is ignored
//   .npy   float32 or float64 of shape (rows, columns, 2), (rows, columns, 3), whose third channel
//          is ignored, or (2, rows, columns). A shape that fits twice is read as the first of these
// A vector that is not known (FlowFieldView::is_known) becomes 0 with known 0.
FOVEA_API FlowField read_flow(const std::string& path, const FlowReadOptions& options = {});
// Reads from memory; `name` takes the place of the path in messages.
FOVEA_API FlowField read_flow(std::span<const std::byte> data, const std::string& name,
                              const FlowReadOptions& options = {});

// Writes the format of the path's extension: .flo .png .pfm .npy. The file appears whole or not at
// all. A vector that is not known is written as 1e10 in .flo, as Middlebury does, and as NaN in PFM
// and .npy. PNG rounds to 1/64 pixel and holds motion from -512 to 511.98 pixels; a vector beyond
// that is an InvalidArgument that gives its pixel.
FOVEA_API void write_flow(const std::string& path, const FlowFieldView& field);
// Throws the InvalidArgument that write_flow() would throw for the extension, before any work.
FOVEA_API void require_flow_path(const std::string& path);

}  // namespace fovea::io
