// The arithmetic that both twins of the resize share: where an output pixel lies in the source, and
// how neighbors are blended there. Every product and sum is rounded separately, so that the twins
// agree to the bit.
#pragma once
#include <fovea/core/image.h>

#include <cmath>
#include <cstdint>

namespace fovea::detail {

// For bytes, positions are rounded to 1/32768 pixel and intermediate values have 7 fractional bits,
// so that everything fits 16-bit lanes and a blend is one rounding multiplication (NEON sqrdmulh,
// SSSE3 pmulhrsw).
constexpr int kWeightBits = 15;
constexpr int kFractionBits = 7;

// The position of output pixel x in source pixels; scale is source size over output size.
FOVEA_HD inline double source_position(int x, double scale) { return (x + 0.5) * scale - 0.5; }

// The weight is the negative share of pixel index + 1: -32768 is a whole share, which +32768 could
// not express in 16 bits. index + 1 is inside the source wherever the source has two pixels.
struct FixedTap {
  int index;
  int weight;
};
FOVEA_HD inline FixedTap fixed_tap(int x, double scale, int size) {
  if (size == 1) return {0, 0};
  const double one = 1 << kWeightBits;
  const double rounded = std::floor(source_position(x, scale) * one + 0.5);
  const auto position = static_cast<std::int64_t>(rounded < 0 ? 0 : rounded);
  const auto index = static_cast<int>(position >> kWeightBits);
  if (index > size - 2) return {size - 2, -(1 << kWeightBits)};
  return {index, -static_cast<int>(position & ((1 << kWeightBits) - 1))};
}
FOVEA_HD inline int blend(int a, int b, int weight) {
  return a - (((b - a) * weight + (1 << (kWeightBits - 1))) >> kWeightBits);
}
FOVEA_HD inline std::uint8_t from_fixed(int value) {
  return static_cast<std::uint8_t>((value + (1 << (kFractionBits - 1))) >> kFractionBits);
}

struct FloatTap {
  int index;
  int next;      // index + 1, or index itself at the border
  float weight;  // share of `next`
};
FOVEA_HD inline FloatTap float_tap(int x, double scale, int size) {
  const double position = source_position(x, scale);
  if (position <= 0) return {0, size > 1 ? 1 : 0, 0};
  const auto index = static_cast<int>(position);
  if (index >= size - 1) return {size - 1, size - 1, 0};
  return {index, index + 1, static_cast<float>(position - index)};
}
FOVEA_HD inline float blend(float a, float b, float weight) { return a + (b - a) * weight; }

// Converts a computed value to a pixel. The value lies within the range of the pixels it came from.
template <class T>
FOVEA_HD inline T from_float(float value) {
  return static_cast<T>(value + 0.5F);
}
template <>
FOVEA_HD inline float from_float<float>(float value) {
  return value;
}

// Where the source is exactly twice as large as the output in both directions, every output pixel
// is the mean of four. For integers that equals the blends below; floats are summed instead of
// blended, which rounds less often.
template <class Source, class Out>
FOVEA_HD inline bool is_half(const Source& source, const Out& out) {
  return source.width == 2 * static_cast<std::int64_t>(out.width) &&
         source.height == 2 * static_cast<std::int64_t>(out.height);
}
// a and b are neighbors in the row above, c and d in the row below.
template <class T>
FOVEA_HD inline T mean_of_four(T a, T b, T c, T d) {
  return static_cast<T>((a + b + c + d + 2) >> 2);
}
template <>
FOVEA_HD inline float mean_of_four(float a, float b, float c, float d) {
  return ((a + b) + (c + d)) * 0.25F;
}

// How one type of pixel is sampled at other ratios: bytes in fixed point, other types in single
// precision.
template <class T>
struct Bilinear {
  using Tap = FloatTap;
  FOVEA_HD static Tap tap(int x, double scale, int size) { return float_tap(x, scale, size); }
  FOVEA_HD static T sample(const T* above, const T* below, int left, int right, Tap x, Tap y) {
    const float top =
        blend(static_cast<float>(above[left]), static_cast<float>(above[right]), x.weight);
    const float bottom =
        blend(static_cast<float>(below[left]), static_cast<float>(below[right]), x.weight);
    return from_float<T>(blend(top, bottom, y.weight));
  }
  FOVEA_HD static int next(Tap tap, int) { return tap.next; }
};
template <>
struct Bilinear<std::uint8_t> {
  using Tap = FixedTap;
  FOVEA_HD static Tap tap(int x, double scale, int size) { return fixed_tap(x, scale, size); }
  FOVEA_HD static std::uint8_t sample(const std::uint8_t* above, const std::uint8_t* below,
                                      int left, int right, Tap x, Tap y) {
    const int top = blend(above[left] << kFractionBits, above[right] << kFractionBits, x.weight);
    const int bottom = blend(below[left] << kFractionBits, below[right] << kFractionBits, x.weight);
    return from_fixed(blend(top, bottom, y.weight));
  }
  FOVEA_HD static int next(Tap tap, int size) {
    return tap.index + 1 < size ? tap.index + 1 : tap.index;
  }
};

}  // namespace fovea::detail
