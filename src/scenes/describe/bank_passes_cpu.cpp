// The bank's loops, one vector of columns at a time. Sums stay in registers during the loop over
// taps. Every line of row sums that is read contributes to two lines of responses, and all lines of
// a few columns are computed before the next columns, so that the data they share stays in the
// first-level cache.
#include "scenes/describe/bank_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scenes/describe/bank_passes_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::scenes::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Integers = hn::ScalableTag<std::int32_t>;
using Vector = hn::Vec<Floats>;

struct RowVector {
  Vector smooth, slope, bend;
};

HWY_INLINE RowVector row_start(const float* at, const BankWeights& w) {
  const Floats d;
  const auto here = hn::LoadU(d, at);
  return {hn::Mul(here, hn::Set(d, w.smooth[0])), hn::Zero(d),
          hn::Mul(here, hn::Set(d, w.bend[0]))};
}
HWY_INLINE void row_tap(const float* at, int k, Vector smooth, Vector slope, Vector bend,
                        RowVector& sums) {
  const Floats d;
  const auto left = hn::LoadU(d, at - k), right = hn::LoadU(d, at + k);
  const auto both = hn::Add(left, right);
  sums.smooth = hn::MulAdd(both, smooth, sums.smooth);
  sums.slope = hn::MulAdd(hn::Sub(right, left), slope, sums.slope);
  sums.bend = hn::MulAdd(both, bend, sums.bend);
}
HWY_INLINE void row_store(const RowVector& sums, float* to, std::ptrdiff_t pitch) {
  const Floats d;
  hn::StoreU(sums.smooth, d, to);
  hn::StoreU(sums.slope, d, to + pitch);
  hn::StoreU(sums.bend, d, to + 2 * pitch);
}

// The number of taps to each side: known when the code is compiled for the default sizes, whose
// loops the compiler unrolls, and kAnyReach for the others.
constexpr int kAnyReach = 0;
template <int kReach>
HWY_INLINE int reach_of(int reach) {
  return kReach == kAnyReach ? reach : kReach;
}

// Four independent vectors hide the latency of their chains.
template <int kReach>
void row_pass(const RowJob& job, const BankWeights& w, int any_reach) {
  const int reach = reach_of<kReach>(any_reach);
  const Floats d;
  const auto step = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < job.width; x += 4 * step) {
    const float* at = job.pixels + x;
    RowVector s0 = row_start(at, w), s1 = row_start(at + step, w);
    RowVector s2 = row_start(at + 2 * step, w), s3 = row_start(at + 3 * step, w);
    for (int k = 1; k <= reach; ++k) {
      const auto smooth = hn::Set(d, w.smooth[k]), slope = hn::Set(d, w.slope[k]);
      const auto bend = hn::Set(d, w.bend[k]);
      row_tap(at, k, smooth, slope, bend, s0);
      row_tap(at + step, k, smooth, slope, bend, s1);
      row_tap(at + 2 * step, k, smooth, slope, bend, s2);
      row_tap(at + 3 * step, k, smooth, slope, bend, s3);
    }
    float* to = job.sums + x;
    row_store(s0, to, job.pitch);
    row_store(s1, to + step, job.pitch);
    row_store(s2, to + 2 * step, job.pitch);
    row_store(s3, to + 3 * step, job.pitch);
  }
}

HWY_INLINE RowVector load_sums(const float* at, std::ptrdiff_t pitch) {
  const Floats d;
  return {hn::LoadU(d, at), hn::LoadU(d, at + pitch), hn::LoadU(d, at + 2 * pitch)};
}

struct Sums {
  Vector smooth, across, down, bend_across, bend_down;
};
HWY_INLINE Sums column_start(const RowVector& here, const BankWeights& w) {
  const Floats d;
  const auto smooth = hn::Set(d, w.smooth[0]);
  return {hn::Mul(here.smooth, smooth), hn::Mul(here.slope, smooth), hn::Zero(d),
          hn::Mul(here.bend, smooth), hn::Mul(here.smooth, hn::Set(d, w.bend[0]))};
}
HWY_INLINE void column_tap(const RowVector& above, const RowVector& below, Vector smooth,
                           Vector slope, Vector bend, Sums& sums) {
  const auto both = hn::Add(above.smooth, below.smooth);
  sums.smooth = hn::MulAdd(both, smooth, sums.smooth);
  sums.bend_down = hn::MulAdd(both, bend, sums.bend_down);
  sums.down = hn::MulAdd(hn::Sub(below.smooth, above.smooth), slope, sums.down);
  sums.across = hn::MulAdd(hn::Add(above.slope, below.slope), smooth, sums.across);
  sums.bend_across = hn::MulAdd(hn::Add(above.bend, below.bend), smooth, sums.bend_across);
}

