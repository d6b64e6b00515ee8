// The loops that take most of the time of the interest points. Nearly all of them are sums of
// weighted rows: over time, down columns, and along a row, which is a sum of copies of the row that
// are shifted by one pixel each. Sums over time read rows of more frames than the prefetchers of
// processors follow, so that they ask for what comes next.
#include "actions/points/points_rows_cpu.h"

#include <algorithm>
#include <cstddef>

#include "actions/points/points_math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "actions/points/points_rows_cpu.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::actions::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using V = hn::Vec<Floats>;

constexpr int kFetchAhead = 4 * kRowPadding;  // columns

HWY_INLINE int lane_count() { return static_cast<int>(hn::Lanes(Floats())); }

void sum_rows(const float* const* rows, Taps taps, float* out, int n) {
  const Floats d;
  const int lanes = lane_count();
  int x = 0;
  for (; x + 4 * lanes <= padded(n); x += 4 * lanes) {
    V a = hn::Zero(d), b = a, c = a, e = a;
    for (int i = 0; i < taps.count; ++i) {
      const V w = hn::Set(d, taps.weights[i]);
      const float* row = rows[i] + x;
      hwy::Prefetch(row + kFetchAhead);
      a = hn::MulAdd(w, hn::LoadU(d, row), a);
      b = hn::MulAdd(w, hn::LoadU(d, row + lanes), b);
      c = hn::MulAdd(w, hn::LoadU(d, row + 2 * lanes), c);
      e = hn::MulAdd(w, hn::LoadU(d, row + 3 * lanes), e);
    }
    hn::StoreU(a, d, out + x);
    hn::StoreU(b, d, out + x + lanes);
    hn::StoreU(c, d, out + x + 2 * lanes);
    hn::StoreU(e, d, out + x + 3 * lanes);
  }
  for (; x < n; x += lanes) {
    V a = hn::Zero(d);
    for (int i = 0; i < taps.count; ++i)
      a = hn::MulAdd(hn::Set(d, taps.weights[i]), hn::LoadU(d, rows[i] + x), a);
    hn::StoreU(a, d, out + x);
  }
}

// Each row that is loaded goes into kColumnRows sums.
void sum_columns(const float* const* rows, Taps taps, float* const* out, int n) {
  const Floats d;
  const int lanes = lane_count();
  for (int x = 0; x < n; x += 2 * lanes) {
    // Where only one vector is left, it is computed twice.
    const int next = x + 2 * lanes <= padded(n) ? lanes : 0;
    V a0 = hn::Zero(d), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, e0 = a0, e1 = a0;
    const auto add = [&](int tap, V left, V right, V& s0, V& s1) HWY_ATTR {
      const V w = hn::Set(d, taps.weights[tap]);
      s0 = hn::MulAdd(w, left, s0);
      s1 = hn::MulAdd(w, right, s1);
    };
    const auto add_some = [&](int j) HWY_ATTR {
      const V left = hn::LoadU(d, rows[j] + x), right = hn::LoadU(d, rows[j] + x + next);
      if (j < taps.count) add(j, left, right, a0, a1);
      if (j >= 1 && j - 1 < taps.count) add(j - 1, left, right, b0, b1);
      if (j >= 2 && j - 2 < taps.count) add(j - 2, left, right, c0, c1);
      if (j >= 3) add(j - 3, left, right, e0, e1);
    };
    int j = 0;
    for (; j < 3; ++j) add_some(j);
    for (; j < taps.count; ++j) {
      const V left = hn::LoadU(d, rows[j] + x), right = hn::LoadU(d, rows[j] + x + next);
      add(j, left, right, a0, a1);
      add(j - 1, left, right, b0, b1);
      add(j - 2, left, right, c0, c1);
      add(j - 3, left, right, e0, e1);
    }
    for (; j < taps.count + 3; ++j) add_some(j);
    hn::StoreU(a0, d, out[0] + x);
    hn::StoreU(a1, d, out[0] + x + next);
    hn::StoreU(b0, d, out[1] + x);
    hn::StoreU(b1, d, out[1] + x + next);
    hn::StoreU(c0, d, out[2] + x);
    hn::StoreU(c1, d, out[2] + x + next);
    hn::StoreU(e0, d, out[3] + x);
    hn::StoreU(e1, d, out[3] + x + next);
  }
}

