// Rows of luma, chroma and RGB a vector at a time: what yuv.h is made of. Every sum is exact or in
// the order of the reference (tests/reference/yuv.h), so that all instruction sets give its bytes.
// Interpolated chroma is kept in whole parts of a sample (quarters or eighths in either direction),
// which is exact: in 16 bits for bytes, in floats for deeper samples.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fovea::io::cpu {

// Elements behind the end of a row of chroma or of sums that are written or read with it.
constexpr std::size_t kRowPadding = 64;

// r = luma_gain (y - luma_zero) + red_v (v - chroma_zero), and so on. Chroma counts parts of a
// sample: chroma_zero is multiplied by their number, and red_v to blue_u are divided by it.
struct YuvDecoding {
  float luma_zero, luma_gain, chroma_zero, red_v, green_u, green_v, blue_u, most;
};

// value = red r + green g + blue b + zero
struct YuvEncoding {
  float red, green, blue, zero;
};

// The weights of two chroma samples, the one at `first` from here and its successor.
struct ChromaWeights {
  int first = 0;
  int weights[2] = {1, 0};
};

// upper * weights[0] + lower * weights[1] of `count` samples: bytes, or pairs of bytes.
void blend_rows(const std::uint8_t* upper, const std::uint8_t* lower, const ChromaWeights& rows,
                int count, std::uint16_t* out);
void blend_rows(const std::uint8_t* upper, const std::uint8_t* lower, const ChromaWeights& rows,
                int count, float* out);

// Two or four samples (2^shift) of `phases` weights out of each one.
void widen_row(const std::uint16_t* narrow, const ChromaWeights* phases, int shift, int count,
               std::uint16_t* out);
void widen_row(const float* narrow, const ChromaWeights* phases, int shift, int count, float* out);

template <class Chroma>
struct YuvRow {
  const std::uint8_t* luma;  // bytes, or pairs of bytes where chroma is float
  const Chroma *u, *v;       // with padding
  int width;
};
void rgb_row(const YuvRow<std::uint16_t>& row, const YuvDecoding& decoding, std::uint8_t* out);
void rgb_row(const YuvRow<std::uint16_t>& row, const YuvDecoding& decoding, std::uint16_t* out);
void rgb_row(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint8_t* out);
void rgb_row(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint16_t* out);

// The gray of the RGB that rgb_row() gives, as fovea::detail::luma() has it.
void gray_row(const YuvRow<std::uint16_t>& row, const YuvDecoding& decoding, std::uint8_t* out);
void gray_row(const YuvRow<std::uint16_t>& row, const YuvDecoding& decoding, std::uint16_t* out);
void gray_row(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint8_t* out);
void gray_row(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint16_t* out);

// Luma alone, to one channel or to three equal ones.
struct LumaRow {
  const std::uint8_t* luma;
  bool deep;  // pairs of bytes
  int width, channels;
};
void gray_row(const LumaRow& row, const YuvDecoding& decoding, std::uint8_t* out);
void gray_row(const LumaRow& row, const YuvDecoding& decoding, std::uint16_t* out);

// Pixels of one channel or three.
struct PixelRow {
  const std::uint8_t* pixels;
  int width, channels;
};
void encode_luma_row(const PixelRow& row, const YuvEncoding& encoding, std::uint8_t* out);

// Sums of rows by channel, each with padding.
struct ChannelSums {
  std::uint16_t *red, *green, *blue;
};
void add_pixels(const PixelRow& row, const ChannelSums& sums);
// One value out of the sums of 2^shift columns.
void encode_chroma_row(const ChannelSums& sums, int shift, const YuvEncoding& encoding, int count,
                       std::uint8_t* out);

// From 1 to 4 channels to 1 or 3, as convert_channels() does.
void convert_channels_row(const PixelRow& row, int to_channels, std::uint8_t* out);

}  // namespace fovea::io::cpu
