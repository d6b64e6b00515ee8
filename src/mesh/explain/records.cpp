// The fields of explanations of segmentations.
#include <fovea/core/record.h>
#include <fovea/mesh/explain.h>

#include <array>

namespace fovea::mesh {

static void describe(FieldVisitor& visit, CutEdge& edge) {
  visit.derived("faces", std::array{edge.face_a, edge.face_b}, "on both sides");
  visit.derived("vertices", std::array{edge.vertex_a, edge.vertex_b}, "its ends");
  visit("capacity", edge.capacity, "what it costs to cut the mesh here");
  visit("length", edge.length, "of the edge");
  visit("angle", edge.angle, "between the faces, after smoothing", {.unit = "radians"});
  visit("concave", edge.concave, "the edge is a valley");
}

static void describe(FieldVisitor& visit, Seam& seam) {
  visit.derived("parts", std::array{seam.part_a, seam.part_b}, "on both sides, the lower first");
  visit("capacity", seam.capacity, "of all its edges");
  visit("length", seam.length, "of all its edges");
  visit("concave_length", seam.concave_length, "how much of it runs through valleys");
  visit("edges", seam.edges, "how many it has");
  visit("weakest", seam.weakest, "the edge that costs least");
  visit("strongest", seam.strongest, "the edge that costs most");
}

static void describe(FieldVisitor& visit, SeamCut& cut) {
  visit.derived("parts", std::array{cut.part_a, cut.part_b}, "between which the cut was made");
  visit("faces", cut.faces, "in doubt between the two");
  visit("value", cut.value, "what the cut cost");
}

static void describe(FieldVisitor& visit, CountScore& score) {
  visit("count", score.count, "a number of parts");
  visit("score", score.score, "the number with the greatest one is chosen");
}

static void describe(FieldVisitor& visit, PartStop& stop) {
  visit("part", stop.part, "its label");
  visit("rule", stop.rule, "why the part was not divided further");
  visit("value", stop.value, "what was compared with the limit");
  visit("limit", stop.limit, "of the rule");
}

static void describe(FieldVisitor& visit, CountChoice& choice) {
  visit("component", choice.component, "from 0");
  visit("count", choice.count, "how many parts it has");
  visit("rule", choice.rule, "what chose the number");
  visit("scores", choice.scores, "the numbers that were compared");
  visit("stops", choice.stops, "of a hierarchical division: why parts were left whole");
}

void describe(FieldVisitor& visit, SegmentExplanation& why) {
  visit.record("SegmentExplanation", "what seams cost, and why there are so many parts");
  visit("seams", why.seams, "the borders between parts");
  visit("cuts", why.cuts, "the minimum cuts that moved borders");
  visit("counts", why.counts, "one per connected component");
  visit("capacity", why.capacity, "of all edges between two parts");
  visit("doubt", why.doubt, "one per face: the part that a cut might have given it to, or -1");
  visit("before", why.before, "one per face: its part before cuts");
}

template <class Number>
static std::vector<Number> of_parts(const FaceExplanation& why, Number FacePart::*number) {
  std::vector<Number> numbers;
  for (const FacePart& part : why.parts) numbers.push_back(part.*number);
  return numbers;
}

void describe(FieldVisitor& visit, FaceExplanation& why) {
  std::vector<std::int32_t> touched;
  for (const FacePart& part : why.parts)
    if (part.touches) touched.push_back(part.part);
  visit.record("FaceExplanation", "why a face belongs to its part");
  visit("face", why.face, "from 0");
  visit("part", why.part, "its label");
  visit("runner_up", why.runner_up, "the other part with the greatest membership; -1: none");
  visit("doubt", why.doubt, "the part that a cut might have given it to; -1: it was in no doubt");
  visit("before", why.before, "the part that it had before cuts");
  visit("margin", why.margin, "membership in its part minus that in the runner-up");
  visit.derived("memberships", of_parts(why, &FacePart::membership), "one per part");
  visit.derived("costs", of_parts(why, &FacePart::cost),
                "by how much all seams would cost more if each part got the face");
  visit.derived("touched", std::move(touched), "the parts that its neighbors belong to");
  visit("edges", why.edges, "of the face");
}

}  // namespace fovea::mesh
