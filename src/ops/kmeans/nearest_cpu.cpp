// The nearest of many centres on the CPU: a matrix product whose result is never written. Lanes are
// points; a few vectors of points times four centres stay in registers while the numbers go by, and
// only the least score and its group of four survive. Which of the four it was is found at the end,
// by the same arithmetic.
#include "ops/kmeans/nearest.h"

#include <algorithm>
#include <limits>

#include "core/parallel.h"
#include "ops/kmeans/backend.h"

#ifndef FOVEA_NEAREST_BLOCK
#define FOVEA_NEAREST_BLOCK
namespace fovea::cpu {

constexpr int kGroup = 4;  // centres that are looked at side by side

// Where points come from: planes, or rows.
struct PointSource {
  const float* data;
  std::ptrdiff_t stride;
  int count;
  bool planar;
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

// Vectors of points side by side: as many as registers allow, and enough sums to hide the latency
// of a fused multiply-add.
#if HWY_TARGET <= HWY_AVX3 || HWY_TARGET == HWY_NEON
constexpr int kVectors = 6;  // of 32 registers 24 sums, 6 points, 1 number of four centres
#else
constexpr int kVectors = 2;
#endif

// The four numbers at `from`, each in all lanes.
struct Spread {
  V a, b, c, d;
};
HWY_INLINE Spread spread_four(const float* HWY_RESTRICT from) {
  const Lanes d;
#if HWY_TARGET == HWY_NEON  // multiplies by one lane of a vector
  const V four = hn::Load(d, from);
  return {hn::Broadcast<0>(four), hn::Broadcast<1>(four), hn::Broadcast<2>(four),
          hn::Broadcast<3>(four)};
#else
  return {hn::Set(d, from[0]), hn::Set(d, from[1]), hn::Set(d, from[2]), hn::Set(d, from[3])};
#endif
}

// Best score and group of kVectors vectors of points, which lie number after number.
void search_block(const cpu::PreparedCentres& centres, const float* HWY_RESTRICT block,
                  float* HWY_RESTRICT scores, std::int32_t* HWY_RESTRICT groups) {
  const Lanes d;
  const hn::RebindToSigned<Lanes> di;
  const std::size_t lanes = hn::Lanes(d);
  const int count = (centres.centres + kGroup - 1) / kGroup;
  V best[kVectors];
  I best_group[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    best[v] = hn::Set(d, std::numeric_limits<float>::infinity());
    best_group[v] = hn::Zero(di);
  }
  const float* HWY_RESTRICT numbers = centres.numbers.data();
  for (int g = 0; g < count; ++g) {
    const Spread half =
        spread_four(centres.halves.data() + static_cast<std::ptrdiff_t>(g) * kGroup);
    V sa[kVectors], sb[kVectors], sc[kVectors], sd[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) {
      sa[v] = half.a;
      sb[v] = half.b;
      sc[v] = half.c;
      sd[v] = half.d;
    }
    const float* HWY_RESTRICT point = block;
    for (int i = 0; i < centres.dimensions; ++i) {
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
    }
  }
  for (int v = 0; v < kVectors; ++v) {
    hn::Store(best[v], d, scores + v * lanes);
    hn::Store(best_group[v], di, groups + v * lanes);
  }
}

// Which centre of its group gave point p of a block its score.
HWY_INLINE std::int32_t resolve(const cpu::PreparedCentres& centres, const float* block,
                                std::ptrdiff_t stride, float score, std::int32_t group) {
  const Four d;
  const float* HWY_RESTRICT numbers =
      centres.numbers.data() + static_cast<std::ptrdiff_t>(group) * kGroup * centres.dimensions;
  auto sum = hn::Load(d, centres.halves.data() + static_cast<std::ptrdiff_t>(group) * kGroup);
  for (int i = 0; i < centres.dimensions; ++i)
    sum = hn::NegMulAdd(hn::Set(d, block[i * stride]), hn::Load(d, numbers + i * kGroup), sum);
  const auto first = hn::FindFirstTrue(d, hn::Eq(sum, hn::Set(d, score)));
  return group * kGroup + std::max(0, static_cast<std::int32_t>(first));
}

// Four rows' numbers from i on as four vectors of one number each.
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

// Points from `first` on as a block; what lies past the last is a copy of it.
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
      rows[k] = from.data + (first + std::min(p + k, count - 1)) * from.stride;
    int i = 0;
    for (; i + 4 <= dimensions; i += 4)
      turn_four(rows, i, block + static_cast<std::ptrdiff_t>(i) * width + p, width);
    for (; i < dimensions; ++i)
      for (int k = 0; k < 4; ++k)
        block[static_cast<std::ptrdiff_t>(i) * width + p + k] = rows[k][i];
  }
}

