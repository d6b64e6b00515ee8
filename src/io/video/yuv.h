// Converts luma and chroma planes to RGB or gray and back, after ITU-R BT.601, BT.709 and BT.2020
// (constant Kr, Kb; non-constant luminance). Chroma is interpolated linearly from where the format
// puts its samples. Plain single-precision arithmetic in a fixed order gives every machine the same
// pixels.
#pragma once
#include <fovea/core/image.h>
#include <fovea/io/video.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace fovea::io {

// Where the chroma sample of a block of luma samples lies.
enum class ChromaSiting : unsigned char { kCenter, kLeft, kTopLeft };

struct YuvFormat {
  int width = 0, height = 0;
  bool mono = false;             // no chroma planes
  int shift_x = 1, shift_y = 1;  // chroma has every 2^shift-th sample: 0, 1 or 2
  int bits = 8;                  // 8: bytes; 9 to 16: little-endian pairs of bytes
  ChromaSiting siting = ChromaSiting::kLeft;
  YuvMatrix matrix = YuvMatrix::kBt601;  // not kAuto
  bool full_range = false;

  int chroma_width() const { return (width + (1 << shift_x) - 1) >> shift_x; }
  int chroma_height() const { return (height + (1 << shift_y) - 1) >> shift_y; }
  int sample_bytes() const { return bits > 8 ? 2 : 1; }
};

template <class Byte>
struct YuvPlanesOf {
  std::array<Byte*, 3> data{};
  std::array<std::ptrdiff_t, 3> stride{};  // bytes from row to row
};
using YuvPlanes = YuvPlanesOf<const std::uint8_t>;
using MutableYuvPlanes = YuvPlanesOf<std::uint8_t>;

// Converts to three channels (RGB) or one, over the whole range of T. Gray is that of the RGB, as
// io::to_gray() makes it of images; planes without chroma give their luma.
template <class T>
void from_yuv(const YuvFormat& format, const YuvPlanes& planes, ImageView<T> image);

// Converts RGB or gray bytes to planes of 8 bits, with chroma averaged over its block (kCenter).
void to_yuv(ImageView<const std::uint8_t> image, const YuvFormat& format,
            const MutableYuvPlanes& planes);

// Converts any number of channels (gray, gray and alpha, RGB, RGB and alpha) to one (as
// io::to_gray() does) or three; alpha is dropped.
template <class T>
void convert_channels(ImageView<const T> from, ImageView<T> to);

}  // namespace fovea::io
