// The presets. Each was chosen on the Middlebury pairs and on pairs with large motion that were
// made from other images (docs/flow.md).
#include "flow/lk/lucas_kanade_plan.h"

#include <algorithm>
#include <cmath>

namespace fovea::flow::lk {
namespace {

constexpr float kNoRobust = 1e30F;  // weights are 1 to the last bit

Plan preset(Quality quality) {
  Plan plan;
  switch (quality) {
    case Quality::kFast:
      plan.finest = 1;
      plan.fine = {0, {0, 3}, {1, 3}};
      plan.coarse = plan.small = {2, {2, 5}, {1, 3}, true, 2};
      break;
    case Quality::kDefault:
      plan.finest = 0;
      plan.fine = {0, {0, 5}, {1, 5}};
      plan.coarse = {2, {3, 5}, {1, 3}, false, 2};
      plan.small = {4, {4, 4}, {2, 3}, false, 2};
      break;
    case Quality::kBest:
      plan.finest = 0;
      plan.fine = {2, {0, 5}, {3, 5}};
      plan.coarse = {3, {4, 7}, {4, 4}};
      plan.small = {6, {4, 5}, {4, 3}};
      break;
  }
  return plan;
}

void take(LevelPlan& level, const LucasKanadeOptions& options) {
  if (options.iterations) {
    level.narrow.steps = *options.iterations;
    if (level.wide.steps > 0) level.wide.steps = *options.iterations;
  }
  if (options.radius) {
    level.narrow.radius = *options.radius;
    level.wide.radius = std::min(2 * *options.radius - 1, kMostRadius);
  }
  if (options.propagation) level.propagation = *options.propagation;
  if (!options.wide) level.wide.steps = 0;
}

}  // namespace

Plan make_plan(const LucasKanadeOptions& options, Quality quality) {
  Plan plan = preset(quality);
  take(plan.fine, options);
  take(plan.coarse, options);
  take(plan.small, options);
  plan.finest = options.finest_level.value_or(plan.finest);
  plan.levels = options.levels.value_or(0);
  plan.window = options.window;
  plan.rank = options.rank;
  plan.median = options.median;
  plan.forward_backward = options.forward_backward;
  plan.robust = options.robust > 0 ? static_cast<float>(options.robust) : kNoRobust;
  plan.solve = {static_cast<float>(options.damping), static_cast<float>(options.min_eigenvalue),
                static_cast<float>(options.greatest_step)};
  return plan;
}

int reach(const Plan& plan, int level) {
  const LevelPlan& work = plan.of(level);
  int pixels = plan.rank ? kRankRadius : 0;
  for (const Round& round : {work.wide, work.narrow})
    pixels += round.steps * (round.radius + 1 + plan.median);
  for (int k = 0; k < std::min(work.propagation, work.steps()); ++k)
    pixels += trial_distance(k) + kTrialRadius;
  return pixels;
}

int far_reach(const Plan& plan, int level) {
  int pixels = kSpacing;
  for (int at = 0; at <= level; ++at) pixels = reach(plan, at) + (at > 0 ? pixels / 2 + 2 : pixels);
  return pixels;
}

int level_count(int width, int height, int most) {
  int count = 1;
  for (int side = std::min(width, height); (side + 1) / 2 >= kLeastSide; side = (side + 1) / 2)
    ++count;
  return most > 0 ? std::min(count, most) : count;
}

std::vector<float> window_taps(Window window, int radius) {
  std::vector<float> taps;
  std::vector<double> weights;
  const double sigma = 0.7 * radius;
  double sum = 0;
  for (int k = -radius; k <= radius; ++k) {
    const double weight =
        window == Window::kBox || radius == 0 ? 1 : std::exp(-0.5 * k * k / (sigma * sigma));
    weights.push_back(weight);
    sum += weight;
  }
  taps.reserve(weights.size());
  for (const double weight : weights) taps.push_back(static_cast<float>(weight / sum));
  return taps;
}

}  // namespace fovea::flow::lk
