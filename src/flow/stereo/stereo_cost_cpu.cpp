// Costs of candidates in one row: single pixels first, then sums over blocks, which move down and
// across by adding what enters and subtracting what leaves.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "flow/stereo/stereo_cpu.h"

// This part does not depend on the instruction set, while the rest of the file is compiled once for
// each.
#ifndef FOVEA_STEREO_COST
#define FOVEA_STEREO_COST
namespace fovea::flow::cpu {
namespace {

constexpr int kSadMost = 63;       // greatest difference of gray levels that counts
constexpr int kSadScale = 2;       // of a difference, in costs
constexpr float kNccScale = 63;    // of 1 minus the correlation, in costs
constexpr float kNccSums = 30000;  // the same for choices without paths
constexpr std::uint16_t kNoSum = 65535;

// The census counts a quarter of what it counts alone: costs are bits plus twice the differences.
constexpr int kAdMost = 16;
constexpr int kAdScale = 2;

int scale_of(StereoCost cost) {
  if (cost == StereoCost::kAdCensus) return 1;
  return cost == StereoCost::kCensus ? kCostScale : kSadScale;
}

// What turns sums of products into correlations.
struct NccTerms {
  int count;
  float area;
  float left_sum, left_inverse;
  const std::int32_t* right_sums;
  const float* right_inverse;
};

// One row of candidates.
struct CostJob {
  const StereoPlan& plan;
  const StereoFrame& left;
  const StereoFrame& right;
  int y;
};

}  // namespace
}  // namespace fovea::flow::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/stereo/stereo_cost_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Counts of bits that differ. `count` is a multiple of kStereoLanes.
void census_pixel(std::uint32_t left, const std::uint32_t* right, int count, std::uint8_t* out) {
  const hn::FixedTag<std::uint32_t, 4> words;
  const hn::RebindToSigned<decltype(words)> integers;
  const hn::Rebind<std::uint8_t, decltype(words)> bytes;
  const auto here = hn::Set(words, left);
  for (int d = 0; d < count; d += 4) {
    const auto bits = hn::PopulationCount(hn::Xor(here, hn::LoadU(words, right + d)));
    hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(integers, bits)), bytes, out + d);
  }
}

void sad_pixel(std::uint8_t left, const std::uint8_t* right, int count, std::uint8_t* out) {
  const hn::FixedTag<std::uint8_t, 16> bytes;
  const auto here = hn::Set(bytes, left);
  const auto most = hn::Set(bytes, static_cast<std::uint8_t>(kSadMost));
  for (int d = 0; d < count; d += 16) {
    const auto there = hn::LoadU(bytes, right + d);
    const auto difference = hn::Sub(hn::Max(here, there), hn::Min(here, there));
    hn::StoreU(hn::Min(difference, most), bytes, out + d);
  }
}

// Adds absolute differences to the counts of bits.
void add_differences(std::uint8_t left, const std::uint8_t* right, int count, std::uint8_t* out) {
  const hn::FixedTag<std::uint8_t, 16> bytes;
  const auto here = hn::Set(bytes, left);
  const auto most = hn::Set(bytes, static_cast<std::uint8_t>(kAdMost));
  static_assert(kAdScale == 2);
  for (int d = 0; d < count; d += 16) {
    const auto there = hn::LoadU(bytes, right + d);
    const auto cut = hn::Min(hn::Sub(hn::Max(here, there), hn::Min(here, there)), most);
    hn::StoreU(hn::Add(hn::LoadU(bytes, out + d), hn::Add(cut, cut)), bytes, out + d);
  }
}

void product_pixel(std::uint8_t left, const std::uint8_t* right, int count, std::uint16_t* out) {
  const hn::FixedTag<std::uint16_t, 8> shorts;
  const hn::Rebind<std::uint8_t, decltype(shorts)> bytes;
  const auto here = hn::Set(shorts, left);
  for (int d = 0; d < count; d += 8)
    hn::StoreU(hn::Mul(here, hn::PromoteTo(shorts, hn::LoadU(bytes, right + d))), shorts, out + d);
}

