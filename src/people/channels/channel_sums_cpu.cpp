// Sums pixels over cells, one row of cells at a time. Six smoothed rows are kept in a ring, and the
// votes of four of them are added in registers before anything is stored.
#include <algorithm>
#include <array>
#include <vector>

#include "core/parallel.h"
#include "people/channels/channel_cells.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "people/channels/channel_sums_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

// Outside the part that is compiled once per target.
#ifndef FOVEA_CHANNEL_SUMS_JOB
#define FOVEA_CHANNEL_SUMS_JOB
namespace fovea::people::detail {

// Rows of cells [first, last).
struct ChannelSumsJob {
  ImageView<const std::uint8_t> image;
  CellOrigin origin;
  CellSums* sums;
  int first, last;
};

// Lines are longer by this much, so that the last vector may reach beyond them.
constexpr int kLinePadding = 64;
constexpr int kRing = 6;  // four rows per cell, one row above them and one below

}  // namespace fovea::people::detail
#endif

HWY_BEFORE_NAMESPACE();
namespace fovea::people::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::FixedTag<std::uint8_t, 16>;
// As many pixels as the machine has room for, but at most 16.
using Shorts = hn::CappedTag<std::int16_t, 16>;
using Vector = hn::Vec<Shorts>;
constexpr int kLanes = HWY_MAX_BYTES >= 32 ? 16 : 8;

// The colors of `count` pixels, one line per color.
void split_colors(const std::uint8_t* row, int channels, int count, std::uint8_t* const* lines) {
  const Bytes d;
  int x = 0;
  if (channels == 1) {
    std::copy_n(row, count, lines[0]);
    return;
  }
  for (; x + 16 <= count; x += 16) {
    hn::Vec<Bytes> r, g, b, a;
    if (channels == 3) hn::LoadInterleaved3(d, row + 3 * x, r, g, b);
    else hn::LoadInterleaved4(d, row + 4 * x, r, g, b, a);
    hn::StoreU(r, d, lines[0] + x);
    hn::StoreU(g, d, lines[1] + x);
    hn::StoreU(b, d, lines[2] + x);
  }
  for (; x < count; ++x)
    for (int c = 0; c < 3; ++c) lines[c][x] = row[x * channels + c];
}

HWY_INLINE Vector smooth3(Vector a, Vector b, Vector c) {
  return hn::Add(hn::Add(a, c), hn::Add(b, b));
}

// out[i] = [1 2 1] over in[i], in[i + 1], in[i + 2].
void smooth_across(const std::uint8_t* in, int count, std::int16_t* out) {
  const Shorts d;
  const hn::Rebind<std::uint8_t, Shorts> bytes;
  const auto load = [&](const std::uint8_t* from)
                        HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(bytes, from)); };
  for (int x = 0; x < count; x += kLanes)
    hn::StoreU(smooth3(load(in + x), load(in + x + 1), load(in + x + 2)), d, out + x);
}

void smooth_down(const std::int16_t* above, const std::int16_t* here, const std::int16_t* below,
                 int count, std::int16_t* out) {
  const Shorts d;
  const auto two = hn::Set(d, 2);
  for (int x = 0; x < count; x += kLanes) {
    const auto sum =
        smooth3(hn::LoadU(d, above + x), hn::LoadU(d, here + x), hn::LoadU(d, below + x));
    hn::StoreU(hn::ShiftRight<2>(hn::Add(sum, two)), d, out + x);
  }
}

HWY_INLINE Vector times_root3(Vector a) {
  const Shorts d;
  return hn::Add(a, hn::MulFixedPoint15(a, hn::Set(d, channels::kRoot3Fraction)));
}

// The sums of the four rows of cells, still with one column per pixel. rows[k][c] is smoothed row k
// - 1 of the cell, beginning one pixel to its left.
template <int kColors>
void add_rows(const std::array<std::array<const std::int16_t*, 3>, detail::kRing>& rows, int count,
              std::int16_t* const* out) {
  const Shorts d;
  const auto zero = hn::Zero(d);
  for (int x = 0; x < count; x += kLanes) {
    Vector color[kColors];
    for (int c = 0; c < kColors; ++c) color[c] = zero;
    auto v0 = zero, v1 = zero, v2 = zero, v3 = zero, v4 = zero, v5 = zero;
    for (int k = 1; k <= channels::kCell; ++k) {
      auto dx = zero, dy = zero, strongest = zero;
      for (int c = 0; c < kColors; ++c) {
        const std::int16_t* here = rows[k][c] + x;
        color[c] = hn::Add(color[c], hn::LoadU(d, here + 1));
        const auto right = hn::Sub(hn::LoadU(d, here + 2), hn::LoadU(d, here));
        const auto down =
            hn::Sub(hn::LoadU(d, rows[k + 1][c] + x + 1), hn::LoadU(d, rows[k - 1][c] + x + 1));
        if (c == 0 && kColors == 1) {
          dx = right;
          dy = down;
          continue;
        }
        const auto a = hn::Abs(right), b = hn::Abs(down);
        const auto strength = hn::Add(hn::Max(a, b), hn::Add(a, b));
        if (c == 0) {
          dx = right;
          dy = down;
          strongest = strength;
        } else {
          const auto stronger = hn::Gt(strength, strongest);
          dx = hn::IfThenElse(stronger, right, dx);
          dy = hn::IfThenElse(stronger, down, dy);
          strongest = hn::Max(strength, strongest);
        }
      }
      const auto a = hn::Abs(dx), b = hn::Abs(dy);
      const auto root_a = times_root3(a), root_b = times_root3(b);
      const auto falling = hn::BroadcastSignBit(hn::Xor(dx, dy));
      const auto low = hn::Min(hn::Add(b, b), hn::Max(zero, hn::Sub(root_a, b)));
      const auto high = hn::Min(hn::Add(a, a), hn::Max(zero, hn::Sub(root_b, a)));
      v0 = hn::Add(v0, hn::Max(zero, hn::Sub(a, root_b)));
      v1 = hn::Add(v1, hn::AndNot(falling, low));
      v2 = hn::Add(v2, hn::AndNot(falling, high));
      v3 = hn::Add(v3, hn::Max(zero, hn::Sub(b, root_a)));
      v4 = hn::Add(v4, hn::And(falling, high));
      v5 = hn::Add(v5, hn::And(falling, low));
    }
    for (int c = 0; c < kColors; ++c) hn::StoreU(color[c], d, out[c] + x);
    hn::StoreU(v0, d, out[3] + x);
    hn::StoreU(v1, d, out[4] + x);
    hn::StoreU(v2, d, out[5] + x);
    hn::StoreU(v3, d, out[6] + x);
    hn::StoreU(v4, d, out[7] + x);
    hn::StoreU(v5, d, out[8] + x);
  }
}