template <bool kScaled, int kKind>
HWY_INLINE void respond(const ColumnJob& job, int line, int x, Vector response) {
  const Floats d;
  if constexpr (kScaled)
    response = hn::MulAdd(response, hn::Set(d, job.scale[kKind]), hn::Set(d, job.offset[kKind]));
  hn::StoreU(response, d, job.out[line][kKind] + x);
}

// Stores the responses of one of the job's lines.
template <bool kScaled>
HWY_INLINE void column_store(const ColumnJob& job, int reach, int line, int x, const Sums& sums) {
  const Floats d;
  const Integers di;
  const std::int32_t* below = job.below[line] + x;
  const std::int32_t* above = job.above[line] + x;
  const int side = 2 * reach + 1;
  const auto square = hn::Sub(hn::Sub(hn::LoadU(di, below + side), hn::LoadU(di, below)),
                              hn::Sub(hn::LoadU(di, above + side), hn::LoadU(di, above)));
  respond<kScaled, 0>(job, line, x, sums.smooth);
  respond<kScaled, 1>(job, line, x,
                      hn::MulAdd(hn::ConvertTo(d, square), hn::Set(d, job.level),
                                 hn::Add(sums.bend_across, sums.bend_down)));
  respond<kScaled, 2>(job, line, x, sums.across);
  respond<kScaled, 3>(job, line, x, sums.down);
}

template <bool kScaled, int kReach>
HWY_INLINE void one_line(const ColumnJob& job, const BankWeights& w, int line, int x) {
  const Floats d;
  const int reach = reach_of<kReach>(job.reach);
  const float* const* rows = job.rows + line;
  Sums sums = column_start(load_sums(rows[reach] + x, job.pitch), w);
  for (int k = 1; k <= reach; ++k) {
    column_tap(load_sums(rows[reach - k] + x, job.pitch), load_sums(rows[reach + k] + x, job.pitch),
               hn::Set(d, w.smooth[k]), hn::Set(d, w.slope[k]), hn::Set(d, w.bend[k]), sums);
  }
  column_store<kScaled>(job, reach, line, x, sums);
}

// The sums of two lines, and the row sums that their last tap read. The row above, read for the
// first line, is used for the second line at the next tap, and the row below likewise for the
// first.
struct TwoLines {
  RowVector above, below;
  Sums first, second;
};
HWY_INLINE void tap_of_two(const float* higher_row, const float* lower_row, std::ptrdiff_t pitch,
                           const BankWeights& w, int k, TwoLines& lines) {
  const Floats d;
  const auto smooth = hn::Set(d, w.smooth[k]), slope = hn::Set(d, w.slope[k]);
  const auto bend = hn::Set(d, w.bend[k]);
  const RowVector higher = load_sums(higher_row, pitch), lower = load_sums(lower_row, pitch);
  column_tap(higher, lines.below, smooth, slope, bend, lines.first);
  column_tap(lines.above, lower, smooth, slope, bend, lines.second);
  lines.above = higher;
  lines.below = lower;
}
template <bool kScaled, int kReach>
HWY_INLINE void two_lines(const ColumnJob& job, const BankWeights& w, int line, int x) {
  const int reach = reach_of<kReach>(job.reach);
  const float* const* rows = job.rows + line;
  const RowVector above = load_sums(rows[reach] + x, job.pitch);
  const RowVector below = load_sums(rows[reach + 1] + x, job.pitch);
  TwoLines lines{above, below, column_start(above, w), column_start(below, w)};
  const auto tap = [&](int k) HWY_ATTR {
    tap_of_two(rows[reach - k] + x, rows[reach + 1 + k] + x, job.pitch, w, k, lines);
  };
  int k = 1;
  if (reach % 2 == 1) tap(k++);
#pragma GCC unroll 1
  for (; k < reach;
       k += 2) {  // two taps at a time, so that rows change registers instead of being copied
    tap(k);
    tap(k + 1);
  }
  column_store<kScaled>(job, reach, line, x, lines.first);
  column_store<kScaled>(job, reach, line + 1, x, lines.second);
}