void search(const cpu::PreparedCentres& centres, const cpu::PointSource& points,
            std::int32_t* labels) {
  const Lanes d;
  const int width = static_cast<int>(kVectors * hn::Lanes(d));
  Array<float> block(static_cast<std::size_t>(width) * centres.dimensions);
  HWY_ALIGN float scores[kVectors * hn::MaxLanes(Lanes())];
  HWY_ALIGN std::int32_t groups[kVectors * hn::MaxLanes(Lanes())];
  for (int first = 0; first < points.count; first += width) {
    load_block(points, centres.dimensions, first, width, block.data());
    search_block(centres, block.data(), scores, groups);
    const int count = std::min(width, points.count - first);
    for (int p = 0; p < count; ++p)
      labels[first + p] = resolve(centres, block.data() + p, width, scores[p], groups[p]);
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

class Nearest final : public detail::NearestEngine {
 public:
  explicit Nearest(ImageView<const float> centres) : centres_(prepare_centres(centres)) {}
  void find(ImageView<const float> points, std::span<std::int32_t> labels,
            const Exec& exec) override {
    constexpr int kGrain = 1536;
    parallel_for(exec, points.height, kGrain, [&](std::int64_t begin, std::int64_t end) {
      const auto first = static_cast<int>(begin);
      nearest_of_rows(centres_, points.crop(0, first, points.width, static_cast<int>(end) - first),
                      labels.data() + begin);
    });
  }

 private:
  PreparedCentres centres_;
};

}  // namespace

PreparedCentres prepare_centres(ImageView<const float> centres) {
  const int count = centres.height, dimensions = centres.width;
  const int padded = (count + kGroup - 1) / kGroup * kGroup;
  PreparedCentres prepared{count, dimensions,
                           Array<float>(static_cast<std::size_t>(padded) * dimensions),
                           Array<float>(static_cast<std::size_t>(padded))};
  for (int c = 0; c < padded; ++c) {
    float* to = prepared.numbers.data() +
                static_cast<std::ptrdiff_t>(c / kGroup) * kGroup * dimensions + c % kGroup;
    for (int i = 0; i < dimensions; ++i)
      to[static_cast<std::ptrdiff_t>(i) * kGroup] = c < count ? centres.row(c)[i] : 0;
    prepared.halves[static_cast<std::size_t>(c)] =
        c < count ? detail::half_square(centres.row(c), dimensions)
                  : std::numeric_limits<float>::infinity();
  }
  return prepared;
}

void nearest_centres(const PreparedCentres& centres, const PlanarPoints& points,
                     std::int32_t* labels) {
  HWY_DYNAMIC_DISPATCH(search)(centres, {points.planes, points.stride, points.count, true}, labels);
}
void nearest_of_rows(const PreparedCentres& centres, ImageView<const float> points,
                     std::int32_t* labels) {
  HWY_DYNAMIC_DISPATCH(search)(centres, {points.data, points.stride, points.height, false}, labels);
}

std::unique_ptr<detail::NearestEngine> make_nearest_engine(ImageView<const float> centres,
                                                           const Exec&) {
  return std::make_unique<Nearest>(centres);
}

}  // namespace fovea::cpu
#endif  // HWY_ONCE
