// Decides whether a clip shows an action that a model knows, from its distances to all classes. The
// least distance alone says little, because some clips are far from everything. So it is also
// compared with the distances to other classes, as cohort normalization does in speaker
// verification, and a logistic regression weighs both, for matches and for single descriptors.
#pragma once
#include <fovea/actions/model.h>

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace fovea::actions {

// What the rule looks at, in the order of its weights.
using RejectFeatures = std::array<double, RejectRule::kFeatures>;

// The distances of a clip to all classes; infinite for classes that do not count. `singles` is
// empty if single descriptors are not compared.
struct RejectEvidence {
  std::span<const double> matching;
  std::span<const double> singles;
};
// The features are: the logarithm of the distance to the nearest class; the mean over n of the
// logarithm of its ratio to the mean of the n next classes; and the same two of single descriptors,
// 0 if there are none.
RejectFeatures reject_features(const RejectEvidence& evidence, int nearest);

// Returns how many times farther from the nearest class the clip may be before it is rejected: 1 or
// more is accepted.
double allowance(const RejectRule& rule, const RejectEvidence& evidence, int nearest);

// A clip with distances to classes by models that were not trained on its subject.
struct RejectClip {
  std::int32_t label = 0;
  std::vector<double> matching;
  std::vector<double> singles;
  std::vector<double> fused{};  // by late fusion, which finds the nearest class; empty: by matching
};
// Learns a rule from clips alone: each class in turn counts as unknown, so that its clips must be
// rejected, and the clips of the others must not. Several sets of features are tried: for each
// class the weights are learned without it, and then have to separate its clips from all others.
// The set that does so best is used, and all other features get the weight 0. Then the limit is set
// so that `share` of the clips would be rejected if all classes are known. Returns nothing if fewer
// than three classes have clips or no clip has a distance.
std::optional<RejectRule> learn_reject_rule(std::span<const RejectClip> clips, double share);

}  // namespace fovea::actions
