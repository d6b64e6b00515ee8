// The disparity of every pixel of a row: the candidate of least cost, checked against the next best
// one and against other pixels that find the same place of the right image, and interpolated.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "flow/stereo/stereo_cpu.h"

#ifndef FOVEA_STEREO_CHOOSE
#define FOVEA_STEREO_CHOOSE
namespace fovea::flow::cpu {
namespace {

constexpr std::uint16_t kNever = 65535;

struct Winner {
  int candidate;
  std::uint16_t cost;
};

struct ChoiceJob {
  const StereoPlan& plan;
  const std::uint16_t* sums;
  RowChoice out;
  std::uint16_t* line;
  std::uint16_t* right_cost;
  std::uint16_t* right_candidate;
};

// The place of the least cost between candidates: two lines of opposite slope through the three
// costs, which fits costs that grow with the distance (Shimizu and Okutomi, 2005). From -0.5 to
// 0.5.
float between_candidates(float before, float here, float behind) {
  const float greater = std::max(before, behind) - here;
  if (!(greater > 0)) return 0;
  return (before - behind) / (2 * greater);
}

}  // namespace
}  // namespace fovea::flow::cpu
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/stereo/stereo_choose_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using CostLanes = hn::CappedTag<std::uint16_t, kStereoLanes>;

std::uint16_t least_cost(const std::uint16_t* costs, int count) {
  const CostLanes d;
  auto least = hn::Set(d, kNever);
  for (int i = 0; i < count; i += static_cast<int>(hn::Lanes(d)))
    least = hn::Min(least, hn::LoadU(d, costs + i));
  HWY_ALIGN std::uint16_t lanes[kStereoLanes];
  hn::Store(least, d, lanes);
  return *std::min_element(lanes, lanes + hn::Lanes(d));
}

// The first candidate of least cost.
Winner winner_of(const std::uint16_t* costs, int count) {
  const CostLanes d;
  const std::uint16_t least = least_cost(costs, count);
  const auto wanted = hn::Set(d, least);
  int at = 0;
  while (hn::AllFalse(d, hn::Eq(hn::LoadU(d, costs + at), wanted)))
    at += static_cast<int>(hn::Lanes(d));
  while (costs[at] != least) ++at;
  return {at, least};
}

void choose_left(const ChoiceJob& job) {
  const StereoPlan& plan = job.plan;
  const int count = plan.count, padded = plan.padded;
  std::uint16_t* const line = job.line;
  for (int x = 0; x < plan.width; ++x) {
    job.out.disparity[x] = std::numeric_limits<float>::infinity();
    job.out.confidence[x] = 0;
    const int most = std::min(count - 1, x - plan.least);
    const int first = std::max(0, x - plan.least - (plan.width - 1));
    if (most < first) continue;
    // Candidates outside the image are no competitors.
    const std::uint16_t* from = job.sums + static_cast<std::ptrdiff_t>(x) * padded;
    std::fill(line, line + first, kNever);
    std::copy(from + first, from + most + 1, line + first);
    std::fill(line + most + 1, line + padded, kNever);
    const Winner best = winner_of(line, padded);
    const int at = best.candidate;
    // Among equal costs the first one stays, which has the smaller disparity.
    if (const int place = right_place(plan, x) + at; best.cost < job.right_cost[place]) {
      job.right_cost[place] = best.cost;
      job.right_candidate[place] = static_cast<std::uint16_t>(at);
    }
    const std::uint16_t before = at > first ? line[at - 1] : kNever;
    const std::uint16_t behind = at < most ? line[at + 1] : kNever;
    for (int i = std::max(at - 1, first); i <= std::min(at + 1, most); ++i) line[i] = kNever;
    const std::uint16_t next = least_cost(line, padded);
    // Without a competitor there is no doubt, unless the border of the image took competitors away;
    // where everything costs nothing there is no texture.
    float margin = next == kNever && most - first + 1 == count ? 1.F : 0.F;
    if (next != kNever && next != 0)
      margin = static_cast<float>(next - best.cost) / static_cast<float>(next);
    if (margin < plan.uniqueness) continue;
    const bool peak = plan.subpixel && before != kNever && behind != kNever;
    job.out.disparity[x] = static_cast<float>(plan.least + at) +
                           (peak ? between_candidates(before, best.cost, behind) : 0.F);
    job.out.confidence[x] = margin;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(choose_left);

}  // namespace

RowChooser::RowChooser(const StereoPlan& plan) : plan_(plan) {
  const int columns = plan.width + 2 * right_margin(plan) + plan.padded;
  const auto elements = static_cast<std::size_t>(columns);
  right_cost_.resize(elements);
  right_candidate_.resize(elements);
  line_.resize(static_cast<std::size_t>(plan.padded));
}

void RowChooser::choose(const std::uint16_t* sums, const RowChoice& out) {
  std::fill(right_cost_.begin(), right_cost_.end(), kNever);
  std::fill(right_candidate_.begin(), right_candidate_.end(), std::uint16_t{0});
  HWY_DYNAMIC_DISPATCH(choose_left)
  ({plan_, sums, out, line_.data(), right_cost_.data(), right_candidate_.data()});
  if (plan_.check < 0) return;
  for (int x = 0; x < plan_.width; ++x) {
    // A disparity between pixels stands if one of the two places beside it is not disputed.
    const float found = out.disparity[x];
    if (!std::isfinite(found) || is_unique_match(x, static_cast<int>(std::floor(found))) ||
        is_unique_match(x, static_cast<int>(std::ceil(found))))
      continue;
    out.disparity[x] = std::numeric_limits<float>::infinity();
    out.confidence[x] = 0;
  }
}

bool RowChooser::is_unique_match(int x, int disparity) const {
  if (disparity < plan_.least || disparity >= plan_.least + plan_.count) return false;
  const auto place = static_cast<std::size_t>(right_place(plan_, x) + disparity - plan_.least);
  if (right_cost_[place] == kNever) return true;  // nobody else found it
  const int other = plan_.least + right_candidate_[place];
  return static_cast<float>(std::abs(other - disparity)) <= plan_.check;
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