// Sums of four neighbors.
void add_columns(const std::int16_t* in, int cells, std::uint16_t* out) {
  const hn::FixedTag<std::int16_t, 8> d;
  const hn::FixedTag<std::uint16_t, 8> unsigned_shorts;
  int i = 0;
  for (; i + 8 <= cells; i += 8) {
    hn::Vec<decltype(d)> a, b, c, e;
    hn::LoadInterleaved4(d, in + 4 * i, a, b, c, e);
    hn::StoreU(hn::BitCast(unsigned_shorts, hn::Add(hn::Add(a, b), hn::Add(c, e))), unsigned_shorts,
               out + i);
  }
  for (; i < cells; ++i)
    out[i] = static_cast<std::uint16_t>(in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3]);
}

template <int kColors>
void sum_colors(const detail::ChannelSumsJob& job) {
  CellSums& sums = *job.sums;
  const int width = sums.columns() * channels::kCell;
  const int reach = channels::kReach, count = width + reach;  // number of smoothed pixels
  const auto line = static_cast<std::size_t>(width) + 2 * reach + detail::kLinePadding;
  std::vector<std::uint8_t> split(line * kColors);
  std::vector<std::int16_t> across(line * kColors * 3), smooth(line * kColors * detail::kRing),
      added(line * channels::kSums);
  std::array<std::uint8_t*, 3> split_lines{};
  for (int c = 0; c < kColors; ++c) split_lines[c] = split.data() + line * c;
  std::array<std::int16_t*, channels::kSums> added_lines{};
  for (int k = 0; k < channels::kSums; ++k) added_lines[k] = added.data() + line * k;
  const auto across_line = [&](int y, int c) {
    return across.data() + line * ((y % 3) * kColors + c);
  };
  const auto smooth_line = [&](int y, int c) {
    return smooth.data() + line * ((y % detail::kRing) * kColors + c);
  };
  // y is counted from kReach rows above the first cell of the job.
  const int top = job.origin.y + job.first * channels::kCell - reach;
  const auto take_row = [&](int y) {
    const std::uint8_t* row =
        job.image.row(top + y) +
        static_cast<std::ptrdiff_t>(job.origin.x - reach) * job.image.channels;
    split_colors(row, job.image.channels, width + 2 * reach, split_lines.data());
    for (int c = 0; c < kColors; ++c) {
      smooth_across(split_lines[c], count, across_line(y, c));
      if (y >= 2)
        smooth_down(across_line(y - 2, c), across_line(y - 1, c), across_line(y, c), count,
                    smooth_line(y - 1, c));
    }
  };
  int taken = 0;
  for (int cell = job.first; cell < job.last; ++cell) {
    const int base = (cell - job.first) * channels::kCell;  // its smoothed rows begin at base + 1
    for (; taken < base + channels::kCell + 2 * reach; ++taken) take_row(taken);
    std::array<std::array<const std::int16_t*, 3>, detail::kRing> rows{};
    for (int k = 0; k < detail::kRing; ++k)
      for (int c = 0; c < kColors; ++c) rows[k][c] = smooth_line(base + 1 + k, c);
    add_rows<kColors>(rows, width, added_lines.data());
    for (int k = 0; k < channels::kSums; ++k) {
      if (k < kColors || k >= channels::kColors)
        add_columns(added_lines[k], sums.columns(), sums.line(cell, k));
      else std::copy_n(sums.line(cell, 0), sums.columns(), sums.line(cell, k));
    }
  }
}

void sum_rows(const detail::ChannelSumsJob& job) {
  if (job.image.channels == 1) sum_colors<1>(job);
  else sum_colors<3>(job);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::people::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::people::cpu {
namespace {
HWY_EXPORT(sum_rows);
// A task smooths four rows of pixels that its neighbors smooth too.
constexpr int kCellRowsPerTask = 16;
}  // namespace

void channel_sums(ImageView<const std::uint8_t> image, CellOrigin origin, CellSums& sums,
                  const Exec& exec) {
  parallel_for(exec, sums.rows(), kCellRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    HWY_DYNAMIC_DISPATCH(sum_rows)
    ({image, origin, &sums, static_cast<int>(first), static_cast<int>(last)});
  });
}

}  // namespace fovea::people::cpu
#endif  // HWY_ONCE
