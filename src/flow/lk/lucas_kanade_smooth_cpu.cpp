// The median filter between steps and the enlargement between levels. The median of 5x5 sorts the
// columns and merges them in pairs once for all pixels that share them, and then looks only at
// numbers that can still be the median.
#include <algorithm>
#include <array>

#include "flow/lk/lucas_kanade_cpu.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/lk/lucas_kanade_smooth_cpu.cpp"
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

// Merges neighboring sorted columns, x and x + 1, into ten sorted numbers (Batcher).
HWY_INLINE void merge_pairs(V& a0, V& a1, V& b0, V& b1) {  // result: a0 <= a1 <= b0 <= b1
  order(a0, b0);
  order(a1, b1);
  order(a1, b0);
}
void merge_columns5(const std::array<const float*, 5>& sorted, int width,
                    const std::array<float*, 10>& out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    V a[5], b[5];
    for (int k = 0; k < 5; ++k) {
      a[k] = hn::LoadU(d, sorted[k] + x);
      b[k] = hn::LoadU(d, sorted[k] + x + 1);
    }
    // Elements 0, 2, 4 of both: the outer ones and the middle ones, then the two inner borders.
    merge_pairs(a[0], a[4], b[0], b[4]);
    order(a[2], b[2]);
    order(a[4], a[2]);
    order(b[0], b[2]);
    merge_pairs(a[1], a[3], b[1], b[3]);
    // Now a0 <= a4 <= a2 <= b0 <= b2 <= b4 and a1 <= a3 <= b1 <= b3.
    order(a[1], a[4]);
    order(a[3], a[2]);
    order(b[1], b[0]);
    order(b[3], b[2]);
    const V merged[10] = {a[0], a[1], a[4], a[3], a[2], b[1], b[0], b[3], b[2], b[4]};
    for (int k = 0; k < 10; ++k) hn::StoreU(merged[k], d, out[k] + x);
  }
}

// The three largest of five numbers (or, with Min and Max exchanged, the three smallest), ending
// with the most extreme.
HWY_INLINE void largest3(V a, V b, V c, V e, V f, V out[3]) {
  order(a, b);
  order(c, e);
  c = hn::Max(a, c);  // the smaller one has three numbers above it
  order(b, e);
  order(c, f);
  b = hn::Max(b, c);
  order(e, f);
  order(b, e);
  out[0] = b;
  out[1] = e;
  out[2] = f;
}
HWY_INLINE void smallest3(V a, V b, V c, V e, V f, V out[3]) {
  order(b, a);
  order(e, c);
  c = hn::Min(a, c);
  order(e, b);
  order(f, c);
  b = hn::Min(b, c);
  order(f, e);
  order(e, b);
  out[0] = b;
  out[1] = e;
  out[2] = f;
}