// Each load is one product, so that eight sums at a time keep all multipliers busy.
void sum_along(const float* row, Taps taps, float* out, int n) {
  const Floats d;
  const int lanes = lane_count();
  int x = 0;
  for (; x + 8 * lanes <= padded(n); x += 8 * lanes) {
    V a = hn::Zero(d), b = a, c = a, e = a, f = a, g = a, h = a, k = a;
    const float* from = row + x;
    for (int i = 0; i < taps.count; ++i, ++from) {
      const V w = hn::Set(d, taps.weights[i]);
      a = hn::MulAdd(w, hn::LoadU(d, from), a);
      b = hn::MulAdd(w, hn::LoadU(d, from + lanes), b);
      c = hn::MulAdd(w, hn::LoadU(d, from + 2 * lanes), c);
      e = hn::MulAdd(w, hn::LoadU(d, from + 3 * lanes), e);
      f = hn::MulAdd(w, hn::LoadU(d, from + 4 * lanes), f);
      g = hn::MulAdd(w, hn::LoadU(d, from + 5 * lanes), g);
      h = hn::MulAdd(w, hn::LoadU(d, from + 6 * lanes), h);
      k = hn::MulAdd(w, hn::LoadU(d, from + 7 * lanes), k);
    }
    hn::StoreU(a, d, out + x);
    hn::StoreU(b, d, out + x + lanes);
    hn::StoreU(c, d, out + x + 2 * lanes);
    hn::StoreU(e, d, out + x + 3 * lanes);
    hn::StoreU(f, d, out + x + 4 * lanes);
    hn::StoreU(g, d, out + x + 5 * lanes);
    hn::StoreU(h, d, out + x + 6 * lanes);
    hn::StoreU(k, d, out + x + 7 * lanes);
  }
  for (; x < n; x += lanes) {
    V a = hn::Zero(d);
    for (int i = 0; i < taps.count; ++i)
      a = hn::MulAdd(hn::Set(d, taps.weights[i]), hn::LoadU(d, row + x + i), a);
    hn::StoreU(a, d, out + x);
  }
}

void greatest_of_rows(const float* const* rows, int count, float* out, int n) {
  const Floats d;
  for (int x = 0; x < n; x += lane_count()) {
    V most = hn::Zero(d);
    for (int i = 0; i < count; ++i) most = hn::Max(most, hn::LoadU(d, rows[i] + x));
    hn::StoreU(most, d, out + x);
  }
}

// Sobel's operator smooths across the derivative first.
void gradients(const LevelRows& rows, float weight, const Gradients& out, int n) {
  const Floats d;
  const V two = hn::Set(d, 2.0F), scale = hn::Set(d, weight);
  const auto smooth = [&](int x) HWY_ATTR {
    return hn::MulAdd(two, hn::LoadU(d, rows.here + x),
                      hn::Add(hn::LoadU(d, rows.above + x), hn::LoadU(d, rows.below + x)));
  };
  const auto change = [&](int x) HWY_ATTR {
    return hn::Sub(hn::LoadU(d, rows.below + x), hn::LoadU(d, rows.above + x));
  };
  for (int x = 0; x < n; x += lane_count()) {
    hn::StoreU(hn::Mul(hn::Sub(smooth(x + 1), smooth(x - 1)), scale), d, out.x + x);
    const V sides = hn::Add(change(x - 1), change(x + 1));
    hn::StoreU(hn::Mul(hn::MulAdd(two, change(x), sides), scale), d, out.y + x);
  }
}

HWY_INLINE void fetch_moments(const MomentRows& rows, int count, int at) {
  for (int i = 0; i < count; ++i) {
    hwy::Prefetch(rows.levels[i] + at);
    hwy::Prefetch(rows.gradients[i].x + at);
    hwy::Prefetch(rows.gradients[i].y + at);
  }
}

void sum_moments(const MomentRows& rows, Taps taps, float* const* out, int n) {
  const Floats d;
  const V time = hn::Set(d, rows.time_weight);
  for (int at = 0; at < n; at += lane_count()) {
    if (at % kRowPadding == 0) fetch_moments(rows, taps.count, at + kFetchAhead);
    V xx = hn::Zero(d), yy = xx, tt = xx, xy = xx, xt = xx, yt = xx;
    V before = hn::LoadU(d, rows.levels[0] + at), here = hn::LoadU(d, rows.levels[1] + at);
    for (int i = 0; i < taps.count; ++i) {
      const V w = hn::Set(d, taps.weights[i]);
      const V after = hn::LoadU(d, rows.levels[i + 2] + at);
      const V x = hn::LoadU(d, rows.gradients[i].x + at);
      const V y = hn::LoadU(d, rows.gradients[i].y + at);
      const V t = hn::Mul(hn::Sub(after, before), time);
      before = here;
      here = after;
      const V wx = hn::Mul(w, x), wy = hn::Mul(w, y), wt = hn::Mul(w, t);
      xx = hn::MulAdd(wx, x, xx);
      yy = hn::MulAdd(wy, y, yy);
      tt = hn::MulAdd(wt, t, tt);
      xy = hn::MulAdd(wx, y, xy);
      xt = hn::MulAdd(wx, t, xt);
      yt = hn::MulAdd(wy, t, yt);
    }
    hn::StoreU(xx, d, out[0] + at);
    hn::StoreU(yy, d, out[1] + at);
    hn::StoreU(tt, d, out[2] + at);
    hn::StoreU(xy, d, out[3] + at);
    hn::StoreU(xt, d, out[4] + at);
    hn::StoreU(yt, d, out[5] + at);
  }
}

