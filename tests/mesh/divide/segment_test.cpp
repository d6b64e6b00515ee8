// Covers: hierarchy
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/mesh/segment.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "mesh/shapes.h"
#include "support/devices.h"
#include "support/files.h"
#include "support/sanitized.h"

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
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
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
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
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

// Memberships of a face add up to 1, and its part is where they are most unless a cut moved it.
TEST_P(Segment, KeepsMembershipsInEveryPart) {
  const io::TriangleMesh mesh = test::beside(test::dumbbell(20, 10), test::cube(), 5);
  SegmentOptions how = options(4);
  const Segmentation plain = segment(mesh, how);
  EXPECT_TRUE(plain.memberships.empty());
  how.keep_memberships = true;
  how.cut = false;
  how.least_island = 0;
  const Segmentation found = segment(mesh, how);
  const auto count = static_cast<std::size_t>(found.count);
  ASSERT_EQ(found.memberships.size(), mesh.faces.size() * count);
  std::size_t moved = 0;
  for (std::size_t face = 0; face < mesh.faces.size(); ++face) {
    const float* share = found.memberships.data() + face * count;
    double sum = 0;
    for (std::size_t part = 0; part < count; ++part) {
      EXPECT_GE(share[part], 0);
      sum += static_cast<double>(share[part]);
    }
    EXPECT_NEAR(sum, 1, 1e-4);
    const auto best = static_cast<std::int32_t>(std::max_element(share, share + count) - share);
    if (best != found.labels[face]) ++moved;
  }
  // With k-way fuzzy the label is the best membership; elsewhere groups and halves decide.
  const bool exact = GetParam().method == Method::kFuzzy && GetParam().division == Division::kKWay;
  EXPECT_LE(moved, exact ? 0 : mesh.faces.size() / 5);
  how.cut = true;
  how.least_island = 10;
  EXPECT_EQ(segment(mesh, how).labels, plain.labels);  // keeping them changes nothing
}

TEST_P(Segment, HasATreeOfItsDivisions) {
  const io::TriangleMesh mesh = test::beside(test::star(3), test::cube(), 5);
  const Segmentation found = segment(mesh, options(5));
  if (GetParam().division == Division::kKWay) {
    EXPECT_TRUE(found.hierarchy.empty());
    return;
  }
  ASSERT_EQ(found.hierarchy.size(), 2U + 2 * 3);  // two roots and three divisions
  std::vector<std::int64_t> faces(static_cast<std::size_t>(found.count));
  for (const std::int32_t label : found.labels) ++faces[static_cast<std::size_t>(label)];
  double area = 0;
  std::set<std::int32_t> parts;
  for (std::size_t i = 0; i < found.hierarchy.size(); ++i) {
    const HierarchyNode& node = found.hierarchy[i];
    if (i < 2) {
      EXPECT_EQ(node.parent, -1);
      EXPECT_EQ(node.level, 0);
      area += node.area;
    } else {
      const HierarchyNode& parent = found.hierarchy[static_cast<std::size_t>(node.parent)];
      EXPECT_EQ(node.level, parent.level + 1);
      EXPECT_TRUE(parent.children[0] == static_cast<std::int32_t>(i) ||
                  parent.children[1] == static_cast<std::int32_t>(i));
    }
    if (node.is_part()) {
      EXPECT_EQ(node.faces, faces[static_cast<std::size_t>(node.part)]);
      EXPECT_EQ(node.representative, found.representatives[static_cast<std::size_t>(node.part)]);
      EXPECT_EQ(node.apart, 0);
      parts.insert(node.part);
    } else {
      const auto below = [&](std::size_t side) {
        return found.hierarchy[static_cast<std::size_t>(node.children[side])];
      };
      EXPECT_EQ(node.faces, below(0).faces + below(1).faces);
      EXPECT_EQ(node.part, below(0).part);
      EXPECT_GT(node.apart, 0);
    }
  }
  EXPECT_NEAR(area, 1, 1e-9);
  EXPECT_EQ(parts.size(), 5U);
}

// A sheet without any angle: only the caller's costs can say where it is to be divided.
TEST_P(Segment, TakesTheCallersCosts) {
  const io::TriangleMesh mesh = test::sheet(10);
  const DualGraph graph = dual_graph(mesh);
  const auto left = [&](std::int32_t face) {
    return graph.centroids[static_cast<std::size_t>(face)][0] < 3;
  };
  const ArcCostFunction wall = [&](const DualArc& arc) {
    return left(arc.a) == left(arc.b) ? 0.01F : 5.0F;
  };
  SegmentOptions how = options(2);
  const Segmentation by_list = Segmenter(how).segment(mesh, own_arc_costs(graph, wall));
  how.arc_cost = wall;
  const Segmentation by_function = segment(mesh, how);
  EXPECT_EQ(by_list.labels, by_function.labels);
  std::size_t wrong = 0;
  for (std::size_t face = 0; face < mesh.faces.size(); ++face)
    wrong += (by_list.labels[face] == by_list.labels[0]) != left(static_cast<std::int32_t>(face));
  EXPECT_LE(wrong, 2U);
  // Only the relations between costs count.
  for (const float scale : {0x1p-80F, 0x1p80F}) {
    std::vector<float> scaled = own_arc_costs(graph, wall);
    for (float& cost : scaled) cost *= scale;
    const Segmentation same = Segmenter(options(2)).segment(mesh, scaled);
    EXPECT_EQ(same.labels, by_list.labels);
    EXPECT_EQ(same.membership, by_list.membership);
  }
  EXPECT_THAT(message_of<InvalidArgument>(
                  [&] { Segmenter(options(2)).segment(mesh, std::vector<float>(3, 1.0F)); }),
              testing::HasSubstr("3 costs for"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { Segmenter(options(2)).segment(mesh, {}); }),
              testing::HasSubstr("0 costs for"));
}

TEST_P(Segment, TakesCostsByName) {
  const io::TriangleMesh mesh = test::dumbbell(20, 10);
  for (const Choice& kind : choices(CostKind{})) {
    SegmentOptions how = options(3);
    how.cost = static_cast<CostKind>(kind.value);
    how.diameter.rays = 6;
    how.exec.threads = 1;
    const Segmentation one = segment(mesh, how);
    expect_sound(one, mesh.faces.size(), 3);
    how.exec.threads = 3;
    EXPECT_EQ(segment(mesh, how).labels, one.labels) << kind.word;
  }
}

}  // namespace
}  // namespace fovea::mesh
