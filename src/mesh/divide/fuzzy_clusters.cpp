#include <algorithm>
#include <limits>
#include <utility>

#include "mesh/divide/fuzzy.h"

namespace fovea::mesh {

std::vector<std::size_t> spread_candidates(FuzzyEngine& engine, std::span<const std::int32_t> faces,
                                           std::size_t count, std::vector<double>& gaps) {
  const std::vector<double> totals = engine.totals();
  const auto first =
      static_cast<std::size_t>(std::min_element(totals.begin(), totals.end()) - totals.begin());
  std::vector<std::size_t> taken{first};
  std::vector<float> nearest(faces.size(), std::numeric_limits<float>::infinity());
  std::vector<bool> is_taken(faces.size(), false);
  gaps.clear();
  while (taken.size() < std::min(count, faces.size())) {
    const std::vector<float> latest = engine.row(taken.back());
    is_taken[taken.back()] = true;
    // If all others are at distance 0, the next one is a candidate that is not taken yet: no face
    // represents two clusters.
    std::size_t farthest = faces.size();
    for (std::size_t i = 0; i < faces.size(); ++i) {
      nearest[i] = std::min(nearest[i], latest[static_cast<std::size_t>(faces[i])]);
      if (is_taken[i]) continue;
      if (farthest == faces.size() || nearest[i] > nearest[farthest]) farthest = i;
    }
    gaps.push_back(static_cast<double>(nearest[farthest]));
    taken.push_back(farthest);
  }
  return taken;
}

std::vector<std::size_t> farthest_pair(FuzzyEngine& engine, std::span<const std::int32_t> faces) {
  // If only some faces are candidates, the face farthest from one of them may not be a candidate.
  // The first is therefore the candidate with the greatest distance to any face, and the second is
  // the candidate farthest from it.
  const std::vector<float> reaches = engine.reaches();
  const auto a =
      static_cast<std::size_t>(std::max_element(reaches.begin(), reaches.end()) - reaches.begin());
  const std::vector<float> row = engine.row(a);
  std::size_t b = a == 0 && faces.size() > 1 ? 1 : 0;
  for (std::size_t i = 0; i < faces.size(); ++i)
    if (i != a && row[static_cast<std::size_t>(faces[i])] > row[static_cast<std::size_t>(faces[b])])
      b = i;
  return {std::min(a, b), std::max(a, b)};
}

int count_by_gaps(std::span<const double> gaps) {
  // gaps[i] belongs to representative i + 2; there is no decrease after the last.
  int best = 1;
  double most = 0;
  for (std::size_t i = 0; i + 1 < gaps.size(); ++i) {
    if (!(gaps[i] - gaps[i + 1] > most)) continue;  // also true if both are infinite
    most = gaps[i] - gaps[i + 1];
    best = static_cast<int>(i) + 2;
  }
  return best;
}

std::vector<std::size_t> moved(std::span<const double> totals,
                               std::span<const std::size_t> representatives) {
  const std::size_t count = representatives.size();
  std::vector<std::size_t> result(representatives.begin(), representatives.end());
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t i = 0; i * count < totals.size(); ++i) {
      // A candidate represents one cluster only.
      if (totals[i * count + j] < totals[result[j] * count + j] &&
          std::find(result.begin(), result.end(), i) == result.end())
        result[j] = i;
    }
  }
  return result;
}

FuzzyRun settle_representatives(FuzzyEngine& engine, std::span<const std::int32_t> faces,
                                const FuzzyPlan& plan) {
  FuzzyRun run;
  std::vector<double> gaps;
  const int most = plan.count > 0 ? plan.count : plan.most + 1;
  run.representatives =
      plan.count == 2 ? farthest_pair(engine, faces)
                      : spread_candidates(engine, faces, static_cast<std::size_t>(most), gaps);
  for (std::size_t i = 0; plan.count == 0 && i + 1 < gaps.size(); ++i)
    run.decreases.push_back(gaps[i] - gaps[i + 1]);
  if (plan.count == 0)
    run.representatives.resize(
        std::min(run.representatives.size(), static_cast<std::size_t>(count_by_gaps(gaps))));
  engine.belong_to(run.representatives, plan.power);
  for (; run.rounds < plan.rounds; ++run.rounds) {
    throw_if_stopped(plan.exec);
    std::vector<std::size_t> next = moved(engine.weighted_totals(), run.representatives);
    if (next == run.representatives) {
      run.converged = true;
      break;
    }
    run.representatives = std::move(next);
    engine.belong_to(run.representatives, plan.power);
  }
  return run;
}

}  // namespace fovea::mesh
