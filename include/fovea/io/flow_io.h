#pragma once
#include <fovea/core/image.h>
#include <fovea/io/image_io.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

// Reads and writes files of flow fields: Middlebury's .flo, KITTI's 16-bit PNG, PFM, .npy and TIFF.
// The format of a file is recognized by its content, never by its name. Errors are those of image
// files (image_io.h), and reading never takes more memory than the length of the file justifies.
namespace fovea::io {

// A vector with a component of this size (Middlebury's limit) or beyond is not a motion.
inline constexpr float kUnknownMotion = 1e9F;

// Pixel (x, y) of one image is found at (x + u, y + v) of another image, where that is known.
struct FlowField {
  Image<float> u;             // pixels, to the right; 0 where it is not known
  Image<float> v;             // pixels, downward; 0 where it is not known
  Image<std::uint8_t> known;  // 255 where the motion is known, else 0
  Image<float> confidence{};  // 0 to 1, and 0 where the motion is not known; empty where the file
                              // holds none

  int width() const { return u.width(); }
  int height() const { return u.height(); }
};

// A field that someone else owns, in any memory. The planes have one size and one channel.
struct FlowFieldView {
  ImageView<const float> u;
  ImageView<const float> v;
  ImageView<const std::uint8_t>
      known{};                          // 0 where the motion is not known; empty: known everywhere
  ImageView<const float> confidence{};  // 0 to 1; empty where there is none

  FlowFieldView(ImageView<const float> u_plane, ImageView<const float> v_plane,
                ImageView<const std::uint8_t> known_plane = {},
                ImageView<const float> confidence_plane = {})
      : u(u_plane), v(v_plane), known(known_plane), confidence(confidence_plane) {}
  FlowFieldView(const FlowField& field)
      : u(field.u), v(field.v), known(field.known), confidence(field.confidence) {}

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
//   PFM    three channels, u, v and the confidence
//   .npy   float32 or float64 of shape (rows, columns, 2), (rows, columns, 3), whose third channel
//          is the confidence, or (2, rows, columns). A shape that fits twice is read as the first
//          of these
//   TIFF   two or three channels of float32: u, v and the confidence
// A third channel is ignored where a known vector has a value outside 0 to 1 in it, and in PFM
// also where it is 0 everywhere, as programs write it that have nothing to say there. A vector that
// is not known (FlowFieldView::is_known) becomes 0 with known 0.
FOVEA_API FlowField read_flow(const std::string& path, const FlowReadOptions& options = {});
// Reads from memory; `name` takes the place of the path in messages.
FOVEA_API FlowField read_flow(std::span<const std::byte> data, const std::string& name,
                              const FlowReadOptions& options = {});

// The least confidence of a vector that KITTI's PNG marks as valid, where nothing else is asked
// for.
inline constexpr double kLeastValidConfidence = 0.001;

struct FlowWriteOptions {
  // Vectors of less confidence are written as not known, in every format. Without a value that is
  // done in KITTI's PNG alone, below kLeastValidConfidence: its readers expect that a vector may
  // not be valid, while those of .flo expect one at every pixel, and the others hold the confidence
  // itself.
  std::optional<double> least_confidence{};
  bool confidence = true;  // write the confidence as a third channel of PFM, .npy and TIFF
};
FOVEA_API void describe(OptionVisitor& visit, FlowWriteOptions& options);

// Writes the format of the path's extension: .flo .png .pfm .npy .tif .tiff. The file appears whole
// or not at all. A vector that is not known is written as 1e10 in .flo, as Middlebury does, and as
// NaN in PFM, .npy and TIFF, with a confidence of 0. PNG rounds to 1/64 pixel and holds motion from
// -512 to 511.98 pixels; a vector beyond that is an InvalidArgument that gives its pixel. Without
// confidence, .npy and TIFF have two channels, and the third of PFM is 0.
FOVEA_API void write_flow(const std::string& path, const FlowFieldView& field,
                          const FlowWriteOptions& options = {});
// Throws the InvalidArgument that write_flow() would throw for the extension, before any work.
FOVEA_API void require_flow_path(const std::string& path);

}  // namespace fovea::io
