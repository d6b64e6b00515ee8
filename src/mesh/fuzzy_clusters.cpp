#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/parallel.h"
#include "mesh/fuzzy.h"

namespace fovea::mesh {
namespace {

// A face at a representative's place belongs to it alone; others share by 1 / this at most.
constexpr double kLeastDistance = 1e-12;

}  // namespace

std::vector<std::size_t> spread_candidates(const CandidateRows& candidates, std::size_t count,
                                           std::vector<double>& gaps) {
  const std::size_t all = candidates.faces.size();
  const auto faces = static_cast<std::size_t>(candidates.rows.width());
  std::size_t first = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < all; ++i) {
    double sum = 0;
    for (std::size_t face = 0; face < faces; ++face)
      sum += static_cast<double>(candidates.at(i, face));
    if (sum < least) std::tie(least, first) = std::pair(sum, i);
  }
  std::vector<std::size_t> taken{first};
  std::vector<float> nearest(all, std::numeric_limits<float>::infinity());
  gaps.clear();
  while (taken.size() < std::min(count, all)) {
    std::size_t farthest = 0;
    for (std::size_t i = 0; i < all; ++i) {
      nearest[i] = std::min(
          nearest[i], candidates.at(taken.back(), static_cast<std::size_t>(candidates.faces[i])));
      if (nearest[i] > nearest[farthest]) farthest = i;
    }
    gaps.push_back(static_cast<double>(nearest[farthest]));
    taken.push_back(farthest);
  }
  return taken;
}

std::vector<std::size_t> farthest_pair(const CandidateRows& candidates) {
  std::size_t a = 0;
  std::size_t b = candidates.faces.size() > 1 ? 1 : 0;
  float most = -1;
  for (std::size_t i = 0; i < candidates.faces.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const float apart = candidates.at(i, static_cast<std::size_t>(candidates.faces[j]));
      if (apart > most) {
        most = apart;
        a = j;
        b = i;
      }
    }
  }
  return {a, b};
}

int count_by_gaps(std::span<const double> gaps) {
  // gaps[i] is that of representative i + 2; the last has none to fall to.
  int best = 1;
  double most = 0;
  for (std::size_t i = 0; i + 1 < gaps.size(); ++i) {
    if (gaps[i] - gaps[i + 1] <= most) continue;
    most = gaps[i] - gaps[i + 1];
    best = static_cast<int>(i) + 2;
  }
  return best;
}

Image<float> memberships(const CandidateRows& candidates,
                         std::span<const std::size_t> representatives) {
  const int faces = candidates.rows.width();
  const auto count = static_cast<int>(representatives.size());
  Image<float> result(faces, count);
  std::vector<double> share(representatives.size());
  for (int face = 0; face < faces; ++face) {
    double sum = 0;
    for (std::size_t i = 0; i < share.size(); ++i) {
      const auto distance =
          static_cast<double>(candidates.at(representatives[i], static_cast<std::size_t>(face)));
      share[i] = 1 / std::max(distance, kLeastDistance);
      sum += share[i];
    }
    for (int i = 0; i < count; ++i)
      result.at(face, i) = static_cast<float>(share[static_cast<std::size_t>(i)] / sum);
  }
  return result;
}

std::vector<std::size_t> moved(const CandidateRows& candidates, const Image<float>& membership,
                               std::span<const std::size_t> representatives, const Exec& exec) {
  const std::size_t all = candidates.faces.size();
  const std::size_t count = representatives.size();
  const int faces = candidates.rows.width();
  std::vector<double> sums(all * count);
  parallel_for(exec, static_cast<std::int64_t>(all), 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const float* row = &candidates.rows.at(0, static_cast<int>(i));
      for (std::size_t j = 0; j < count; ++j) {
        const float* weight = &membership.at(0, static_cast<int>(j));
        double lanes[8] = {};  // independent sums, in an order that no compiler may change
        int face = 0;
        for (; face + 8 <= faces; face += 8)
          for (int lane = 0; lane < 8; ++lane)
            lanes[lane] += static_cast<double>(row[face + lane] * weight[face + lane]);
        double sum = 0;
        for (; face < faces; ++face) sum += static_cast<double>(row[face] * weight[face]);
        for (const double lane : lanes) sum += lane;
        sums[static_cast<std::size_t>(i) * count + j] = sum;
      }
    }
  });
  std::vector<std::size_t> result(representatives.begin(), representatives.end());
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t i = 0; i < all; ++i) {
      // A candidate represents one cluster only.
      if (sums[i * count + j] < sums[result[j] * count + j] &&
          std::find(result.begin(), result.end(), i) == result.end())
        result[j] = i;
    }
  }
  return result;
}

}  // namespace fovea::mesh
