// The nearest of many centers on the CPU: a matrix product whose result is never stored. Lanes are
// points. The scores of a few vectors of points and four centers stay in registers while the loop
// runs over the numbers, and only the least score and its group of four centers are kept. Which of
// the four it was is found at the end, by the same arithmetic.
#include "ops/kmeans/nearest.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/parallel.h"
#include "ops/kmeans/backend.h"

#ifndef FOVEA_NEAREST_BLOCK
#define FOVEA_NEAREST_BLOCK
namespace fovea::cpu {

constexpr int kGroup = 4;  // centers that are processed together

// The layout of the points: planes, or rows, either consecutive or in a given order.
struct PointSource {
  const float* data;
  std::ptrdiff_t stride;
  int count;
  bool planar;
  const std::int32_t* order = nullptr;
};

}  // namespace fovea::cpu
#endif  // FOVEA_NEAREST_BLOCK

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/kmeans/nearest_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::ScalableTag<float>;
using Four = hn::FixedTag<float, 4>;
using V = hn::Vec<Lanes>;
using I = hn::Vec<hn::RebindToSigned<Lanes>>;

// The number of vectors of points that are processed together: as many as registers allow, and
// enough sums to hide the latency of a fused multiply-add.
#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kVectors = 6;  // 32 registers: 24 sums, 6 points, 1 number of four centers
#else
constexpr int kVectors = 2;
#endif

// The four numbers at `from`, each broadcast to all lanes.
struct Spread {
  V a, b, c, d;
};
HWY_INLINE Spread spread_four(const float* HWY_RESTRICT from) {
  const Lanes d;
#if HWY_TARGET == HWY_NEON  // it multiplies by one lane of a vector
  const V four = hn::Load(d, from);
  return {hn::Broadcast<0>(four), hn::Broadcast<1>(four), hn::Broadcast<2>(four),
          hn::Broadcast<3>(four)};
#else
  return {hn::Set(d, from[0]), hn::Set(d, from[1]), hn::Set(d, from[2]), hn::Set(d, from[3])};
#endif
}

// The best scores of the points of a block so far.
struct Found {
  HWY_ALIGN float scores[kVectors * hn::MaxLanes(Lanes())];         // the least score
  HWY_ALIGN std::int32_t groups[kVectors * hn::MaxLanes(Lanes())];  // the first group that has it
  HWY_ALIGN std::int32_t again[kVectors * hn::MaxLanes(Lanes())];   // the last group that has it
};

// The best score and group of kVectors vectors of points, which are stored number after number.
// With kAgain, also the last group that reaches the score.
template <bool kAgain>
HWY_INLINE void search_block(const cpu::PreparedCenters& centers, int count,
                             const float* HWY_RESTRICT block, Found& found) {
  const Lanes d;
  const hn::RebindToSigned<Lanes> di;
  const std::size_t lanes = hn::Lanes(d);
  V best[kVectors];
  I best_group[kVectors], last_group[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    best[v] = hn::Set(d, std::numeric_limits<float>::infinity());
    best_group[v] = hn::Zero(di);
    last_group[v] = hn::Zero(di);
  }
  const float* HWY_RESTRICT numbers = centers.numbers.data();
  for (int g = 0; g < count; ++g) {
    const Spread half =
        spread_four(centers.halves.data() + static_cast<std::ptrdiff_t>(g) * kGroup);
    V sa[kVectors], sb[kVectors], sc[kVectors], sd[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      sa[v] = half.a;
      sb[v] = half.b;
      sc[v] = half.c;
      sd[v] = half.d;
    }
    const float* HWY_RESTRICT point = block;
    for (int i = 0; i < centers.dimensions; ++i) {
      const Spread c = spread_four(numbers);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) {
        const V x = hn::Load(d, point + v * lanes);
        sa[v] = hn::NegMulAdd(x, c.a, sa[v]);
        sb[v] = hn::NegMulAdd(x, c.b, sb[v]);
        sc[v] = hn::NegMulAdd(x, c.c, sc[v]);
        sd[v] = hn::NegMulAdd(x, c.d, sd[v]);
      }
      numbers += kGroup;
      point += kVectors * lanes;
    }
    const I group = hn::Set(di, g);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      const V least = hn::Min(hn::Min(sa[v], sb[v]), hn::Min(sc[v], sd[v]));
      const auto better = hn::RebindMask(di, hn::Lt(least, best[v]));
      best[v] = hn::Min(least, best[v]);
      best_group[v] = hn::IfThenElse(better, group, best_group[v]);
      if (kAgain) {
        const auto reached = hn::RebindMask(di, hn::Eq(least, best[v]));
        last_group[v] = hn::IfThenElse(reached, group, last_group[v]);
      }
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    hn::Store(best[v], d, found.scores + v * lanes);
    hn::Store(best_group[v], di, found.groups + v * lanes);
    if (kAgain) hn::Store(last_group[v], di, found.again + v * lanes);
  }
}