// Computes columns [begin, end) of all lines; their number is a multiple of the vector's length.
template <bool kScaled, int kReach>
HWY_INLINE void columns(const ColumnJob& job, const BankWeights& w, int begin, int end) {
  const auto step = static_cast<int>(hn::Lanes(Floats()));
  int line = 0;
  for (; line + 2 <= job.lines; line += 2)
    for (int x = begin; x < end; x += step) two_lines<kScaled, kReach>(job, w, line, x);
  for (; line < job.lines; ++line)
    for (int x = begin; x < end; x += step) one_line<kScaled, kReach>(job, w, line, x);
}

// The last vector ends with the line; columns that it shares with the vector before are computed
// twice. A line shorter than a vector goes through a buffer.
template <bool kScaled, int kReach>
void column_pass_as(const ColumnJob& job, const BankWeights& w) {
  constexpr int kColumns = 128;
  const auto step = static_cast<int>(hn::Lanes(Floats()));
  if (job.width >= step) {
    const int whole = job.width / step * step;
    for (int x = 0; x < whole; x += kColumns)
      columns<kScaled, kReach>(job, w, x, whole - x < kColumns ? whole : x + kColumns);
    if (whole < job.width) columns<kScaled, kReach>(job, w, job.width - step, job.width);
    return;
  }
  HWY_ALIGN float buffer[kMostLines][kBankKinds][HWY_LANES(float)];
  ColumnJob inner = job;
  for (int line = 0; line < job.lines; ++line)
    for (int i = 0; i < kBankKinds; ++i) inner.out[line][i] = buffer[line][i];
  columns<kScaled, kReach>(inner, w, 0, step);
  for (int line = 0; line < job.lines; ++line)
    for (int i = 0; i < kBankKinds; ++i)
      for (int x = 0; x < job.width; ++x) job.out[line][i][x] = buffer[line][i][x];
}

template <int kReach>
void column_pass(const ColumnJob& job, const BankWeights& w) {
  if (job.scale != nullptr) column_pass_as<true, kReach>(job, w);
  else column_pass_as<false, kReach>(job, w);
}

// With a compile-time number of taps, the compiler keeps them in registers.
void row_pass_simd(const RowJob& job, const BankWeights& w, int reach) {
  switch (reach) {
    case bank_reach(0): return row_pass<bank_reach(0)>(job, w, reach);
    case bank_reach(1): return row_pass<bank_reach(1)>(job, w, reach);
    case bank_reach(2): return row_pass<bank_reach(2)>(job, w, reach);
    case bank_reach(3): return row_pass<bank_reach(3)>(job, w, reach);
    case bank_reach(4): return row_pass<bank_reach(4)>(job, w, reach);
    case bank_reach(5): return row_pass<bank_reach(5)>(job, w, reach);
    case bank_reach(6): return row_pass<bank_reach(6)>(job, w, reach);
    case bank_reach(7): return row_pass<bank_reach(7)>(job, w, reach);
    default: return row_pass<kAnyReach>(job, w, reach);
  }
}
void column_pass_simd(const ColumnJob& job, const BankWeights& w) {
  switch (job.reach) {
    case bank_reach(0): return column_pass<bank_reach(0)>(job, w);
    case bank_reach(1): return column_pass<bank_reach(1)>(job, w);
    case bank_reach(2): return column_pass<bank_reach(2)>(job, w);
    case bank_reach(3): return column_pass<bank_reach(3)>(job, w);
    case bank_reach(4): return column_pass<bank_reach(4)>(job, w);
    case bank_reach(5): return column_pass<bank_reach(5)>(job, w);
    case bank_reach(6): return column_pass<bank_reach(6)>(job, w);
    case bank_reach(7): return column_pass<bank_reach(7)>(job, w);
    default: return column_pass<kAnyReach>(job, w);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::scenes::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::scenes::cpu {
namespace {
HWY_EXPORT(row_pass_simd);
HWY_EXPORT(column_pass_simd);
}  // namespace

void bank_row_pass(const RowJob& job, const BankWeights& weights, int reach) {
  HWY_DYNAMIC_DISPATCH(row_pass_simd)(job, weights, reach);
}
void bank_column_pass(const ColumnJob& job, const BankWeights& weights) {
  HWY_DYNAMIC_DISPATCH(column_pass_simd)(job, weights);
}

}  // namespace fovea::scenes::cpu
#endif  // HWY_ONCE
