// The min-plus product in registers, the closure of a tile, and the machine's limit for both: one
// sum and one minimum per step. There is no fused instruction, and a number of `a` has to be
// broadcast to a vector. A block is therefore wide: a broadcast number serves a sum and a minimum
// for each of its vectors.
#include "ops/shortest_paths/min_plus.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "ops/shortest_paths/min_plus_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <limits>
#include <vector>

#include "core/parallel.h"
#include "ops/shortest_paths/min_plus_math.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// No wider than the 16 floats to which columns are padded.
using Floats = hn::CappedTag<float, 16>;

// The shape of a block in registers: there are 32 on NEON and AVX-512, otherwise 16.
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SCALAR || \
    HWY_TARGET == HWY_EMU128
constexpr int kRows = 4, kVectors = 2;
#else
constexpr int kRows = 4, kVectors = 4;
#endif

// kBlockRows x (kBlockVectors vectors) of c.
template <int kBlockRows, int kBlockVectors>
HWY_INLINE void block(const MinPlus& p, const float* HWY_RESTRICT a, const float* HWY_RESTRICT b,
                      float* HWY_RESTRICT c) {
  const Floats d;
  const auto lanes = static_cast<std::ptrdiff_t>(hn::Lanes(d));
  hn::Vec<Floats> sums[kBlockRows][kBlockVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kBlockRows; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < kBlockVectors; ++v)
      sums[i][v] = p.keep ? hn::LoadU(d, c + i * p.c_stride + v * lanes)
                          : hn::Set(d, std::numeric_limits<float>::infinity());
  for (int k = 0; k < p.depth; ++k, b += p.b_stride) {
    hn::Vec<Floats> columns[kBlockVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kBlockVectors; ++v) columns[v] = hn::LoadU(d, b + v * lanes);
#pragma GCC unroll 8
    for (int i = 0; i < kBlockRows; ++i) {
      const auto spread = hn::Set(d, a[i * p.a_stride + k]);
#pragma GCC unroll 8
      for (int v = 0; v < kBlockVectors; ++v)
        sums[i][v] = hn::Min(sums[i][v], hn::Add(spread, columns[v]));
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < kBlockRows; ++i)
#pragma GCC unroll 8
    for (int v = 0; v < kBlockVectors; ++v)
      hn::StoreU(sums[i][v], d, c + i * p.c_stride + v * lanes);
}

// All rows of some columns, whose part of b stays in the first-level cache meanwhile.
template <int kBlockVectors>
void strip(const MinPlus& p, int column) {
  const float* b = p.depth > 0 ? p.b + column : nullptr;  // an empty factor has no memory
  int i = 0;
  for (; i + kRows <= p.rows; i += kRows)
    block<kRows, kBlockVectors>(p, p.a + i * p.a_stride, b, p.c + i * p.c_stride + column);
  for (; i < p.rows; ++i)
    block<1, kBlockVectors>(p, p.a + i * p.a_stride, b, p.c + i * p.c_stride + column);
}

void product(const MinPlus& p) {
  const auto lanes = static_cast<int>(hn::Lanes(Floats()));
  int column = 0;
  for (; column + kVectors * lanes <= p.columns; column += kVectors * lanes)
    strip<kVectors>(p, column);
  for (; column < p.columns; column += lanes) strip<1>(p, column);
}

void close(float* HWY_RESTRICT tile) {
  const Floats d;
  const auto lanes = static_cast<int>(hn::Lanes(d));
  for (int k = 0; k < detail::kPathTile; ++k) {
    const float* through = tile + static_cast<std::ptrdiff_t>(k) * detail::kPathTile;
    for (int i = 0; i < detail::kPathTile; ++i) {
      float* row = tile + static_cast<std::ptrdiff_t>(i) * detail::kPathTile;
      const auto spread = hn::Set(d, row[k]);
      for (int j = 0; j < detail::kPathTile; j += lanes)
        hn::StoreU(hn::Min(hn::LoadU(d, row + j), hn::Add(spread, hn::LoadU(d, through + j))), d,
                   row + j);
    }
  }
}

// As many sums and minima in registers as a block of the product has.
double steps(std::int64_t rounds, float* result) {
  const Floats d;
  constexpr int kChains = kRows * kVectors;
  hn::Vec<Floats> chains[kChains];
  for (int i = 0; i < kChains; ++i) chains[i] = hn::Set(d, static_cast<float>(i));
  const auto term = hn::Set(d, *result), most = hn::Set(d, 1e6F);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (int i = 0; i < kChains; ++i) chains[i] = hn::Add(chains[i], term);
#pragma GCC unroll 16
    for (int i = 0; i < kChains; ++i) chains[i] = hn::Min(chains[i], most);
  }
  auto all = chains[0];
  for (int i = 1; i < kChains; ++i) all = hn::Min(all, chains[i]);
  *result = hn::GetLane(hn::MinOfLanes(d, all));
  return static_cast<double>(kChains) * static_cast<double>(hn::Lanes(d)) *
         static_cast<double>(rounds);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::cpu {
namespace {
HWY_EXPORT(product);
HWY_EXPORT(close);
HWY_EXPORT(steps);
}  // namespace

void min_plus(const MinPlus& product) { HWY_DYNAMIC_DISPATCH(product)(product); }
void close_tile(float* tile) { HWY_DYNAMIC_DISPATCH(close)(tile); }

double min_plus_steps(std::int64_t rounds, const Exec& exec) {
  const int threads = thread_count(exec);
  std::vector<double> taken(static_cast<std::size_t>(threads));
  parallel_for(exec, threads, 1, [&](std::int64_t begin, std::int64_t) {
    float result = 1;
    taken[static_cast<std::size_t>(begin)] = HWY_DYNAMIC_DISPATCH(steps)(rounds, &result);
  });
  double sum = 0;
  for (const double each : taken) sum += each;
  return sum;
}

}  // namespace fovea::cpu
#endif
