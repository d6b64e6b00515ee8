// Covers: fold_singles, evaluate_fold
#include "actions/evaluate/fold_singles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "actions/infinity.h"
#include "actions/match/features.h"
#include "actions/synthetic.h"
#include "actions/train/train.h"

namespace fovea::actions {
namespace {

// The textbook loop: each point of a clip, each point of a class and its mirror image.
std::vector<double> slow_distances(const SyntheticCorpus& set, const FoldJob& job, int clip) {
  const Image<float> own = fusion_rows(set.points[static_cast<std::size_t>(clip)], 0);
  std::vector<double> sums(set.corpus.classes.size(), 0);
  for (int y = 0; y < own.height(); ++y) {
    std::vector<double> least(sums.size(), kInfinity<double>);
    for (const int other : job.train) {
      const Image<float> known = fusion_rows(set.points[static_cast<std::size_t>(other)], 0);
      auto& value =
          least[static_cast<std::size_t>(set.corpus.clips[static_cast<std::size_t>(other)].label)];
      for (int k = 0; k < known.height(); ++k) {
        std::vector<float> turned(kHofSize);
        mirror_hof(known.row(k), turned.data());
        double plain = 0, mirror = 0;
        for (int i = 0; i < kHofSize; ++i) {
          const double a = own.at(i, y);
          plain += (a - known.at(i, k)) * (a - known.at(i, k));
          mirror +=
              (a - turned[static_cast<std::size_t>(i)]) * (a - turned[static_cast<std::size_t>(i)]);
        }
        value = std::min({value, plain, mirror});
      }
    }
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += least[c] / own.height();
  }
  return sums;
}

TEST(FoldSingles, AreTheDistancesOfEveryPair) {
  const SyntheticCorpus set(2, 3, 6);
  const FoldJobs jobs(set.corpus, leave_one_subject_out(set.corpus), true);
  const FoldSingles singles(ClipSource(set.points), jobs, 2, 0, {});
  for (std::size_t job = 0; job < jobs.jobs().size(); ++job)
    for (std::size_t i = 0; i < jobs.jobs()[job].test.size(); ++i) {
      const auto slow = slow_distances(set, jobs.jobs()[job], jobs.jobs()[job].test[i]);
      const auto fast = singles.distances(static_cast<int>(job), i);
      for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(fast[c], slow[c], 1e-4 * slow[c]);
    }
}

}  // namespace
}  // namespace fovea::actions
