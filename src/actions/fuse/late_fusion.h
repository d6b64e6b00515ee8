// Late fusion: the probability of a class is the softmax of a weighted sum of what several methods
// say about it. The scores of a method are logarithms or margins with the mean 0 and the deviation
// 1 over the classes of a clip, so that its weight calibrates them. Weights are learned from clips
// of people whom the methods were not trained on, as those that make the true classes most likely
// (conditional logit, McFadden 1974): half of them from all methods together, and half from each
// method by itself, where those count most that know most. With the second half, weights learned
// from few clips stay near the best method.
#pragma once
#include <fovea/actions/model.h>

#include <array>
#include <span>
#include <vector>

namespace fovea::actions {

// What the methods say about a clip, by class; a method that says nothing is empty.
struct FusionEvidence {
  std::span<const double> matching{};  // distances; infinite if nothing of the class fits
  std::span<const double> singles{};   // distances of single descriptors
  std::span<const int> votes{};        // of single descriptors
  std::span<const double> words{};     // margins; -infinity for classes that were not trained
};

// By method, in the order of LateFusion::weights: scores by class, greater for likelier classes. A
// method that says nothing about the clip has none.
using FusionScores = std::array<std::vector<double>, LateFusion::kParts>;
// Distances become minus their logarithms, votes the logarithms of their shares with half a vote
// added to each class; margins stay as they are. What is infinite counts as the least finite score.
// Then the scores of each method are standardized over the classes.
FusionScores fusion_scores(const FusionEvidence& evidence);

// A clip with scores by methods that were not trained on its subject; the label -1 is that of a
// clip whose class they were not trained on, from which nothing is learned.
struct FusionClip {
  std::int32_t label = -1;
  FusionScores scores{};
};
using FusionWeights = std::array<double, LateFusion::kParts>;
// Learns weights, none of which is negative; without any clip, or if no method helps, matching
// counts alone.
FusionWeights learn_fusion(std::span<const FusionClip> clips);

// Returns minus the logarithms of the probabilities of the classes; infinite if no method says
// anything.
std::vector<double> fused_distances(const FusionScores& scores, const FusionWeights& weights,
                                    int classes);

}  // namespace fovea::actions
