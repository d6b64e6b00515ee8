// The median filter between steps and the enlarging between levels. The median of 5x5 sorts the
// columns once for all pixels that share them, then only looks where the median can still be.
#include <algorithm>
#include <array>

#include "flow/lk/kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/lk/smooth_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

HWY_INLINE void order(V& a, V& b) {
  const V low = hn::Min(a, b);
  b = hn::Max(a, b);
  a = low;
}

// Sorts each column of five rows; the margins repeat the border.
void sort_columns5(const std::array<const float*, 5>& rows, int width,
                   const std::array<float*, 5>& out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    V a = hn::LoadU(d, rows[0] + x), b = hn::LoadU(d, rows[1] + x), c = hn::LoadU(d, rows[2] + x);
    V e = hn::LoadU(d, rows[3] + x), f = hn::LoadU(d, rows[4] + x);
    order(a, b);
    order(e, f);
    order(c, f);
    order(c, e);
    order(b, f);
    order(a, e);
    order(a, c);
    order(b, e);
    order(b, c);
    hn::StoreU(a, d, out[0] + x);
    hn::StoreU(b, d, out[1] + x);
    hn::StoreU(c, d, out[2] + x);
    hn::StoreU(e, d, out[3] + x);
    hn::StoreU(f, d, out[4] + x);
  }
}

// Of five numbers: the two largest, the three largest, the middle three, in order.
HWY_INLINE void largest2(V a, V b, V c, V e, V f, V& y, V& z) {
  order(a, b);
  order(c, e);
  // The largest is among b, e, f; the second among those and a, c.
  V low = hn::Min(b, e);
  V high = hn::Max(b, e);
  low = hn::Max(low, hn::Max(a, c));
  // `low` is now the second of four only if the loser's partner does not exceed it, which it does
  // not: a <= b and c <= e.
  z = hn::Max(high, f);
  y = hn::Max(low, hn::Min(high, f));
}
HWY_INLINE void smallest2(V a, V b, V c, V e, V f, V& y, V& z) {
  order(a, b);
  order(c, e);
  V high = hn::Max(a, c);
  const V low = hn::Min(a, c);
  high = hn::Min(high, hn::Min(b, e));
  y = hn::Min(low, f);
  z = hn::Min(high, hn::Max(low, f));
}
HWY_INLINE void sort5(V& a, V& b, V& c, V& e, V& f) {
  order(a, b);
  order(e, f);
  order(c, f);
  order(c, e);
  order(b, f);
  order(a, e);
  order(a, c);
  order(b, e);
  order(b, c);
}

// out[x] is the median of columns x to x + 4 of the sorted columns.
void median_columns5(const std::array<const float*, 5>& sorted, int width, float* out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    const auto at = [&](int rank, int column) { return hn::LoadU(d, sorted[rank] + x + column); };
    // With the rows of equal rank sorted too, 13 of the 25 can be the median: six are certainly
    // below it and six above.
    V c[13];
    largest2(at(0, 0), at(0, 1), at(0, 2), at(0, 3), at(0, 4), c[0], c[1]);
    V p = at(1, 0), q = at(1, 1), r = at(1, 2), s = at(1, 3), t = at(1, 4);
    sort5(p, q, r, s, t);
    c[2] = r;
    c[3] = s;
    c[4] = t;
    p = at(2, 0), q = at(2, 1), r = at(2, 2), s = at(2, 3), t = at(2, 4);
    sort5(p, q, r, s, t);
    c[5] = q;
    c[6] = r;
    c[7] = s;
    p = at(3, 0), q = at(3, 1), r = at(3, 2), s = at(3, 3), t = at(3, 4);
    sort5(p, q, r, s, t);
    c[8] = p;
    c[9] = q;
    c[10] = r;
    smallest2(at(4, 0), at(4, 1), at(4, 2), at(4, 3), at(4, 4), c[11], c[12]);
    // The middle of 13: extremes of a shrinking set are dropped in pairs.
    const auto drop = [&](V* set, int count) {  // smallest to set[0], largest to set[count - 1]
      for (int i = 0; i < count / 2; ++i) order(set[i], set[count - 1 - i]);
      for (int i = 1; i < (count + 1) / 2; ++i) order(set[0], set[i]);
      for (int i = count / 2; i < count - 1; ++i) order(set[i], set[count - 1]);
    };
    drop(c, 8);
    c[0] = c[8];
    drop(c, 7);
    c[0] = c[9];
    drop(c, 6);
    c[0] = c[10];
    drop(c, 5);
    c[0] = c[11];
    drop(c, 4);
    c[0] = c[12];
    drop(c, 3);
    hn::StoreU(c[1], d, out + x);
  }
}

