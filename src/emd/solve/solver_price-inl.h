// The simplex's pricing in vectors of columns; compiled once per instruction set.
#if defined(FOVEA_EMD_SOLVER_PRICE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef FOVEA_EMD_SOLVER_PRICE_INL
#undef FOVEA_EMD_SOLVER_PRICE_INL
#else
#define FOVEA_EMD_SOLVER_PRICE_INL
#endif

#include <hwy/highway.h>

#include "emd/solve/simplex_math.h"

HWY_BEFORE_NAMESPACE();
namespace fovea::emd::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class Cost>
using Costs = hn::CappedTag<Cost, 16>;  // at most 16, because rows of a table are padded to 16

template <class D, class V>
HWY_INLINE V minus(D, V a, V b) {
  if constexpr (sizeof(hn::TFromD<D>) == 2) return hn::SaturatedSub(a, b);
  else return hn::Sub(a, b);
}

// Finds the cell with the least reduced cost, kVectors vectors of columns at a time. 16-bit costs
// saturate, which does not change their sign.
template <int kVectors, class B>
HWY_INLINE Entering price_rows(const B& basis, const CostTable<typename B::Cost>& table) {
  using Cost = typename B::Cost;
  const Costs<Cost> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  using V = hn::Vec<decltype(d)>;
  const Cost* columns = basis.potential + B::kColumn0;
  auto all_least = hn::Zero(d), all_where = hn::Zero(d);
  for (int j = 0; j <= table.columns; j += kVectors * lanes) {
    V worth[kVectors], least[kVectors], where[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      worth[v] = hn::LoadU(d, columns + j + v * lanes);
      least[v] = where[v] = hn::Zero(d);
    }
    const auto price_row = [&](int i) {
      const auto row_worth = hn::Set(d, basis.potential[i]);
      const auto row = hn::Set(d, static_cast<Cost>(i));
      for (int v = 0; v < kVectors; ++v) {
        const auto cost = hn::LoadU(d, table.costs + i * table.stride + j + v * lanes);
        const auto reduced = minus(d, minus(d, cost, worth[v]), row_worth);
        const auto better = hn::Lt(reduced, least[v]);
        least[v] = hn::Min(reduced, least[v]);
        where[v] = hn::IfThenElse(better, row, where[v]);
      }
    };
    if constexpr (B::kWords == 1) {
      for (std::uint64_t rows = basis.active.from(0); rows != 0; rows &= rows - 1)
        price_row(lowest_bit(rows));
    } else {
      for (int i = 0; i <= table.rows; ++i)
        if (basis.active.has(i)) price_row(i);
    }
    for (int v = 0; v < kVectors; ++v) {
      const auto better = hn::Lt(least[v], all_least);
      all_least = hn::Min(least[v], all_least);
      const auto cell = hn::Add(hn::ShiftLeft<7>(where[v]),
                                hn::Set(d, static_cast<Cost>(static_cast<Cost>(j) + v * lanes)));
      all_where = hn::IfThenElse(better, cell, all_where);
    }
  }
  const auto least = hn::MinOfLanes(d, all_least);
  if (hn::GetLane(least) == 0) return {};
  const auto lane = static_cast<std::size_t>(hn::FindFirstTrue(d, hn::Eq(all_least, least)));
  const auto cell = static_cast<int>(hn::ExtractLane(all_where, lane));
  return {cell / 128, cell % 128 + static_cast<int>(lane)};
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::emd::cpu
HWY_AFTER_NAMESPACE();
#endif
