// k-means: checks the points, chooses the scales of their whole numbers and drives a device's
// engine through starts and iterations. All decisions are made here, so that the twins cannot
// differ in them.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/ops/kmeans.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "core/dispatch.h"
#include "ops/kmeans/backend.h"
#include "ops/kmeans/run.h"
#include "ops/kmeans/scales.h"

namespace fovea {
namespace {

using detail::KmeansEngine;
using detail::KmeansLimits;
using detail::KmeansStep;

void check_points(ImageView<const float> points, const KmeansOptions& options) {
  check_options(options);
  if (points.channels != 1)
    throw InvalidArgument(fmt::format(
        "kmeans: points of {} channels, expected 1: a row holds a point", points.channels));
  constexpr int kMostDimensions = 4096;
  if (points.height > 0 && (points.width < 1 || points.width > kMostDimensions))
    throw InvalidArgument(fmt::format("kmeans: points of {} numbers, expected 1 to {}",
                                      points.width, kMostDimensions));
  if (points.height < options.clusters)
    throw InvalidArgument(
        fmt::format("kmeans: {} points are fewer than {} clusters; ask for fewer "
                    "clusters or give more points",
                    std::max(points.height, 0), options.clusters));
}

[[noreturn]] void throw_offending(ImageView<const float> points, int point) {
  const Image<float> row = clone(points.crop(0, point, points.width, 1));
  int i = 0;
  while (i + 1 < points.width && std::abs(row.row(0)[i]) <= KmeansLimits::kLargest) ++i;
  throw InvalidArgument(fmt::format(
      "kmeans: number {} of point {} is {}, expected finite ones up to {:g}, no NaN or inf", i,
      point, row.row(0)[i], KmeansLimits::kLargest));
}

// Chooses scales for sums of up to `additions` numbers.
detail::KmeansScales choose_scales(const std::vector<float>& largest, std::int64_t additions) {
  const int room = detail::bits_for(additions);
  detail::KmeansScales scales;
  double bound = 0;  // bound of a squared distance: point and center at opposite ends
  for (const float number : largest) {
    scales.values.push_back(detail::scale_for(number, std::min(room, KmeansLimits::kValueBits)));
    bound += 4 * static_cast<double>(number) * static_cast<double>(number);
  }
  constexpr double kRounding = 1.01;  // how much too large a rounded distance may be
  scales.distance =
      detail::scale_for(bound * kRounding, std::min(room, KmeansLimits::kDistanceBits));
  return scales;
}

// Draws `count` of `points` points, all equally likely and none twice, by Floyd's algorithm.
std::vector<std::int32_t> draw_points(int points, int count, Random random) {
  std::unordered_set<std::int32_t> seen;
  std::vector<std::int32_t> drawn;
  for (int last = points - count; last < points; ++last) {
    const auto candidate =
        static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(last) + 1));
    drawn.push_back(seen.insert(candidate).second ? candidate : last);
    seen.insert(drawn.back());
  }
  return drawn;
}

// Chooses points for clusters that have none: those that lie farthest from their centers (the first
// among equals), provided that this distance is not 0 and that their own cluster keeps a point. A
// cluster passes over one point at most, its last, which bounds how many points are looked at.
std::vector<detail::KmeansTransfer> choose_transfers(KmeansEngine& engine, int empty,
                                                     double distance_scale) {
  const std::span<const std::int64_t> given = engine.counts();
  std::vector<std::int64_t> counts(given.begin(), given.end());
  std::vector<detail::KmeansTransfer> transfers;
  std::int32_t cluster = 0;
  for (const detail::KmeansCandidate& candidate :
       engine.farthest(empty + static_cast<int>(counts.size()), distance_scale)) {
    if (static_cast<int>(transfers.size()) == empty) break;
    std::int64_t& left = counts[static_cast<std::size_t>(candidate.label)];
    if (left < 2) continue;
    while (given[static_cast<std::size_t>(cluster)] != 0) ++cluster;
    --left;
    transfers.push_back({candidate.point, candidate.label, cluster++});
  }
  return transfers;
}

