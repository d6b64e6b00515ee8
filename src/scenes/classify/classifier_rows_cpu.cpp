// Sums over pairs of long rows: distances (distance_math.h) and products.
#include "scenes/classify/classifier_parts.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "scenes/classify/classifier_rows_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

HWY_BEFORE_NAMESPACE();
namespace fovea::scenes::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kPartialSums>;

// What bins add to a sum, for vectors and for one bin.
struct ChiSquaredTerm {
  static HWY_INLINE hn::Vec<Floats> of(Floats d, hn::Vec<Floats> x, hn::Vec<Floats> y) {
    const auto difference = hn::Sub(x, y);
    return hn::Div(hn::Mul(difference, difference), hn::Max(hn::Add(x, y), hn::Set(d, kLeastSum)));
  }
  static float of(float a, float b) { return chi_squared_term(a, b); }
};
struct SquaredTerm {
  static HWY_INLINE hn::Vec<Floats> of(Floats, hn::Vec<Floats> x, hn::Vec<Floats> y) {
    const auto difference = hn::Sub(x, y);
    return hn::Mul(difference, difference);
  }
  static float of(float a, float b) { return squared_difference(a, b); }
};
struct ProductTerm {
  static HWY_INLINE hn::Vec<Floats> of(Floats, hn::Vec<Floats> x, hn::Vec<Floats> y) {
    return hn::Mul(x, y);
  }
  static float of(float a, float b) { return a * b; }
};

template <class Term>
HWY_INLINE hn::Vec<Floats> term(Floats d, const float* a, const float* b) {
  return Term::of(d, hn::LoadU(d, a), hn::LoadU(d, b));
}

template <class Term>
float sum_of(const float* HWY_RESTRICT a, const float* HWY_RESTRICT b, int bins) {
  const Floats d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  HWY_ALIGN float partial[kPartialSums] = {};
  int i = 0;
  if (lanes == 4) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    for (; i + kPartialSums <= bins; i += kPartialSums) {
      s0 = hn::Add(s0, term<Term>(d, a + i, b + i));
      s1 = hn::Add(s1, term<Term>(d, a + i + 4, b + i + 4));
      s2 = hn::Add(s2, term<Term>(d, a + i + 8, b + i + 8));
      s3 = hn::Add(s3, term<Term>(d, a + i + 12, b + i + 12));
    }
    hn::StoreU(s0, d, partial);
    hn::StoreU(s1, d, partial + 4);
    hn::StoreU(s2, d, partial + 8);
    hn::StoreU(s3, d, partial + 12);
  } else {
    for (; i + kPartialSums <= bins; i += kPartialSums)
      for (int k = 0; k < kPartialSums; k += lanes)
        hn::StoreU(hn::Add(hn::LoadU(d, partial + k), term<Term>(d, a + i + k, b + i + k)), d,
                   partial + k);
  }
  for (int k = 0; i < bins; ++i, ++k) partial[k] += Term::of(a[i], b[i]);
  for (int width = kPartialSums / 2; width > 0; width /= 2)
    for (int k = 0; k < width; ++k) partial[k] += partial[k + width];
  return partial[0];
}

// Handles a few rows of `to` at a time, which stay in the cache for all rows of `from`.
template <class Term, class Finish>
void pairs_of(const DistanceRows& job, const Finish& finish) {
  constexpr std::ptrdiff_t kCached = 1 << 16;  // floats
  const int width = job.to.width;
  const int block = static_cast<int>(std::max<std::ptrdiff_t>(kCached / std::max(width, 1), 1));
  for (int first = 0; first < job.to.height; first += block) {
    const int last = std::min(first + block, job.to.height);
    for (int y = job.begin; y < job.end; ++y)
      for (int x = first; x < last; ++x)
        job.distances.at(x, y) = finish(sum_of<Term>(job.from.row(y), job.to.row(x), width), x, y);
  }
}

void distances_of(const DistanceRows& job) {
  const auto plain = [&](float sum, int, int) { return distance_of(job.distance, sum, {}); };
  const auto cosine = [&](float sum, int x, int y) {
    return distance_of(job.distance, sum,
                       {job.from_squares[static_cast<std::size_t>(y)],
                        job.to_squares[static_cast<std::size_t>(x)]});
  };
  switch (job.distance) {
    case Distance::kChiSquared: return pairs_of<ChiSquaredTerm>(job, plain);
    case Distance::kEuclidean: return pairs_of<SquaredTerm>(job, plain);
    case Distance::kCosine: return pairs_of<ProductTerm>(job, cosine);
  }
}

float square_of(const float* row, int width) { return sum_of<ProductTerm>(row, row, width); }

// Sums of up to some hundred products are floats; sums of whole rows are doubles.
constexpr int kColumns = 512;
using Wide = hn::ScalableTag<float>;

HWY_INLINE void four_by_four(const float* const* a, const float* const* b, int count,
                             double* const* sums) {
  const Wide d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  hn::Vec<Wide> sum[16] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d),
                           hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d),
                           hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d),
                           hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  int i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto b0 = hn::LoadU(d, b[0] + i), b1 = hn::LoadU(d, b[1] + i);
    const auto b2 = hn::LoadU(d, b[2] + i), b3 = hn::LoadU(d, b[3] + i);
#pragma GCC unroll 4
    for (int r = 0; r < 4; ++r) {
      const auto x = hn::LoadU(d, a[r] + i);
      sum[4 * r] = hn::MulAdd(x, b0, sum[4 * r]);
      sum[4 * r + 1] = hn::MulAdd(x, b1, sum[4 * r + 1]);
      sum[4 * r + 2] = hn::MulAdd(x, b2, sum[4 * r + 2]);
      sum[4 * r + 3] = hn::MulAdd(x, b3, sum[4 * r + 3]);
    }
  }
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      double rest = 0;
      for (int k = i; k < count; ++k) rest += static_cast<double>(a[r][k]) * b[c][k];
      sums[r][c] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sum[4 * r + c]))) + rest;
    }
  }
}

void tile_products(const ProductTile& tile, double* sums) {
  for (int column = 0; column < tile.rows.width; column += kColumns) {
    const int count = std::min(kColumns, tile.rows.width - column);
    for (int y = 0; y < tile.first_count; y += 4) {
      const float* a[4];
      for (int r = 0; r < 4; ++r)
        a[r] = tile.rows.row(tile.first + std::min(y + r, tile.first_count - 1)) + column;
      for (int x = 0; x < tile.second_count; x += 4) {
        const float* b[4];
        double* to[4];
        for (int r = 0; r < 4; ++r) {
          b[r] = tile.rows.row(tile.second + std::min(x + r, tile.second_count - 1)) + column;
          to[r] = sums + (y + r) * kTileRows + x;
        }
        four_by_four(a, b, count, to);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::scenes::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::scenes::cpu {
namespace {

HWY_EXPORT(distances_of);
HWY_EXPORT(square_of);
HWY_EXPORT(tile_products);

}  // namespace

void distance_rows(const DistanceRows& job) { HWY_DYNAMIC_DISPATCH(distances_of)(job); }

float square_sum(const float* row, int width) {
  return HWY_DYNAMIC_DISPATCH(square_of)(row, width);
}

void add_products(const ProductTile& tile, std::span<double> sums) {
  HWY_DYNAMIC_DISPATCH(tile_products)(tile, sums.data());
}

}  // namespace fovea::scenes::cpu
#endif  // HWY_ONCE
