#include "actions/evaluate/score.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "actions/infinity.h"
#include "actions/match/features.h"

namespace fovea::actions {
namespace {

// Returns the mean of the least finite values; infinite if there are none.
template <class Number>
double mean_of_least(std::vector<Number>& values, int count) {
  std::erase_if(values, [](Number value) { return !std::isfinite(value); });
  if (values.empty()) return kInfinity<double>;
  const auto some = std::min(values.size(), static_cast<std::size_t>(count));
  std::ranges::partial_sort(values, values.begin() + static_cast<std::ptrdiff_t>(some));
  double sum = 0;
  for (std::size_t i = 0; i < some; ++i) sum += static_cast<double>(values[i]);
  return sum / static_cast<double>(some);
}

double mean_of(std::span<const float> row, std::span<const int> columns) {
  double sum = 0;
  for (const int column : columns)
    sum += static_cast<double>(row[static_cast<std::size_t>(column)]);
  return columns.empty() ? kInfinity<double> : sum / static_cast<double>(columns.size());
}

}  // namespace

std::span<const Choice> choices(Score) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"energy", static_cast<int>(Score::kEnergy)},
       {"appearance", static_cast<int>(Score::kAppearance)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, ScoreOptions& options) {
  visit("score", options.score,
        "part of a match that is its distance: the whole energy, or appearance alone");
  visit("best", options.best, "number of best matches whose mean is the distance to a class", 1,
        1000);
  visit("symmetric", options.symmetric, "match clips both ways; for whole clips, not for streams");
  visit("fusion", options.fusion,
        "weight of single descriptors relative to matches; 0 uses matches alone", 0, 100);
}

void describe(OptionVisitor& visit, CutOptions& options) {
  visit("nodes", options.nodes, "nodes of a prototype: frames that have a point", 3, 1000);
  visit("step", options.step,
        "nodes from the beginning of a prototype to the beginning of the next", 1, 1000);
  visit("mirror", options.mirror, "add the mirror image of each prototype",
        {.off_help = "keep prototypes only as they were filmed, without mirror images"});
  visit("model-points", options.points,
        "most points of each frame of a prototype, the most confident; more than 1 needs --variant",
        1, 100);
  visit("variant", options.variant,
        "how prototypes with several points per frame are matched: as chains of one point per "
        "frame, whose distances are averaged, or greedily, points before frames");
}

void check_cut(const CutOptions& options) {
  check_options(options);
  if (options.points > 1 && options.variant == Variant::kSingle)
    throw InvalidArgument(fmt::format(
        "{} points per frame of a model, but the variant single has one; choose the variant chains "
        "or greedy",
        options.points));
}

Scene clip_scene(const PointSet& points, int most, const FeatureOptions& options) {
  PointSet rounded = most == 1 ? most_salient(points) : clone(points);
  round_to_file(rounded.descriptors);
  return make_scene(rounded, most, options);
}

ClassDistances nearest_prototypes(std::span<const float> row, std::span<const int> columns,
                                  std::span<const Prototype> prototypes, int classes, int best) {
  const auto count = static_cast<std::size_t>(classes);
  ClassDistances result{std::vector<double>(count, kInfinity<double>), std::vector<int>(count, -1),
                        std::vector<float>(count, kInfinity<float>)};
  std::vector<std::vector<float>> values(count);
  for (const int column : columns) {
    const float value = row[static_cast<std::size_t>(column)];
    const auto label = static_cast<std::size_t>(prototypes[static_cast<std::size_t>(column)].label);
    values[label].push_back(value);
    if (!(value < result.nearest[label])) continue;
    result.nearest[label] = value;
    result.prototypes[label] = column;
  }
  for (std::size_t label = 0; label < count; ++label)
    result.distances[label] = mean_of_least(values[label], best);
  return result;
}

std::vector<ClipColumns> columns_by_clip(std::span<const Prototype> prototypes, int clips) {
  std::vector<ClipColumns> result(static_cast<std::size_t>(clips));
  for (std::size_t i = 0; i < prototypes.size(); ++i) {
    ClipColumns& clip = result[static_cast<std::size_t>(prototypes[i].clip)];
    (prototypes[i].mirrored ? clip.mirrored : clip.plain).push_back(static_cast<int>(i));
  }
  return result;
}