// sums += enters - leaves; without `leaves` nothing is subtracted.
template <class Sum, class Pixel>
void slide_lanes(Sum* sums, const Pixel* enters, const Pixel* leaves, std::size_t count) {
  const hn::CappedTag<Sum, 8> d;
  const hn::Rebind<Pixel, decltype(d)> narrow;
  const auto load = [&](const Pixel* from) HWY_ATTR {
    if constexpr (sizeof(Pixel) == sizeof(Sum)) return hn::LoadU(d, from);
    else return hn::PromoteTo(d, hn::LoadU(narrow, from));
  };
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    auto sum = hn::Add(hn::LoadU(d, sums + i), load(enters + i));
    if (leaves != nullptr) sum = hn::Sub(sum, load(leaves + i));
    hn::StoreU(sum, d, sums + i);
  }
}
void slide_bytes(std::uint16_t* sums, const std::uint8_t* enters, const std::uint8_t* leaves,
                 std::size_t count) {
  slide_lanes(sums, enters, leaves, count);
}
void slide_shorts(std::uint32_t* sums, const std::uint16_t* enters, const std::uint16_t* leaves,
                  std::size_t count) {
  slide_lanes(sums, enters, leaves, count);
}

// The costs of single pixels of a row, or their products.
void pixel_costs(const CostJob& job, std::uint8_t* out) {
  const StereoPlan& plan = job.plan;
  for (int x = 0; x < plan.width; ++x, out += plan.padded) {
    const int place = right_place(plan, x);
    if (plan.census())
      census_pixel(job.left.census.at(x, job.y), job.right.census.view().row(job.y) + place,
                   plan.padded, out);
    if (plan.cost == StereoCost::kCensus) continue;
    const std::uint8_t gray = job.left.gray.at(x, job.y);
    const std::uint8_t* const right = job.right.gray.view().row(job.y) + place;
    if (plan.census()) add_differences(gray, right, plan.padded, out);
    else sad_pixel(gray, right, plan.padded, out);
  }
}
void pixel_products(const CostJob& job, std::uint16_t* out) {
  const StereoPlan& plan = job.plan;
  for (int x = 0; x < plan.width; ++x, out += plan.padded)
    product_pixel(job.left.gray.at(x, job.y),
                  job.right.gray.view().row(job.y) + right_place(plan, x), plan.padded, out);
}

// Calls use(x, sums) with the sums of the block around each pixel of a row; borders repeat.
template <class Sum, class Use>
HWY_INLINE void across(const StereoPlan& plan, const std::vector<Sum>& columns,
                       std::vector<Sum>& window, const Use& use) {
  const auto padded = static_cast<std::size_t>(plan.padded);
  const int radius = plan.radius();
  const auto column = [&](int x) {
    return columns.data() + static_cast<std::size_t>(std::clamp(x, 0, plan.width - 1)) * padded;
  };
  window.assign(padded, 0);
  for (int dx = -radius; dx <= radius; ++dx)
    slide_lanes(window.data(), column(dx), static_cast<const Sum*>(nullptr), padded);
  use(0, window.data());
  for (int x = 1; x < plan.width; ++x) {
    slide_lanes(window.data(), column(x + radius), column(x - radius - 1), padded);
    use(x, window.data());
  }
}

