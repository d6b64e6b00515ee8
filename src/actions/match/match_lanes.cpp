// Groups of models, and the walk of the recursion over a scene's steps.
#include "actions/match/match_lanes.h"

#include <algorithm>
#include <limits>

#include "actions/match/match_math.h"
#include "actions/match/match_row.h"

namespace fovea::actions::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::size_t kPad = LaneGroup::kRound;

void place_model(const Chain& chain, int first, LaneGroup& group) {
  const std::vector<Node>& nodes = chain.nodes;
  const auto way = [&](int from, int to) {
    return detail::direction(nodes[to].x - nodes[from].x, nodes[to].y - nodes[from].y);
  };
  for (int i = 0; i < chain.size(); ++i) {
    const int lane = first + i;
    if (i > 0) {
      group.gaps[lane] = static_cast<float>(nodes[i].frame - nodes[i - 1].frame);
      group.closed[lane] = 0;
    }
    if (i == 1) group.second[lane] = 0;
    if (i > 1) {
      group.timed[lane] = 1;
      const detail::Bends bends = detail::bends_of(way(i - 1, i), way(i - 2, i - 1), way(i - 2, i));
      group.at_middle[lane] = bends.at_middle;
      group.at_last[lane] = bends.at_last;
    }
    for (int k = 0; k < group.features; ++k)
      group.values[static_cast<std::size_t>(k) * group.lanes + lane] = chain.features.at(k, i);
  }
}

void fill_group(std::span<const Chain> models, LaneGroup& group) {
  const auto lanes = static_cast<std::size_t>(group.lanes);
  group.gaps.assign(lanes, 0);
  group.at_middle.assign(lanes, 0);
  group.at_last.assign(lanes, 0);
  group.closed.assign(lanes, kInfinity);
  group.timed.assign(lanes, 0);
  group.second.assign(lanes, kInfinity);
  group.features = models.front().features.width();
  group.values.assign(lanes * group.features, 0);
  for (const LaneGroup::Model& model : group.models)
    place_model(models[model.index], model.first, group);
}

}  // namespace

std::vector<LaneGroup> make_groups(std::span<const Chain> models, int most_lanes) {
  std::vector<LaneGroup> groups;
  for (int i = 0; i < static_cast<int>(models.size()); ++i) {
    const int nodes = models[i].size();
    if (groups.empty() || groups.back().lanes + nodes > most_lanes) groups.emplace_back();
    groups.back().models.push_back({i, groups.back().lanes, nodes});
    groups.back().lanes += nodes;
  }
  for (LaneGroup& group : groups) {
    group.lanes = (group.lanes + LaneGroup::kRound - 1) / LaneGroup::kRound * LaneGroup::kRound;
    fill_group(models, group);
  }
  return groups;
}

struct LaneTrellis::Candidates {
  std::vector<Candidate> points;
  const float* least = nullptr;
  const std::int32_t* who = nullptr;
};

LaneTrellis::LaneTrellis(const LaneGroup& group, const detail::MatchTerms& terms,
                         std::int64_t depth, std::int64_t history)
    : group_(group),
      terms_(terms),
      slots_(static_cast<std::size_t>(depth + 1)),
      past_(static_cast<std::size_t>(std::max<std::int64_t>(depth, history) + 1)),
      energies_(static_cast<std::size_t>(group.lanes)),
      ends_(group.models.size()) {}

// Rows begin LaneGroup::kRound after the vectors do, so that the lane before the first can be read,
// and end as much before their end, so that the lane after the last can be written.
void LaneTrellis::make_room(const detail::Step& step, const float* unary, Slot& slot,
                            Past& past) const {
  const auto lanes = static_cast<std::size_t>(group_.lanes);
  const std::size_t pairs = static_cast<std::size_t>(step.nodes) * step.before();
  const auto grow = [](auto& rows, std::size_t size) {
    if (rows.size() < size) rows.resize(size);
  };
  grow(slot.states, lanes * pairs + 2 * kPad);
  grow(past.back, lanes * pairs);
  grow(past.unary, lanes * step.nodes + 2 * kPad);
  std::copy_n(unary, lanes * step.points, past.unary.data() + kPad);
  if (terms_.dummies)
    std::fill_n(past.unary.data() + kPad + lanes * step.points, lanes, terms_.dummy);
}

