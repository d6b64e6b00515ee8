// Explains classes of clips, events of streams and matches of examples from what the classifier,
// the recognizer and the matcher know.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "actions/explain/shares.h"
#include "actions/infinity.h"
#include "actions/train/reject_rule.h"

namespace fovea::actions {
namespace {

constexpr std::array<const char*, LateFusion::kParts> kMethods{"matching", "descriptors", "votes",
                                                               "words"};
constexpr std::array<const char*, RejectRule::kFeatures> kRejectFeatures{
    "log distance of matching", "log ratio to other classes by matching",
    "log distance of descriptors", "log ratio to other classes by descriptors"};

void sort_classes(std::vector<ClassShare>& classes) {
  std::ranges::stable_sort(classes, {}, &ClassShare::distance);
}

std::vector<FusionShare> fusion_shares(const ClipEvidenceView& evidence, const ClipClass& result) {
  std::vector<FusionShare> shares;
  if (result.nearest < 0 || result.runner_up < 0) return shares;
  const auto first = static_cast<std::size_t>(result.nearest);
  const auto second = static_cast<std::size_t>(result.runner_up);
  if (evidence.model.late_fusion) {
    for (std::size_t k = 0; k < kMethods.size(); ++k) {
      FusionShare share{.name = kMethods[k], .weight = evidence.model.late_fusion->weights[k]};
      share.speaks = !evidence.fusion[k].empty();
      if (share.speaks) {
        share.first = evidence.fusion[k][first];
        share.second = evidence.fusion[k][second];
        share.value = share.weight * (share.first - share.second);
      }
      shares.push_back(std::move(share));
    }
    return shares;
  }
  if (!(evidence.model.score.fusion > 0)) return shares;
  const std::span<const double> parts[2] = {evidence.found.matching, evidence.singles};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::vector<double> scores = z_scores(parts[k]);
    FusionShare share{.name = kMethods[k], .weight = k == 0 ? 1 : evidence.model.score.fusion};
    share.first = scores[first];
    share.second = scores[second];
    share.value = share.weight * (share.second - share.first);
    shares.push_back(std::move(share));
  }
  return shares;
}

RejectExplanation reject_of(const ClipEvidenceView& evidence, const ClipClass& result) {
  RejectExplanation reject;
  reject.factor = evidence.options.reject;
  reject.accepted = result.label >= 0;
  reject.distance = result.distance;
  if (result.nearest < 0) return reject;
  if (evidence.model.reject_rule) {
    const RejectRule& rule = *evidence.model.reject_rule;
    const RejectEvidence known{evidence.found.matching, evidence.singles};
    reject.by_rule = true;
    reject.limit = rule.limit;
    reject.allowance = allowance(rule, known, result.nearest);
    if (!std::isfinite(evidence.found.matching[static_cast<std::size_t>(result.nearest)]))
      return reject;
    const RejectFeatures features = reject_features(known, result.nearest);
    for (std::size_t i = 0; i < features.size(); ++i) {
      const double value = rule.weights[i] * features[i];
      reject.sum += value;
      if (rule.weights[i] != 0)
        reject.features.push_back({kRejectFeatures[i], rule.weights[i], features[i], value});
    }
    return reject;
  }
  if (result.prototype < 0) return reject;
  const auto level = static_cast<double>(
      evidence.model.prototypes[static_cast<std::size_t>(result.prototype)].reject);
  reject.level = reject.factor > 0 ? reject.factor * level : kInfinity<double>;
  reject.allowance = result.distance > 0 ? level / result.distance : kInfinity<double>;
  return reject;
}

// The nearest prototype of a class within a scene.
ChainShares best_prototype(const Model& model, std::int32_t label, const Scene& scene) {
  std::vector<int> numbers;
  std::vector<Chain> chains;
  for (std::size_t i = 0; i < model.prototypes.size(); ++i) {
    if (model.prototypes[i].label != label) continue;
    numbers.push_back(static_cast<int>(i));
    chains.push_back(model.chain(numbers.back()));
  }
  if (numbers.empty()) return {};
  MatchOptions options = model.match;
  options.exec = {.device = Device::cpu()};
  const Image<MatchScore> scores =
      FrameMatcher(chains, model.cut.variant, options).scores({&scene, 1});
  int best = -1;
  float least = kInfinity<float>;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = static_cast<std::size_t>(numbers[i]);
    const float distance = distance_per_node(scores.at(static_cast<int>(i), 0), model.score.score,
                                             model.prototypes[number].nodes);
    if (!(distance < least)) continue;
    least = distance;
    best = numbers[i];
  }
  return best < 0 ? ChainShares{} : prototype_shares(model, best, scene);
}

}  // namespace