double clip_distance(std::span<const float> row, const ClipColumns& columns) {
  return std::min(mean_of(row, columns.plain), mean_of(row, columns.mirrored));
}

double symmetric_distance(double forward, double backward) {
  if (!std::isfinite(forward)) return backward;
  if (!std::isfinite(backward)) return forward;
  return (forward + backward) / 2;
}

std::vector<double> nearest_clips(std::span<const double> distances,
                                  std::span<const std::int32_t> labels, int classes, int best) {
  std::vector<std::vector<double>> values(static_cast<std::size_t>(classes));
  for (std::size_t i = 0; i < distances.size(); ++i)
    values[static_cast<std::size_t>(labels[i])].push_back(distances[i]);
  std::vector<double> result;
  result.reserve(values.size());
  for (auto& of_class : values) result.push_back(mean_of_least(of_class, best));
  return result;
}

std::vector<double> z_scores(std::span<const double> values) {
  double greatest = -kInfinity<double>;
  for (const double value : values)
    if (std::isfinite(value)) greatest = std::max(greatest, value);
  std::vector<double> result(values.begin(), values.end());
  if (!std::isfinite(greatest)) return std::vector<double>(values.size(), 0);
  double mean = 0, variance = 0;
  for (double& value : result) {
    if (!std::isfinite(value)) value = greatest;
    mean += value / static_cast<double>(result.size());
  }
  for (const double value : result)
    variance += (value - mean) * (value - mean) / static_cast<double>(result.size());
  const double deviation = std::sqrt(variance);
  for (double& value : result) value = deviation > 0 ? (value - mean) / deviation : 0;
  return result;
}

std::vector<double> fused(std::span<const double> distances, std::span<const double> singles,
                          double weight) {
  std::vector<double> result = z_scores(distances);
  const std::vector<double> other = z_scores(singles);
  for (std::size_t i = 0; i < result.size(); ++i) result[i] += weight * other[i];
  return result;
}

ClassDistances class_distances(const ClipEvidence& evidence, const ScoreOptions& options,
                               int classes) {
  ClassDistances result = nearest_prototypes(evidence.row, evidence.columns, evidence.prototypes,
                                             classes, options.best);
  if (options.symmetric)
    result.distances = nearest_clips(evidence.clips, evidence.clip_labels, classes, options.best);
  result.matching = result.distances;
  if (options.fusion > 0 && least_of(result.distances) >= 0)
    result.distances = fused(result.distances, evidence.singles, options.fusion);
  return result;
}

int least_of(std::span<const double> distances) {
  int best = -1;
  for (std::size_t i = 0; i < distances.size(); ++i)
    if (std::isfinite(distances[i]) &&
        (best < 0 || distances[i] < distances[static_cast<std::size_t>(best)]))
      best = static_cast<int>(i);
  return best;
}

int second_of(std::span<const double> distances) {
  const int best = least_of(distances);
  int second = -1;
  for (std::size_t i = 0; i < distances.size(); ++i)
    if (static_cast<int>(i) != best && std::isfinite(distances[i]) &&
        (second < 0 || distances[i] < distances[static_cast<std::size_t>(second)]))
      second = static_cast<int>(i);
  return second;
}

double margin_of(std::span<const double> distances) {
  const int best = least_of(distances), second = second_of(distances);
  if (best < 0 || second < 0) return 0;
  const double least = distances[static_cast<std::size_t>(best)];
  const double more = distances[static_cast<std::size_t>(second)] - least;
  if (least == 0) return more > 0 ? kInfinity<double> : 0;
  return more / std::abs(least);
}

double log_odds_of(std::span<const double> distances) {
  const int best = least_of(distances), second = second_of(distances);
  if (best < 0 || second < 0) return 0;
  return distances[static_cast<std::size_t>(second)] - distances[static_cast<std::size_t>(best)];
}

}  // namespace fovea::actions
