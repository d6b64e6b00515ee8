// CPU twin of the integral image: each sum is the sum above plus the prefix sum of the row, which
// is formed in registers. Vectors have 128 bits on every instruction set, so that floating-point
// sums are the same everywhere; where no order of additions changes the sums of bytes, they have
// 256 bits if they can. Rows are distributed over cores by wavefront.h.
#include <algorithm>
#include <cstring>
#include <limits>
#include <tuple>
#include <vector>

#include "ops/integral/backend.h"
#include "ops/integral/wavefront.h"

#ifndef FOVEA_INTEGRAL_TILE
#define FOVEA_INTEGRAL_TILE
namespace fovea::cpu {

// Some rows of some columns of an image, with the sums that come from above and from the left.
template <class In, class Out>
struct IntegralTile {
  const In* in;
  std::ptrdiff_t in_stride;
  const Out* above;  // the sums of the row above the first row
  Out* out;
  std::ptrdiff_t out_stride;
  Out* carry;  // per row and channel, the sum left of the tile; updated by the tile
  int rows;
  int pixels;
  int channels;
  bool squares;
};

// One function per pair of types, in the order of FOVEA_FOR_EACH_INTEGRAL.
struct NoTypes {};
#define FOVEA_TILE_FUNCTION(In, Out) , void (*)(const IntegralTile<In, Out>&)
using TileFunctions = std::tuple<NoTypes FOVEA_FOR_EACH_INTEGRAL(FOVEA_TILE_FUNCTION)>;
#undef FOVEA_TILE_FUNCTION

}  // namespace fovea::cpu
#endif  // FOVEA_INTEGRAL_TILE

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/integral/integral_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "ops/integral/prefix-inl.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using U8x8 = hn::FixedTag<std::uint8_t, 8>;
using U16x8 = hn::FixedTag<std::uint16_t, 8>;
using U16x2 = hn::FixedTag<std::uint16_t, 2>;
using U32x4 = hn::FixedTag<std::uint32_t, 4>;
using U32x2 = hn::FixedTag<std::uint32_t, 2>;
using I32x4 = hn::FixedTag<std::int32_t, 4>;
using I32x2 = hn::FixedTag<std::int32_t, 2>;
using F32x4 = hn::FixedTag<float, 4>;
using F32x2 = hn::FixedTag<float, 2>;
using U64x2 = hn::FixedTag<std::uint64_t, 2>;
using F64x2 = hn::FixedTag<double, 2>;

template <class Out, class In>
HWY_INLINE Out term(In value, bool squares) {
  const auto v = static_cast<Out>(value);
  return squares ? static_cast<Out>(v * v) : v;
}

// For bytes and shorts: prefix sums of eight pixels in narrow integers, which are widened when
// added.
struct Prefixes {
  hn::Vec<U32x4> low, high;
};
HWY_INLINE Prefixes prefixes_of(hn::Vec<U32x4> low, hn::Vec<U32x4> high) {
  const auto p = prefix(U32x4(), low);
  return {p, hn::Add(prefix(U32x4(), high), hn::Broadcast<3>(p))};
}
template <bool squares>
HWY_INLINE Prefixes eight_prefixes(const std::uint8_t* in) {
  const U16x8 d;
  const U32x4 d32;
  auto v = hn::PromoteTo(d, hn::LoadU(U8x8(), in));
  if constexpr (squares) {
    v = hn::Mul(v, v);
    return prefixes_of(hn::PromoteTo(d32, hn::LowerHalf(v)),
                       hn::PromoteTo(d32, hn::UpperHalf(hn::Half<U16x8>(), v)));
  }
  v = prefix(d, v);
  return {hn::PromoteTo(d32, hn::LowerHalf(v)),
          hn::PromoteTo(d32, hn::UpperHalf(hn::Half<U16x8>(), v))};
}
template <bool squares>
HWY_INLINE Prefixes eight_prefixes(const std::uint16_t* in) {
  const U32x4 d32;
  const auto v = hn::LoadU(U16x8(), in);
  return prefixes_of(hn::PromoteTo(d32, hn::LowerHalf(v)),
                     hn::PromoteTo(d32, hn::UpperHalf(hn::Half<U16x8>(), v)));
}

