#include "actions/points/points_plan.h"

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fovea::actions {
namespace {

// Kernels end at three sigma: STIP-2.0 returns no points in the last 12 and 16 frames of a video,
// which are the radii of such kernels for its two scales.
constexpr double kCut = 3;
constexpr double kIntegration = 2;  // variance of the sums, relative to that of the derivatives
constexpr double kPatchSpace = 9;   // half the width of a patch, relative to sigma
constexpr double kPatchTime = 4;    // half the length of a patch, relative to tau
constexpr double kSobel = 8;        // sum of its weights
constexpr double kFilterReach = 2;  // reach of the periodic detector's filters, relative to tau
constexpr double kMaximaReach = 3;  // reach of its windows for maxima, relative to sigma and tau
constexpr int kMostRadius = 127;    // limit for all kernels
constexpr double kRoundedDown = 1e-9;

std::vector<float> gaussian(double variance) {
  const int radius = static_cast<int>(kCut * std::sqrt(variance) + kRoundedDown);
  if (radius > kMostRadius)
    throw InvalidArgument(
        fmt::format("points: a variance of {:g} needs a kernel of {} taps, expected at most {}",
                    variance, 2 * radius + 1, 2 * kMostRadius + 1));
  std::vector<double> weights;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    weights.push_back(std::exp(-0.5 * i * i / variance));
    sum += weights.back();
  }
  std::vector<float> taps;
  taps.reserve(weights.size());
  for (const double weight : weights) taps.push_back(static_cast<float>(weight / sum));
  return taps;
}

// Subtracts the mean and scales the sum of absolute values to one, so that constant gray has no
// response and the threshold means the same for every length.
std::vector<float> filter_of(std::vector<double> weights) {
  double mean = 0;
  for (const double weight : weights) mean += weight / static_cast<double>(weights.size());
  double sum = 0;
  for (double& weight : weights) sum += std::abs(weight -= mean);
  std::vector<float> taps;
  taps.reserve(weights.size());
  for (const double weight : weights) taps.push_back(static_cast<float>(weight / sum));
  return taps;
}

int add_smooth(PointPlan& plan, int level, double variance) {
  std::vector<float> kernel = gaussian(variance);
  for (std::size_t i = 0; i < plan.smooths.size(); ++i)
    if (plan.smooths[i].level == level && plan.smooths[i].kernel == kernel)
      return static_cast<int>(i);
  plan.smooths.push_back({level, std::move(kernel)});
  return static_cast<int>(plan.smooths.size()) - 1;
}

struct Scales {
  double s2 = 0;  // variance in space on the level
  double t2 = 0;
};
Channel make_channel(PointPlan& plan, int level, Scales scales, double space_weight) {
  Channel channel;
  channel.level = level;
  channel.smooth = add_smooth(plan, level, scales.s2);
  channel.sigma2 = static_cast<float>(std::ldexp(scales.s2, 2 * level));
  channel.tau2 = static_cast<float>(scales.t2);
  channel.time = gaussian(scales.t2);
  channel.along = static_cast<float>(space_weight * std::sqrt(scales.s2) / kSobel);
  channel.over_time = static_cast<float>(std::sqrt(scales.t2) / 2);
  channel.half_space = kPatchSpace * std::sqrt(scales.s2);
  channel.half_time = kPatchTime * std::sqrt(scales.t2);
  return channel;
}

PointPlan base_plan(const PointOptions& options) {
  PointPlan plan;
  plan.detector = options.detector;
  plan.descriptors = options.descriptors;
  plan.votes = options.votes;
  plan.still = static_cast<float>(options.still);
  plan.border = 0;
  return plan;
}

void plan_harris(const HarrisOptions& options, PointPlan& plan) {
  plan.k = static_cast<float>(options.k);
  plan.threshold = static_cast<float>(options.threshold);
  plan.border = options.border;
  plan.levels = options.levels;
  for (int level = 0; level < options.levels; ++level)
    for (int s = 0; s < options.scales; ++s)
      for (int t = 0; t < options.scales; ++t) {
        const Scales scales{std::ldexp(options.sigma2, s), std::ldexp(options.tau2, t)};
        Channel channel = make_channel(plan, level, scales, options.space_weight);
        channel.sum_space = gaussian(kIntegration * scales.s2);
        channel.sum_time = gaussian(kIntegration * scales.t2);
        plan.channels.push_back(std::move(channel));
      }
}

void plan_periodic(const PeriodicOptions& options, PointPlan& plan) {
  plan.threshold = static_cast<float>(options.threshold);
  PeriodicPlan& periodic = plan.periodic;
  periodic.smooth = add_smooth(plan, 0, options.sigma * options.sigma);
  const int radius = static_cast<int>(std::ceil(kFilterReach * options.tau - kRoundedDown));
  std::vector<double> even, odd;
  for (int t = -radius; t <= radius; ++t) {
    const double envelope = std::exp(-t * t / (4 * options.tau * options.tau));
    const double phase = 2 * std::numbers::pi * t * options.frequency;
    even.push_back(-std::cos(phase) * envelope);
    odd.push_back(-std::sin(phase) * envelope);
  }
  periodic.even = filter_of(even);
  periodic.odd = filter_of(odd);
  const auto reach = [&](double extent) {
    return std::max(1, static_cast<int>(std::ceil(kMaximaReach * extent * (2 - options.overlap) -
                                                  kRoundedDown)));
  };
  periodic.radius_space = reach(options.sigma);
  periodic.radius_time = reach(options.tau);
  const Scales scales{options.sigma * options.sigma, options.tau * options.tau};
  plan.sigma2 = static_cast<float>(scales.s2);
  plan.tau2 = static_cast<float>(scales.t2);
  if (plan.descriptors) plan.channels.push_back(make_channel(plan, 0, scales, 1));
}

// A point is complete when all frames that its descriptor reads have arrived.
void set_latency(PointPlan& plan) {
  int latency = 0;
  if (plan.detector == PointDetector::kPeriodic && !plan.periodic.even.empty())
    latency = static_cast<int>(plan.periodic.even.size() / 2) + plan.periodic.radius_time;
  for (const Channel& channel : plan.channels) {
    if (!channel.sum_time.empty()) latency = std::max(latency, channel.response_lag() + 1);
    if (plan.descriptors)
      latency = std::max(
          latency, channel.derivative_lag() + static_cast<int>(std::floor(channel.half_time)));
  }
  plan.latency = latency;
}

}  // namespace