// The greatest change of each column of up to kCellSize rows, then of each four columns.
void greatest_changes(const ChangeRows& rows, float* const* out, int n) {
  static_assert(kCellSize == 4);
  const Floats d;
  const int lanes = lane_count();
  const V time = hn::Set(d, rows.time_weight);
  HWY_ALIGN float columns[kCellSize * hn::MaxLanes(Floats())];
  for (int first = 0; first < rows.count; first += kCellSize) {
    float* to = out[first / kCellSize];
    const int last = std::min(first + kCellSize, rows.count);
    for (int x = 0; x < n; x += kCellSize * lanes) {
      for (int i = 0; i < kCellSize * lanes; i += lanes) {
        V most = hn::Zero(d);
        for (int y = first; x + i < n && y < last; ++y) {
          const std::ptrdiff_t at = y * rows.stride + x + i;
          const V change = hn::Sub(hn::LoadU(d, rows.after + at), hn::LoadU(d, rows.before + at));
          most = hn::Max(most, hn::Abs(change));
        }
        hn::Store(most, d, columns + i);
      }
      for (int i = n - x; i < kCellSize * lanes; ++i) columns[i] = 0;
      V a, b, c, e;
      hn::LoadInterleaved4(d, columns, a, b, c, e);
      const V most = hn::Mul(hn::Max(hn::Max(a, b), hn::Max(c, e)), time);
      hn::StoreU(hn::Mul(most, most), d, to + x / kCellSize);
    }
  }
}

// halve_sum() of points_math.h, one vector at a time.
HWY_INLINE V halve_sums(V a, V b, V c, V e, V f) {
  const Floats d;
  const V outer = hn::Mul(hn::Set(d, 0.0625F), hn::Add(a, f));
  return hn::MulAdd(hn::Set(d, 0.375F), c, hn::MulAdd(hn::Set(d, 0.25F), hn::Add(b, e), outer));
}
void halve_columns(const float* const* rows, float* out, int n) {
  const Floats d;
  for (int x = 0; x < n; x += lane_count())
    hn::StoreU(
        halve_sums(hn::LoadU(d, rows[0] + x), hn::LoadU(d, rows[1] + x), hn::LoadU(d, rows[2] + x),
                   hn::LoadU(d, rows[3] + x), hn::LoadU(d, rows[4] + x)),
        d, out + x);
}
void halve_along(const float* row, float* out, int n) {
  const Floats d;
  for (int x = 0; x < n; x += lane_count()) {
    V a, b, c, e, f, none;
    hn::LoadInterleaved2(d, row + 2 * x - 2, a, b);
    hn::LoadInterleaved2(d, row + 2 * x, c, e);
    hn::LoadInterleaved2(d, row + 2 * x + 2, f, none);
    hn::StoreU(halve_sums(a, b, c, e, f), d, out + x);
  }
}

// harris_response() of points_math.h, one vector at a time.
void harris_responses(const float* const* moments, float k, float* out, int n) {
  const Floats d;
  for (int at = 0; at < n; at += lane_count()) {
    const V xx = hn::LoadU(d, moments[0] + at), yy = hn::LoadU(d, moments[1] + at);
    const V tt = hn::LoadU(d, moments[2] + at), xy = hn::LoadU(d, moments[3] + at);
    const V xt = hn::LoadU(d, moments[4] + at), yt = hn::LoadU(d, moments[5] + at);
    const V minor_x = hn::MulSub(yy, tt, hn::Mul(yt, yt));
    const V minor_y = hn::MulSub(xy, tt, hn::Mul(xt, yt));
    const V minor_t = hn::MulSub(xy, yt, hn::Mul(yy, xt));
    const V det = hn::MulAdd(xx, minor_x, hn::MulSub(xt, minor_t, hn::Mul(xy, minor_y)));
    const V trace = hn::Add(hn::Add(xx, yy), tt);
    hn::StoreU(hn::MulAdd(hn::Mul(hn::Set(d, -k), trace), hn::Mul(trace, trace), det), d, out + at);
  }
}

void periodic_responses(const float* even, const float* odd, float* out, int n) {
  const Floats d;
  for (int x = 0; x < n; x += lane_count()) {
    const V e = hn::LoadU(d, even + x), o = hn::LoadU(d, odd + x);
    hn::StoreU(hn::Mul(hn::Set(d, 4.0F), hn::MulAdd(e, e, hn::Mul(o, o))), d, out + x);
  }
}