// The scores of one point of a block for the centers of a group.
struct GroupScores {
  GroupScores(const cpu::PreparedCenters& centers, std::int32_t group)
      : numbers(centers.numbers.data() +
                static_cast<std::ptrdiff_t>(group) * kGroup * centers.dimensions),
        halves(centers.halves.data() + static_cast<std::ptrdiff_t>(group) * kGroup) {}
  const float* HWY_RESTRICT numbers;
  const float* HWY_RESTRICT halves;
};

// Which centers of its group gave each of four points its score, as bits. Four points are processed
// at a time, because each is one chain of dependent sums.
HWY_INLINE void reached_by_four(const cpu::PreparedCenters& centers,
                                const float* HWY_RESTRICT block, std::ptrdiff_t stride,
                                const Found& found, int p, std::uint8_t* reached) {
  const Four d;
  const GroupScores a(centers, found.groups[p]), b(centers, found.groups[p + 1]);
  const GroupScores c(centers, found.groups[p + 2]), e(centers, found.groups[p + 3]);
  auto sum_a = hn::Load(d, a.halves), sum_b = hn::Load(d, b.halves);
  auto sum_c = hn::Load(d, c.halves), sum_e = hn::Load(d, e.halves);
  const float* HWY_RESTRICT x = block + p;
  for (std::ptrdiff_t i = 0; i < static_cast<std::ptrdiff_t>(centers.dimensions) * kGroup;
       i += kGroup, x += stride) {
    sum_a = hn::NegMulAdd(hn::Set(d, x[0]), hn::Load(d, a.numbers + i), sum_a);
    sum_b = hn::NegMulAdd(hn::Set(d, x[1]), hn::Load(d, b.numbers + i), sum_b);
    sum_c = hn::NegMulAdd(hn::Set(d, x[2]), hn::Load(d, c.numbers + i), sum_c);
    sum_e = hn::NegMulAdd(hn::Set(d, x[3]), hn::Load(d, e.numbers + i), sum_e);
  }
  const auto bits = [&](auto sum, int k) HWY_ATTR {
    std::uint8_t all[8] = {};
    hn::StoreMaskBits(d, hn::Eq(sum, hn::Set(d, found.scores[p + k])), all);
    reached[p + k] = all[0];
  };
  bits(sum_a, 0);
  bits(sum_b, 1);
  bits(sum_c, 2);
  bits(sum_e, 3);
}

// Transposes the numbers of four rows from i on into four vectors of one number each.
HWY_INLINE void turn_four(const float* const* rows, int i, float* to, std::ptrdiff_t stride) {
  const Four d;
  const hn::RepartitionToWide<Four> dw;
  const auto a = hn::LoadU(d, rows[0] + i), b = hn::LoadU(d, rows[1] + i);
  const auto c = hn::LoadU(d, rows[2] + i), e = hn::LoadU(d, rows[3] + i);
  const auto ab = hn::BitCast(dw, hn::InterleaveLower(d, a, b));
  const auto ce = hn::BitCast(dw, hn::InterleaveLower(d, c, e));
  const auto ab2 = hn::BitCast(dw, hn::InterleaveUpper(d, a, b));
  const auto ce2 = hn::BitCast(dw, hn::InterleaveUpper(d, c, e));
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dw, ab, ce)), d, to);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dw, ab, ce)), d, to + stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveLower(dw, ab2, ce2)), d, to + 2 * stride);
  hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(dw, ab2, ce2)), d, to + 3 * stride);
}

HWY_INLINE std::ptrdiff_t row_of(const cpu::PointSource& from, int point) {
  return from.order == nullptr ? point : from.order[point];
}

// Loads points from `first` on as a block; after the last point, copies of it follow.
void load_block(const cpu::PointSource& from, int dimensions, int first, int width,
                float* HWY_RESTRICT block) {
  const int count = std::min(width, from.count - first);
  if (from.planar) {
    for (int i = 0; i < dimensions; ++i) {
      const float* line = from.data + i * from.stride + first;
      float* to = block + static_cast<std::ptrdiff_t>(i) * width;
      std::copy_n(line, count, to);
      std::fill(to + count, to + width, line[count - 1]);
    }
    return;
  }
  for (int p = 0; p < width; p += 4) {
    const float* rows[4];
    for (int k = 0; k < 4; ++k)
      rows[k] = from.data + row_of(from, first + std::min(p + k, count - 1)) * from.stride;
    int i = 0;
    for (; i + 4 <= dimensions; i += 4)
      turn_four(rows, i, block + static_cast<std::ptrdiff_t>(i) * width + p, width);
    for (; i < dimensions; ++i)
      for (int k = 0; k < 4; ++k)
        block[static_cast<std::ptrdiff_t>(i) * width + p + k] = rows[k][i];
  }
}

int block_width() { return static_cast<int>(kVectors * hn::Lanes(Lanes())); }

