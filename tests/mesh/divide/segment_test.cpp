// Covers: hierarchy
#include <fovea/core/error.h>
#include <fovea/mesh/segment.h>

#include <algorithm>
#include <map>
#include <set>

#include "mesh/shapes.h"
#include "support/devices.h"
#include "support/files.h"

namespace fovea::mesh {
namespace {

using test::message_of;

struct Case {
  Method method;
  Division division;
};
class Segment : public testing::TestWithParam<Case> {
 protected:
  SegmentOptions options(int parts) const {
    SegmentOptions result;
    result.parts = parts;
    result.method = GetParam().method;
    result.division = GetParam().division;
    return result;
  }
};
INSTANTIATE_TEST_SUITE_P(All, Segment,
                         testing::Values(Case{Method::kResistance, Division::kKWay},
                                         Case{Method::kResistance, Division::kHierarchical},
                                         Case{Method::kFuzzy, Division::kKWay},
                                         Case{Method::kFuzzy, Division::kHierarchical}),
                         [](const auto& one) {
                           return std::string(one.param.method == Method::kFuzzy ? "Fuzzy"
                                                                                 : "Resistance") +
                                  (one.param.division == Division::kKWay ? "KWay" : "Hierarchical");
                         });

void expect_sound(const Segmentation& result, std::size_t faces, int parts) {
  ASSERT_EQ(result.labels.size(), faces);
  ASSERT_EQ(result.pieces.size(), faces);
  ASSERT_EQ(result.membership.size(), faces);
  EXPECT_EQ(result.count, parts);
  const std::set<std::int32_t> labels(result.labels.begin(), result.labels.end());
  EXPECT_EQ(labels.size(), static_cast<std::size_t>(parts));
  EXPECT_EQ(*labels.begin(), 0);
  EXPECT_EQ(*labels.rbegin(), parts - 1);
  EXPECT_EQ(std::set<std::int32_t>(result.pieces.begin(), result.pieces.end()).size(),
            static_cast<std::size_t>(result.piece_count));
  EXPECT_GE(result.piece_count, parts);
  ASSERT_EQ(result.representatives.size(), static_cast<std::size_t>(parts));
  for (const float share : result.membership) {
    EXPECT_GE(share, 1 / static_cast<float>(parts));
    EXPECT_LE(share, 1);
  }
}

float height(const io::TriangleMesh& mesh, std::size_t face, std::size_t axis) {
  float sum = 0;
  for (const std::int32_t vertex : mesh.faces[face])
    sum += mesh.vertices[static_cast<std::size_t>(vertex)][axis];
  return sum / 3;
}

TEST_P(Segment, DumbbellAtItsNeck) {
  const io::TriangleMesh mesh = test::dumbbell();
  const Segmentation result = segment(mesh, options(2));
  expect_sound(result, mesh.faces.size(), 2);
  // Whatever becomes of the tube, the balls are apart.
  for (std::size_t face = 0; face < mesh.faces.size(); ++face) {
    const float z = height(mesh, face, 2);
    if (std::abs(z) < 0.6F) continue;
    EXPECT_EQ(result.labels[face] == result.labels[0], z < 0) << face << " at " << z;
  }
}

TEST_P(Segment, NumbersAreKeptAndUsed) {
  const io::TriangleMesh mesh = test::star(3);
  for (const int segments : {1, 3, 7})
    expect_sound(segment(mesh, options(segments)), mesh.faces.size(), segments);
}

TEST_P(Segment, ANumberOfThreadsChangesNothing) {
  const io::TriangleMesh mesh = test::star(3);
  SegmentOptions how = options(4);
  how.exec.threads = 1;
  const Segmentation one = segment(mesh, how);
  for (const int threads : {2, 7}) {
    how.exec.threads = threads;
    const Segmentation many = segment(mesh, how);
    EXPECT_EQ(many.labels, one.labels);
    EXPECT_EQ(many.membership, one.membership);
    EXPECT_EQ(many.representatives, one.representatives);
  }
}

TEST_P(Segment, ComponentsShareTheNumberByArea) {
  const io::TriangleMesh mesh = test::beside(test::star(2), test::cube(), 10);
  const Segmentation result = segment(mesh, options(5));
  expect_sound(result, mesh.faces.size(), 5);
  const auto first = result.labels.begin();
  const auto cube = result.labels.end() - 12;
  EXPECT_EQ(std::set<std::int32_t>(first, cube).size(), 4U);
  EXPECT_EQ(std::set<std::int32_t>(cube, result.labels.end()), (std::set<std::int32_t>{4}));
  expect_sound(segment(mesh, options(1)), mesh.faces.size(), 2);
}

TEST_P(Segment, OddMeshes) {
  io::TriangleMesh odd = test::cube();
  odd.faces.push_back({0, 0, 0});
  odd.faces.push_back({1, 2, 2});
  odd.faces.push_back(odd.faces[2]);
  odd.vertices.push_back({9, 9, 9});
  expect_sound(segment(odd, options(3)), odd.faces.size(), 3);
  expect_sound(segment(test::moebius(20), options(3)), 40, 3);
  expect_sound(segment(test::sheet(6), options(4)), 72, 4);
  io::TriangleMesh point;
  point.vertices = {{1, 1, 1}};
  point.faces = {{0, 0, 0}, {0, 0, 0}};
  expect_sound(segment(point, options(0)), 2, 2);
}

TEST_P(Segment, AsManyAsFaces) { expect_sound(segment(test::cube(), options(12)), 12, 12); }

TEST_P(Segment, AChosenNumberIsSound) {
  const io::TriangleMesh mesh = test::star(3);
  const Segmentation result = segment(mesh, options(0));
  EXPECT_TRUE(result.chosen);
  expect_sound(result, mesh.faces.size(), result.count);
}

TEST(SegmentResistance, AStarHasFiveParts) {
  const io::TriangleMesh mesh = test::star(4);
  const Segmentation result = segment(mesh);
  EXPECT_TRUE(result.chosen);
  expect_sound(result, mesh.faces.size(), 5);
  EXPECT_EQ(result.piece_count, 5);
  // Arms by their tips, the ball by its poles.
  std::set<std::int32_t> tips;
  for (std::size_t face = 0; face < mesh.faces.size(); ++face)
    for (const std::size_t axis : {0U, 1U})
      if (std::abs(height(mesh, face, axis)) > 3) tips.insert(result.labels[face]);
  EXPECT_EQ(tips.size(), 4U);
}

TEST(SegmentResistance, FinenessChangesLittle) {
  for (const int level : {3, 5}) {
    const Segmentation result = segment(test::star(level));
    EXPECT_EQ(result.count, 5) << level;
  }
}

// A face of level n is the four from 4 i on of level n + 1.
TEST(SegmentResistance, FinenessKeepsTheParts) {
  SegmentOptions options;
  options.parts = 5;
  const Segmentation coarse = segment(test::bumpy(4), options);
  const Segmentation fine = segment(test::star(5), options);
  std::map<std::pair<std::int32_t, std::int32_t>, int> shared;
  for (std::size_t face = 0; face < fine.labels.size(); ++face)
    ++shared[{coarse.labels[face / 4], fine.labels[face]}];
  std::map<std::int32_t, int> best;
  for (const auto& [pair, count] : shared) best[pair.first] = std::max(best[pair.first], count);
  int same = 0;
  for (const auto& [label, count] : best) same += count;
  EXPECT_GT(same, 0.97 * static_cast<double>(fine.labels.size()));
}

class SegmentTwins : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, SegmentTwins,
                         testing::Values(Case{Method::kResistance, Division::kKWay},
                                         Case{Method::kResistance, Division::kHierarchical},
                                         Case{Method::kFuzzy, Division::kKWay},
                                         Case{Method::kFuzzy, Division::kHierarchical}));

TEST_P(SegmentTwins, GiveTheSameParts) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const std::vector<io::TriangleMesh> meshes = {
      test::dumbbell(),  test::star(4),     test::bumpy(4),
      test::bumpy(3, 9), test::moebius(40), test::beside(test::bumpy(3), test::cube(), 10)};
  for (const io::TriangleMesh& mesh : meshes) {
    for (const int segments : {0, 2, 6}) {
      SegmentOptions options;
      options.parts = segments;
      options.method = GetParam().method;
      options.division = GetParam().division;
      options.exec.device = Device::cpu();
      const Segmentation cpu = segment(mesh, options);
      options.exec.device = Device::cuda();
      const Segmentation cuda = segment(mesh, options);
      EXPECT_EQ(cuda.labels, cpu.labels);
      EXPECT_EQ(cuda.membership, cpu.membership);
      EXPECT_EQ(cuda.representatives, cpu.representatives);
      EXPECT_EQ(cuda.cut_value, cpu.cut_value);
    }
  }
}

