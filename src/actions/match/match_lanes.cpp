// The recursion over the steps of a scene.
#include "actions/match/match_lanes.h"

#include <algorithm>

#include "actions/infinity.h"
#include "actions/match/match_math.h"

namespace fovea::actions::cpu {
namespace {

constexpr std::size_t kPad = LaneGroup::kRound;

}  // namespace

void LaneTrellis::begin(const LaneGroup& group, const detail::MatchTerms& terms, std::int64_t depth,
                        std::int64_t history) {
  group_ = &group;
  terms_ = terms;
  slots_.resize(static_cast<std::size_t>(depth + 1));
  past_.resize(static_cast<std::size_t>(std::max(depth, history) + 1));
  energies_.resize(static_cast<std::size_t>(group.lanes));
  ends_.resize(group.models.size());
  dummy_.assign(static_cast<std::size_t>(group.lanes) + kPad, terms.dummy);
}

// Lists earlier points with their triangles, and the best of the dummies. If the pair itself
// contains a dummy, it is the best of all nodes, because there is no angle.
void LaneTrellis::list_candidates(const detail::StepWindow& steps, const Pair& pair,
                                  RowWork& work) {
  const detail::Step& last = steps[pair.last_step];
  const detail::Step& middle = steps[pair.middle_step];
  const int c = pair.last, b = pair.middle;
  const Slot& slot = slot_of(pair.middle_step);
  const auto lanes = static_cast<std::size_t>(group_->lanes);
  const std::int32_t farthest = middle.frame - terms_.left(last.frame - middle.frame);
  candidates_.clear();
  work.count = 0;
  work.least = nullptr;
  if (terms_.dummies && middle.before() > 0 && farthest < middle.frame) {
    // With dummies, every frame is a step.
    const std::int64_t all = pair.middle_step - middle.oldest;
    const auto frames = std::min<std::int64_t>(middle.frame - farthest, all);
    const auto row = static_cast<std::size_t>(b * all + frames - 1);
    const bool angles = c < last.points && b < middle.points;
    work.least = (angles ? slot.least_dummy : slot.least_all).data() + row * lanes;
    work.who = (angles ? slot.who_dummy : slot.who_all).data() + row * lanes;
  }
  if (c >= last.points || b >= middle.points) return;
  const float* const to_last = steps.directions_to(last, c) - last.oldest_seen;
  const float* const to_middle = steps.directions_to(middle, b) - middle.oldest_seen;
  const float way = to_last[middle.first_point + b];
  const float* const states =
      slot.states.data() + kPad + lanes * static_cast<std::size_t>(b) * middle.before();
  for (std::int64_t s = middle.oldest; s < pair.middle_step; ++s) {
    const detail::Step& first = steps[s];
    if (first.frame < farthest) continue;
    const auto who = static_cast<std::int32_t>(first.first - middle.oldest_node);
    for (int a = 0; a < first.points; ++a) {
      const std::int64_t point = first.first_point + a;
      candidates_.push_back({states + lanes * static_cast<std::size_t>(who + a),
                             detail::bends_of(way, to_middle[point], to_last[point]), who + a});
    }
  }
  work.candidates = candidates_.data();
  work.count = static_cast<int>(candidates_.size());
}

// Computes running minima over earlier nodes, beginning with the nearest frame.
void LaneTrellis::find_least(const detail::StepWindow& steps, std::int64_t number,
                             Slot& slot) const {
  const detail::Step& step = steps[number];
  const auto lanes = static_cast<std::size_t>(group_->lanes);
  const auto frames = static_cast<std::size_t>(number - step.oldest);
  const std::size_t size = lanes * step.nodes * frames;
  for (auto* rows : {&slot.least_all, &slot.least_dummy})
    if (rows->size() < size) rows->resize(size);
  for (auto* rows : {&slot.who_all, &slot.who_dummy})
    if (rows->size() < size) rows->resize(size);
  for (int b = 0; b < step.nodes; ++b) {
    const float* const states =
        slot.states.data() + kPad + lanes * static_cast<std::size_t>(b) * step.before();
    for (std::size_t f = 0; f < frames; ++f) {
      const std::size_t at = (static_cast<std::size_t>(b) * frames + f) * lanes;
      float* const all = slot.least_all.data() + at;
      float* const dummy = slot.least_dummy.data() + at;
      std::int32_t* const who_all = slot.who_all.data() + at;
      std::int32_t* const who_dummy = slot.who_dummy.data() + at;
      if (f == 0) {
        std::fill_n(all, lanes, kInfinity<float>);
        std::fill_n(dummy, lanes, kInfinity<float>);
        std::fill_n(who_all, lanes, detail::kNobody);
        std::fill_n(who_dummy, lanes, detail::kNobody);
      } else {
        std::copy_n(all - lanes, lanes, all);
        std::copy_n(dummy - lanes, lanes, dummy);
        std::copy_n(who_all - lanes, lanes, who_all);
        std::copy_n(who_dummy - lanes, lanes, who_dummy);
      }
      const detail::Step& earlier = steps[number - 1 - static_cast<std::int64_t>(f)];
      const auto first = static_cast<std::int32_t>(earlier.first - step.oldest_node);
      for (std::int32_t a = earlier.nodes - 1; a >= 0; --a) {
        const float* const row = states + lanes * static_cast<std::size_t>(first + a);
        take_not_greater(row, first + a, group_->lanes, all, who_all);
        if (a == earlier.points) take_not_greater(row, first + a, group_->lanes, dummy, who_dummy);
      }
    }
  }
}

void LaneTrellis::advance(const detail::StepWindow& steps, std::int64_t number, const float* unary,
                          std::uint16_t* back) {
  const detail::Step& step = steps[number];
  const auto lanes = static_cast<std::size_t>(group_->lanes);
  past_[static_cast<std::size_t>(number % std::ssize(past_))] = {unary, back};
  // Rows begin kPad elements after the start of the vector and end as many before its end, because
  // the lane after the last of a row is written too.
  Slot& slot = slots_[static_cast<std::size_t>(number % std::ssize(slots_))];
  const std::size_t size = lanes * step.nodes * step.before() + 2 * kPad;
  if (slot.states.size() < size) slot.states.resize(size);
  std::fill(ends_.begin(), ends_.end(), LaneEnd{.energy = kInfinity<float>});
  RowWork work{.group = group_, .terms = &terms_, .energies = energies_.data()};
  work.states = slot.states.data() + kPad;
  work.back = back;
  for (int c = 0; c < step.nodes; ++c) {
    work.unary_last = unary_of(step, number, c);
    std::int32_t before = 0;
    for (std::int64_t s = step.oldest; s < number; ++s) {
      const detail::Step& middle = steps[s];
      work.gap = static_cast<float>(step.frame - middle.frame);
      for (int b = 0; b < middle.nodes; ++b, ++before) {
        work.unary_middle = unary_of(middle, s, b);
        list_candidates(steps, {number, s, c, b}, work);
        make_row(work);
        for (std::size_t m = 0; m < ends_.size(); ++m) {
          const LaneGroup::Model& model = group_->models[m];
          const float energy = energies_[model.first + model.nodes - 1];
          if (energy < ends_[m].energy) ends_[m] = {energy, c, before};
        }
        work.states += lanes;
        work.back += lanes;
      }
    }
  }
  if (terms_.dummies) find_least(steps, number, slot);
}

LanePath LaneTrellis::trace(const detail::StepWindow& steps, int model, std::int64_t number,
                            const LaneEnd& end) const {
  const LaneGroup::Model& lanes = group_->models[model];
  LanePath path;
  path.nodes.resize(static_cast<std::size_t>(lanes.nodes));
  std::vector<float> costs(path.nodes.size());
  std::int32_t place = end.last, before = end.before;
  for (int i = lanes.nodes - 1;; --i) {
    const detail::Step& step = steps[number];
    const Past& past = past_of(number);
    const auto lane = static_cast<std::size_t>(lanes.first) + i;
    const auto width = static_cast<std::size_t>(group_->lanes);
    path.nodes[i] = step.first + place;
    costs[i] = unary_of(step, number, place)[lane];
    if (i == 0) break;
    const std::size_t row = static_cast<std::size_t>(place) * step.before() + before;
    const std::int64_t node = step.oldest_node + before;
    before = past.back[row * width + lane];
    number = steps.step_of(node, step.oldest, number);
    place = static_cast<std::int32_t>(node - steps[number].first);
  }
  for (const float cost : costs) path.appearance += cost;
  return path;
}

}  // namespace fovea::actions::cpu
