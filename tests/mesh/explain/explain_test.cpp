// Explanations of segmentations add up to what the segmenter says.
// Covers: present, records
#include <fovea/core/error.h>
#include <fovea/io/record_io.h>
#include <fovea/mesh/explain.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "mesh/divide/trace.h"
#include "mesh/shapes.h"
#include "support/messages.h"

namespace fovea::mesh {
namespace {

using test::message_of;
using testing::HasSubstr;

struct ExplainedCase {
  const char* name;
  Method method;
  Division division;
};
class ExplainMesh : public testing::TestWithParam<ExplainedCase> {
 protected:
  SegmentOptions options(int parts) const {
    SegmentOptions result;
    result.parts = parts;
    result.method = GetParam().method;
    result.division = GetParam().division;
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(
    All, ExplainMesh,
    testing::Values(ExplainedCase{"Resistance", Method::kResistance, Division::kKWay},
                    ExplainedCase{"ResistanceHierarchy", Method::kResistance,
                                  Division::kHierarchical},
                    ExplainedCase{"Fuzzy", Method::kFuzzy, Division::kKWay},
                    ExplainedCase{"FuzzyHierarchy", Method::kFuzzy, Division::kHierarchical}),
    [](const auto& one) { return one.param.name; });

// The capacity of all edges between different labels.
double capacity_of(const SegmentExplanation& why, std::span<const std::int32_t> labels) {
  double sum = 0;
  for (const CutEdge& edge : why.edges)
    if (labels[static_cast<std::size_t>(edge.face_a)] !=
        labels[static_cast<std::size_t>(edge.face_b)])
      sum += edge.capacity;
  return sum;
}

TEST_P(ExplainMesh, IsARecordWithItsSeamsAndTheFaces) {
  const SegmentExplanation why = explain(test::star(2), options(3));
  const std::string json = io::record_json(record_ref(why));
  EXPECT_THAT(json, HasSubstr("\"weakest\": {\"faces\": ["));
  EXPECT_THAT(json, HasSubstr("\"counts\": [{\"component\": 0, \"count\": 3"));
  const FaceExplanation face = explain_face(why, 0);
  EXPECT_THAT(io::record_json(record_ref(face)), HasSubstr("\"memberships\": ["));
}

TEST_P(ExplainMesh, IsTheSegmentationItselfWithSeamsThatAddUp) {
  const io::TriangleMesh mesh = test::star(2);
  for (const int parts : {0, 3}) {
    const Segmentation said = segment(mesh, options(parts));
    const SegmentExplanation why = explain(mesh, options(parts));
    EXPECT_EQ(why.segmentation.labels, said.labels);
    EXPECT_EQ(why.segmentation.count, said.count);
    EXPECT_EQ(why.segmentation.cut_value, said.cut_value);
    double seams = 0, cuts = 0;
    for (const Seam& seam : why.seams) {
      EXPECT_LT(seam.part_a, seam.part_b);
      EXPECT_LE(seam.weakest.capacity, seam.capacity);
      EXPECT_GE(seam.capacity, seam.strongest.capacity * (1 - 1e-12));
      seams += seam.capacity;
    }
    for (const SeamCut& cut : why.cuts) cuts += cut.value;
    EXPECT_NEAR(seams, why.capacity, 1e-9);
    EXPECT_NEAR(why.capacity, capacity_of(why, said.labels), 1e-9);
    EXPECT_NEAR(cuts, said.cut_value, 1e-9);
    ASSERT_EQ(why.counts.size(), 1U);
    EXPECT_EQ(why.counts[0].count, said.count);
    EXPECT_EQ(why.counts[0].rule == CountRule::kGiven, parts > 0);
  }
}

// A dumbbell is cut once around its neck, and nothing else moves the border.
TEST_P(ExplainMesh, TheOnlySeamCostsWhatItsCutCost) {
  const SegmentExplanation why = explain(test::dumbbell(30, 12), options(2));
  ASSERT_EQ(why.seams.size(), 1U);
  ASSERT_EQ(why.cuts.size(), 1U);
  EXPECT_NEAR(why.seams[0].capacity, why.segmentation.cut_value, 1e-9 * (1 + why.capacity));
  EXPECT_NEAR(why.capacity, why.cuts[0].value, 1e-9 * (1 + why.capacity));
}

// The minimum cut leaves no face in doubt that would be cheaper on the other side.
TEST_P(ExplainMesh, GivingAFaceAwayCostsTheChangeOfAllSeams) {
  const SegmentExplanation why = explain(test::dumbbell(30, 12), options(2));
  std::vector<std::int32_t> labels = why.segmentation.labels;
  int in_doubt = 0;
  for (std::int32_t face = 0; face < std::ssize(labels); ++face) {
    const FaceExplanation one = explain_face(why, face);
    EXPECT_EQ(one.part, labels[static_cast<std::size_t>(face)]);
    double sum = 0;
    for (const FacePart& part : one.parts) sum += part.membership;
    EXPECT_NEAR(sum, 1, 1e-5);
    const auto other = 1 - one.part;
    EXPECT_EQ(one.runner_up, other);
    labels[static_cast<std::size_t>(face)] = other;
    EXPECT_NEAR(one.parts[static_cast<std::size_t>(other)].cost,
                capacity_of(why, labels) - why.capacity, 1e-9);
    labels[static_cast<std::size_t>(face)] = one.part;
    EXPECT_EQ(one.parts[static_cast<std::size_t>(one.part)].cost, 0);
    if (one.doubt < 0) {
      EXPECT_EQ(one.before, one.part);
      continue;
    }
    ++in_doubt;
    EXPECT_GE(one.parts[static_cast<std::size_t>(other)].cost, -1e-9) << face;
  }
  EXPECT_GT(in_doubt, 0);
}

TEST_P(ExplainMesh, TheChosenNumberHasTheGreatestScore) {
  const SegmentExplanation why = explain(test::dumbbell(30, 12), options(0));
  ASSERT_EQ(why.counts.size(), 1U);
  const CountChoice& choice = why.counts[0];
  EXPECT_NE(choice.rule, CountRule::kGiven);
  if (GetParam().division == Division::kHierarchical) {
    ASSERT_EQ(std::ssize(choice.stops), choice.count);
    for (int part = 0; part < choice.count; ++part)
      EXPECT_EQ(choice.stops[static_cast<std::size_t>(part)].part, part);
    if (choice.rule == CountRule::kHierarchy) return;  // its rules stopped it before that number
  }
  ASSERT_FALSE(choice.scores.empty());
  const auto best = std::ranges::max_element(choice.scores, {}, &CountScore::score);
  EXPECT_EQ(best->count, choice.count);
}

TEST_P(ExplainMesh, ComponentsAreExplainedEachByItself) {
  const io::TriangleMesh mesh = test::beside(test::dumbbell(20, 8), test::cube(), 9);
  const SegmentExplanation why = explain(mesh, options(3));
  ASSERT_EQ(why.counts.size(), 2U);
  EXPECT_EQ(why.counts[0].rule, CountRule::kShare);
  EXPECT_EQ(why.counts[0].count + why.counts[1].count, 3);
  for (const CutEdge& edge : why.edges) EXPECT_GE(edge.capacity, 0);
  EXPECT_NEAR(why.capacity, capacity_of(why, why.segmentation.labels), 1e-9);
}

// Coordinates are scaled inside where they are tiny; lengths are those of the file.
TEST_P(ExplainMesh, LengthsAreThoseOfTheMesh) {
  io::TriangleMesh mesh = test::dumbbell(20, 8);
  const SegmentExplanation usual = explain(mesh, options(2));
  constexpr float kTiny = 0x1p-60F;
  for (io::Vertex& vertex : mesh.vertices)
    for (float& x : vertex) x *= kTiny;
  const SegmentExplanation tiny = explain(mesh, options(2));
  ASSERT_EQ(tiny.seams.size(), usual.seams.size());
  EXPECT_NEAR(tiny.seams[0].length / double{kTiny}, usual.seams[0].length, 1e-6);
  const double scale = GetParam().method == Method::kResistance ? double{kTiny} : 1;
  EXPECT_NEAR(tiny.capacity / scale, usual.capacity, 1e-6 * usual.capacity);
}

TEST(ExplainMeshRules, ASphereIsOnePart) {
  const SegmentExplanation why = explain(test::sphere(2));
  ASSERT_EQ(why.counts.size(), 1U);
  EXPECT_EQ(why.segmentation.count, 1);
  EXPECT_TRUE(why.counts[0].rule == CountRule::kNoValley ||
              why.counts[0].rule == CountRule::kNoNeck);
  EXPECT_THAT(present(why).summary, HasSubstr("There is 1 part because"));
  EXPECT_EQ(explain_face(why, 0).runner_up, -1);
}

TEST(ExplainMeshRules, CostsOfTheCallerAreExplainedToo) {
  const io::TriangleMesh mesh = test::dumbbell(20, 8);
  const DualGraph graph = dual_graph(mesh);
  const std::vector<float> costs(graph.arcs.size(), 1.0F);
  SegmentOptions options;
  options.parts = 2;
  const SegmentExplanation why = explain(mesh, options, costs);
  EXPECT_EQ(why.segmentation.labels, Segmenter(options).segment(mesh, costs).labels);
  // Equal costs are 1 relative to their mean: an edge costs half of its length.
  for (const CutEdge& edge : why.edges) EXPECT_NEAR(edge.capacity, edge.length / 2, 1e-6);
}

TEST(ExplainMeshText, AddsUp) {
  const SegmentExplanation why = explain(test::dumbbell(20, 8), {.parts = 2});
  const report::Explanation whole = present(why), face = present(why, explain_face(why, 5));
  for (const report::Explanation* one : {&whole, &face}) {
    double sum = one->rest;
    for (const report::Reason& reason : one->reasons) sum += reason.value;
    EXPECT_NEAR(sum, one->total, 1e-5);
    for (const report::FaceLayer& layer : one->surface)
      EXPECT_EQ(layer.values.size(), why.segmentation.labels.size());
  }
  EXPECT_NEAR(face.total, 1, 1e-5);
  EXPECT_THAT(whole.summary, HasSubstr("that number was given"));
  EXPECT_THAT(face.summary, HasSubstr("The runner-up is part"));
}

TEST(ExplainMeshErrors, NameTheFace) {
  const SegmentExplanation why = explain(test::cube(), {.parts = 2});
  EXPECT_THAT(message_of([&] { explain_face(why, 12); }), HasSubstr("no face 12"));
  EXPECT_THAT(message_of([&] { explain_face(why, -1); }), HasSubstr("faces 0 to 11"));
}

}  // namespace
}  // namespace fovea::mesh
