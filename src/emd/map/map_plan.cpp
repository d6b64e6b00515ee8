// Chooses keys for histograms and the size of the table of known histograms.
#include "emd/map/map_plan.h"

#include <algorithm>

namespace fovea::emd {
namespace {

// Limits for a band, so that its scratch memory of some bytes per pixel and bin stays small.
constexpr std::int64_t kMostBand = std::int64_t{1} << 21;  // pixels
constexpr std::int64_t kMostBandCounts = 16 * kMostBand;
constexpr std::uint64_t kMostSlots = detail::kPending - 2;

}  // namespace

std::uint64_t binomial(std::uint64_t n, std::uint64_t k) {
  if (k > n) return 0;
  k = std::min(k, n - k);
  std::uint64_t result = 1;
  for (std::uint64_t i = 1; i <= k; ++i) {
    // result * (n - k + i) / i is a whole number; computed in two parts, it overflows only if the
    // result does.
    const std::uint64_t factor = n - k + i;
    const std::uint64_t whole = result / i, rest = result % i;
    std::uint64_t product = 0, sum = 0;
    if (__builtin_mul_overflow(whole, factor, &product) ||
        __builtin_add_overflow(product, rest * factor / i, &sum))
      return detail::kNoKey;
    result = sum;
  }
  return result;
}

KeyPlan window_keys(int bins, int mass) {
  KeyPlan plan;
  plan.bins = bins;
  plan.mass = mass;
  const auto n = static_cast<std::uint64_t>(bins), m = static_cast<std::uint64_t>(mass);
  if (binomial(m + n, n) < detail::kNoKey) plan.terms = bins;
  else if (binomial(m + n - 1, n - 1) < detail::kNoKey) plan.terms = bins - 1;
  else return plan;
  plan.kind = KeyKind::kRank;
  plan.binomials.reserve(static_cast<std::size_t>(plan.terms) * (m + 1));
  for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(plan.terms); ++k)
    for (std::uint64_t s = 0; s <= m; ++s) plan.binomials.push_back(binomial(s + k, k + 1));
  return plan;
}

KeyPlan any_keys(int bins, std::size_t count_bytes) {
  KeyPlan plan;
  plan.bins = bins;
  if (static_cast<std::size_t>(bins) * count_bytes <= sizeof(std::uint64_t))
    plan.kind = KeyKind::kPacked;
  return plan;
}

TablePlan::TablePlan(std::uint64_t cache_bytes, std::uint64_t slot_bytes, int bins)
    : most_slots_(std::min(cache_bytes / slot_bytes, kMostSlots)),
      most_band_(std::min(kMostBand, kMostBandCounts / bins)),
      keeps_(cache_bytes > 0) {
  if (!keeps_) most_slots_ = kMostBand * kFirstSlotsPerPixel;
}

std::uint64_t TablePlan::bytes_per_slot(int kept_bins) {
  return sizeof(detail::Slot) +
         static_cast<std::uint64_t>(kept_bins) * sizeof(std::uint16_t) * 3 / 4;
}

int TablePlan::band_rows(int width) const {
  const auto pixels = std::min(most_band_, limit(static_cast<std::uint32_t>(most_slots_)));
  return static_cast<int>(std::max<std::int64_t>(1, pixels / width));
}

std::uint32_t TablePlan::room_for(std::uint32_t capacity, std::int64_t entries, const Need& need,
                                  bool& forgotten) const {
  forgotten = false;
  if (entries + need.fresh <= limit(capacity)) return capacity;
  forgotten = entries > 0;
  std::int64_t wanted = std::max(need.fresh * kFirstSlotsPerPixel, kLeastSlots);
  if (forgotten)
    wanted =
        std::max(wanted, std::min(std::int64_t{2} * capacity, need.frame * kMostSlotsPerPixel));
  wanted = std::min(wanted, static_cast<std::int64_t>(most_slots_));
  const std::int64_t least = need.fresh / 3 * 4 + 8;  // 3/4 of these are at least need.fresh
  return static_cast<std::uint32_t>(std::max({wanted, least, static_cast<std::int64_t>(capacity)}));
}

}  // namespace fovea::emd
