#include "actions/fuse/late_fusion.h"

#include <fovea/core/random.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "actions/infinity.h"

namespace fovea::actions {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void expect_standardized(const std::vector<double>& scores, const std::vector<double>& plain) {
  ASSERT_EQ(scores.size(), plain.size());
  double mean = 0, variance = 0;
  const auto count = static_cast<double>(plain.size());
  for (const double value : plain) mean += value / count;
  for (const double value : plain) variance += (value - mean) * (value - mean) / count;
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_NEAR(scores[i], (plain[i] - mean) / std::sqrt(variance), 1e-12);
}

TEST(LateFusion, ScoresAreLogarithmsSharesAndMargins) {
  const std::vector<double> matching{1, 2, kInfinity<double>}, singles{0.5, 1, 4};
  const std::vector<int> votes{3, 1, 0};
  const std::vector<double> words{-kInfinity<double>, 0.5, -1};
  const FusionScores scores = fusion_scores({matching, singles, votes, words});
  expect_standardized(scores[0], {0, -std::log(2.0), -std::log(2.0)});
  expect_standardized(scores[1], {std::log(2.0), 0, -std::log(4.0)});
  expect_standardized(scores[2], {std::log(3.5 / 5.5), std::log(1.5 / 5.5), std::log(0.5 / 5.5)});
  expect_standardized(scores[3], {-1, 0.5, -1});
  // What says nothing has no scores.
  const std::vector<double> none(3, kInfinity<double>);
  const FusionScores silent = fusion_scores({none, {}, std::vector<int>(3, 0), {}});
  for (const std::vector<double>& part : silent) EXPECT_THAT(part, IsEmpty());
  EXPECT_THAT(fused_distances(silent, {1, 1, 1, 1}, 3), ElementsAre(none[0], none[1], none[2]));
  // A distance of 0 has a finite score.
  const std::vector<double> equal_clip{0, 1}, same{2, 2};
  expect_standardized(fusion_scores({.matching = equal_clip})[0], {1, 0});
  EXPECT_THAT(fusion_scores({.matching = same})[0], ElementsAre(0, 0));
}

TEST(LateFusion, DistancesAreMinusTheLogarithmsOfProbabilities) {
  const FusionScores scores{std::vector<double>{1, 0, -1}, {}, {}, std::vector<double>{0, 2, 0}};
  const std::vector<double> found = fused_distances(scores, {2, 5, 5, 0.5}, 3);
  const std::vector<double> sums{2, 1, -2};
  double all = 0, whole = 0;
  for (const double sum : sums) all += std::exp(sum);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found[i], std::log(all) - sums[i], 1e-12);
    whole += std::exp(-found[i]);
  }
  EXPECT_NEAR(whole, 1, 1e-12);
  // The distance of a class that is nearly certain is small, but not 0.
  const FusionScores sure{std::vector<double>{50, 0}, {}, {}, {}};
  EXPECT_NEAR(fused_distances(sure, {1}, 2)[0] / std::exp(-50.0), 1, 1e-6);
}

// Clips of three classes. The first method is right on the whole, the second is better, the third
// is noise, and the fourth says the opposite of the truth.
std::vector<FusionClip> drawn_clips(int count) {
  Random random(11);
  std::vector<FusionClip> clips;
  for (int i = 0; i < count; ++i) {
    FusionClip clip{.label = i % 3};
    for (std::size_t part = 0; part < 4; ++part)
      for (int c = 0; c < 3; ++c) {
        const double truth = c == clip.label ? 1 : 0;
        const double noise = 2 * random.uniform() - 1;
        const double values[]{0.5 * truth + noise, 10 * truth + 8 * noise, noise, -truth + noise};
        clip.scores[part].push_back(values[part]);
      }
    clips.push_back(std::move(clip));
  }
  return clips;
}

double loss_of(const std::vector<FusionClip>& clips, const FusionWeights& weights) {
  double sum = 0;
  for (const FusionClip& clip : clips)
    sum += fused_distances(clip.scores, weights, 3)[static_cast<std::size_t>(clip.label)];
  return sum / static_cast<double>(clips.size());
}

