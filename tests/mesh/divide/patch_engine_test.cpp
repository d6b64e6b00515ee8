#include "mesh/divide/patch_engine.h"

#include <fovea/core/random.h>
#include <fovea/mesh/arc_costs.h>

#include <algorithm>
#include <limits>
#include <set>

#include "mesh/divide/superfaces.h"
#include "mesh/graph/adjacency.h"
#include "mesh/graph/surface_math.h"
#include "mesh/shapes.h"
#include "support/devices.h"

namespace fovea::mesh {
namespace {

struct Shape {
  DualGraph graph;
  PatchSteps steps;
};

// A star with costs by chance, some of them 0.
Shape shape(int level) {
  Shape result;
  result.graph = dual_graph(test::star(level));
  const Adjacency adjacency(result.graph.areas.size(), result.graph.arcs);
  Random random(7);
  std::vector<float> costs(result.graph.arcs.size());
  for (float& cost : costs) cost = std::max(0.0F, random.uniform(-0.3F, 2));
  for (std::int32_t face = 0; face < result.graph.faces(); ++face) {
    for (const Neighbor& next : adjacency.of(face)) {
      const float cost = costs[static_cast<std::size_t>(next.arc)];
      result.steps.steps.push_back({next.face, cost, 2 * cost});
    }
    result.steps.first.push_back(static_cast<std::int32_t>(result.steps.steps.size()));
  }
  return result;
}

// Bellman and Ford's way: all steps, until nothing changes.
std::vector<float> textbook(const PatchSteps& steps, std::span<const std::int32_t> seeds) {
  std::vector<float> far(steps.faces(), std::numeric_limits<float>::infinity());
  for (const std::int32_t seed : seeds) far[static_cast<std::size_t>(seed)] = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t face = 0; face < far.size(); ++face) {
      for (std::int32_t i = steps.first[face]; i < steps.first[face + 1]; ++i) {
        const PatchStep& step = steps.steps[static_cast<std::size_t>(i)];
        const float there = path_step(far[static_cast<std::size_t>(step.face)], step.cost);
        if (!(there < far[face])) continue;
        far[face] = there;
        changed = true;
      }
    }
  }
  return far;
}

class Patches : public test::OnEveryPlace {
 protected:
  std::unique_ptr<PatchEngine> engine(const PatchSteps& steps) const {
    const Exec exec{.device = device()};
    return device().kind == DeviceKind::kCuda ? cuda::make_patch_engine(steps, exec)
                                              : cpu::make_patch_engine(steps, exec);
  }
};
FOVEA_ON_EVERY_PLACE(Patches);

TEST_P(Patches, PeaksAreThoseOfTheTextbooksDistances) {
  const Shape star = shape(3);
  const auto patches = engine(star.steps);
  const std::vector<std::int32_t> seeds = {5, 700, 1100};
  patches->add(std::span(seeds).first(1));
  patches->add(std::span(seeds).subspan(1));
  const std::vector<float> far = textbook(star.steps, seeds);
  const float most = *std::max_element(far.begin(), far.end());
  std::set<std::pair<std::int32_t, float>> expected;
  for (std::size_t face = 0; face < far.size(); ++face) {
    bool peak = far[face] >= 0.5F * most;
    for (std::int32_t i = star.steps.first[face]; i < star.steps.first[face + 1]; ++i) {
      const std::int32_t next = star.steps.steps[static_cast<std::size_t>(i)].face;
      const float other = far[static_cast<std::size_t>(next)];
      if (other > far[face] || (other == far[face] && next < static_cast<std::int32_t>(face)))
        peak = false;
    }
    if (peak) expected.emplace(static_cast<std::int32_t>(face), far[face]);
  }
  std::set<std::pair<std::int32_t, float>> found;
  for (const PatchPeak& peak : patches->peaks(0.5F)) found.emplace(peak.face, peak.far);
  EXPECT_EQ(found, expected);
}

TEST_P(Patches, SeedsInSpaceAreFarthestFirst) {
  const Shape star = shape(3);
  const auto& points = star.graph.centroids;
  const auto off = [&](std::size_t a, std::size_t b) {
    return squared_length(points[a][0] - points[b][0], points[a][1] - points[b][1],
                          points[a][2] - points[b][2]);
  };
  std::vector<std::int32_t> expected;
  for (int i = 0; i < 12; ++i) {
    std::size_t farthest = 0;
    float most = -1;
    for (std::size_t face = 0; face < points.size(); ++face) {
      float nearest = i == 0 ? off(face, 0) : std::numeric_limits<float>::infinity();
      for (const std::int32_t seed : expected)
        nearest = std::min(nearest, off(face, static_cast<std::size_t>(seed)));
      if (nearest > most) std::tie(most, farthest) = std::pair(nearest, face);
    }
    expected.push_back(static_cast<std::int32_t>(farthest));
  }
  EXPECT_EQ(engine(star.steps)->spread_in_space(points, 12), expected);
  const std::vector<std::array<float, 3>> one_place(star.steps.faces(), {1, 2, 3});
  EXPECT_EQ(engine(star.steps)->spread_in_space(one_place, 12), (std::vector<std::int32_t>{0}));
}

TEST_P(Patches, AreTheCpus) {
  for (const int level : {2, 4}) {
    Part part;
    part.graph = dual_graph(test::bumpy(level), 2);
    part.adjacency = Adjacency(part.graph.areas.size(), part.graph.arcs);
    part.costs = arc_costs(part.graph, {0.04, 0});
    const Superfaces expected = make_superfaces(part, 300, {.device = Device::cpu()});
    const Superfaces found = make_superfaces(part, 300, {.device = device()});
    EXPECT_EQ(found.seeds, expected.seeds);
    EXPECT_EQ(found.of, expected.of);
    EXPECT_EQ(found.inner, expected.inner);
  }
}

}  // namespace
}  // namespace fovea::mesh
