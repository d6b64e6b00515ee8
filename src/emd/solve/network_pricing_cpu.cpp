// Least costs of a row and of columns in vectors. Whole rows are searched for the least difference
// alone; its place is looked for only where the row has a cell that is cheap enough.
#include "emd/solve/network_pricing.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "emd/solve/network_pricing_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::emd::network {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

NetworkCell least_in_row(const std::int64_t* HWY_RESTRICT costs,
                         const std::int64_t* HWY_RESTRICT worth, int columns, std::int64_t bound) {
  const hn::ScalableTag<std::int64_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto at = [&](int j) { return hn::Sub(hn::LoadU(d, costs + j), hn::LoadU(d, worth + j)); };
  auto one = hn::Set(d, bound), other = one;
  int j = 0;
  for (; j + 2 * lanes <= columns; j += 2 * lanes) {
    one = hn::Min(one, at(j));
    other = hn::Min(other, at(j + lanes));
  }
  std::int64_t least = hn::GetLane(hn::MinOfLanes(d, hn::Min(one, other)));
  for (int k = j; k < columns; ++k) {
    const std::int64_t here = costs[k] - worth[k];
    least = here < least ? here : least;
  }
  if (least >= bound) return {bound, -1};
  const auto wanted = hn::Set(d, least);
  for (int k = 0; k + lanes <= j; k += lanes) {
    const auto found = hn::FindFirstTrue(d, hn::Eq(at(k), wanted));
    if (found >= 0) return {least, k + static_cast<int>(found)};
  }
  while (costs[j] - worth[j] != least) ++j;
  return {least, j};
}

void least_in_columns(const std::int64_t* HWY_RESTRICT costs, std::ptrdiff_t stride, int rows,
                      int columns, std::int64_t* HWY_RESTRICT least) {
  const hn::ScalableTag<std::int64_t> d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  for (int j = 0; j < columns; ++j) least[j] = costs[j];
  for (int i = 1; i < rows; ++i) {
    const std::int64_t* HWY_RESTRICT row = costs + i * stride;
    int j = 0;
    for (; j + lanes <= columns; j += lanes)
      hn::StoreU(hn::Min(hn::LoadU(d, least + j), hn::LoadU(d, row + j)), d, least + j);
    for (; j < columns; ++j) least[j] = row[j] < least[j] ? row[j] : least[j];
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::emd::network
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::emd {
namespace network {
namespace {
HWY_EXPORT(least_in_row);
HWY_EXPORT(least_in_columns);
}  // namespace
}  // namespace network

NetworkCell least_difference(const std::int64_t* costs, const std::int64_t* worth, int columns,
                             std::int64_t bound) {
  using namespace network;
  return HWY_DYNAMIC_DISPATCH(least_in_row)(costs, worth, columns, bound);
}
void least_of_columns(const std::int64_t* costs, std::ptrdiff_t stride, int rows, int columns,
                      std::int64_t* least) {
  using namespace network;
  HWY_DYNAMIC_DISPATCH(least_in_columns)(costs, stride, rows, columns, least);
}

}  // namespace fovea::emd
#endif  // HWY_ONCE