// out[x] is the median of columns x to x + 4: of ten merged numbers from x, ten from x + 2 and five
// from x + 4. The 13th of all is among the 8th to 13th of the twenty, or in the last five; those
// six are the three largest of the lower ten and the three smallest of the upper ten.
void median_columns5(const std::array<const float*, 10>& pairs,
                     const std::array<const float*, 5>& last, int width, float* out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += lanes) {
    V low[10], high[10];
    for (int k = 0; k < 10; ++k) {
      const V a = hn::LoadU(d, pairs[k] + x), b = hn::LoadU(d, pairs[9 - k] + x + 2);
      low[k] = hn::Min(a, b);
      high[k] = hn::Max(a, b);
    }
    // Both sequences are bitonic (they rise and fall once), so that comparing element k with k + 5
    // divides them into halves.
    for (int k = 0; k < 5; ++k) {
      low[k] = hn::Max(low[k], low[k + 5]);
      high[k] = hn::Min(high[k], high[k + 5]);
    }
    V m[6];
    largest3(low[0], low[1], low[2], low[3], low[4], m);
    V upper[3];
    smallest3(high[0], high[1], high[2], high[3], high[4], upper);
    m[3] = upper[2];
    m[4] = upper[1];
    m[5] = upper[0];
    // The sixth of these six and the five of the last column.
    V median = m[5];
    for (int k = 0; k < 5; ++k)
      median = hn::Min(median, hn::Max(m[k], hn::LoadU(d, last[4 - k] + x + 4)));
    hn::StoreU(median, d, out + x);
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

// Interpolates pixels between columns (each is a sum of two rows), of which there is one more than
// needed.
void enlarge_row(const float* columns, int width, float scale, float* out) {
  const D d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto factor = hn::Set(d, scale);
  int x = 0;
  for (; x + 2 * lanes <= width; x += 2 * lanes) {
    const auto here = hn::LoadU(d, columns + x / 2), after = hn::LoadU(d, columns + x / 2 + 1);
    hn::StoreInterleaved2(hn::Mul(hn::Add(here, here), factor),
                          hn::Mul(hn::Add(here, after), factor), d, out + x);
  }
  for (; x < width; ++x) out[x] = (columns[x / 2] + columns[(x + 1) / 2]) * scale;
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(sort_columns5);
HWY_EXPORT(merge_columns5);
HWY_EXPORT(median_columns5);
HWY_EXPORT(enlarge_row);
HWY_EXPORT(median3_row);

// Computes the medians of successive rows, for columns [begin, end).
class MedianRows {
 public:
  MedianRows(const Plane<float>& in, int radius, int begin, int end)
      : in_(in), radius_(radius), begin_(begin), end_(end) {
    const int width = end - begin + 2 * radius;
    lines_.resize(width, kLines);
    sorted_.resize(width, 5);
    merged_.resize(width, 10);
  }

  // Returns the result for row y, which is the first or follows the row of the previous call.
  const float* next(int y, bool first) {
    for (int k = first ? -radius_ : radius_; k <= radius_; ++k) pad(y + k);
    const int width = end_ - begin_;
    float* out = lines_.row(kLines);
    if (radius_ == 1) {
      HWY_DYNAMIC_DISPATCH(median3_row)({line(y - 1), line(y), line(y + 1)}, width, out);
      return out;
    }
    const std::array<float*, 5> sorted = rows_of<5>(sorted_);
    const std::array<float*, 10> merged = rows_of<10>(merged_);
    HWY_DYNAMIC_DISPATCH(sort_columns5)
    ({line(y - 2), line(y - 1), line(y), line(y + 1), line(y + 2)}, width + 4, sorted);
    HWY_DYNAMIC_DISPATCH(merge_columns5)(read(sorted), width + 3, merged);
    HWY_DYNAMIC_DISPATCH(median_columns5)(read(merged), read(sorted), width, out);
    return out;
  }

 private:
  static constexpr int kLines = 5;

  template <int kCount>
  static std::array<float*, kCount> rows_of(Plane<float>& plane) {
    std::array<float*, kCount> rows;
    for (int k = 0; k < kCount; ++k) rows[k] = plane.row(k);
    return rows;
  }
  template <std::size_t kCount>
  static std::array<const float*, kCount> read(const std::array<float*, kCount>& rows) {
    std::array<const float*, kCount> result;
    std::copy(rows.begin(), rows.end(), result.begin());
    return result;
  }

  float* line(int y) { return lines_.row((y + kLines) % kLines); }
  // Loads a row and repeats its border.
  void pad(int y) {
    const float* row = in_.row(lk::clamped(y, in_.height()));
    float* to = line(y);
    const int left = std::max(begin_ - radius_, 0), right = std::min(end_ + radius_, in_.width());
    const int before = left - (begin_ - radius_), count = right - left;
    std::fill_n(to, before, row[0]);
    std::copy_n(row + left, count, to + before);
    std::fill_n(to + before + count, end_ + radius_ - right, row[in_.width() - 1]);
  }

  const Plane<float>& in_;
  const int radius_;
  const int begin_, end_;
  Plane<float> lines_, sorted_, merged_;
};

}  // namespace

void median(const Plane<float>& in, Plane<float>& out, int radius, const Exec& exec) {
  const int width = in.width(), height = in.height();
  for_rows(exec, height, [&](std::int64_t first, std::int64_t last) {
    MedianRows rows(in, radius, 0, width);
    for (int y = static_cast<int>(first); y < last; ++y)
      std::copy_n(rows.next(y, y == first), width, out.row(y));
  });
}

NearPixels::NearPixels(const FrameLevel& level, int reach, const Exec& exec) {
  if (!level.masked()) return;
  const int width = level.mask.width(), height = level.mask.height();
  columns_ = (width + kSide - 1) / kSide;
  rows_ = (height + kSide - 1) / kSide;
  std::vector<std::uint8_t> counts(static_cast<std::size_t>(columns_) * rows_);
  parallel_for(exec, rows_, 1, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first) * kSide; y < std::min<int>(last * kSide, height); ++y)
      for (int column = 0; column < columns_; ++column) {
        const std::uint8_t* row = level.mask.row(y);
        int any = 0;
        for (int x = column * kSide; x < std::min((column + 1) * kSide, width); ++x) any |= row[x];
        if (any != 0) counts[static_cast<std::size_t>(y / kSide) * columns_ + column] = 1;
      }
  });
  near_.resize(counts.size());
  const int parts = (reach + kSide - 1) / kSide;
  for (int row = 0; row < rows_; ++row)
    for (int column = 0; column < columns_; ++column) {
      if (counts[static_cast<std::size_t>(row) * columns_ + column] == 0) continue;
      for (int y = std::max(row - parts, 0); y <= std::min(row + parts, rows_ - 1); ++y)
        for (int x = std::max(column - parts, 0); x <= std::min(column + parts, columns_ - 1); ++x)
          near_[static_cast<std::size_t>(y) * columns_ + x] = 1;
    }
}