bool is_peak(const PeakRows& near, int x) {
  const float value = near.rows[0][x];
  const int x0 = std::max(x - near.radius, 0), x1 = std::min(x + near.radius, near.width - 1);
  for (int i = 0; i < near.count; ++i)
    for (int at = x0; at <= x1; ++at)
      if (near.rows[i][at] >= value && (i > 0 || at != x)) return false;
  return true;
}

// Which of the pixels from x on, all neighbors of which are inside the rows, are maxima.
HWY_INLINE hn::Mask<Floats> peak_mask(const PeakRows& near, float threshold, int x) {
  const Floats d;
  const V here = hn::LoadU(d, near.rows[0] + x);
  auto peaks = hn::Gt(here, hn::Set(d, threshold));
  for (int i = 0; i < near.count && !hn::AllFalse(d, peaks); ++i)
    for (int by = -near.radius; by <= near.radius; ++by)
      if (i > 0 || by != 0)
        peaks = hn::AndNot(hn::Ge(hn::LoadU(d, near.rows[i] + x + by), here), peaks);
  return peaks;
}

int peaks_of_row(const PeakRows& near, const PeakRange& range, int* columns) {
  const Floats d;
  const int lanes = lane_count();
  int count = 0;
  const auto one_by_one = [&](int x, int end) {
    for (; x < end; ++x)
      if (near.rows[0][x] > range.threshold && is_peak(near, x)) columns[count++] = x;
  };
  // Columns whose neighbors are all inside.
  const int first = std::min(std::max(range.first, near.radius), range.end);
  const int end = std::max(first, std::min(range.end, near.width - near.radius));
  one_by_one(range.first, first);
  HWY_ALIGN float found[hn::MaxLanes(Floats())];
  int x = first;
  for (; x + lanes <= end; x += lanes) {
    const auto peaks = peak_mask(near, range.threshold, x);
    if (hn::AllFalse(d, peaks)) continue;
    hn::Store(hn::IfThenElseZero(peaks, hn::Set(d, 1.0F)), d, found);
    for (int i = 0; i < lanes; ++i)
      if (found[i] > 0) columns[count++] = x + i;
  }
  one_by_one(x, range.end);
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::actions::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::actions::cpu {

HWY_EXPORT(sum_rows);
HWY_EXPORT(sum_columns);
HWY_EXPORT(sum_along);
HWY_EXPORT(greatest_of_rows);
HWY_EXPORT(gradients);
HWY_EXPORT(sum_moments);
HWY_EXPORT(greatest_changes);
HWY_EXPORT(halve_columns);
HWY_EXPORT(halve_along);
HWY_EXPORT(harris_responses);
HWY_EXPORT(periodic_responses);
HWY_EXPORT(peaks_of_row);

void sum_rows(const float* const* rows, Taps taps, float* out, int n) {
  HWY_DYNAMIC_DISPATCH(sum_rows)(rows, taps, out, n);
}
void sum_columns(const float* const* rows, Taps taps, float* const* out, int n) {
  HWY_DYNAMIC_DISPATCH(sum_columns)(rows, taps, out, n);
}
void sum_along(const float* row, Taps taps, float* out, int n) {
  HWY_DYNAMIC_DISPATCH(sum_along)(row, taps, out, n);
}
void greatest_of_rows(const float* const* rows, int count, float* out, int n) {
  HWY_DYNAMIC_DISPATCH(greatest_of_rows)(rows, count, out, n);
}
void gradients(const LevelRows& rows, float weight, const Gradients& out, int n) {
  HWY_DYNAMIC_DISPATCH(gradients)(rows, weight, out, n);
}
void sum_moments(const MomentRows& rows, Taps taps, float* const* out, int n) {
  HWY_DYNAMIC_DISPATCH(sum_moments)(rows, taps, out, n);
}
void greatest_changes(const ChangeRows& rows, float* const* out, int n) {
  HWY_DYNAMIC_DISPATCH(greatest_changes)(rows, out, n);
}
void halve_columns(const float* const* rows, float* out, int n) {
  HWY_DYNAMIC_DISPATCH(halve_columns)(rows, out, n);
}
void halve_along(const float* row, float* out, int n) {
  HWY_DYNAMIC_DISPATCH(halve_along)(row, out, n);
}
void harris_responses(const float* const* moments, float k, float* out, int n) {
  HWY_DYNAMIC_DISPATCH(harris_responses)(moments, k, out, n);
}
void periodic_responses(const float* even, const float* odd, float* out, int n) {
  HWY_DYNAMIC_DISPATCH(periodic_responses)(even, odd, out, n);
}
int peaks_of_row(const PeakRows& near, const PeakRange& range, int* columns) {
  return HWY_DYNAMIC_DISPATCH(peaks_of_row)(near, range, columns);
}

}  // namespace fovea::actions::cpu
#endif