ClipExplanation explain_clip(const ClipEvidenceView& evidence, ClipClass result) {
  const Model& model = evidence.model;
  ClipExplanation why;
  why.names = model.classes;
  why.classes.reserve(model.classes.size());
  for (std::size_t i = 0; i < model.classes.size(); ++i)
    why.classes.push_back({.label = static_cast<std::int32_t>(i),
                           .name = model.classes[i],
                           .distance = evidence.found.distances[i],
                           .prototype = evidence.found.prototypes[i],
                           .nearest = static_cast<double>(evidence.found.nearest[i])});
  sort_classes(why.classes);
  const auto shares_of = [&](std::int32_t label) {
    const int prototype =
        label < 0 ? -1 : evidence.found.prototypes[static_cast<std::size_t>(label)];
    return prototype < 0 ? ChainShares{} : prototype_shares(model, prototype, evidence.scene);
  };
  why.match = shares_of(result.nearest);
  why.runner_up = shares_of(result.runner_up);
  why.fusion = fusion_shares(evidence, result);
  why.reject = reject_of(evidence, result);
  why.result = std::move(result);
  return why;
}

EventExplanation explain(const Model& model, const Event& event) {
  if (!event.evidence)
    throw InvalidArgument(
        "explain: the event has no evidence; recognize with the option explain, which keeps it");
  const EventEvidence& evidence = *event.evidence;
  if (evidence.prototype < 0 || evidence.prototype >= std::ssize(model.prototypes) ||
      evidence.classes.size() != model.classes.size())
    throw InvalidArgument("explain: the event was not recognized by this model");
  EventExplanation why;
  why.event = event;
  why.names = model.classes;
  const Prototype& prototype = model.prototypes[static_cast<std::size_t>(evidence.prototype)];
  FrameMatch match{.found = true};
  const FrameModel chain = model.chain(evidence.prototype);
  std::vector<std::int32_t> points(chain.nodes.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = static_cast<std::int32_t>(i);
  match.strands.push_back({.points = std::move(points), .match = {.path = evidence.path}});
  why.match = chain_shares({chain, evidence.scene, match, Variant::kSingle, model.match});
  why.match.prototype = evidence.prototype;
  why.match.label = prototype.label;
  why.match.mirrored = prototype.mirrored;
  why.match.distance = evidence.distance;
  for (const NodeShare& node : why.match.nodes) why.match.energy += node.energy();
  for (const TriangleShare& one : why.match.triangles) why.match.energy += one.energy();
  if (model.score.score == Score::kEnergy) why.match.energy = evidence.distance * prototype.nodes;
  for (std::size_t i = 0; i < model.classes.size(); ++i)
    why.classes.push_back({.label = static_cast<std::int32_t>(i),
                           .name = model.classes[i],
                           .distance = evidence.classes[i],
                           .nearest = evidence.classes[i]});
  sort_classes(why.classes);
  for (ClassShare& one : why.classes) {
    if (one.label == prototype.label) one.prototype = evidence.prototype;
    else if (!why.runner_up.found && std::isfinite(one.distance)) {
      why.runner_up = best_prototype(model, one.label, evidence.scene);
      one.prototype = why.runner_up.prototype;
      why.runner_up.label = one.label;
      if (!why.runner_up.found) break;
    }
  }
  why.reject = {
      .distance = evidence.distance,
      .level = evidence.limit,
      .allowance = evidence.distance > 0 ? evidence.limit / evidence.distance : kInfinity<double>,
      .accepted = true};
  return why;
}

ExampleExplanation explain(const ExampleMatch& match, const ExampleOptions& options) {
  ExampleExplanation why;
  why.match =
      chain_shares({match.model, match.scene, match.match, options.cut.variant, options.match});
  why.match.mirrored = match.mirrored;
  why.match.distance = match.energy();
  why.appearance = static_cast<double>(match.match.appearance);
  why.dummies = static_cast<double>(match.match.dummies);
  why.time = static_cast<double>(match.match.time);
  why.angles = static_cast<double>(match.match.angles);
  return why;
}

}  // namespace fovea::actions