// Widens the prefix sums of eight pixels to the type of the sums.
HWY_INLINE void widen(U32x4, Prefixes p, hn::Vec<U32x4>* wide) {
  wide[0] = p.low;
  wide[1] = p.high;
}
HWY_INLINE void widen(F32x4 d, Prefixes p, hn::Vec<F32x4>* wide) {
  wide[0] = hn::ConvertTo(d, hn::BitCast(I32x4(), p.low));
  wide[1] = hn::ConvertTo(d, hn::BitCast(I32x4(), p.high));
}
HWY_INLINE void widen(U64x2 d, Prefixes p, hn::Vec<U64x2>* wide) {
  wide[0] = hn::PromoteTo(d, hn::LowerHalf(p.low));
  wide[1] = hn::PromoteTo(d, hn::UpperHalf(U32x2(), p.low));
  wide[2] = hn::PromoteTo(d, hn::LowerHalf(p.high));
  wide[3] = hn::PromoteTo(d, hn::UpperHalf(U32x2(), p.high));
}
HWY_INLINE void widen(F64x2 d, Prefixes p, hn::Vec<F64x2>* wide) {
  const auto low = hn::BitCast(I32x4(), p.low), high = hn::BitCast(I32x4(), p.high);
  wide[0] = hn::PromoteTo(d, hn::LowerHalf(low));
  wide[1] = hn::PromoteTo(d, hn::UpperHalf(I32x2(), low));
  wide[2] = hn::PromoteTo(d, hn::LowerHalf(high));
  wide[3] = hn::PromoteTo(d, hn::UpperHalf(I32x2(), high));
}

// For all other types, pixels are first converted to the type of the sums.
HWY_INLINE hn::Vec<U32x4> load_as(U32x4 d, const std::uint32_t* in) { return hn::LoadU(d, in); }
HWY_INLINE hn::Vec<F32x4> load_as(F32x4 d, const float* in) { return hn::LoadU(d, in); }
HWY_INLINE hn::Vec<F64x2> load_as(F64x2 d, const double* in) { return hn::LoadU(d, in); }
HWY_INLINE hn::Vec<U64x2> load_as(U64x2 d, const std::uint32_t* in) {
  return hn::PromoteTo(d, hn::LoadU(U32x2(), in));
}
HWY_INLINE hn::Vec<U64x2> load_as(U64x2 d, const std::uint16_t* in) {
  return hn::PromoteTo(d, hn::PromoteTo(U32x2(), hn::LoadU(U16x2(), in)));
}
HWY_INLINE hn::Vec<F64x2> load_as(F64x2 d, const float* in) {
  return hn::PromoteTo(d, hn::LoadU(F32x2(), in));
}
HWY_INLINE hn::Vec<F64x2> load_as(F64x2 d, const std::uint16_t* in) {
  return hn::PromoteTo(d, hn::PromoteTo(I32x2(), hn::LoadU(U16x2(), in)));
}
template <class D, class V>
HWY_INLINE V square(D, V v) {
  return hn::Mul(v, v);
}
HWY_INLINE hn::Vec<U64x2> square(U64x2, hn::Vec<U64x2> v) {  // for values below 2^32
  const auto halves = hn::BitCast(U32x4(), v);
  return hn::MulEven(halves, halves);
}

// Rows of one channel that are scanned together.
template <class In, class Out, int kRows>
struct RowGroup {
  const In* in[kRows];
  const Out* above;  // the row above the first one
  Out* out[kRows];
  Out* row_sums;  // per row, the sum left of its pixels; then the sum that includes them
  int pixels;
};

#if HWY_MAX_BYTES >= 32
// The tag of sums in 256 bits.
template <class Out>
using Wide = hn::FixedTag<Out, 32 / sizeof(Out)>;
using WideSums = hn::Vec<Wide<std::uint32_t>>;

// The prefix sums of eight bytes. A sum of differences from 0 adds up those of eight bytes that a
// mask leaves: even places go to lower halves of lanes, odd ones to upper halves. So nothing is
// moved between lanes.
HWY_INLINE hn::Vec<Wide<std::uint64_t>> sums_of(hn::Vec<Wide<std::uint64_t>> eights) {
  return hn::SumsOf8(hn::BitCast(Wide<std::uint8_t>(), eights));
}
HWY_INLINE WideSums prefixes_of(const std::uint8_t* in) {
  const Wide<std::uint64_t> d;
  alignas(32) static constexpr std::uint64_t kEven[4] = {0xFF, 0xFFFFFF, 0xFFFFFFFFFF,
                                                         0xFFFFFFFFFFFFFF};
  alignas(32) static constexpr std::uint64_t kOdd[4] = {0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFF,
                                                        0xFFFFFFFFFFFFFFFF};
  std::uint64_t eight = 0;
  std::memcpy(&eight, in, sizeof(eight));
  const auto bytes = hn::Set(d, eight);
  const auto even = sums_of(hn::And(bytes, hn::Load(d, kEven)));
  const auto odd = sums_of(hn::And(bytes, hn::Load(d, kOdd)));
  return hn::BitCast(Wide<std::uint32_t>(), hn::Or(even, hn::ShiftLeft<32>(odd)));
}

