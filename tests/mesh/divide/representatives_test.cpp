#include "mesh/divide/representatives.h"

#include <fovea/core/random.h>

#include <set>

namespace fovea::mesh {
namespace {

// Clouds of points around (4 i, 0), neighbors in a chain.
Points clouds(int count, int each) {
  Points points;
  points.dimensions = 2;
  Random random(5);
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < each; ++j) {
      points.numbers.push_back(4 * i + static_cast<double>(random.uniform(-1, 1)));
      points.numbers.push_back(static_cast<double>(random.uniform(-1, 1)));
      points.weights.push_back(1);
    }
  }
  return points;
}
std::vector<Conductance> chain(int count) {
  std::vector<Conductance> links;
  for (int i = 0; i + 1 < count; ++i) links.push_back({i, i + 1, 1});
  return links;
}

TEST(GroupPoints, FindsClouds) {
  const Points points = clouds(5, 12);
  for (const int restarts : {0, 20}) {
    const Groups groups = group_points(points, chain(60), {5, restarts, 1});
    for (std::size_t point = 0; point < 60; ++point)
      EXPECT_EQ(groups.labels[point], groups.labels[point / 12 * 12]);
    EXPECT_EQ(std::set<std::int32_t>(groups.labels.begin(), groups.labels.end()).size(), 5U);
    EXPECT_LT(groups.spread, 60.0 * 2);
  }
}

TEST(GroupPoints, EveryGroupHasAPoint) {
  Points same;
  same.dimensions = 1;
  same.numbers.assign(10, 0.5);
  same.weights.assign(10, 1);
  const Groups groups = group_points(same, chain(10), {7, 5, 1});
  EXPECT_EQ(std::set<std::int32_t>(groups.labels.begin(), groups.labels.end()).size(), 7U);
  EXPECT_EQ(group_points(same, chain(10), {1, 5, 1}).labels, std::vector<std::int32_t>(10, 0));
}

// Without links between three clouds two groups are still two.
TEST(GroupPoints, PiecesWithoutLinksAreMerged) {
  const Points points = clouds(3, 4);
  const std::vector<Conductance> links{{0, 1, 1}, {2, 3, 1}, {4, 5, 1}, {6, 7, 1}, {8, 9, 1}};
  const Groups groups = group_points(points, links, {2, 0, 1});
  EXPECT_EQ(groups.centers.size(), 4U);
  EXPECT_EQ(std::set<std::int32_t>(groups.labels.begin(), groups.labels.end()),
            (std::set<std::int32_t>{0, 1}));
}

}  // namespace
}  // namespace fovea::mesh
