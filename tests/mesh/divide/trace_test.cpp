#include "mesh/divide/trace.h"

#include <gtest/gtest.h>

namespace fovea::mesh {
namespace {

// Four faces in a row, in two parts: 0 0 1 1, and one more that touches both.
SegmentExplanation row_of_faces() {
  SegmentExplanation why;
  why.segmentation.labels = {0, 0, 1, 1, 2};
  why.segmentation.count = 3;
  why.edges = {{.face_a = 0, .face_b = 1, .capacity = 9, .length = 1},
               {.face_a = 1, .face_b = 2, .capacity = 2, .length = 4, .concave = true},
               {.face_a = 0, .face_b = 3, .capacity = 3, .length = 3},
               {.face_a = 2, .face_b = 3, .capacity = 9, .length = 1},
               {.face_a = 3, .face_b = 4, .capacity = 5, .length = 2}};
  return why;
}

TEST(Trace, SeamsAreSumsOverTheEdgesBetweenTwoParts) {
  SegmentExplanation why = row_of_faces();
  find_seams(why);
  ASSERT_EQ(why.seams.size(), 2U);
  const Seam& first = why.seams[0];
  EXPECT_EQ(first.part_a, 0);
  EXPECT_EQ(first.part_b, 1);
  EXPECT_EQ(first.capacity, 5);
  EXPECT_EQ(first.length, 7);
  EXPECT_EQ(first.concave_length, 4);
  EXPECT_EQ(first.edges, 2);
  EXPECT_EQ(first.weakest.capacity, 2);  // 0.5 per length
  EXPECT_EQ(first.strongest.capacity, 3);
  EXPECT_EQ(why.seams[1].part_b, 2);
  EXPECT_EQ(why.capacity, 10);
}

TEST(Trace, LengthsAreScaledBack) {
  SegmentExplanation why = row_of_faces();
  why.cuts = {{.part_a = 0, .part_b = 1, .faces = 2, .value = 5}};
  unscale(why, true, 2);
  EXPECT_EQ(why.edges[1].length, 2);
  EXPECT_EQ(why.edges[1].capacity, 1);
  EXPECT_EQ(why.cuts[0].value, 2.5);
  unscale(why, false, 2);
  EXPECT_EQ(why.edges[1].length, 1);
  EXPECT_EQ(why.edges[1].capacity, 1);
  EXPECT_EQ(why.cuts[0].value, 2.5);
}

}  // namespace
}  // namespace fovea::mesh