// The mean over a block, scaled; blocks have 9 pixels or more, so that the factor fits 16 bits.
void mean_costs(const CostJob& job, const std::vector<std::uint16_t>& columns,
                std::vector<std::uint16_t>& window, std::uint8_t* out) {
  const StereoPlan& plan = job.plan;
  const hn::FixedTag<std::uint16_t, 8> d;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const hn::RebindToSigned<decltype(d)> integers;
  const auto factor = hn::Set(
      d, static_cast<std::uint16_t>(scale_of(plan.cost) * 65536 / (plan.block * plan.block)));
  across(plan, columns, window, [&](int x, const std::uint16_t* sums) HWY_ATTR {
    std::uint8_t* to = out + static_cast<std::ptrdiff_t>(x) * plan.padded;
    for (int i = 0; i < plan.padded; i += 8) {
      const auto mean = hn::MulHigh(hn::LoadU(d, sums + i), factor);
      hn::StoreU(hn::DemoteTo(bytes, hn::BitCast(integers, mean)), bytes, to + i);
    }
  });
}
void stereo_block_sums(const CostJob& job, const std::vector<std::uint16_t>& columns,
                       std::vector<std::uint16_t>& window, std::uint16_t* out) {
  const int padded = job.plan.padded;
  across(job.plan, columns, window, [&](int x, const std::uint16_t* sums) HWY_ATTR {
    std::memcpy(out + static_cast<std::ptrdiff_t>(x) * padded, sums,
                static_cast<std::size_t>(padded) * sizeof(std::uint16_t));
  });
}

