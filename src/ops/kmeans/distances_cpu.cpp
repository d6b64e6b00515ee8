// Squared distances of rows and sums of whole numbers, with four lanes on every instruction set:
// memory limits the speed, and blocks of four rows by four numbers are transposed in registers.
#include "ops/kmeans/distances.h"

#include <algorithm>
#include <cstddef>

#include "ops/kmeans/kmeans_math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kmeans/distances_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Four = hn::FixedTag<float, 4>;
using V = hn::Vec<Four>;

// Adds the squares of four numbers of four points. Each of the four vectors holds the differences
// of one point.
HWY_INLINE V add_squares(V sum, V a, V b, V c, V e) {
  const Four d;
  const hn::RepartitionToWide<Four> dw;
  const auto ab = hn::BitCast(dw, hn::InterleaveLower(d, a, b));
  const auto ce = hn::BitCast(dw, hn::InterleaveLower(d, c, e));
  const auto ab2 = hn::BitCast(dw, hn::InterleaveUpper(d, a, b));
  const auto ce2 = hn::BitCast(dw, hn::InterleaveUpper(d, c, e));
  const V first = hn::BitCast(d, hn::InterleaveLower(dw, ab, ce));
  const V second = hn::BitCast(d, hn::InterleaveUpper(dw, ab, ce));
  const V third = hn::BitCast(d, hn::InterleaveLower(dw, ab2, ce2));
  const V fourth = hn::BitCast(d, hn::InterleaveUpper(dw, ab2, ce2));
  sum = hn::MulAdd(first, first, sum);
  sum = hn::MulAdd(second, second, sum);
  sum = hn::MulAdd(third, third, sum);
  return hn::MulAdd(fourth, fourth, sum);
}

// The distances of four points, each from its center. The numbers are followed by zeros, which add
// nothing.
HWY_INLINE V four_distances(const float* const* points, const float* const* centers,
                            int dimensions) {
  const Four d;
  V sum = hn::Zero(d);
  const auto difference = [&](int k, int i) HWY_ATTR {
    return hn::Sub(hn::LoadU(d, points[k] + i), hn::LoadU(d, centers[k] + i));
  };
  int i = 0;
  for (; i + 4 <= dimensions; i += 4)
    sum = add_squares(sum, difference(0, i), difference(1, i), difference(2, i), difference(3, i));
  if (i == dimensions) return sum;
  HWY_ALIGN float rest[4][4] = {};
  for (int k = 0; k < 4; ++k)
    for (int j = i; j < dimensions; ++j) rest[k][j - i] = points[k][j] - centers[k][j];
  return add_squares(sum, hn::Load(d, rest[0]), hn::Load(d, rest[1]), hn::Load(d, rest[2]),
                     hn::Load(d, rest[3]));
}

// Calls rows_of(p, point, center) for each point and writes the distance.
template <class RowsOf>
HWY_INLINE void distances_by(int count, int dimensions, const RowsOf& rows_of, float* distances) {
  const Four d;
  for (int y = 0; y < count; y += 4) {
    const float* rows[4];
    const float* from[4];
    for (int k = 0; k < 4; ++k) rows_of(std::min(y + k, count - 1), rows[k], from[k]);
    const V sum = four_distances(rows, from, dimensions);
    if (y + 4 <= count) {
      hn::StoreU(sum, d, distances + y);
    } else {
      HWY_ALIGN float last[4];
      hn::Store(sum, d, last);
      std::copy_n(last, count - y, distances + y);
    }
  }
}

void distances_of(ImageView<const float> points, ImageView<const float> centers,
                  const std::int32_t* labels, float* distances) {
  const auto rows_of = [&](int p, const float*& row, const float*& from) {
    row = points.row(p);
    from = centers.row(labels != nullptr ? labels[p] : 0);
  };
  distances_by(points.height, points.width, rows_of, distances);
}

void ordered_distances(ImageView<const float> points, const std::int32_t* order, int count,
                       const float* center, float* distances) {
  const auto rows_of = [&](int p, const float*& row, const float*& from) {
    row = points.row(order[p]);
    from = center;
  };
  distances_by(count, points.width, rows_of, distances);
}

using Doubles = hn::FixedTag<double, 2>;
using Wholes = hn::FixedTag<std::int64_t, 2>;

// Adding 1.5 * 2^52 rounds a number below 2^51 to a whole number and leaves it in the lower bits.
HWY_INLINE hn::Vec<Wholes> whole_of(const float* values, hn::Vec<Doubles> scale) {
  const Doubles d;
  const Wholes di;
  const auto magic = hn::Set(d, 0x1.8p52);
  const auto wide = hn::PromoteTo(d, hn::LoadU(hn::FixedTag<float, 2>(), values));
  const auto rounded = hn::Add(hn::Mul(wide, scale), magic);
  return hn::Sub(hn::BitCast(di, rounded), hn::BitCast(di, magic));
}

std::int64_t sum_of(const float* values, int count, double scale) {
  const Wholes di;
  const auto scales = hn::Set(Doubles(), scale);
  auto even = hn::Zero(di), odd = hn::Zero(di);
  int i = 0;
  for (; i + 4 <= count; i += 4) {
    even = hn::Add(even, whole_of(values + i, scales));
    odd = hn::Add(odd, whole_of(values + i + 2, scales));
  }
  std::int64_t sum = hn::GetLane(hn::SumOfLanes(di, hn::Add(even, odd)));
  for (; i < count; ++i) sum += detail::whole(values[i], scale);
  return sum;
}

void add_point(const float* point, const double* scales, int dimensions, std::int64_t sign,
               std::int64_t* sums) {
  const Doubles d;
  const Wholes di;
  int i = 0;
  if (sign > 0) {
    for (; i + 2 <= dimensions; i += 2)
      hn::StoreU(hn::Add(hn::LoadU(di, sums + i), whole_of(point + i, hn::LoadU(d, scales + i))),
                 di, sums + i);
  } else {
    for (; i + 2 <= dimensions; i += 2)
      hn::StoreU(hn::Sub(hn::LoadU(di, sums + i), whole_of(point + i, hn::LoadU(d, scales + i))),
                 di, sums + i);
  }
  for (; i < dimensions; ++i) sums[i] += sign * detail::whole(point[i], scales[i]);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(distances_of);
HWY_EXPORT(ordered_distances);
HWY_EXPORT(sum_of);
HWY_EXPORT(add_point);

}  // namespace

void squared_distances(ImageView<const float> points, ImageView<const float> centers,
                       const std::int32_t* labels, float* distances) {
  HWY_DYNAMIC_DISPATCH(distances_of)(points, centers, labels, distances);
}
void squared_distances_of(ImageView<const float> points, const std::int32_t* order, int count,
                          const float* center, float* distances) {
  HWY_DYNAMIC_DISPATCH(ordered_distances)(points, order, count, center, distances);
}
std::int64_t sum_whole(const float* values, int count, double scale) {
  return HWY_DYNAMIC_DISPATCH(sum_of)(values, count, scale);
}
void add_whole(const float* point, const double* scales, int dimensions, std::int64_t sign,
               std::int64_t* sums) {
  HWY_DYNAMIC_DISPATCH(add_point)(point, scales, dimensions, sign, sums);
}

}  // namespace fovea::cpu
#endif  // HWY_ONCE
