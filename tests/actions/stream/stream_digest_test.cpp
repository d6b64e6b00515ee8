#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <cmath>

#include "actions/stream/stream_engine.h"

namespace fovea::actions {
namespace {

// Whatever frame an event has to begin after, the best match is in the digest: the last of those
// that begin after it.
TEST(StreamDigest, HasTheBestMatchAfterEveryFrame) {
  for (std::uint64_t number = 0; number < 200; ++number) {
    Random random(3, number);
    detail::DigestRules rules;
    rules.classes = 2;
    rules.by_energy = number % 2 == 0;
    std::vector<MatchScore> scores;
    for (int m = 0; m < 15; ++m) {
      const auto energy = static_cast<float>(random.below(6));
      scores.push_back({random.below(5) == 0 ? INFINITY : energy, energy / 2,
                        static_cast<std::int32_t>(random.below(8)), 9});
      rules.labels.push_back(static_cast<std::int32_t>(random.below(2)));
      rules.nodes.push_back(1 + static_cast<std::int32_t>(random.below(2)));
      rules.limits.push_back(random.below(4) == 0 ? 1 : INFINITY);
    }
    const detail::FrameDigest digest = detail::digest_of(9, scores, rules);
    const auto distance = [&](std::size_t m) {
      return static_cast<double>(rules.by_energy ? scores[m].energy : scores[m].appearance) /
             rules.nodes[m];
    };
    for (int label = 0; label < 2; ++label) {
      double nearest = INFINITY;
      for (std::size_t m = 0; m < scores.size(); ++m)
        if (rules.labels[m] == label && std::isfinite(scores[m].energy))
          nearest = std::min(nearest, distance(m));
      EXPECT_EQ(digest.nearest[static_cast<std::size_t>(label)], nearest);
    }
    for (std::int32_t after = -1; after < 9; ++after) {
      int best = -1;
      for (std::size_t m = 0; m < scores.size(); ++m)
        if (std::isfinite(scores[m].energy) && distance(m) <= rules.limits[m] &&
            scores[m].first_frame > after &&
            (best < 0 || distance(m) < distance(static_cast<std::size_t>(best))))
          best = static_cast<int>(m);
      int found = -1;
      for (const detail::DigestMatch& match : digest.matches)
        if (match.first_frame > after) found = match.chain;
      EXPECT_EQ(found, best) << number << " after " << after;
    }
  }
}

}  // namespace
}  // namespace fovea::actions
