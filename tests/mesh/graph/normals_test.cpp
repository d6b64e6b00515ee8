// Smoothed normals and the angles between them on both twins: closed forms, and equal to the bit.
#include "mesh/graph/normals.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "mesh/shapes.h"
#include "support/devices.h"

namespace fovea::mesh {
namespace {

class Normals : public test::OnEveryPlace {
 protected:
  DualGraph smoothed(const io::TriangleMesh& mesh, double rounds) const {
    Exec exec;
    exec.device = device();
    DualGraph graph = dual_graph_unbent(mesh, exec);
    smooth_and_measure(graph, Adjacency(graph.areas.size(), graph.arcs), rounds, exec);
    return graph;
  }
};
FOVEA_ON_EVERY_PLACE(Normals);

// Two faces of equal area at a right angle: a round in which neighbors have the share s makes their
// normals (1, s) and (s, 1), so that a whole round makes them equal and half a round leaves
// acos(0.8).
TEST_P(Normals, OfAFoldComeTogether) {
  io::TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
  mesh.faces = {{0, 2, 1}, {0, 1, 3}};
  const auto angle = [&](double rounds) {
    const DualGraph graph = smoothed(mesh, rounds);
    EXPECT_EQ(graph.arcs.size(), 1U);
    return static_cast<double>(graph.arcs.at(0).angle);
  };
  EXPECT_NEAR(angle(0), std::numbers::pi / 2, 1e-6);
  EXPECT_NEAR(angle(0.5), std::acos(0.8), 1e-6);
  EXPECT_NEAR(angle(1), 0, 1e-6);
  EXPECT_NEAR(angle(2.5), 0, 1e-6);
}

TEST_P(Normals, AreTheCpusToTheBit) {
  for (const io::TriangleMesh& mesh :
       {test::bumpy(3), test::star(3), test::moebius(30), test::dumbbell()}) {
    for (const double rounds : {0.0, 1.0, 3.4}) {
      const DualGraph found = smoothed(mesh, rounds);
      Exec one;
      one.device = Device::cpu();
      one.threads = 1;
      DualGraph expected = dual_graph_unbent(mesh, one);
      smooth_and_measure(expected, Adjacency(expected.areas.size(), expected.arcs), rounds, one);
      EXPECT_EQ(found.normals, expected.normals);
      ASSERT_EQ(found.arcs.size(), expected.arcs.size());
      for (std::size_t i = 0; i < found.arcs.size(); ++i) {
        ASSERT_EQ(found.arcs[i].angle, expected.arcs[i].angle) << i;
        ASSERT_EQ(found.arcs[i].concave, expected.arcs[i].concave) << i;
      }
    }
  }
}

TEST_P(Normals, FacesWithoutAreaTakeTheirNeighborsMean) {
  io::TriangleMesh mesh = test::sheet(1);
  mesh.faces.push_back({mesh.faces[0][0], mesh.faces[0][1], mesh.faces[0][1]});
  const DualGraph before = smoothed(mesh, 0), after = smoothed(mesh, 1);
  EXPECT_EQ(before.normals[2], (std::array<float, 3>{0, 0, 0}));
  EXPECT_EQ(after.normals[2], after.normals[0]);
  for (const DualArc& arc : after.arcs) EXPECT_EQ(arc.angle, 0);
}

TEST(SmoothingShares, EndWithTheFraction) {
  EXPECT_TRUE(smoothing_shares(0).empty());
  EXPECT_EQ(smoothing_shares(1), (std::vector<float>{1}));
  EXPECT_EQ(smoothing_shares(2.5), (std::vector<float>{1, 1, 0.5F}));
}

}  // namespace
}  // namespace fovea::mesh
