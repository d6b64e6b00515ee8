// The fields of an explanation of a window.
#include <fovea/core/record_values.h>
#include <fovea/people/explain.h>

#include <array>
#include <string>

namespace fovea::people {

std::span<const Choice> choices(Outcome) {
  static constexpr std::array<Choice, 4> kOutcomes{
      {{"person", static_cast<int>(Outcome::kPerson)},
       {"fused", static_cast<int>(Outcome::kFused)},
       {"below_threshold", static_cast<int>(Outcome::kBelowThreshold)},
       {"rejected", static_cast<int>(Outcome::kRejected)}}};
  return kOutcomes;
}

static void describe(FieldVisitor& visit, BlockShare& block) {
  visit("box", block.place, "the block", {.unit = "pixels"});
  visit("stage", block.stage, "of a cascade, from 0; -1 where there is none");
  visit("value", block.value, "what the block adds");
}

static void describe(FieldVisitor& visit, CellTest& test) {
  visit.derived("channel", std::string(channel_name(test.channel)), "whose cell is tested");
  visit("filter", test.filter, "of a filtered channel; -1: the channel itself");
  visit("box", test.place, "the cell", {.unit = "pixels"});
  visit("value", test.value, "of the cell, 0 to 255");
  visit("threshold", test.threshold, "the least value that answers yes");
}

static void describe(FieldVisitor& visit, TreeShare& tree) {
  visit("value", tree.value, "what the tree adds");
  visit("sum", tree.sum, "the score after the tree");
  visit("rejection", tree.rejection, "a lower sum ends the search of the window");
  visit("tests", tree.tests, "from the root down");
}

static void describe(FieldVisitor& visit, StageShare& stage) {
  visit("value", stage.value, "votes of its classifiers");
  visit("sum", stage.sum, "votes that are compared with the threshold");
  visit("threshold", stage.threshold, "a lower sum rejects the window");
  visit.derived("passed", stage.passed(), "whether the window passed it");
}

static void describe(FieldVisitor& visit, LevelScore& level) {
  visit("person_height", level.person_height, "that the level finds", {.unit = "pixels"});
  visit("score", level.score, "of its best window");
  visit("window", level.window, "that window", {.unit = "pixels"});
}

void describe(FieldVisitor& visit, WindowExplanation& why) {
  visit.record("WindowExplanation", "why a window counts as a person, or why it does not");
  visit("score", why.window.score, "as the search gives it");
  visit("xywh", why.window.box, "the person", {.unit = "pixels"});
  visit("window", why.window.window, "the window that was classified", {.unit = "pixels"});
  visit("scale", why.window.scale, "pixels of the image per pixel of the level");
  visit("outcome", why.outcome,
        "person, fused (a better window was taken), below_threshold or rejected");
  visit("threshold", why.threshold, "the least score of a person");
  visit("sum", why.sum, "what blocks or trees add up to: the score, or the sum that was too low");
  visit("missing", why.missing, "by how much the sum or the score fell short; 0 for a person");
  visit("passed", why.passed, "stages or trees that did not reject the window");
  visit("steps", why.steps, "stages or trees of the model; 0 for linear classifiers");
  visit("heat", why.heat, "shares of the window's parts, which add up to the sum");
  visit("blocks", why.blocks, "in the order of the model");
  visit("trees", why.trees, "those that were evaluated, in their order");
  visit("stages", why.stages, "those that were reached");
  visit("levels", why.levels, "the best window of each size around the place, the smallest first");
}

}  // namespace fovea::people
