// The fields of explanations of a map's pixel and of a tracked target.
#include <fovea/core/record.h>
#include <fovea/emd/explain.h>

#include <array>
#include <optional>

namespace fovea::emd {

static void describe(FieldVisitor& visit, BinMove& move) {
  visit("from", move.from, "bin of the pixel");
  visit("to", move.to, "bin of the target");
  visit("mass", move.mass, "that moves");
  visit("cost", move.cost, "of one unit of mass");
  visit("value", move.value, "what this adds to the distance");
}

static void describe(FieldVisitor& visit, BinLook& look) {
  std::optional<std::array<int, 3>> color;
  if (look.color) color = {look.color->r, look.color->g, look.color->b};
  visit("name", look.name, "of the bin");
  visit.derived("color", color, "red, green and blue, 0 to 255");
}

void describe(FieldVisitor& visit, MapExplanation& why) {
  visit.record("MapExplanation",
               "which mass moves where between a pixel's signature and the target's");
  visit("distance", why.distance, "what the map holds, before it is rounded to float32");
  visit("status", why.status, "optimal, or what kept the solver from it");
  visit("solved_by", why.solved_by, "the solver");
  visit("window", why.window, "the pixels that were counted", {.unit = "pixels"});
  visit("histogram", why.histogram, "of the pixel");
  visit("target", why.target, "the target's histogram");
  visit("moves", why.moves, "from, to, mass, cost and value, the most expensive first");
  visit("surplus", why.surplus,
        "what unequal masses cost; with the values of the moves it adds up to the distance");
  visit("cost_from", why.cost_from, "what the mass of each bin of the pixel costs");
  visit("cost_to", why.cost_to, "the same of the target's bins");
  visit("bins", why.bins, "name and color of each bin");
  visit.optional("heat", why.heat, "what each pixel of the window adds to the distance");
  visit.derived("fused", why.fused ? std::optional(why.fused->score) : std::nullopt,
                "the fused score, where scores are fused");
}

static void describe(FieldVisitor& visit, ScoreLandscape& land) {
  visit("left", land.left, "how far the first column is moved", {.unit = "pixels"});
  visit("top", land.top, "how far the first row is moved", {.unit = "pixels"});
  visit("step", land.step, "from one place to the next", {.unit = "pixels"});
  visit.optional("total", land.total, "color - motion - parts - filter");
  visit.optional("color", land.color, "likelihood inside less that in the ring around");
  visit.optional("motion", land.motion, "cost of the step");
  visit.optional("parts", land.parts, "cost of the parts' distances");
  visit.optional("filter", land.filter, "cost of the filter's response");
}

static void describe(FieldVisitor& visit, PlaceShares& place) {
  visit("box", place.box, "the place", {.unit = "pixels"});
  visit("total", place.total, "color - motion - parts - filter");
  visit("color", place.color, "likelihood inside less that in the ring around");
  visit("motion", place.motion, "cost of the step");
  visit("parts", place.parts, "cost of the parts' distances");
  visit("filter", place.filter, "cost of the filter's response");
  visit("response", place.response, "of the filter, 1 for the target as it was learned");
}

void describe(FieldVisitor& visit, TrackExplanation& why) {
  visit.record("TrackExplanation", "why a target is where it is in a frame");
  visit("xywh", why.track.box, "where it is", {.unit = "pixels"});
  visit("from_xywh", why.from, "where it was in the frame before", {.unit = "pixels"});
  visit("score", why.track.score, "likelihood inside the box less that in the ring around it");
  visit("lost", why.track.lost, "whether the target is lost");
  visit("reach", why.reach, "that was searched in each direction", {.unit = "pixels"});
  visit("place", why.place, "of the best place: total = color - motion - parts - filter");
  visit("stayed", why.stayed, "the same of the place of the frame before");
  visit("first_score", why.first_score, "the color of the first frame");
  visit("doubtful", why.doubtful, "the color of the best place is too low");
  visit("doubtful_frames", why.doubtful_frames, "in a row");
  visit("searched_everywhere", why.searched_everywhere,
        "the target counts as lost, and the whole frame was searched");
  visit("landscape", why.landscape, "scores of the places within reach, and what they are made of");
}

}  // namespace fovea::emd