HWY_INLINE void widen(Wide<std::uint32_t>, WideSums sums, WideSums* wide) { wide[0] = sums; }
HWY_INLINE void widen(Wide<std::uint64_t> d, WideSums sums, hn::Vec<Wide<std::uint64_t>>* wide) {
  wide[0] = hn::PromoteTo(d, hn::LowerHalf(sums));
  wide[1] = hn::PromoteTo(d, hn::UpperHalf(U32x4(), sums));
}
HWY_INLINE void widen(Wide<double> d, WideSums sums, hn::Vec<Wide<double>>* wide) {
  wide[0] = hn::PromoteTo(d, hn::BitCast(I32x4(), hn::LowerHalf(sums)));
  wide[1] = hn::PromoteTo(d, hn::BitCast(I32x4(), hn::UpperHalf(U32x4(), sums)));
}

// Scans the bytes of a row, sixteen at a time, and returns how many pixels it has done. Sums of the
// row are whole numbers of 32 bits until they are added to those above; a row where they may not
// fit is left alone. Two rows at a time are slower here, because more is written at once.
template <class Out>
int scan_bytes(const RowGroup<std::uint8_t, Out, 1>& row) {
  if (sizeof(Out) > 4 && static_cast<double>(row.row_sums[0]) + 255.0 * row.pixels >
                             std::numeric_limits<std::int32_t>::max())
    return 0;
  const Wide<Out> d;
  const Wide<std::uint32_t> d32;
  constexpr int kLanes = 32 / sizeof(Out), kVectors = 8 / kLanes;
  alignas(32) static constexpr std::int32_t kLast[8] = {7, 7, 7, 7, 7, 7, 7, 7};
  const auto last = hn::SetTableIndices(d32, kLast);
  auto carry = hn::Set(d32, static_cast<std::uint32_t>(row.row_sums[0]));
  int x = 0;
  for (; x + 16 <= row.pixels; x += 16)
    for (int from = x; from < x + 16; from += 8) {
      const WideSums prefixes = prefixes_of(row.in[0] + from);
      hn::Vec<Wide<Out>> sums[kVectors];
      widen(d, hn::Add(carry, prefixes), sums);
      carry = hn::Add(carry, hn::TableLookupLanes(prefixes, last));
      for (int i = 0; i < kVectors; ++i)
        hn::StoreU(hn::Add(hn::LoadU(d, row.above + from + i * kLanes), sums[i]), d,
                   row.out[0] + from + i * kLanes);
    }
  row.row_sums[0] = static_cast<Out>(hn::GetLane(carry));
  return x;
}
#endif

// Whether rows are scanned by scan_bytes().
template <bool squares, class In, class Out>
constexpr bool kByBytes = HWY_MAX_BYTES >= 32 && sizeof(In) == 1 && !squares &&
                          !std::is_same_v<Out, float>;

