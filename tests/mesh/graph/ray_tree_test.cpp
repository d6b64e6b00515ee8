#include "mesh/graph/ray_tree.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include "mesh/shapes.h"

namespace fovea::mesh {
namespace {

// The textbook loop over all faces.
RayHit first_of_all(const io::TriangleMesh& mesh, const Ray& ray) {
  RayHit hit;
  for (std::size_t face = 0; face < mesh.faces.size(); ++face) {
    if (static_cast<std::int32_t>(face) == ray.but) continue;
    const double at =
        meet(ray, corner(mesh, face, 0), corner(mesh, face, 1), corner(mesh, face, 2));
    if (at >= 0 && (hit.face < 0 || at < hit.distance)) hit = {static_cast<std::int32_t>(face), at};
  }
  return hit;
}

TEST(RayTree, MeetsTheSidesOfACube) {
  const RayTree tree(test::cube());
  const RayHit up = tree.first({.from = {0.3, 0.6, 0.5}, .towards = {0, 0, 1}});
  EXPECT_TRUE(up.face == 2 || up.face == 3) << up.face;
  EXPECT_DOUBLE_EQ(up.distance, 0.5);
  // Through an edge, a corner, along a side and past the cube.
  EXPECT_GE(tree.first({.from = {0.5, 0.5, 0.5}, .towards = {1, 1, 0}}).face, 0);
  EXPECT_GE(tree.first({.from = {0.5, 0.5, 0.5}, .towards = {1, 1, 1}}).face, 0);
  EXPECT_GE(tree.first({.from = {-1, 0.2, 0.7}, .towards = {1, 0, 0}}).face, 0);
  EXPECT_EQ(tree.first({.from = {-1, 2, 0.7}, .towards = {1, 0, 0}}).face, -1);
  EXPECT_EQ(tree.first({.from = {0.3, 0.6, 0.5}, .towards = {0, 0, 1}, .least = 0.6}).face, -1);
}

TEST(RayTree, FindsWhatALoopOverAllFacesFinds) {
  Random random(3);
  for (const io::TriangleMesh& mesh : {test::bumpy(3), test::dumbbell(20, 12), test::sheet(9)}) {
    const RayTree tree(mesh);
    for (int i = 0; i < 400; ++i) {
      const auto draw = [&](float most) {
        return static_cast<double>(random.uniform(-most, most));
      };
      const Ray ray{.from = {draw(4), draw(4), draw(4)},
                    .towards = {draw(1), draw(1), i % 7 == 0 ? 0.0 : draw(1)},
                    .least = 1e-9,
                    .but = i};
      const RayHit found = tree.first(ray);
      const RayHit expected = first_of_all(mesh, ray);
      ASSERT_EQ(found.face, expected.face) << i;
      EXPECT_EQ(found.distance, expected.distance) << i;
    }
  }
}

TEST(RayTree, FacesAtOnePlaceAndWithoutAreaAreLegal) {
  io::TriangleMesh mesh;
  EXPECT_EQ(RayTree(mesh).first({.from = {0, 0, 0}, .towards = {0, 0, 1}}).face, -1);
  mesh.vertices = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  for (int i = 0; i < 40; ++i) mesh.faces.push_back({0, 1, 2});
  mesh.faces.push_back({0, 0, 0});
  const RayHit hit = RayTree(mesh).first({.from = {0.2, 0.2, 0}, .towards = {0, 0, 1}, .but = 0});
  EXPECT_EQ(hit.face, 1);  // the lowest of those that may be met
  EXPECT_DOUBLE_EQ(hit.distance, 1);
}

}  // namespace
}  // namespace fovea::mesh