void median3_row(const std::array<const float*, 3>& rows, int width, float* out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    V v[9];
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 3; ++i) v[3 * i + j] = hn::LoadU(d, rows[j] + x + i);
    }
    for (int i = 0; i < 9; i += 3) {
      order(v[i], v[i + 1]);
      order(v[i + 1], v[i + 2]);
      order(v[i], v[i + 1]);
    }
    const V low = hn::Max(hn::Max(v[0], v[3]), v[6]);
    const V high = hn::Min(hn::Min(v[2], v[5]), v[8]);
    V middle = hn::Max(hn::Min(v[1], v[4]), hn::Min(hn::Max(v[1], v[4]), v[7]));
    V a = low;
    order(a, middle);
    hn::StoreU(hn::Max(a, hn::Min(middle, high)), d, out + x);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(sort_columns5);
HWY_EXPORT(median_columns5);
HWY_EXPORT(median3_row);

constexpr int kRowsPerTask = 32;

}  // namespace

void median(const Plane<float>& in, Plane<float>& out, int radius, const Exec& exec) {
  const int width = in.width(), height = in.height();
  parallel_for(exec, height, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    Plane<float> sorted, line;
    sorted.resize(width + 2 * radius, 5);
    line.resize(width + 2 * radius, 5);
    // Rows with their border repeated, copied once: other threads may not write the margins.
    const auto padded = [&](int y) {
      const float* row = in.row(lk::clamped(y, height));
      float* to = line.row((y + 5 * height) % 5);
      std::fill_n(to, radius, row[0]);
      std::copy_n(row, width, to + radius);
      std::fill_n(to + radius + width, radius, row[width - 1]);
    };
    for (int y = static_cast<int>(first) - radius; y < first + radius; ++y) padded(y);
    for (int y = static_cast<int>(first); y < last; ++y) {
      padded(y + radius);
      const auto at = [&](int k) -> const float* { return line.row((y + k + 5 * height) % 5); };
      if (radius == 1) {
        HWY_DYNAMIC_DISPATCH(median3_row)({at(-1), at(0), at(1)}, width, sorted.row(0));
      } else {
        std::array<float*, 5> columns;
        for (int k = 0; k < 5; ++k) columns[k] = sorted.row(k);
        HWY_DYNAMIC_DISPATCH(sort_columns5)
        ({at(-2), at(-1), at(0), at(1), at(2)}, width + 4, columns);
        HWY_DYNAMIC_DISPATCH(median_columns5)
        ({columns[0], columns[1], columns[2], columns[3], columns[4]}, width, line.row(5));
        std::copy_n(line.row(5), width, out.row(y));
        continue;
      }
      std::copy_n(sorted.row(0), width, out.row(y));
    }
  });
}

void enlarge(ImageView<const float> in, ImageView<float> out, Enlarge what, const Exec& exec) {
  const float scale = what == Enlarge::kFlow ? 0.5F : 0.25F;
  parallel_for(exec, out.height, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> columns(static_cast<std::size_t>(in.width) + 1);
    for (int y = static_cast<int>(first); y < last; ++y) {
      const float* above = in.row(y / 2);
      const float* below = in.row(std::min((y + 1) / 2, in.height - 1));
      for (int x = 0; x < in.width; ++x) columns[x] = above[x] + below[x];
      columns[in.width] = columns[in.width - 1];
      float* row = out.row(y);
      int x = 0;
      for (; x + 1 < out.width; x += 2) {
        row[x] = (columns[x / 2] + columns[x / 2]) * scale;
        row[x + 1] = (columns[x / 2] + columns[x / 2 + 1]) * scale;
      }
      if (x < out.width) row[x] = (columns[x / 2] + columns[x / 2]) * scale;
    }
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
