#include "mesh/divide/volume_links.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

#include "mesh/shapes.h"
#include "support/devices.h"

namespace fovea::mesh {
namespace {

struct Made {
  Part part;
  Superfaces superfaces;
  Network network;  // without links through the volume
};

Made make(const io::TriangleMesh& mesh, int superfaces) {
  SegmentOptions options;
  options.resistance.smoothing = 0;
  options.exec.device = Device::cpu();
  Made made;
  made.part = make_resistance(options)->prepare(dual_graph(mesh), {});
  made.superfaces = make_superfaces(made.part, superfaces, options.exec);
  made.network = make_network(made.part, made.superfaces);
  return made;
}

// What the links through the volume conduct together.
double through(const Made& made) {
  const auto sum = [](const Network& network) {
    return std::accumulate(network.links.begin(), network.links.end(), 0.0,
                           [](double all, const Conductance& link) { return all + link.value; });
  };
  Network network = made.network;
  EXPECT_TRUE(add_volume_links(made.part, made.superfaces, network));
  return sum(network) - sum(made.network);
}

double flat_cost_of(const Part& part) {
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < part.costs.size(); ++i)
    least = std::min(least, static_cast<double>(part.costs[i] / part.graph.arcs[i].geodesic));
  return least;
}

// A ring whose cross section is a rectangle: a piece of pipe.
io::TriangleMesh pipe(int around, int along) {
  io::TriangleMesh mesh;
  std::vector<std::pair<double, double>> profile;  // radius and height, from inside upwards
  for (int i = 0; i < along; ++i) profile.emplace_back(0.8, 2.0 * i / along - 1);
  profile.emplace_back(0.8, 1);
  for (int i = 0; i < along; ++i) profile.emplace_back(1, 1 - 2.0 * i / along);
  profile.emplace_back(1, -1);
  const auto rows = static_cast<int>(profile.size());
  for (int i = 0; i < around; ++i) {
    const double angle = 2 * std::numbers::pi * i / around;
    for (const auto& [radius, height] : profile)
      mesh.vertices.push_back({static_cast<float>(radius * std::cos(angle)),
                               static_cast<float>(radius * std::sin(angle)),
                               static_cast<float>(height)});
  }
  for (int i = 0; i < around; ++i) {
    for (int row = 0; row < rows; ++row) {
      const int a = i * rows + row, b = i * rows + (row + 1) % rows;
      const int c = (i + 1) % around * rows + row, d = (i + 1) % around * rows + (row + 1) % rows;
      mesh.faces.push_back({a, b, c});
      mesh.faces.push_back({b, d, c});
    }
  }
  return mesh;
}

// Every face of a cube meets the opposite side at a distance of 1.
TEST(VolumeLinks, OfACube) {
  const Made made = make(test::cube(), 12);
  EXPECT_NEAR(through(made), 12 * 0.015 * 0.5 / flat_cost_of(made.part), 1e-4);
}

// Rays through the center of a ball of radius 1 are 2 long, and there are 4 pi of area.
TEST(VolumeLinks, OfABall) {
  const Made made = make(test::sphere(3), 300);
  const double expected = 0.015 * 4 * std::numbers::pi / 4 / flat_cost_of(made.part);
  EXPECT_NEAR(through(made) / expected, 1, 0.1);
}

TEST(VolumeLinks, GrowAsTheOthersWithTheUnitOfLength) {
  io::TriangleMesh large = test::sphere(3);
  for (io::Vertex& vertex : large.vertices)
    for (float& x : vertex) x *= 64;
  EXPECT_NEAR(through(make(large, 100)) / through(make(test::sphere(3), 100)), 64, 1e-3);
}

TEST(VolumeLinks, ASheetHasNone) {
  const Made made = make(test::sheet(8), 40);
  EXPECT_EQ(through(made), 0);
}

TEST(VolumeLinks, AreSortedOncePerPair) {
  Made made = make(test::star(3), 200);
  const std::size_t before = made.network.links.size();
  ASSERT_TRUE(add_volume_links(made.part, made.superfaces, made.network));
  const std::vector<Conductance>& links = made.network.links;
  EXPECT_GT(links.size(), before);
  for (std::size_t i = 0; i < links.size(); ++i) {
    EXPECT_LT(links[i].a, links[i].b);
    EXPECT_TRUE(links[i].value > 0 && std::isfinite(links[i].value));
    if (i == 0) continue;
    EXPECT_LT(std::pair(links[i - 1].a, links[i - 1].b), std::pair(links[i].a, links[i].b));
  }
}

TEST(VolumeLinks, NeedStepsThatCostSomething) {
  Made made = make(test::sphere(2), 40);
  std::fill(made.part.costs.begin(), made.part.costs.end(), 0.0F);
  const std::size_t before = made.network.links.size();
  EXPECT_FALSE(add_volume_links(made.part, made.superfaces, made.network));
  EXPECT_EQ(made.network.links.size(), before);
}

// The inside of a pipe bends inwards everywhere, which looks like valleys from face to face. Its
// two sides together are one wall.
TEST(VolumeLinks, APipeIsOnePart) {
  EXPECT_EQ(segment(pipe(64, 24), {.exec = {.device = Device::cpu()}}).count, 1);
}

TEST(VolumeLinks, GiveTheSameNumberOnCuda) {
  FOVEA_SKIP_WITHOUT_CUDA();
  for (const io::TriangleMesh& mesh : {pipe(64, 24), test::star(4), test::bumpy(4)}) {
    const Segmentation cpu = segment(mesh, {.exec = {.device = Device::cpu()}});
    const Segmentation cuda = segment(mesh, {.exec = {.device = Device::cuda()}});
    EXPECT_EQ(cuda.count, cpu.count);
    EXPECT_EQ(cuda.labels, cpu.labels);
  }
}

TEST(VolumeLinks, GiveTheSamePartsForAnyNumberOfThreads) {
  SegmentOptions options;
  options.exec.device = Device::cpu();
  options.exec.threads = 1;
  const Segmentation one = segment(test::bumpy(3), options);
  options.exec.threads = 4;
  EXPECT_EQ(segment(test::bumpy(3), options).labels, one.labels);
}

// A number that is chosen gives the parts of the same number that is given.
TEST(VolumeLinks, ChooseOnlyTheNumber) {
  SegmentOptions options;
  options.exec.device = Device::cpu();
  const Segmentation chosen = segment(test::star(3), options);
  options.parts = chosen.count;
  EXPECT_EQ(segment(test::star(3), options).labels, chosen.labels);
}

}  // namespace
}  // namespace fovea::mesh
