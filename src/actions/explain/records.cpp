// The fields of explanations of clips, events and examples.
#include <fovea/actions/explain.h>
#include <fovea/core/record.h>

#include <optional>

namespace fovea::actions {

static void describe(FieldVisitor& visit, NodeShare& node) {
  visit("strand", node.strand, "of the model");
  visit("frame", node.frame, "of the scene");
  visit("model_frame", node.model.frame, "of the model");
  visit("seen", node.seen, "false: a dummy, which has no place");
  std::optional<Position<double>> place;
  if (node.seen) place = {node.x, node.y};
  visit.derived("place", place, "in the scene", {.unit = "pixels"});
  visit("appearance", node.appearance, "what a point adds to the energy");
  visit("dummy", node.dummy, "what a dummy adds to the energy");
}

static void describe(FieldVisitor& visit, TriangleShare& triangle) {
  visit("strand", triangle.strand, "of the model");
  visit("nodes", triangle.nodes, "three places in the list of nodes");
  visit("time", triangle.time, "what differences of time add to the energy");
  visit("angles", triangle.angles, "what differences of angles add to the energy");
}

static void describe(FieldVisitor& visit, ChainShares& chain) {
  visit("prototype", chain.prototype, "of the model; -1 for an example of the caller");
  visit("label", chain.label, "of its action");
  visit("mirrored", chain.mirrored, "whether it was found in a mirror");
  visit("energy", chain.energy, "the sum over nodes and triangles");
  visit("distance", chain.distance, "per frame of the model");
  visit("nodes", chain.nodes, "strand after strand");
  visit("triangles", chain.triangles, "of three consecutive nodes each");
}

static void describe(FieldVisitor& visit, ClassShare& one) {
  visit("name", one.name, "of the action");
  visit("distance", one.distance, "by which actions are compared");
  visit("prototype", one.prototype, "the nearest; -1: none fits");
}

static void describe(FieldVisitor& visit, FusionShare& share) {
  visit("name", share.name, "of the method");
  visit("weight", share.weight, "of the method");
  visit("first", share.first, "score of the first class");
  visit("second", share.second, "score of the second class");
  visit("value", share.value, "what it speaks for the first class");
}

static void describe(FieldVisitor& visit, RejectShare& share) {
  visit("name", share.name, "of the feature");
  visit("weight", share.weight, "of the feature");
  visit("feature", share.feature, "its number");
  visit("value", share.value, "their product");
}

static void describe(FieldVisitor& visit, RejectExplanation& reject) {
  visit("by_rule", reject.by_rule, "by the model's rule, otherwise by the level of the prototype");
  visit("distance", reject.distance, "by level: the distance of the match");
  visit("level", reject.level, "by level: the greatest distance that is accepted");
  visit("sum", reject.sum, "by rule: the weighted sum of features");
  visit("limit", reject.limit, "by rule: the greatest sum that is accepted");
  visit("allowance", reject.allowance, "how many times farther it might be; from 1 on accepted");
  visit("accepted", reject.accepted, "whether it is not rejected");
  visit("features", reject.features, "by rule: they add up to the sum");
}

// A chain that is absent where it was not found.
static FieldValue where_found(ChainShares& chain) {
  return {OptionalRef{&chain,
                      [](const void* of) { return static_cast<const ChainShares*>(of)->found; },
                      [](void* of, bool there) { static_cast<ChainShares*>(of)->found = there; },
                      [](void* of) { return field_value(*static_cast<ChainShares*>(of)); },
                      &detail::sample_value<ChainShares>}};
}

// What explanations of clips and of events share.
template <class Why>
static void describe_classes(FieldVisitor& visit, Why& why) {
  visit("classes", why.classes, "the nearest first");
  FieldValue match = where_found(why.match), runner_up = where_found(why.runner_up);
  visit("match", match, "of the nearest action's nearest prototype");
  visit("runner_up", runner_up, "the same of the second action");
  visit("reject", why.reject, "how far it was from being rejected");
}

void describe(FieldVisitor& visit, ClipExplanation& why) {
  visit.record("ClipExplanation", "why a clip counts as an action");
  visit("name", why.result.name, "of the action");
  describe_classes(visit, why);
  visit("fusion", why.fusion, "what each method says; empty where matching decides alone");
}

void describe(FieldVisitor& visit, EventExplanation& why) {
  visit.record("EventExplanation", "why an event was reported");
  visit("name", why.event.name, "of the action");
  describe_classes(visit, why);
}

void describe(FieldVisitor& visit, ExampleExplanation& why) {
  visit.record("ExampleExplanation", "what the nodes and triangles of a match add to its energy");
  FieldValue match = where_found(why.match);
  visit("match", match, "of the example");
}

}  // namespace fovea::actions