TEST(LateFusion, WeighsMethodsByWhatTheyKnow) {
  const std::vector<FusionClip> clips = drawn_clips(300);
  const FusionWeights weights = learn_fusion(clips);
  EXPECT_GT(weights[0], 0.3);
  EXPECT_GT(weights[1], 0.1);
  EXPECT_LT(weights[2], 0.5);  // few clips are in doubt, so that chance weighs something
  EXPECT_EQ(weights[3], 0);    // one that is wrong is left out
  // All of them together are better than each alone.
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<FusionClip> alone = clips;
    for (FusionClip& clip : alone)
      for (std::size_t other = 0; other < 4; ++other)
        if (other != k) clip.scores[other].clear();
    EXPECT_LE(loss_of(clips, weights), loss_of(alone, learn_fusion(alone)) + 1e-3);
  }
}

// The place from 0 to 100 where a convex function is least, by golden sections.
template <class Function>
double least_at(const Function& function) {
  const double golden = (std::sqrt(5.0) - 1) / 2;
  double low = 0, high = 100;
  while (high - low > 1e-7) {
    const double first = high - golden * (high - low), second = low + golden * (high - low);
    if (function(first) < function(second)) high = second;
    else low = first;
  }
  return low < 1e-6 ? 0 : low;
}

double penalized(const std::vector<FusionClip>& clips, const FusionWeights& weights) {
  double sum = loss_of(clips, weights);
  for (const double weight : weights) sum += 0.003 / 2 * weight * weight;
  return sum;
}

// The rule step by step: weights of all methods together, one after the other until they stay, and
// weights of each method alone, times its share of the likelihood and one scale for all.
FusionWeights reference_weights(const std::vector<FusionClip>& clips) {
  FusionWeights joint{}, alone{}, share{}, result{};
  for (int round = 0; round < 25; ++round)
    for (double& weight : joint)
      weight = least_at([&](double x) {
        weight = x;
        return penalized(clips, joint);
      });
  double whole = 0, least = 1e300;
  for (std::size_t k = 0; k < 4; ++k) {
    FusionWeights own{};
    own[k] = alone[k] = least_at([&](double x) {
      own[k] = x;
      return penalized(clips, own);
    });
    share[k] = loss_of(clips, own) * static_cast<double>(clips.size());
    least = std::min(least, share[k]);
  }
  for (double& loss : share) whole += loss = std::exp((least - loss) / 4);
  const double scale = least_at([&](double x) {
    FusionWeights own{};
    for (std::size_t k = 0; k < 4; ++k) own[k] = x * alone[k] * share[k] / whole;
    return loss_of(clips, own) + 0.003 / 2 * x * x;
  });
  for (std::size_t k = 0; k < 4; ++k)
    result[k] = joint[k] / 2 + scale * alone[k] * share[k] / whole / 2;
  return result;
}

TEST(LateFusion, EqualsTheRuleStepByStep) {
  for (const int count : {12, 30}) {
    const std::vector<FusionClip> clips = drawn_clips(count);
    const FusionWeights weights = learn_fusion(clips), expected = reference_weights(clips);
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(weights[k], expected[k], 1e-4) << count << " clips, method " << k;
  }
}

TEST(LateFusion, MethodsThatSayTheSameWeighTheSame) {
  std::vector<FusionClip> clips = drawn_clips(30);
  for (FusionClip& clip : clips) clip.scores[2] = clip.scores[0];
  const FusionWeights weights = learn_fusion(clips);
  EXPECT_NEAR(weights[0], weights[2], 1e-6);
}

TEST(LateFusion, WeightsStayFiniteWhereEverythingIsRight) {
  std::vector<FusionClip> clips;
  for (int i = 0; i < 12; ++i) {
    FusionClip clip{.label = i % 2};
    clip.scores[1] = {i % 2 == 0 ? 1.0 : 0.0, i % 2 == 0 ? 0.0 : 1.0};
    clips.push_back(clip);
  }
  const FusionWeights weights = learn_fusion(clips);
  EXPECT_GT(weights[1], 1);
  EXPECT_LT(weights[1], 1000);
  EXPECT_EQ(weights[0], 0);
}

TEST(LateFusion, MatchingCountsAloneWhereThereIsNothingToLearnFrom) {
  EXPECT_THAT(learn_fusion({}), ElementsAre(1, 0, 0, 0));
  // Clips whose class was not trained, clips without scores, and methods that are always wrong.
  std::vector<FusionClip> clips(3);
  clips[1].label = 1;
  EXPECT_THAT(learn_fusion(clips), ElementsAre(1, 0, 0, 0));
  clips[1].scores[3] = {1, 0};
  EXPECT_THAT(learn_fusion(clips), ElementsAre(1, 0, 0, 0));
}

}  // namespace
}  // namespace fovea::actions
