// Rows of luma, chroma and RGB by vectors. Whole numbers become floats by way of the bits of 2^23 +
// n, which costs one interleaving and one subtraction; both keep 128-bit blocks apart, as the
// narrowing back does, so that no lane has to cross a block.
#include <algorithm>
#include <cstring>

#include "io/video/yuv_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "io/video/yuv_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::io::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint16_t>;
using Bytes = hn::Rebind<std::uint8_t, Words>;  // as many lanes: half a vector
using Floats = hn::ScalableTag<float>;
using Signed = hn::ScalableTag<std::int32_t>;
using WordVector = hn::Vec<Words>;
using ByteVector = hn::Vec<Bytes>;
using FloatVector = hn::Vec<Floats>;

constexpr float kTwo23 = 8388608.0F;
constexpr int kMostLanes = 64;  // of bytes, on any target

HWY_INLINE int word_lanes() { return static_cast<int>(hn::Lanes(Words())); }
HWY_INLINE int float_lanes() { return static_cast<int>(hn::Lanes(Floats())); }

HWY_INLINE WordVector load_words(const std::uint8_t* from) {
  return hn::PromoteTo(Words(), hn::LoadU(Bytes(), from));
}

// A vector of words as two of floats, in the order in which to_bytes() takes them.
struct FloatPair {
  FloatVector low, high;
};

HWY_INLINE FloatPair to_floats(WordVector words, float minus) {
  const Words d;
  const Floats df;
  const WordVector exponent = hn::Set(d, 0x4B00);  // the upper half of 2^23 as a float
  const FloatVector bias = hn::Set(df, kTwo23 + minus);
  return {hn::Sub(hn::BitCast(df, hn::InterleaveLower(d, words, exponent)), bias),
          hn::Sub(hn::BitCast(df, hn::InterleaveUpper(d, words, exponent)), bias)};
}

