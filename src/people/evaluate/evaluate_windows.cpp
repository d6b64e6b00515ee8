// Curves of miss rate over false positives per window.
#include <fovea/core/error.h>
#include <fovea/people/evaluate.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace fovea::people {
namespace {

std::vector<float> descending(std::span<const float> scores, const char* what) {
  if (scores.empty())
    throw InvalidArgument(std::string("evaluate_windows: there are no scores of ") + what);
  if (std::any_of(scores.begin(), scores.end(), [](float score) { return std::isnan(score); }))
    throw InvalidArgument(std::string("evaluate_windows: a score of ") + what + " is NaN");
  std::vector<float> sorted(scores.begin(), scores.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  return sorted;
}

}  // namespace

WindowReport evaluate_windows(std::span<const float> positives, std::span<const float> negatives) {
  const std::vector<float> people = descending(positives, "positives");
  const std::vector<float> others = descending(negatives, "negatives");
  WindowReport result;
  result.positives = static_cast<std::int64_t>(people.size());
  result.negatives = static_cast<std::int64_t>(others.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < people.size(); ++i) {
    const float score = people[i];
    if (score == -std::numeric_limits<float>::infinity()) break;
    if (i + 1 < people.size() && people[i + 1] == score) continue;
    while (wrong < others.size() && others[wrong] >= score) ++wrong;
    const auto hits = static_cast<double>(i + 1);
    result.curve.push_back({score, static_cast<double>(wrong) / static_cast<double>(others.size()),
                            1 - hits / static_cast<double>(people.size()),
                            hits / (hits + static_cast<double>(wrong))});
  }
  return result;
}

double WindowReport::miss_rate_at(double false_positives) const {
  double rate = 1;
  for (const CurvePoint& point : curve) {
    if (point.false_positives <= false_positives) rate = point.miss_rate;
  }
  return rate;
}

double WindowReport::deviation(double miss_rate) const {
  return positives > 0 ? std::sqrt(miss_rate * (1 - miss_rate) / static_cast<double>(positives))
                       : 0;
}

}  // namespace fovea::people