// scale * (1 - correlation), at most 2 * scale.
template <class Out>
HWY_INLINE void correlation_costs(const std::uint32_t* products, const NccTerms& terms, float scale,
                                  Out* out) {
  for (int i = 0; i < terms.count; ++i) {
    const float covariance = static_cast<float>(products[i]) * terms.area -
                             terms.left_sum * static_cast<float>(terms.right_sums[i]);
    const float score = covariance * terms.left_inverse * terms.right_inverse[i];
    const float limited = score > 1 ? 1.F : (score < -1 ? -1.F : score);
    out[i] = static_cast<Out>(scale * (1 - limited));
  }
}
template <class Out>
HWY_INLINE void correlate(const CostJob& job, const std::vector<std::uint32_t>& columns,
                          std::vector<std::uint32_t>& window, Out* out) {
  const StereoPlan& plan = job.plan;
  const int y = job.y;
  across(plan, columns, window, [&](int x, const std::uint32_t* sums) HWY_ATTR {
    const int place = right_place(plan, x);
    const NccTerms terms{plan.padded,
                         static_cast<float>(plan.block * plan.block),
                         static_cast<float>(job.left.sums.at(x, y)),
                         job.left.inverse.at(x, y),
                         job.right.sums.view().row(y) + place,
                         job.right.inverse.view().row(y) + place};
    correlation_costs(sums, terms, sizeof(Out) == 1 ? kNccScale : kNccSums,
                      out + static_cast<std::ptrdiff_t>(x) * plan.padded);
  });
}
void correlation_bytes(const CostJob& job, const std::vector<std::uint32_t>& columns,
                       std::vector<std::uint32_t>& window, std::uint8_t* out) {
  correlate(job, columns, window, out);
}
void correlation_shorts(const CostJob& job, const std::vector<std::uint32_t>& columns,
                        std::vector<std::uint32_t>& window, std::uint16_t* out) {
  correlate(job, columns, window, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(pixel_costs);
HWY_EXPORT(pixel_products);
HWY_EXPORT(slide_bytes);
HWY_EXPORT(slide_shorts);
HWY_EXPORT(mean_costs);
HWY_EXPORT(stereo_block_sums);
HWY_EXPORT(correlation_bytes);
HWY_EXPORT(correlation_shorts);

void slide(std::uint16_t* sums, const std::uint8_t* enters, const std::uint8_t* leaves,
           std::size_t count) {
  HWY_DYNAMIC_DISPATCH(slide_bytes)(sums, enters, leaves, count);
}
void slide(std::uint32_t* sums, const std::uint16_t* enters, const std::uint16_t* leaves,
           std::size_t count) {
  HWY_DYNAMIC_DISPATCH(slide_shorts)(sums, enters, leaves, count);
}
void pixel_row(const CostJob& job, std::uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(pixel_costs)(job, out);
}
void pixel_row(const CostJob& job, std::uint16_t* out) {
  HWY_DYNAMIC_DISPATCH(pixel_products)(job, out);
}

// Candidates outside the right image, and those that only fill up vectors, cannot win.
template <class Out>
void close_outside(const StereoPlan& plan, Out none, Out* out) {
  for (int x = 0; x < plan.width; ++x, out += plan.padded) {
    const int most = std::min(plan.count - 1, x - plan.least);
    const int least = std::clamp(x - plan.least - (plan.width - 1), 0, plan.padded);
    std::fill(out, out + least, none);
    if (most + 1 < plan.padded) std::fill(out + std::max(most + 1, 0), out + plan.padded, none);
  }
}

}  // namespace

CostRows::CostRows(const StereoPlan& plan, const StereoFrame& left, const StereoFrame& right)
    : plan_(plan), left_(left), right_(right) {
  const std::size_t row = plan.row_elements();
  const auto rows = static_cast<std::size_t>(plan.block) + 1;
  if (plan.cost == StereoCost::kNcc) {
    product_ring_.resize(row * rows);
    product_columns_.resize(row);
  } else {
    ring_.resize(row * rows);
    columns_.resize(row);
  }
}

// Makes `columns` the sums over the rows around y. The ring has a row more than a block, so that
// the row that leaves is still there when the next one enters.
template <class Pixel, class Sum>
void CostRows::slide_to(int y, std::vector<Pixel>& ring, std::vector<Sum>& columns) {
  const int radius = plan_.radius(), slots = plan_.block + 1, last = plan_.height - 1;
  const std::size_t row = plan_.row_elements();
  // Rows beyond the border have slots of their own.
  const auto slot = [&](int at) {
    return ring.data() + static_cast<std::size_t>((at + slots) % slots) * row;
  };
  const auto enter = [&](int at, bool leaves) {
    Pixel* line = slot(at);
    const int inside = std::clamp(at, 0, last);
    pixel_row({plan_, left_, right_, inside}, line);
    slide(columns.data(), line, leaves ? slot(at - plan_.block) : nullptr, row);
  };
  if (last_ < 0 || y != last_ + 1) {
    std::fill(columns.begin(), columns.end(), Sum{0});
    for (int at = y - radius; at <= y + radius; ++at) enter(at, false);
  } else {
    enter(y + radius, true);
  }
  last_ = y;
}

template <class Out>
void CostRows::write(int y, Out* out) {
  constexpr bool kBytes = sizeof(Out) == 1;
  const CostJob job{plan_, left_, right_, y};
  if (plan_.cost == StereoCost::kNcc) {
    slide_to(y, product_ring_, product_columns_);
    if constexpr (kBytes)
      HWY_DYNAMIC_DISPATCH(correlation_bytes)(job, product_columns_, product_window_, out);
    else HWY_DYNAMIC_DISPATCH(correlation_shorts)(job, product_columns_, product_window_, out);
  } else if (plan_.block == 1) {
    const std::size_t row = plan_.row_elements();
    pixel_row(job, ring_.data());
    const int scale = kBytes ? scale_of(plan_.cost) : 1;
    for (std::size_t i = 0; i < row; ++i) out[i] = static_cast<Out>(ring_[i] * scale);
  } else {
    slide_to(y, ring_, columns_);
    if constexpr (kBytes) HWY_DYNAMIC_DISPATCH(mean_costs)(job, columns_, window_, out);
    else HWY_DYNAMIC_DISPATCH(stereo_block_sums)(job, columns_, window_, out);
  }
  close_outside(plan_, static_cast<Out>(kBytes ? kNoCost : kNoSum), out);
}

void CostRows::row(int y, std::uint8_t* costs) { write(y, costs); }
void CostRows::row(int y, std::uint16_t* sums) { write(y, sums); }

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
