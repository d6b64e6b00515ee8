// The fields of an explanation of a pixel's flow.
#include <fovea/core/record.h>
#include <fovea/flow/explain.h>

#include <array>

namespace fovea::flow {

static void describe(FieldVisitor& visit, ConfidenceFactor& factor) {
  visit("name", factor.name, "of the factor");
  visit("value", factor.value, "0 to 1 of a confidence");
  visit("text", factor.text, "one sentence with the number that it was made of");
}

static void describe(FieldVisitor& visit, MatchSurface& surface) {
  visit("block", surface.block, "in the first image", {.unit = "pixels"});
  visit("left", surface.left, "displacement of the first column of scores", {.unit = "pixels"});
  visit("top", surface.top, "displacement of the first row of scores", {.unit = "pixels"});
  visit.optional("scores", surface.scores, "one per displacement; NaN where none was tried");
  visit("best", surface.best, "the highest score");
  visit.derived("best_at", std::array{surface.best_u, surface.best_v}, "its displacement",
                {.unit = "pixels"});
  visit("second", surface.second, "the highest score that is not next to it");
  visit("curvature", surface.curvature, "of the peak, where it is least curved");
  visit("texture", surface.texture, "standard deviation of the block", {.unit = "gray levels"});
  visit("moved", surface.moved, "by which smoothing moved the vector", {.unit = "pixels"});
}

void describe(FieldVisitor& visit, FlowExplanation& why) {
  const StructureTensor& tensor = why.tensor;
  visit.record("FlowExplanation", "why a pixel has its flow, and what its confidence is made of");
  visit("u", why.u, "motion to the right", {.unit = "pixels"});
  visit("v", why.v, "motion downward", {.unit = "pixels"});
  visit("confidence", why.confidence, "from 0, a guess, to 1");
  visit("refined", why.refined, "refinement or fusion changed what the method found");
  visit("level", why.level,
        "the level whose confidence this is: 0 is the whole size, 1 half of it");
  visit("difference_before", why.difference_before,
        "mean gray difference of the window without motion");
  visit("difference_after", why.difference_after, "and with it");
  visit.optional("before", why.before, "the differences, second image less first");
  visit.optional("after", why.after, "the same with the motion");
  visit.derived("eigenvalues", std::array{tensor.greater, tensor.smaller},
                "of the structure tensor, the greater first");
  visit.derived("tensor", std::array{tensor.xx, tensor.xy, tensor.yy}, "xx, xy and yy");
  visit.derived("uncertain", std::array{tensor.uncertain_x, tensor.uncertain_y},
                "direction in which the flow is least certain");
  visit("factors", why.factors, "their product is the confidence");
  visit("doubts", why.doubts, "of Lucas-Kanade: the confidence is 2 / (2 + their product)");
  visit("doubt", why.doubt, "their product");
  visit("nearest", why.nearest,
        "confidence of the nearest estimated pixel or block, which the factors explain");
  visit("surface", why.surface, "where blocks were matched: their scores over displacements");
}

}  // namespace fovea::flow