// Scans one row or two. With two, the sums of the first are added to the second in registers, and
// each row's chain of carries hides the latency of the other's.
template <bool squares, int kRows, class In, class Out>
void scan_rows(const RowGroup<In, Out, kRows>& rows) {
  const hn::FixedTag<Out, 16 / sizeof(Out)> d;
  constexpr int kLanes = 16 / sizeof(Out);
  using V = hn::Vec<hn::FixedTag<Out, kLanes>>;
  const Out* HWY_RESTRICT above = rows.above;
  int x = 0;
#if HWY_MAX_BYTES >= 32
  if constexpr (kRows == 1 && kByBytes<squares, In, Out>) x = scan_bytes(rows);
#endif
  V carry[kRows];
  for (int r = 0; r < kRows; ++r) carry[r] = hn::Set(d, rows.row_sums[r]);
  if constexpr (sizeof(In) == 1 || (sizeof(In) == 2 && !squares)) {
    constexpr int kVectors = 8 / kLanes;
    for (; x + 8 <= rows.pixels; x += 8) {
      V wide[kRows][kVectors];
      for (int r = 0; r < kRows; ++r) widen(d, eight_prefixes<squares>(rows.in[r] + x), wide[r]);
      for (int i = 0; i < kVectors; ++i) {
        V sum = hn::LoadU(d, above + x + i * kLanes);
        for (int r = 0; r < kRows; ++r) {
          wide[r][i] = hn::Add(carry[r], wide[r][i]);
          sum = hn::Add(sum, wide[r][i]);
          hn::StoreU(sum, d, rows.out[r] + x + i * kLanes);
        }
      }
      for (int r = 0; r < kRows; ++r) carry[r] = hn::Broadcast<kLanes - 1>(wide[r][kVectors - 1]);
    }
  } else {
    for (; x + kLanes <= rows.pixels; x += kLanes) {
      V sum = hn::LoadU(d, above + x);
      for (int r = 0; r < kRows; ++r) {
        auto v = load_as(d, rows.in[r] + x);
        if constexpr (squares) v = square(d, v);
        const auto p = prefix(d, v);
        sum = hn::Add(sum, hn::Add(carry[r], p));
        hn::StoreU(sum, d, rows.out[r] + x);
        carry[r] = hn::Add(carry[r], hn::Broadcast<kLanes - 1>(p));
      }
    }
  }
  for (int r = 0; r < kRows; ++r) {
    const Out* over = r == 0 ? above : rows.out[r - 1];
    Out left = hn::GetLane(carry[r]);
    for (int rest = x; rest < rows.pixels; ++rest) {
      left = static_cast<Out>(left + term<Out>(rows.in[r][rest], squares));
      rows.out[r][rest] = static_cast<Out>(over[rest] + left);
    }
    rows.row_sums[r] = left;
  }
}

template <int channels, class D, class V>
HWY_INLINE void load_channels(D d, const hn::TFromD<D>* from, V* v) {
  if constexpr (channels == 2) hn::LoadInterleaved2(d, from, v[0], v[1]);
  if constexpr (channels == 3) hn::LoadInterleaved3(d, from, v[0], v[1], v[2]);
  if constexpr (channels == 4) hn::LoadInterleaved4(d, from, v[0], v[1], v[2], v[3]);
}
template <int channels, class D, class V>
HWY_INLINE void store_channels(D d, const V* v, hn::TFromD<D>* to) {
  if constexpr (channels == 2) hn::StoreInterleaved2(v[0], v[1], d, to);
  if constexpr (channels == 3) hn::StoreInterleaved3(v[0], v[1], v[2], d, to);
  if constexpr (channels == 4) hn::StoreInterleaved4(v[0], v[1], v[2], v[3], d, to);
}

// Scans one row of several channels, already converted to the type of the sums.
template <int channels, class Out>
void scan_interleaved(Out* line, const Out* above, Out* out, int pixels, Out* row_sums) {
  const hn::FixedTag<Out, 16 / sizeof(Out)> d;
  constexpr int kLanes = 16 / sizeof(Out);
  hn::Vec<decltype(d)> v[channels], over[channels], carry[channels];
  for (int c = 0; c < channels; ++c) carry[c] = hn::Set(d, row_sums[c]);
  int x = 0;
  for (; x + kLanes <= pixels; x += kLanes) {
    load_channels<channels>(d, line + x * channels, v);
    load_channels<channels>(d, const_cast<Out*>(above) + x * channels, over);
    for (int c = 0; c < channels; ++c) {
      const auto p = prefix(d, v[c]);
      v[c] = hn::Add(over[c], hn::Add(carry[c], p));
      carry[c] = hn::Add(carry[c], hn::Broadcast<kLanes - 1>(p));
    }
    store_channels<channels>(d, v, out + x * channels);
  }
  for (int c = 0; c < channels; ++c) {
    Out sum = hn::GetLane(carry[c]);
    for (int i = x * channels + c; i < pixels * channels; i += channels) {
      sum = static_cast<Out>(sum + line[i]);
      out[i] = static_cast<Out>(above[i] + sum);
    }
    row_sums[c] = sum;
  }
}