void median(const Plane<float>& in, Plane<float>& out, int radius, const NearPixels& near,
            const Exec& exec) {
  if (near.all()) return median(in, out, radius, exec);
  constexpr int kSide = NearPixels::kSide;
  const int width = in.width(), height = in.height();
  parallel_for(exec, near.rows(), 1, [&](std::int64_t first, std::int64_t last) {
    for (int row = static_cast<int>(first); row < last; ++row) {
      const int top = row * kSide, bottom = std::min(top + kSide, height);
      for (int column = 0; column < near.columns();) {
        const bool matters = near.at(column, row);
        const int begin = column * kSide;
        while (column < near.columns() && near.at(column, row) == matters) ++column;
        const int end = std::min(column * kSide, width);
        if (!matters) {
          for (int y = top; y < bottom; ++y)
            std::copy(in.row(y) + begin, in.row(y) + end, out.row(y) + begin);
          continue;
        }
        MedianRows rows(in, radius, begin, end);
        for (int y = top; y < bottom; ++y)
          std::copy_n(rows.next(y, y == top), end - begin, out.row(y) + begin);
      }
    }
  });
}

void enlarge(ImageView<const float> in, ImageView<float> out, Enlarge what, const Exec& exec) {
  const float scale = what == Enlarge::kFlow ? 0.5F : 0.25F;
  for_rows(exec, out.height, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> columns(static_cast<std::size_t>(in.width) + 1);
    for (int y = static_cast<int>(first); y < last; ++y) {
      const float* above = in.row(y / 2);
      const float* below = in.row(std::min((y + 1) / 2, in.height - 1));
      for (int x = 0; x < in.width; ++x) columns[x] = above[x] + below[x];
      columns[in.width] = columns[in.width - 1];
      HWY_DYNAMIC_DISPATCH(enlarge_row)(columns.data(), out.width, scale, out.row(y));
    }
  });
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