class Run {
 public:
  Run(int points, const detail::KmeansSurvey& survey, const KmeansOptions& options,
      KmeansEngine& engine)
      : points_(points),
        dimensions_(static_cast<int>(survey.largest.size())),
        options_(options),
        engine_(engine) {
    const std::int64_t drawn = std::int64_t{options.batch} * options.max_iterations;
    scales_ = choose_scales(survey.largest, std::max<std::int64_t>(points_, drawn));
    engine.set_scales(scales_);
    if (options.tolerance > 0) tolerance_ = options.tolerance * spread();
  }

  Kmeans from_start(int number) {
    start(number);
    refilled_at_ = std::numeric_limits<std::int64_t>::max();
    Kmeans result;
    KmeansStep last;
    for (int i = 0; i < options_.max_iterations && !result.converged; ++i) {
      throw_if_stopped(options_.exec);
      report(number, i);
      last = options_.batch > 0 ? batch(number, i) : engine_.step(true);
      KmeansIteration iteration{inertia_of(last), last.changed, 0, 0};
      if (last.empty > 0) iteration.refilled = refill(last);
      iteration.shift = std::sqrt(last.squared_shift);
      result.iterations.push_back(iteration);
      settled_ = options_.batch == 0 && last.changed == 0 && iteration.refilled == 0;
      result.converged =
          settled_ || (tolerance_ >= 0 && iteration.shift <= tolerance_ && iteration.refilled == 0);
    }
    finish(result, last);
    report(number + 1, 0);  // the remaining iterations of this start are not needed
    return result;
  }

 private:
  double inertia_of(const KmeansStep& step) const {
    return static_cast<double>(step.inertia) / scales_.distance;
  }

  // The root mean squared distance of the points from their mean.
  double spread() {
    const std::int32_t first = 0;
    engine_.start_at({&first, 1});
    engine_.step(true);
    return std::sqrt(inertia_of(engine_.step(false)) / points_);
  }

  // Every start has its own random numbers: sequence 0 is for its beginning, i + 1 for the batch of
  // iteration i.
  std::uint64_t sequence(int start, int part) const {
    return (static_cast<std::uint64_t>(start) << 32) + static_cast<std::uint64_t>(part);
  }

  void start(int number) {
    const std::uint64_t seed = options_.exec.seed;
    if (options_.start == KmeansStart::kPlusPlus)
      return engine_.start_plus_plus(options_.clusters, seed, sequence(number, 0));
    std::vector<std::int32_t> chosen;
    if (options_.start == KmeansStart::kRandom)
      chosen = draw_points(points_, options_.clusters, Random(seed, sequence(number, 0)));
    else
      for (int c = 0; c < options_.clusters; ++c)
        chosen.push_back(c * (points_ / options_.clusters));
    engine_.start_at(chosen);
  }

  KmeansStep batch(int start, int iteration) {
    Random random(options_.exec.seed, sequence(start, iteration + 1));
    std::vector<std::int32_t> drawn(static_cast<std::size_t>(options_.batch));
    for (std::int32_t& point : drawn)
      point = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(points_)));
    return engine_.step_batch(drawn);
  }

  // A new cluster may lose its point again where rounding hides how far it lies from another
  // center. So clusters are refilled only if the inertia has fallen since the last time.
  int refill(KmeansStep& step) {
    if (step.inertia >= refilled_at_) return 0;
    refilled_at_ = step.inertia;
    const auto transfers = choose_transfers(engine_, step.empty, scales_.distance);
    if (!transfers.empty()) step.squared_shift = engine_.transfer(transfers);
    return static_cast<int>(transfers.size());
  }

  // Computes the labels for the final centers. Where nothing changed, the last labels are already
  // right.
  void finish(Kmeans& result, const KmeansStep& last) {
    const KmeansStep settled = settled_ ? last : engine_.step(false);
    result.inertia = inertia_of(settled);
    const auto labels = engine_.labels();
    result.labels.assign(labels.begin(), labels.end());
    const auto counts = engine_.counts();
    result.counts.assign(counts.begin(), counts.end());
    result.centers = Image<float>(dimensions_, options_.clusters);
    engine_.read_centers(result.centers);
  }

  void report(int start, int iteration) {
    if (!options_.exec.progress) return;
    const int stride = std::max(1, options_.restarts * options_.max_iterations / 200);
    const int done = start * options_.max_iterations + iteration;
    const int all = options_.restarts * options_.max_iterations;
    if (done % stride != 0 && done != all) return;
    options_.exec.progress({"k-means", static_cast<double>(done), static_cast<double>(all)});
  }

  int points_;
  int dimensions_;
  const KmeansOptions& options_;
  KmeansEngine& engine_;
  detail::KmeansScales scales_;
  double tolerance_ = -1;  // in the points' unit
  bool settled_ = false;
  std::int64_t refilled_at_ = 0;  // inertia when empty clusters were last refilled
};

}  // namespace