// Pixels of several channels are converted to the type of the sums in a line that stays in the
// first-level cache.
template <class In, class Out>
void scan_channels(const In* in, const Out* above, Out* out, const IntegralTile<In, Out>& tile,
                   Out* row_sums) {
  constexpr int kBlock = 64;  // pixels, a multiple of every vector's lanes
  HWY_ALIGN Out line[kBlock * 4];
  const int channels = tile.channels;
  for (int x = 0; x < tile.pixels; x += kBlock) {
    const int pixels = std::min(kBlock, tile.pixels - x), first = x * channels;
    for (int i = 0; i < pixels * channels; ++i) line[i] = term<Out>(in[first + i], tile.squares);
    if (channels == 2) scan_interleaved<2>(line, above + first, out + first, pixels, row_sums);
    else if (channels == 3) scan_interleaved<3>(line, above + first, out + first, pixels, row_sums);
    else scan_interleaved<4>(line, above + first, out + first, pixels, row_sums);
  }
}

template <bool squares, class In, class Out>
void scan_tile(const IntegralTile<In, Out>& tile) {
  const Out* above = tile.above;
  int r = 0;
  const auto in = [&](int row) { return tile.in + row * tile.in_stride; };
  const auto out = [&](int row) { return tile.out + row * tile.out_stride; };
  if constexpr (!kByBytes<squares, In, Out>) {
    for (; r + 2 <= tile.rows; r += 2) {
      scan_rows<squares, 2, In, Out>(
          {{in(r), in(r + 1)}, above, {out(r), out(r + 1)}, tile.carry + r, tile.pixels});
      above = out(r + 1);
    }
  }
  for (; r < tile.rows; ++r) {
    scan_rows<squares, 1, In, Out>({{in(r)}, above, {out(r)}, tile.carry + r, tile.pixels});
    above = out(r);
  }
}

template <class In, class Out>
void integral_tile(const IntegralTile<In, Out>& tile) {
  if (tile.channels == 1) return tile.squares ? scan_tile<true>(tile) : scan_tile<false>(tile);
  const Out* above = tile.above;
  for (int r = 0; r < tile.rows; ++r) {
    Out* out = tile.out + r * tile.out_stride;
    scan_channels(tile.in + r * tile.in_stride, above, out, tile,
                  tile.carry + static_cast<std::ptrdiff_t>(r) * tile.channels);
    above = out;
  }
}

// The dispatcher cannot name templates, so it chooses this function, which names them.
cpu::TileFunctions tile_functions() {
#define FOVEA_TILE_FUNCTION(In, Out) , integral_tile<In, Out>
  return {cpu::NoTypes{} FOVEA_FOR_EACH_INTEGRAL(FOVEA_TILE_FUNCTION)};
#undef FOVEA_TILE_FUNCTION
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(tile_functions);

}  // namespace

template <class In, class Out>
void integral(StackView<const In> images, StackView<Out> sums, detail::IntegralParams params,
              const Exec& exec) {
  using Function = void (*)(const IntegralTile<In, Out>&);
  const auto run = std::get<Function>(HWY_DYNAMIC_DISPATCH(tile_functions)());
  const int channels = images.channels, more = params.exclusive ? 1 : 0;
  const TileGrid grid = divide_into_tiles(images.count, images.width, images.height, exec);
  std::vector<Out> carries(static_cast<std::size_t>(images.count) * images.height * channels);
  const std::vector<Out> zeros(static_cast<std::size_t>(images.width) * channels);

  for_each_tile(exec, grid, [&](int image, int band, int strip) {
    const ImageView<const In> from = images.plane(image);
    const ImageView<Out> to = sums.plane(image);
    const auto [x, y, pixels, rows] =
        tile_rectangle(grid, band, strip, images.width, images.height);
    if (params.exclusive && band == 0)
      std::fill_n(&to.at(strip == 0 ? 0 : x + 1, 0), (pixels + (strip == 0 ? 1 : 0)) * channels,
                  Out{});
    if (params.exclusive && strip == 0)
      for (int r = 0; r < rows; ++r) std::fill_n(to.row(y + 1 + r), channels, Out{});
    const Out* above = y + more > 0 ? &to.at(x + more, y + more - 1)
                                    : zeros.data() + static_cast<std::ptrdiff_t>(x) * channels;
    run({&from.at(x, y), from.stride, above, &to.at(x + more, y + more), to.stride,
         &carries[(static_cast<std::size_t>(image) * images.height + y) * channels], rows, pixels,
         channels, params.squares});
  });
}

#define FOVEA_INTEGRAL(In, Out) \
  template void integral(StackView<const In>, StackView<Out>, detail::IntegralParams, const Exec&);
FOVEA_FOR_EACH_INTEGRAL(FOVEA_INTEGRAL)
#undef FOVEA_INTEGRAL

}  // namespace fovea::cpu
#endif  // HWY_ONCE
