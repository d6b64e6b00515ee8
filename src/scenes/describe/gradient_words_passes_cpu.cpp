// The loops of gradient words. Lanes are columns of pixels at first and directions of a cell from
// the votes on, so that nothing has to be transposed.
#include "scenes/describe/gradient_words_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scenes/describe/gradient_words_passes_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::scenes::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Quarter = hn::FixedTag<float, kHalf>;  // holds half of the directions

void sum_lines_simd(const float* const* lines, const float* weights, int reach, int count,
                    float* to) {
  const Floats d;
  const auto step = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < count; x += 4 * step) {
    const auto first = hn::Set(d, weights[0]);
    const float* middle = lines[reach] + x;
    auto s0 = hn::Mul(hn::LoadU(d, middle), first);
    auto s1 = hn::Mul(hn::LoadU(d, middle + step), first);
    auto s2 = hn::Mul(hn::LoadU(d, middle + 2 * step), first);
    auto s3 = hn::Mul(hn::LoadU(d, middle + 3 * step), first);
    for (int k = 1; k <= reach; ++k) {
      const auto weight = hn::Set(d, weights[k]);
      const float* a = lines[reach - k] + x;
      const float* b = lines[reach + k] + x;
      const auto both = [&](int i)
                            HWY_ATTR { return hn::Add(hn::LoadU(d, a + i), hn::LoadU(d, b + i)); };
      s0 = hn::MulAdd(both(0), weight, s0);
      s1 = hn::MulAdd(both(step), weight, s1);
      s2 = hn::MulAdd(both(2 * step), weight, s2);
      s3 = hn::MulAdd(both(3 * step), weight, s3);
    }
    hn::StoreU(s0, d, to + x);
    hn::StoreU(s1, d, to + x + step);
    hn::StoreU(s2, d, to + x + 2 * step);
    hn::StoreU(s3, d, to + x + 3 * step);
  }
}

void sum_columns_simd(const float* line, const float* weights, int reach, int count, float* to) {
  const Floats d;
  const auto step = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < count; x += 2 * step) {
    const float* at = line + x;
    auto s0 = hn::Mul(hn::LoadU(d, at), hn::Set(d, weights[0]));
    auto s1 = hn::Mul(hn::LoadU(d, at + step), hn::Set(d, weights[0]));
    for (int k = 1; k <= reach; ++k) {
      const auto weight = hn::Set(d, weights[k]);
      s0 = hn::MulAdd(hn::Add(hn::LoadU(d, at - k), hn::LoadU(d, at + k)), weight, s0);
      s1 =
          hn::MulAdd(hn::Add(hn::LoadU(d, at + step - k), hn::LoadU(d, at + step + k)), weight, s1);
    }
    hn::StoreU(s0, d, to + x);
    hn::StoreU(s1, d, to + x + step);
  }
}

void vote_line_simd(const VoteLines& lines, int count, float* to, std::ptrdiff_t half) {
  const Floats d;
  const auto zero = hn::Zero(d);
  for (int x = 0; x < count; x += static_cast<int>(hn::Lanes(d))) {
    const auto dx = hn::Sub(hn::LoadU(d, lines.here + x + 1), hn::LoadU(d, lines.here + x - 1));
    const auto dy = hn::Sub(hn::LoadU(d, lines.below + x), hn::LoadU(d, lines.above + x));
    const auto ax = hn::Abs(dx), ay = hn::Abs(dy);
    const auto left = hn::Lt(dx, zero), up = hn::Lt(dy, zero);
    const auto level = hn::Max(hn::Sub(ax, ay), zero), steep = hn::Max(hn::Sub(ay, ax), zero);
    const auto oblique = hn::Mul(hn::Min(ax, ay), hn::Set(d, kRootTwo));
    const auto to_left = hn::IfThenElseZero(left, oblique);
    const auto to_right = hn::IfThenZeroElse(left, oblique);
    hn::StoreInterleaved4(hn::IfThenZeroElse(left, level), hn::IfThenZeroElse(up, to_right),
                          hn::IfThenZeroElse(up, steep), hn::IfThenZeroElse(up, to_left), d,
                          to + static_cast<std::ptrdiff_t>(x) * kHalf);
    hn::StoreInterleaved4(hn::IfThenElseZero(left, level), hn::IfThenElseZero(up, to_left),
                          hn::IfThenElseZero(up, steep), hn::IfThenElseZero(up, to_right), d,
                          to + half + static_cast<std::ptrdiff_t>(x) * kHalf);
  }
}