// Without the fraction. Highway also mends what overflows 32 bits, at four instructions more, which
// no value here does.
HWY_INLINE hn::Vec<Signed> cut(FloatVector values) {
#if HWY_TARGET == HWY_AVX3
  return hn::Vec<Signed>{_mm512_cvttps_epi32(values.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<Signed>{_mm256_cvttps_epi32(values.raw)};
#elif HWY_TARGET == HWY_SSE4
  return hn::Vec<Signed>{_mm_cvttps_epi32(values.raw)};
#else
  return hn::ConvertTo(Signed(), values);
#endif
}

// Cut to whole numbers and to the range of bytes; none is outside that of 16 bits.
HWY_INLINE ByteVector to_bytes(FloatPair values) {
  const hn::RebindToSigned<Words> d16;
  return hn::DemoteTo(Bytes(), hn::ReorderDemote2To(d16, cut(values.low), cut(values.high)));
}

// Calls block(in, x, out) for every `lanes` of `count` pixels, the last ones by way of buffers, so
// that nothing behind the ends of the rows is touched.
struct RowShape {
  int count, lanes;
  int in_bytes, out_channels;  // per pixel
};
template <class T, class Block>
HWY_INLINE void in_blocks(const RowShape& shape, const std::uint8_t* in, T* out, Block block) {
  std::uint8_t last_in[4 * kMostLanes] = {};
  T last_out[3 * kMostLanes];
  // One call, so that the block becomes part of the loop.
  for (int x = 0; x < shape.count; x += shape.lanes) {
    const std::uint8_t* from = in + static_cast<std::ptrdiff_t>(x) * shape.in_bytes;
    T* to = out + static_cast<std::ptrdiff_t>(x) * shape.out_channels;
    const auto rest = static_cast<std::size_t>(shape.count - x);
    const bool last = x + shape.lanes > shape.count;
    if (HWY_UNLIKELY(last))
      std::memcpy(last_in, from, rest * static_cast<std::size_t>(shape.in_bytes));
    block(last ? last_in : from, x, last ? last_out : to);
    if (HWY_UNLIKELY(last))
      std::memcpy(to, last_out, rest * static_cast<std::size_t>(shape.out_channels) * sizeof(T));
  }
}

// ---- chroma rows: of words or of floats

HWY_INLINE WordVector load_samples(Words, const std::uint8_t* row, int x) {
  return load_words(row + x);
}
HWY_INLINE FloatVector load_samples(Floats d, const std::uint8_t* row, int x) {
  const hn::Rebind<std::uint16_t, Floats> d16;
  const hn::Repartition<std::uint8_t, decltype(d16)> d8;
  const auto words = hn::BitCast(d16, hn::LoadU(d8, row + 2 * static_cast<std::ptrdiff_t>(x)));
  return hn::ConvertTo(d, hn::PromoteTo(Signed(), words));
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE T sample_at(D, const std::uint8_t* row, int x) {
  if constexpr (sizeof(T) == 2) return row[x];
  std::uint16_t sample;
  std::memcpy(&sample, row + 2 * static_cast<std::ptrdiff_t>(x), sizeof(sample));
  return static_cast<T>(sample);
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void blend(D d, const std::uint8_t* upper, const std::uint8_t* lower,
                      const ChromaWeights& rows, int count, T* out) {
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto first = static_cast<T>(rows.weights[0]), second = static_cast<T>(rows.weights[1]);
  const auto a = hn::Set(d, first), b = hn::Set(d, second);
  int x = 0;
  for (; x + lanes <= count; x += lanes) {
    const auto above = hn::Mul(load_samples(d, upper, x), a);
    hn::StoreU(second == 0 ? above : hn::Add(above, hn::Mul(load_samples(d, lower, x), b)), d,
               out + x);
  }
  for (; x < count; ++x)
    out[x] = static_cast<T>(sample_at(d, upper, x) * first + sample_at(d, lower, x) * second);
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> mixed(D d, const T* narrow, const ChromaWeights& phase) {
  const auto a = hn::Set(d, static_cast<T>(phase.weights[0]));
  const auto b = hn::Set(d, static_cast<T>(phase.weights[1]));
  return hn::Add(hn::Mul(hn::LoadU(d, narrow + phase.first), a),
                 hn::Mul(hn::LoadU(d, narrow + phase.first + 1), b));
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE void widen(D d, const T* narrow, const ChromaWeights* phases, int shift, int count,
                      T* out) {
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < count; x += lanes) {
    const auto v0 = mixed(d, narrow + x, phases[0]), v1 = mixed(d, narrow + x, phases[1]);
    if (shift == 1) {
      hn::StoreInterleaved2(v0, v1, d, out + 2 * static_cast<std::ptrdiff_t>(x));
    } else {
      hn::StoreInterleaved4(v0, v1, mixed(d, narrow + x, phases[2]),
                            mixed(d, narrow + x, phases[3]), d,
                            out + 4 * static_cast<std::ptrdiff_t>(x));
    }
  }
}

void blend_words(const std::uint8_t* upper, const std::uint8_t* lower, const ChromaWeights& rows,
                 int count, std::uint16_t* out) {
  blend(Words(), upper, lower, rows, count, out);
}
void blend_floats(const std::uint8_t* upper, const std::uint8_t* lower, const ChromaWeights& rows,
                  int count, float* out) {
  blend(Floats(), upper, lower, rows, count, out);
}
void widen_words(const std::uint16_t* narrow, const ChromaWeights* phases, int shift, int count,
                 std::uint16_t* out) {
  widen(Words(), narrow, phases, shift, count, out);
}
void widen_floats(const float* narrow, const ChromaWeights* phases, int shift, int count,
                  float* out) {
  widen(Floats(), narrow, phases, shift, count, out);
}

// ---- the gray of RGB, as fovea::detail::luma() rounds it: (299 r + 587 g + 114 b + 500) / 1000

// The sums of bytes are exact in floats, and the thousandth part is above that of a whole number by
// less than the next sum is.
HWY_INLINE FloatVector luma_of(FloatVector r, FloatVector g, FloatVector b) {
  const Floats d;
  const FloatVector sum = hn::Add(hn::Add(hn::Mul(r, hn::Set(d, 299)), hn::Mul(g, hn::Set(d, 587))),
                                  hn::Add(hn::Mul(b, hn::Set(d, 114)), hn::Set(d, 500)));
  return hn::Mul(sum, hn::Set(d, 0.001F));
}

HWY_INLINE ByteVector luma_of(ByteVector red, ByteVector green, ByteVector blue) {
  const Words d;
  const FloatPair r = to_floats(hn::PromoteTo(d, red), 0),
                  g = to_floats(hn::PromoteTo(d, green), 0);
  const FloatPair b = to_floats(hn::PromoteTo(d, blue), 0);
  return to_bytes({luma_of(r.low, g.low, b.low), luma_of(r.high, g.high, b.high)});
}

// Of samples of up to 16 bits, whose sums are too large for floats: the quotient is mended by one.
HWY_INLINE hn::Vec<Signed> luma_of(hn::Vec<Signed> r, hn::Vec<Signed> g, hn::Vec<Signed> b) {
  const Signed d;
  const auto sum = hn::Add(hn::Add(hn::Mul(r, hn::Set(d, 299)), hn::Mul(g, hn::Set(d, 587))),
                           hn::Add(hn::Mul(b, hn::Set(d, 114)), hn::Set(d, 500)));
  const auto about = cut(hn::Mul(hn::ConvertTo(Floats(), sum), hn::Set(Floats(), 0.001F)));
  const auto rest = hn::Sub(sum, hn::Mul(about, hn::Set(d, 1000)));
  const auto more = hn::VecFromMask(d, hn::Gt(rest, hn::Set(d, 999)));
  const auto less = hn::VecFromMask(d, hn::Lt(rest, hn::Zero(d)));
  return hn::Add(hn::Sub(about, more), less);
}

// ---- to RGB and gray

struct Rgb {
  FloatVector red, green, blue;
};

// Sums in the order of the reference; 0.5 rounds when the fraction is cut off.
HWY_INLINE Rgb to_rgb(FloatVector luma, FloatVector u, FloatVector v, const YuvDecoding& decoding) {
  const Floats d;
  const FloatVector half = hn::Set(d, 0.5F);
  const FloatVector green = hn::Add(luma, hn::Mul(u, hn::Set(d, decoding.green_u)));
  return {hn::Add(hn::Add(luma, hn::Mul(v, hn::Set(d, decoding.red_v))), half),
          hn::Add(hn::Add(green, hn::Mul(v, hn::Set(d, decoding.green_v))), half),
          hn::Add(hn::Add(luma, hn::Mul(u, hn::Set(d, decoding.blue_u))), half)};
}

struct RgbBytes {
  ByteVector red, green, blue;
};

HWY_INLINE RgbBytes to_rgb_bytes(const std::uint8_t* luma, const std::uint16_t* u_row,
                                 const std::uint16_t* v_row, const YuvDecoding& decoding) {
  const Words d;
  const FloatVector gain = hn::Set(Floats(), decoding.luma_gain);
  const FloatPair y = to_floats(load_words(luma), decoding.luma_zero);
  const FloatPair u = to_floats(hn::LoadU(d, u_row), decoding.chroma_zero);
  const FloatPair v = to_floats(hn::LoadU(d, v_row), decoding.chroma_zero);
  const Rgb low = to_rgb(hn::Mul(y.low, gain), u.low, v.low, decoding);
  const Rgb high = to_rgb(hn::Mul(y.high, gain), u.high, v.high, decoding);
  return {to_bytes({low.red, high.red}), to_bytes({low.green, high.green}),
          to_bytes({low.blue, high.blue})};
}

// Whole vectors of bytes at a time, since interleaving halves costs as much.
void rgb_bytes(const YuvRow<std::uint16_t>& row, const YuvDecoding& given, std::uint8_t* out) {
  const hn::ScalableTag<std::uint8_t> d;
  const int half = word_lanes();
  const YuvDecoding decoding = given;  // which the bytes stored cannot change
  const std::uint16_t *u = row.u, *v = row.v;
  in_blocks(RowShape{row.width, 2 * half, 1, 3}, row.luma, out,
            [&](const std::uint8_t* luma, int x, std::uint8_t* to) HWY_ATTR {
              const RgbBytes a = to_rgb_bytes(luma, u + x, v + x, decoding);
              const RgbBytes b = to_rgb_bytes(luma + half, u + x + half, v + x + half, decoding);
              hn::StoreInterleaved3(hn::Combine(d, b.red, a.red), hn::Combine(d, b.green, a.green),
                                    hn::Combine(d, b.blue, a.blue), d, to);
            });
}

void gray_of_bytes(const YuvRow<std::uint16_t>& row, const YuvDecoding& given, std::uint8_t* out) {
  const std::uint16_t *u = row.u, *v = row.v;
  const YuvDecoding decoding = given;
  in_blocks(RowShape{row.width, word_lanes(), 1, 1}, row.luma, out,
            [&](const std::uint8_t* luma, int x, std::uint8_t* to) HWY_ATTR {
              const RgbBytes rgb = to_rgb_bytes(luma, u + x, v + x, decoding);
              hn::StoreU(luma_of(rgb.red, rgb.green, rgb.blue), Bytes(), to);
            });
}

HWY_INLINE FloatVector load_floats(const float* from) { return hn::LoadU(Floats(), from); }
HWY_INLINE FloatVector load_floats(const std::uint16_t* from) {
  const hn::Rebind<std::uint16_t, Floats> d16;
  return hn::ConvertTo(Floats(), hn::PromoteTo(Signed(), hn::LoadU(d16, from)));
}
HWY_INLINE FloatVector load_luma(const std::uint8_t* from, bool deep) {
  if (deep) return load_samples(Floats(), from, 0);
  const hn::Rebind<std::uint8_t, Floats> d8;
  return hn::ConvertTo(Floats(), hn::PromoteTo(Signed(), hn::LoadU(d8, from)));
}

HWY_INLINE hn::Vec<Signed> whole(FloatVector value, float most) {
  const Floats d;
  return cut(hn::Min(hn::Max(value, hn::Zero(d)), hn::Set(d, most)));
}

template <class T>
HWY_INLINE hn::Vec<hn::Rebind<T, Floats>> narrowed(FloatVector value, float most) {
  return hn::DemoteTo(hn::Rebind<T, Floats>(), whole(value, most));
}

// Calls store(rgb, to) with the colors of every vector of pixels of a row.
template <class Chroma, class T, class Store>
HWY_INLINE void each_color(const YuvRow<Chroma>& row, const YuvDecoding& given, int channels,
                           T* out, Store store) {
  const Floats d;
  const YuvDecoding decoding = given;
  const Chroma *u_row = row.u, *v_row = row.v;
  constexpr bool kDeep = sizeof(Chroma) == 4;
  const FloatVector gain = hn::Set(d, decoding.luma_gain);
  const FloatVector luma_zero = hn::Set(d, decoding.luma_zero);
  const FloatVector chroma_zero = hn::Set(d, decoding.chroma_zero);
  in_blocks(RowShape{row.width, float_lanes(), kDeep ? 2 : 1, channels}, row.luma, out,
            [&](const std::uint8_t* luma, int x, T* to) HWY_ATTR {
              const FloatVector y = hn::Mul(hn::Sub(load_luma(luma, kDeep), luma_zero), gain);
              const FloatVector u = hn::Sub(load_floats(u_row + x), chroma_zero);
              const FloatVector v = hn::Sub(load_floats(v_row + x), chroma_zero);
              store(to_rgb(y, u, v, decoding), to);
            });
}

template <class Chroma, class T>
HWY_INLINE void rgb_any(const YuvRow<Chroma>& row, const YuvDecoding& decoding, T* out) {
  const float most = decoding.most;
  each_color(row, decoding, 3, out, [&](const Rgb& rgb, T* to) HWY_ATTR {
    hn::StoreInterleaved3(narrowed<T>(rgb.red, most), narrowed<T>(rgb.green, most),
                          narrowed<T>(rgb.blue, most), hn::Rebind<T, Floats>(), to);
  });
}

template <class Chroma, class T>
HWY_INLINE void gray_of_any(const YuvRow<Chroma>& row, const YuvDecoding& decoding, T* out) {
  const hn::Rebind<T, Floats> d;
  const float most = decoding.most;
  each_color(row, decoding, 1, out, [&](const Rgb& rgb, T* to) HWY_ATTR {
    hn::StoreU(hn::DemoteTo(
                   d, luma_of(whole(rgb.red, most), whole(rgb.green, most), whole(rgb.blue, most))),
               d, to);
  });
}

void rgb_words(const YuvRow<std::uint16_t>& row, const YuvDecoding& decoding, std::uint16_t* out) {
  rgb_any(row, decoding, out);
}
void rgb_deep_bytes(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint8_t* out) {
  rgb_any(row, decoding, out);
}
void rgb_deep_words(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint16_t* out) {
  rgb_any(row, decoding, out);
}

void gray_of_words(const YuvRow<std::uint16_t>& row, const YuvDecoding& decoding,
                   std::uint16_t* out) {
  gray_of_any(row, decoding, out);
}
void gray_of_deep_bytes(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint8_t* out) {
  gray_of_any(row, decoding, out);
}
void gray_of_deep_words(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint16_t* out) {
  gray_of_any(row, decoding, out);
}

template <class T>
HWY_INLINE void gray_any(const LumaRow& row, const YuvDecoding& decoding, T* out) {
  const Floats d;
  const hn::Rebind<T, Floats> dt;
  const bool deep = row.deep, three = row.channels == 3;
  const float most = decoding.most;
  const FloatVector gain = hn::Set(d, decoding.luma_gain), half = hn::Set(d, 0.5F);
  const FloatVector zero = hn::Set(d, decoding.luma_zero);
  in_blocks(RowShape{row.width, float_lanes(), deep ? 2 : 1, row.channels}, row.luma, out,
            [&](const std::uint8_t* luma, int, T* to) HWY_ATTR {
              const FloatVector y = hn::Mul(hn::Sub(load_luma(luma, deep), zero), gain);
              const auto gray = narrowed<T>(hn::Add(y, half), most);
              if (three) hn::StoreInterleaved3(gray, gray, gray, dt, to);
              else hn::StoreU(gray, dt, to);
            });
}

void gray_words(const LumaRow& row, const YuvDecoding& decoding, std::uint16_t* out) {
  gray_any(row, decoding, out);
}

void gray_bytes(const LumaRow& row, const YuvDecoding& decoding, std::uint8_t* out) {
  if (row.deep) return gray_any(row, decoding, out);
  const Floats d;
  const bool three = row.channels == 3;
  const float luma_zero = decoding.luma_zero;
  const FloatVector gain = hn::Set(d, decoding.luma_gain), half = hn::Set(d, 0.5F);
  in_blocks(RowShape{row.width, word_lanes(), 1, row.channels}, row.luma, out,
            [&](const std::uint8_t* luma, int, std::uint8_t* to) HWY_ATTR {
              const FloatPair y = to_floats(load_words(luma), luma_zero);
              const ByteVector gray = to_bytes(
                  {hn::Add(hn::Mul(y.low, gain), half), hn::Add(hn::Mul(y.high, gain), half)});
              if (three) hn::StoreInterleaved3(gray, gray, gray, Bytes(), to);
              else hn::StoreU(gray, Bytes(), to);
            });
}

// ---- from RGB and gray

struct Channels {
  WordVector red, green, blue;
};

HWY_INLINE Channels load_pixels(const std::uint8_t* from, bool three) {
  const Bytes d8;
  const Words d;
  if (!three) {
    const WordVector gray = load_words(from);
    return {gray, gray, gray};
  }
  ByteVector r, g, b;
  hn::LoadInterleaved3(d8, from, r, g, b);
  return {hn::PromoteTo(d, r), hn::PromoteTo(d, g), hn::PromoteTo(d, b)};
}

HWY_INLINE FloatVector weighted(FloatVector r, FloatVector g, FloatVector b,
                                const YuvEncoding& encoding) {
  const Floats d;
  const FloatVector sum =
      hn::Add(hn::Add(hn::Mul(r, hn::Set(d, encoding.red)), hn::Mul(g, hn::Set(d, encoding.green))),
              hn::Mul(b, hn::Set(d, encoding.blue)));
  return hn::Add(hn::Add(sum, hn::Set(d, encoding.zero)), hn::Set(d, 0.5F));
}

HWY_INLINE ByteVector encoded(const Channels& channels, const YuvEncoding& encoding) {
  const FloatPair r = to_floats(channels.red, 0), g = to_floats(channels.green, 0);
  const FloatPair b = to_floats(channels.blue, 0);
  return to_bytes(
      {weighted(r.low, g.low, b.low, encoding), weighted(r.high, g.high, b.high, encoding)});
}

void encode_luma(const PixelRow& row, const YuvEncoding& given, std::uint8_t* out) {
  const YuvEncoding encoding = given;
  const bool three = row.channels == 3;
  in_blocks(RowShape{row.width, word_lanes(), row.channels, 1}, row.pixels, out,
            [&](const std::uint8_t* pixels, int, std::uint8_t* to) HWY_ATTR {
              hn::StoreU(encoded(load_pixels(pixels, three), encoding), Bytes(), to);
            });
}

void add(const PixelRow& row, const ChannelSums& sums) {
  const Words d;
  const bool three = row.channels == 3;
  const auto plus = [&](WordVector value, std::uint16_t* sum)
                        HWY_ATTR { hn::StoreU(hn::Add(value, hn::LoadU(d, sum)), d, sum); };
  std::uint8_t unused[1];
  // The sums are padded, and so written in place; only the pixels of the last block are copied.
  in_blocks(RowShape{row.width, word_lanes(), row.channels, 0}, row.pixels, unused,
            [&](const std::uint8_t* pixels, int x, std::uint8_t*) HWY_ATTR {
              const Channels c = load_pixels(pixels, three);
              plus(c.red, sums.red + x);
              plus(c.green, sums.green + x);
              plus(c.blue, sums.blue + x);
            });
}

HWY_INLINE WordVector column_sums(const std::uint16_t* from, int shift) {
  const Words d;
  if (shift == 0) return hn::LoadU(d, from);
  WordVector v0, v1, v2, v3;
  if (shift == 1) {
    hn::LoadInterleaved2(d, from, v0, v1);
    return hn::Add(v0, v1);
  }
  hn::LoadInterleaved4(d, from, v0, v1, v2, v3);
  return hn::Add(hn::Add(v0, v1), hn::Add(v2, v3));
}

void encode_chroma(const ChannelSums& sums, int shift, const YuvEncoding& given, int count,
                   std::uint8_t* out) {
  const YuvEncoding encoding = given;
  const std::uint16_t *red = sums.red, *green = sums.green, *blue = sums.blue;
  const std::uint8_t unused[1] = {};
  in_blocks(RowShape{count, word_lanes(), 0, 1}, unused, out,
            [&](const std::uint8_t*, int x, std::uint8_t* to) HWY_ATTR {
              const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(x) << shift;
              const Channels c = {column_sums(red + at, shift), column_sums(green + at, shift),
                                  column_sums(blue + at, shift)};
              hn::StoreU(encoded(c, encoding), Bytes(), to);
            });
}

// ---- numbers of channels

void convert(const PixelRow& row, int to_channels, std::uint8_t* out) {
  const Bytes d;
  const int channels = row.channels;
  in_blocks(RowShape{row.width, word_lanes(), channels, to_channels}, row.pixels, out,
            [&](const std::uint8_t* from, int, std::uint8_t* to) HWY_ATTR {
              ByteVector a = hn::Zero(d), b = a, c = a, alpha = a;
              if (channels == 4) hn::LoadInterleaved4(d, from, a, b, c, alpha);
              else if (channels == 3) hn::LoadInterleaved3(d, from, a, b, c);
              else if (channels == 2) hn::LoadInterleaved2(d, from, a, alpha);
              else a = hn::LoadU(d, from);
              if (channels < 3) b = c = a;
              if (to_channels == 3) hn::StoreInterleaved3(a, b, c, d, to);
              else hn::StoreU(channels < 3 ? a : luma_of(a, b, c), d, to);
            });
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::io::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::io::cpu {
namespace {
HWY_EXPORT(blend_words);
HWY_EXPORT(blend_floats);
HWY_EXPORT(widen_words);
HWY_EXPORT(widen_floats);
HWY_EXPORT(rgb_bytes);
HWY_EXPORT(rgb_words);
HWY_EXPORT(rgb_deep_bytes);
HWY_EXPORT(rgb_deep_words);
HWY_EXPORT(gray_of_bytes);
HWY_EXPORT(gray_of_words);
HWY_EXPORT(gray_of_deep_bytes);
HWY_EXPORT(gray_of_deep_words);
HWY_EXPORT(gray_bytes);
HWY_EXPORT(gray_words);
HWY_EXPORT(encode_luma);
HWY_EXPORT(add);
HWY_EXPORT(encode_chroma);
HWY_EXPORT(convert);
}  // namespace

void blend_rows(const std::uint8_t* upper, const std::uint8_t* lower, const ChromaWeights& rows,
                int count, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(blend_words)(upper, lower, rows, count, out);
}
void blend_rows(const std::uint8_t* upper, const std::uint8_t* lower, const ChromaWeights& rows,
                int count, float* out) {
  HWY_DYNAMIC_DISPATCH(blend_floats)(upper, lower, rows, count, out);
}
void widen_row(const std::uint16_t* narrow, const ChromaWeights* phases, int shift, int count,
               std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(widen_words)(narrow, phases, shift, count, out);
}
void widen_row(const float* narrow, const ChromaWeights* phases, int shift, int count, float* out) {
  HWY_DYNAMIC_DISPATCH(widen_floats)(narrow, phases, shift, count, out);
}
void rgb_row(const YuvRow<std::uint16_t>& row, const YuvDecoding& decoding, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(rgb_bytes)(row, decoding, out);
}
void rgb_row(const YuvRow<std::uint16_t>& row, const YuvDecoding& decoding, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(rgb_words)(row, decoding, out);
}
void rgb_row(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(rgb_deep_bytes)(row, decoding, out);
}
void rgb_row(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(rgb_deep_words)(row, decoding, out);
}
void gray_row(const YuvRow<std::uint16_t>& row, const YuvDecoding& decoding, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(gray_of_bytes)(row, decoding, out);
}
void gray_row(const YuvRow<std::uint16_t>& row, const YuvDecoding& decoding, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(gray_of_words)(row, decoding, out);
}
void gray_row(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(gray_of_deep_bytes)(row, decoding, out);
}
void gray_row(const YuvRow<float>& row, const YuvDecoding& decoding, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(gray_of_deep_words)(row, decoding, out);
}
void gray_row(const LumaRow& row, const YuvDecoding& decoding, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(gray_bytes)(row, decoding, out);
}
void gray_row(const LumaRow& row, const YuvDecoding& decoding, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(gray_words)(row, decoding, out);
}
void encode_luma_row(const PixelRow& row, const YuvEncoding& encoding, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(encode_luma)(row, encoding, out);
}
void add_pixels(const PixelRow& row, const ChannelSums& sums) {
  HWY_DYNAMIC_DISPATCH(add)(row, sums);
}
void encode_chroma_row(const ChannelSums& sums, int shift, const YuvEncoding& encoding, int count,
                       std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(encode_chroma)(sums, shift, encoding, count, out);
}
void convert_channels_row(const PixelRow& row, int to_channels, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(convert)(row, to_channels, out);
}

}  // namespace fovea::io::cpu
#endif  // HWY_ONCE