// Earlier points with their triangles, and the best of dummies; with a dummy in the pair itself the
// best of all, since there is no angle.
void LaneTrellis::list_candidates(const detail::StepWindow& steps, const Pair& pair,
                                  Candidates& list) const {
  const detail::Step& last = steps[pair.last_step];
  const detail::Step& middle = steps[pair.middle_step];
  const int c = pair.last, b = pair.middle;
  const Slot& slot = slot_of(pair.middle_step);
  const auto lanes = static_cast<std::size_t>(group_.lanes);
  const std::int32_t farthest = middle.frame - terms_.left(last.frame - middle.frame);
  list.points.clear();
  list.least = nullptr;
  if (terms_.dummies && middle.before() > 0 && farthest < middle.frame) {
    // Every frame is a step.
    const std::int64_t all = pair.middle_step - middle.oldest;
    const auto frames = std::min<std::int64_t>(middle.frame - farthest, all);
    const auto row = static_cast<std::size_t>(b * all + frames - 1);
    const bool angles = c < last.points && b < middle.points;
    list.least = (angles ? slot.least_dummy : slot.least_all).data() + row * lanes;
    list.who = (angles ? slot.who_dummy : slot.who_all).data() + row * lanes;
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
      list.points.push_back({states + lanes * static_cast<std::size_t>(who + a),
                             detail::bends_of(way, to_middle[point], to_last[point]), who + a});
    }
  }
}

// Running minima over earlier nodes, from the nearest frame on.
void LaneTrellis::find_least(const detail::StepWindow& steps, std::int64_t number,
                             Slot& slot) const {
  const detail::Step& step = steps[number];
  const auto lanes = static_cast<std::size_t>(group_.lanes);
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
        std::fill_n(all, lanes, kInfinity);
        std::fill_n(dummy, lanes, kInfinity);
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
        take_not_greater(row, first + a, group_.lanes, all, who_all);
        if (a == earlier.points) take_not_greater(row, first + a, group_.lanes, dummy, who_dummy);
      }
    }
  }
}

void LaneTrellis::advance(const detail::StepWindow& steps, std::int64_t number,
                          const float* unary) {
  const detail::Step& step = steps[number];
  const auto lanes = static_cast<std::size_t>(group_.lanes);
  Slot& slot = slots_[static_cast<std::size_t>(number % std::ssize(slots_))];
  Past& past = past_[static_cast<std::size_t>(number % std::ssize(past_))];
  make_room(step, unary, slot, past);
  std::fill(ends_.begin(), ends_.end(), LaneEnd{.energy = kInfinity});
  Candidates list;
  RowWork work{.group = &group_, .terms = &terms_, .energies = energies_.data()};
  for (int c = 0; c < step.nodes; ++c) {
    work.unary_last = past.unary.data() + kPad + lanes * static_cast<std::size_t>(c);
    work.states = slot.states.data() + kPad + lanes * static_cast<std::size_t>(c) * step.before();
    work.back = past.back.data() + lanes * static_cast<std::size_t>(c) * step.before();
    std::int32_t before = 0;
    for (std::int64_t s = step.oldest; s < number; ++s) {
      const detail::Step& middle = steps[s];
      work.gap = static_cast<float>(step.frame - middle.frame);
      work.unary_middle = past_of(s).unary.data() + kPad;
      for (int b = 0; b < middle.nodes; ++b, ++before) {
        list_candidates(steps, {number, s, c, b}, list);
        work.candidates = list.points.data();
        work.count = static_cast<int>(list.points.size());
        work.least = list.least;
        work.who = list.who;
        make_row(work);
        for (std::size_t m = 0; m < ends_.size(); ++m) {
          const LaneGroup::Model& model = group_.models[m];
          const float energy = energies_[model.first + model.nodes - 1];
          if (energy < ends_[m].energy) ends_[m] = {energy, c, before};
        }
        work.unary_middle += lanes;
        work.states += lanes;
        work.back += lanes;
      }
    }
  }
  if (terms_.dummies) find_least(steps, number, slot);
}

LanePath LaneTrellis::trace(const detail::StepWindow& steps, int model, std::int64_t number,
                            const LaneEnd& end) const {
  const LaneGroup::Model& lanes = group_.models[model];
  LanePath path;
  path.nodes.resize(static_cast<std::size_t>(lanes.nodes));
  std::vector<float> costs(path.nodes.size());
  std::int32_t place = end.last, before = end.before;
  for (int i = lanes.nodes - 1;; --i) {
    const detail::Step& step = steps[number];
    const Past& past = past_of(number);
    const auto lane = static_cast<std::size_t>(lanes.first + i);
    const auto width = static_cast<std::size_t>(group_.lanes);
    path.nodes[i] = step.first + place;
    costs[i] = past.unary[kPad + width * static_cast<std::size_t>(place) + lane];
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