void search(const cpu::PreparedCenters& centers, const cpu::PointSource& points,
            std::int32_t* labels) {
  const int width = block_width(), all = (centers.centers + kGroup - 1) / kGroup;
  Array<float> block(static_cast<std::size_t>(width) * centers.dimensions);
  Found found;
  std::uint8_t reached[kVectors * hn::MaxLanes(Lanes())];
  for (int first = 0; first < points.count; first += width) {
    load_block(points, centers.dimensions, first, width, block.data());
    search_block<false>(centers, all, block.data(), found);
    for (int p = 0; p < width; p += 4)
      reached_by_four(centers, block.data(), width, found, p, reached);
    const int count = std::min(width, points.count - first);
    for (int p = 0; p < count; ++p)  // where numbers overflow, the first center is taken
      labels[first + p] = found.groups[p] * kGroup + std::countr_zero(reached[p] | 0x100U) % 8;
  }
}

void search_named(const cpu::NamedCenters& centers, int count, const cpu::PointSource& points,
                  Array<float>& block, std::int32_t* labels) {
  const cpu::PreparedCenters& prepared = centers.prepared;
  const int width = block_width();
  Found found;
  std::uint8_t reached[kVectors * hn::MaxLanes(Lanes())];
  load_block(points, prepared.dimensions, 0, width, block.data());
  search_block<true>(prepared, (count + kGroup - 1) / kGroup, block.data(), found);
  for (int p = 0; p < width; p += 4)
    reached_by_four(prepared, block.data(), width, found, p, reached);
  for (int p = 0; p < points.count; ++p) {
    const bool one = found.groups[p] == found.again[p] && std::has_single_bit<unsigned>(reached[p]);
    const int center = found.groups[p] * kGroup + std::countr_zero(reached[p]);
    labels[p] = one ? centers.names[static_cast<std::size_t>(center)] : -1;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {

HWY_EXPORT(search);
HWY_EXPORT(search_named);
HWY_EXPORT(block_width);

// Prepares `count` centers: the first ones, or the named ones. The entries that fill up the last
// group are never the nearest.
PreparedCenters prepare(ImageView<const float> centers, const std::int32_t* names, int count) {
  const int dimensions = centers.width, padded = (count + kGroup - 1) / kGroup * kGroup;
  PreparedCenters prepared{count, dimensions,
                           Array<float>(static_cast<std::size_t>(padded) * dimensions),
                           Array<float>(static_cast<std::size_t>(padded))};
  for (int c = 0; c < padded; ++c) {
    float* to = prepared.numbers.data() +
                static_cast<std::ptrdiff_t>(c / kGroup) * kGroup * dimensions + c % kGroup;
    const float* from = c < count ? centers.row(names == nullptr ? c : names[c]) : nullptr;
    for (int i = 0; i < dimensions; ++i)
      to[static_cast<std::ptrdiff_t>(i) * kGroup] = from != nullptr ? from[i] : 0;
    prepared.halves[static_cast<std::size_t>(c)] = from != nullptr
                                                       ? detail::half_square(from, dimensions)
                                                       : std::numeric_limits<float>::infinity();
  }
  return prepared;
}

class Nearest final : public detail::NearestEngine {
 public:
  explicit Nearest(ImageView<const float> centers) : centers_(prepare_centers(centers)) {}
  void find(ImageView<const float> points, std::span<std::int32_t> labels,
            const Exec& exec) override {
    constexpr int kGrain = 1536;
    parallel_for(exec, points.height, kGrain, [&](std::int64_t begin, std::int64_t end) {
      const auto first = static_cast<int>(begin);
      nearest_of_rows(centers_, points.crop(0, first, points.width, static_cast<int>(end) - first),
                      labels.data() + begin);
    });
  }

 private:
  PreparedCenters centers_;
};

}  // namespace

PreparedCenters prepare_centers(ImageView<const float> centers) {
  return prepare(centers, nullptr, centers.height);
}

void nearest_centers(const PreparedCenters& centers, const PlanarPoints& points,
                     std::int32_t* labels) {
  HWY_DYNAMIC_DISPATCH(search)(centers, {points.planes, points.stride, points.count, true}, labels);
}
void nearest_of_rows(const PreparedCenters& centers, ImageView<const float> points,
                     std::int32_t* labels) {
  HWY_DYNAMIC_DISPATCH(search)(centers, {points.data, points.stride, points.height, false}, labels);
}

NamedCenters pick_centers(ImageView<const float> centers, std::vector<std::int32_t> names) {
  PreparedCenters prepared = prepare(centers, names.data(), static_cast<int>(names.size()));
  return {std::move(prepared), std::move(names)};
}

int nearest_block() { return HWY_DYNAMIC_DISPATCH(block_width)(); }

void nearest_named(const NamedCenters& centers, int count, const OrderedPoints& points,
                   std::int32_t* labels) {
  Array<float>& block = *points.block;
  const auto room = static_cast<std::size_t>(nearest_block()) *
                    static_cast<std::size_t>(centers.prepared.dimensions);
  if (block.size() < room) block = Array<float>(room);
  HWY_DYNAMIC_DISPATCH(search_named)
  (centers, count, {points.rows.data, points.rows.stride, points.count, false, points.order}, block,
   labels);
}

std::unique_ptr<detail::NearestEngine> make_nearest_engine(ImageView<const float> centers,
                                                           const Exec&) {
  return std::make_unique<Nearest>(centers);
}

}  // namespace fovea::cpu
#endif  // HWY_ONCE
