#include <fovea/core/geometry.h>

namespace fovea {
namespace {

TEST(Rect, IntersectionIsEmptyWhereRectanglesOnlyTouch) {
  const Rect<int> a{0, 0, 4, 4};
  EXPECT_EQ(intersect(a, Rect<int>{2, 1, 4, 2}), (Rect<int>{2, 1, 2, 2}));
  EXPECT_TRUE(intersect(a, Rect<int>{4, 0, 2, 2}).empty());
  EXPECT_EQ(intersection_area(a, Rect<int>{9, 9, 2, 2}), 0);
}

TEST(Rect, OverlapIsIntersectionOverUnion) {
  const Rect<float> a{0, 0, 2, 2};
  EXPECT_FLOAT_EQ(overlap(a, a), 1);
  EXPECT_FLOAT_EQ(overlap(a, Rect<float>{1, 0, 2, 2}), 1.F / 3);
  EXPECT_FLOAT_EQ(overlap(a, Rect<float>{5, 5, 2, 2}), 0);
  EXPECT_FLOAT_EQ(overlap(Rect<float>{}, Rect<float>{}), 0);
}

}  // namespace
}  // namespace fovea