// Faces without area lie at distance 0 from each other, and still no part is empty.
TEST_P(Segment, FacesAtOnePlaceAreStillDivided) {
  io::TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  mesh.faces.assign(9, {0, 1, 2});
  for (const int parts : {2, 5, 9}) expect_sound(segment(mesh, options(parts)), 9, parts);
}

TEST(SegmentFuzzy, ACandidateNumberIsKeptToOnBoth) {
  SegmentOptions options;
  options.method = Method::kFuzzy;
  options.parts = 5;
  options.fuzzy.candidates = 200;
  options.exec.device = Device::cpu();
  const io::TriangleMesh mesh = test::bumpy(3);
  const Segmentation cpu = segment(mesh, options);
  EXPECT_EQ(cpu.engine, "dijkstra");
  expect_sound(cpu, mesh.faces.size(), 5);
  FOVEA_SKIP_WITHOUT_CUDA();
  options.exec.device = Device::cuda();
  EXPECT_EQ(segment(mesh, options).labels, cpu.labels);
}

// Six balls on a chain of thin tubes fall into loose pieces when halves are divided again.
TEST_P(Segment, PartsThatFallIntoPieces) {
  io::TriangleMesh mesh;
  for (int i = 0; i < 6; ++i)
    mesh = i == 0 ? test::cube() : test::beside(mesh, test::cube(), 3.0F * static_cast<float>(i));
  // A sheet that touches every cube along one edge makes one component of them.
  const auto cubes = static_cast<std::int32_t>(mesh.vertices.size());
  mesh.vertices.push_back({0, 0, -1});
  for (std::int32_t first = 0; first < cubes; first += 8)
    mesh.faces.push_back({first, first + 1, cubes});
  for (std::int32_t first = 0; first + 8 < cubes; first += 8) {
    mesh.faces.push_back({first, first + 8, cubes});
    mesh.faces.push_back({first + 1, first + 8, cubes});
  }
  for (const int parts : {2, 3, 5, 9})
    expect_sound(segment(mesh, options(parts)), mesh.faces.size(), parts);
  expect_sound(segment(mesh, options(0)), mesh.faces.size(), segment(mesh, options(0)).count);
}