std::span<const Choice> choices(KmeansStart) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"plus-plus", static_cast<int>(KmeansStart::kPlusPlus)},
       {"random", static_cast<int>(KmeansStart::kRandom)},
       {"spread", static_cast<int>(KmeansStart::kSpread)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, KmeansOptions& options) {
  visit("clusters", options.clusters, "how many clusters, no more than there are points", 1, 65535);
  visit("start", options.start,
        "where centers begin: plus-plus draws far points more often, random draws all points "
        "equally often, spread takes every n-th point");
  visit("restarts", options.restarts,
        "how many starts are tried; the result with the least inertia counts", 1, 1000);
  visit("max-iterations", options.max_iterations, "how many iterations a start has at most", 1,
        100000);
  visit("tolerance", options.tolerance,
        "stop where no center moved farther than this many times the spread of the points; 0 goes "
        "on until no point changes its cluster",
        0, 1);
  visit("batch", options.batch,
        "how many points, drawn at random, an iteration looks at (mini-batch); 0, or as many as "
        "there are points, looks at all",
        0, 1 << 24);
}

Kmeans kmeans(ImageView<const float> points, const KmeansOptions& options) {
  check_points(points, options);
  KmeansOptions resolved = options;
  resolved.exec = detail::resolve_exec("kmeans", options.exec, {points});
  if (resolved.batch >= points.height) resolved.batch = 0;
  const auto engine = detail::on_cuda(resolved.exec)
                          ? cuda::make_kmeans_engine(points, resolved.exec)
                          : cpu::make_kmeans_engine(points, resolved.exec);
  const detail::KmeansSurvey survey = engine->survey();
  if (survey.offending >= 0) throw_offending(points, survey.offending);
  return detail::run_kmeans(*engine, survey, points.height, resolved);
}

namespace detail {

void keep_farthest(std::vector<KmeansCandidate>& candidates, int most) {
  const auto middle = candidates.begin() + std::min<std::ptrdiff_t>(most, std::ssize(candidates));
  std::partial_sort(candidates.begin(), middle, candidates.end(),
                    [](const KmeansCandidate& a, const KmeansCandidate& b) {
                      return a.distance != b.distance ? a.distance > b.distance : a.point < b.point;
                    });
  candidates.erase(middle, candidates.end());
}

std::vector<KmeansCandidate> KmeansEngine::farthest(int most, double scale) {
  const std::span<const float> all = distances();
  const std::span<const std::int32_t> given = labels();
  std::vector<KmeansCandidate> candidates;
  for (std::size_t p = 0; p < all.size(); ++p)
    if (whole(all[p], scale) > 0)
      candidates.push_back({static_cast<std::int32_t>(p), given[p], all[p]});
  keep_farthest(candidates, most);
  return candidates;
}

Kmeans run_kmeans(KmeansEngine& engine, const KmeansSurvey& survey, int points,
                  const KmeansOptions& options) {
  Run run(points, survey, options, engine);
  Kmeans best = run.from_start(0);
  for (int start = 1; start < options.restarts; ++start) {
    Kmeans next = run.from_start(start);
    if (next.inertia < best.inertia) best = std::move(next);
  }
  return best;
}

}  // namespace detail

}  // namespace fovea