float PointPlan::sigma2_of(int channel) const {
  return channels.empty() ? sigma2 : channels[static_cast<std::size_t>(channel)].sigma2;
}
float PointPlan::tau2_of(int channel) const {
  return channels.empty() ? tau2 : channels[static_cast<std::size_t>(channel)].tau2;
}

int PointPlan::smooth_radius() const {
  int radius = static_cast<int>(periodic.even.size() / 2);
  for (const Channel& channel : channels) radius = std::max(radius, channel.time_radius());
  return radius;
}

PointPlan plan_points(const PointOptions& options) {
  check_options(options);
  PointPlan plan = base_plan(options);
  if (options.detector == PointDetector::kHarris) plan_harris(options.harris, plan);
  else plan_periodic(options.periodic, plan);
  set_latency(plan);
  return plan;
}

int level_of(double sigma2, const PointOptions& options) {
  int level = 0;
  while (level + 1 < options.harris.levels &&
         std::ldexp(sigma2, -2 * (level + 1)) >= options.harris.sigma2)
    ++level;
  return level;
}

PointPlan plan_descriptors(std::span<const SpaceTimePoint> points, const PointOptions& options) {
  check_options(options);
  PointPlan plan = base_plan(options);
  plan.descriptors = true;
  for (const SpaceTimePoint& point : points) {
    const bool known = std::any_of(plan.channels.begin(), plan.channels.end(), [&](const auto& c) {
      return c.sigma2 == point.sigma2 && c.tau2 == point.tau2;
    });
    if (known) continue;
    const int level = level_of(point.sigma2, options);
    plan.levels = std::max(plan.levels, level + 1);
    plan.channels.push_back(
        make_channel(plan, level, {std::ldexp(point.sigma2, -2 * level), point.tau2}, 1));
    plan.channels.back().sigma2 = point.sigma2;
  }
  set_latency(plan);
  return plan;
}

std::vector<Extent> level_sizes(int width, int height, int levels) {
  std::vector<Extent> sizes;
  for (int level = 0; level < levels; ++level) {
    sizes.push_back({width, height});
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
  return sizes;
}

CellSpan cell_span(double half, int cells, int index) {
  const auto edge = [&](int i) {
    return static_cast<int>(std::floor(-half + 2 * half * i / cells + kRoundedDown));
  };
  return {edge(index), edge(index + 1)};
}

}  // namespace fovea::actions
