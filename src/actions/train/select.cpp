#include "actions/train/select.h"

#include <algorithm>
#include <cmath>

#include "actions/infinity.h"
#include "core/parallel.h"

namespace fovea::actions {
namespace {

// The distances from a clip to the nearest candidates: of its own class and of others.
struct Nearest {
  float own = kInfinity<float>;
  float other = kInfinity<float>;
};

class Selector {
 public:
  Selector(const SelectionTask& task, const Exec& exec) : task_(task), exec_(exec) {
    // A missing match counts as farther than every match, but stays finite, so that margins do too.
    for (int y = 0; y < task.distances.height; ++y)
      for (int x = 0; x < task.distances.width; ++x)
        if (std::isfinite(task.distances.at(x, y)))
          farthest_ = std::max(farthest_, task.distances.at(x, y));
    farthest_ = 2 * farthest_ + 1;
    nearest_.resize(task.clips.size());
  }

  SelectionValue value(std::span<const int> chosen) {
    rebuild(chosen);
    return value_with(-1);
  }

  std::vector<int> run() {
    const int most = std::min(task_.most, task_.distances.width);
    std::vector<int> chosen;
    best_.assign(static_cast<std::size_t>(most) + 1, {});
    sets_.assign(static_cast<std::size_t>(most) + 1, {});
    while (static_cast<int>(chosen.size()) < most) {
      const int added = best_addition(chosen);
      chosen.push_back(added);
      record(chosen);
      while (chosen.size() > 2 && take_away(chosen, added)) {
      }
    }
    std::size_t winner = 0;
    for (std::size_t size = 1; size < best_.size(); ++size)
      if (best_[size] > best_[winner]) winner = size;
    std::ranges::sort(sets_[winner]);
    return sets_[winner];
  }

 private:
  float distance(std::size_t clip, int candidate) const {
    const float value = task_.distances.at(candidate, static_cast<int>(clip));
    return std::isfinite(value) ? value : farthest_;
  }
  bool own(std::size_t clip, int candidate) const {
    return task_.clips[clip] == task_.candidates[static_cast<std::size_t>(candidate)];
  }
  void approach(Nearest& nearest, std::size_t clip, int candidate) const {
    float& side = own(clip, candidate) ? nearest.own : nearest.other;
    side = std::min(side, distance(clip, candidate));
  }
  void rebuild(std::span<const int> chosen) {
    for (std::size_t clip = 0; clip < nearest_.size(); ++clip) {
      nearest_[clip] = {};
      for (const int candidate : chosen) approach(nearest_[clip], clip, candidate);
    }
  }

  // Returns the value of the current set with one more candidate (-1: none).
  SelectionValue value_with(int candidate) const {
    SelectionValue value{0, 0};
    for (std::size_t clip = 0; clip < nearest_.size(); ++clip) {
      Nearest nearest = nearest_[clip];
      if (candidate >= 0) approach(nearest, clip, candidate);
      value.right += nearest.own < nearest.other && nearest.own < farthest_ ? 1 : 0;
      value.margin += static_cast<double>(std::min(nearest.other, farthest_)) -
                      static_cast<double>(std::min(nearest.own, farthest_));
    }
    value.margin /= static_cast<double>(std::max<std::size_t>(nearest_.size(), 1));
    return value;
  }

  int best_addition(std::span<const int> chosen) {
    rebuild(chosen);
    std::vector<SelectionValue> values(static_cast<std::size_t>(task_.distances.width));
    parallel_for(exec_, task_.distances.width, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        values[static_cast<std::size_t>(i)] = value_with(static_cast<int>(i));
    });
    for (const int taken : chosen)
      values[static_cast<std::size_t>(taken)] = {-1, -kInfinity<double>};
    std::size_t best = 0;
    for (std::size_t i = 1; i < values.size(); ++i)
      if (values[i] > values[best]) best = i;
    return static_cast<int>(best);
  }

  // Stores the set if it is the best of its size; returns whether it is.
  bool record(const std::vector<int>& chosen) {
    const SelectionValue now = value(chosen);
    if (!(now > best_[chosen.size()])) return false;
    best_[chosen.size()] = now;
    sets_[chosen.size()] = chosen;
    return true;
  }

  bool take_away(std::vector<int>& chosen, int added) {
    SelectionValue best;
    std::size_t at = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::vector<int> rest = chosen;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      const SelectionValue now = value(rest);
      if (now > best) {
        best = now;
        at = i;
      }
    }
    if (chosen[at] == added) return false;
    std::vector<int> rest = chosen;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
    if (!record(rest)) return false;
    chosen = std::move(rest);
    return true;
  }

  const SelectionTask& task_;
  const Exec& exec_;
  float farthest_ = 0;
  std::vector<Nearest> nearest_;
  std::vector<SelectionValue> best_;    // best value by size
  std::vector<std::vector<int>> sets_;  // the sets with these values
};

}  // namespace

SelectionValue selection_value(const SelectionTask& task, std::span<const int> chosen) {
  return Selector(task, {}).value(chosen);
}

std::vector<int> select_floating(const SelectionTask& task, const Exec& exec) {
  return Selector(task, exec).run();
}

}  // namespace fovea::actions