void cell_line_simd(const CellJob& job, const float* weights, int reach) {
  const Quarter d;
  for (int i = 0; i < job.count; ++i) {
    const float* a = job.votes + static_cast<std::ptrdiff_t>(job.columns[i]) * kHalf;
    const float* b = a + job.half;
    auto sum_a = hn::Mul(hn::LoadU(d, a), hn::Set(d, weights[0]));
    auto sum_b = hn::Mul(hn::LoadU(d, b), hn::Set(d, weights[0]));
    for (int k = 1; k <= reach; ++k) {
      const auto weight = hn::Set(d, weights[k]);
      const int away = k * kHalf;
      sum_a = hn::MulAdd(hn::Add(hn::LoadU(d, a - away), hn::LoadU(d, a + away)), weight, sum_a);
      sum_b = hn::MulAdd(hn::Add(hn::LoadU(d, b - away), hn::LoadU(d, b + away)), weight, sum_b);
    }
    float* to = job.to + static_cast<std::ptrdiff_t>(i) * kDirections;
    hn::StoreU(sum_a, d, to);
    hn::StoreU(sum_b, d, to + kHalf);
  }
}

HWY_INLINE float squares_of(hn::Vec<Quarter> a, hn::Vec<Quarter> b) {
  const Quarter d;
  float sums[kDirections];
  hn::StoreU(a, d, sums);
  hn::StoreU(b, d, sums + kHalf);
  return sum_of_directions(sums);
}

// Writes the weighted numbers of the 16 cells and returns the sum of their squares.
HWY_INLINE float gather(const PlaceJob& job, int place, float* to) {
  const Quarter d;
  auto sum_a = hn::Zero(d), sum_b = hn::Zero(d);
  for (int k = 0; k < kCellsAcross; ++k) {
    for (int j = 0; j < kCellsAcross; ++j, to += kDirections) {
      const float* cell =
          job.cells[k] +
          static_cast<std::ptrdiff_t>(job.columns[place * kCellsAcross + j]) * kDirections;
      const auto weight = hn::Set(d, cell_weight(j, k));
      const auto a = hn::Mul(hn::LoadU(d, cell), weight);
      const auto b = hn::Mul(hn::LoadU(d, cell + kHalf), weight);
      sum_a = hn::MulAdd(a, a, sum_a);
      sum_b = hn::MulAdd(b, b, sum_b);
      hn::StoreU(a, d, to);
      hn::StoreU(b, d, to + kHalf);
    }
  }
  return squares_of(sum_a, sum_b);
}

HWY_INLINE float clip(float* numbers, float scale) {
  const Quarter d;
  auto sum_a = hn::Zero(d), sum_b = hn::Zero(d);
  const auto factor = hn::Set(d, scale), most = hn::Set(d, kMostShare);
  for (int i = 0; i < kGradientNumbers; i += kDirections) {
    const auto a = hn::Min(hn::Mul(hn::LoadU(d, numbers + i), factor), most);
    const auto b = hn::Min(hn::Mul(hn::LoadU(d, numbers + i + kHalf), factor), most);
    sum_a = hn::MulAdd(a, a, sum_a);
    sum_b = hn::MulAdd(b, b, sum_b);
    hn::StoreU(a, d, numbers + i);
    hn::StoreU(b, d, numbers + i + kHalf);
  }
  return squares_of(sum_a, sum_b);
}

void place_line_simd(const PlaceJob& job) {
  const Quarter d;
  for (int p = 0; p < job.count; ++p) {
    float* to = job.to + p * job.stride;
    const float squares = gather(job, p, to);
    const float clipped = clip(to, first_scale(squares));
    if (has_contrast(squares)) {
      const auto scale = hn::Set(d, second_scale(clipped));
      for (int i = 0; i < kGradientNumbers; i += kHalf)
        hn::StoreU(hn::Mul(hn::LoadU(d, to + i), scale), d, to + i);
    }
    if (job.scale == nullptr) continue;
    for (int i = 0; i < kGradientNumbers; i += kHalf)
      hn::StoreU(hn::MulAdd(hn::LoadU(d, to + i), hn::LoadU(d, job.scale + i),
                            hn::LoadU(d, job.offset + i)),
                 d, to + i);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::scenes::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::scenes::cpu {
namespace {
HWY_EXPORT(sum_lines_simd);
HWY_EXPORT(sum_columns_simd);
HWY_EXPORT(vote_line_simd);
HWY_EXPORT(cell_line_simd);
HWY_EXPORT(place_line_simd);
}  // namespace

void sum_lines(const float* const* lines, const float* weights, int reach, int count, float* to) {
  HWY_DYNAMIC_DISPATCH(sum_lines_simd)(lines, weights, reach, count, to);
}
void sum_columns(const float* line, const float* weights, int reach, int count, float* to) {
  HWY_DYNAMIC_DISPATCH(sum_columns_simd)(line, weights, reach, count, to);
}
void vote_line(const VoteLines& lines, int count, float* to, std::ptrdiff_t half) {
  HWY_DYNAMIC_DISPATCH(vote_line_simd)(lines, count, to, half);
}
void cell_line(const CellJob& job, const float* weights, int reach) {
  HWY_DYNAMIC_DISPATCH(cell_line_simd)(job, weights, reach);
}
void place_line(const PlaceJob& job) { HWY_DYNAMIC_DISPATCH(place_line_simd)(job); }

}  // namespace fovea::scenes::cpu
#endif  // HWY_ONCE