TEST_P(Segment, PlacesFarOutAreNoTrouble) {
  for (const float scale : {1e-38F, 1e-30F, 1e30F, 1e38F}) {
    io::TriangleMesh mesh = test::dumbbell();
    for (io::Vertex& vertex : mesh.vertices)
      for (float& x : vertex) x *= scale / 4;
    expect_sound(segment(mesh, options(3)), mesh.faces.size(), 3);
  }
  io::TriangleMesh mesh = test::dumbbell();
  mesh.vertices[5] = {3e38F, -3e38F, 3e38F};
  expect_sound(segment(mesh, options(3)), mesh.faces.size(), 3);
}

TEST(Segmenter, GivesWhatTheFunctionGivesForOneMeshAfterTheOther) {
  for (const Method method : {Method::kResistance, Method::kFuzzy}) {
    SegmentOptions options;
    options.parts = 4;
    options.method = method;
    Segmenter segmenter(options);
    EXPECT_EQ(segmenter.options().parts, 4);
    for (const io::TriangleMesh& mesh : {test::star(3), test::dumbbell(), test::star(2)}) {
      const Segmentation again = segmenter.segment(mesh);
      const Segmentation once = segment(mesh, options);
      EXPECT_EQ(again.labels, once.labels);
      EXPECT_EQ(again.membership, once.membership);
      EXPECT_EQ(again.representatives, once.representatives);
    }
  }
}

// A soup of loose triangles takes time in proportion to their number.
TEST(Segmenter, LooseTrianglesAreQuick) {
  io::TriangleMesh soup;
  for (std::int32_t i = 0; i < 100000; ++i) {
    const auto x = static_cast<float>(i);
    soup.vertices.insert(soup.vertices.end(), {{x, 0, 0}, {x, 1, 0}, {x, 0, 1}});
    soup.faces.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const Segmentation found = segment(soup);
  EXPECT_EQ(found.count, 100000);
}

// Pairs of faces at one edge would be five thousand millions here.
TEST(Segmenter, AnEdgeWithManyFacesIsNoTrouble) {
  io::TriangleMesh fan;
  fan.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  fan.faces.assign(100000, {0, 1, 2});
  SegmentOptions options;
  options.parts = 2;
  expect_sound(segment(fan, options), fan.faces.size(), 2);
}

TEST(SegmentOptions, AreChecked) {
  SegmentOptions options;
  options.parts = 13;
  EXPECT_EQ(message_of<InvalidArgument>([&] { segment(test::cube(), options); }),
            "segment: cannot make 13 parts of 12 faces");
  EXPECT_EQ(message_of<InvalidArgument>([&] { segment({}, {}); }),
            "segment: the mesh has no faces");
  options.parts = 2;
  options.resistance.costs.alpha = 1.5;
  EXPECT_THROW(segment(test::cube(), options), InvalidArgument);
}

}  // namespace
}  // namespace fovea::mesh
