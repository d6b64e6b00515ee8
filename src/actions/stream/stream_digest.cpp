// What the matches that end in a frame mean for events.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "actions/infinity.h"
#include "actions/stream/stream_engine.h"

namespace fovea::actions::detail {

void order_matches(std::vector<DigestMatch>& matches) {
  std::ranges::sort(matches, [](const DigestMatch& a, const DigestMatch& b) {
    return std::tuple(-static_cast<std::int64_t>(a.first_frame), a.distance, a.chain) <
           std::tuple(-static_cast<std::int64_t>(b.first_frame), b.distance, b.chain);
  });
  std::size_t kept = 0;
  for (const DigestMatch& match : matches)
    if (kept == 0 || std::tuple(match.distance, match.chain) <
                         std::tuple(matches[kept - 1].distance, matches[kept - 1].chain))
      matches[kept++] = match;
  matches.resize(kept);
}

FrameDigest digest_of(std::int32_t frame, std::span<const MatchScore> scores,
                      const DigestRules& rules) {
  FrameDigest digest{
      frame, std::vector<double>(static_cast<std::size_t>(rules.classes), kInfinity<double>), {}};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (!std::isfinite(scores[i].energy)) continue;
    const double distance =
        static_cast<double>(rules.by_energy ? scores[i].energy : scores[i].appearance) /
        rules.nodes[i];
    double& of_class = digest.nearest[static_cast<std::size_t>(rules.labels[i])];
    of_class = std::min(of_class, distance);
    if (distance <= rules.limits[i])
      digest.matches.push_back({distance, static_cast<std::int32_t>(i), scores[i].first_frame});
  }
  order_matches(digest.matches);
  return digest;
}

}  // namespace fovea::actions::detail
