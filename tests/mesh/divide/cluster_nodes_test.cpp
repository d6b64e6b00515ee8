#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/mesh/fuzzy_clusters.h>
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "support/devices.h"
#include "support/files.h"

namespace fovea::mesh {
namespace {

using test::message_of;
using testing::HasSubstr;

// Groups of nodes that are a step of 1 apart; the first nodes of any two groups are 10 apart.
Graph groups(int count, int size) {
  std::vector<GraphArc> arcs;
  for (int group = 0; group < count; ++group) {
    const int first = group * size;
    for (int i = 0; i < size; ++i)
      for (int j = 0; j < i; ++j) arcs.push_back({first + i, first + j, 1});
    for (int other = 0; other < group; ++other) arcs.push_back({other * size, first, 10});
  }
  return {count * size, arcs};
}

void expect_groups(const FuzzyClusters& found, int count, int size) {
  ASSERT_EQ(found.count, count);
  ASSERT_EQ(found.labels.size(), static_cast<std::size_t>(count * size));
  for (int node = 0; node < count * size; ++node) {
    EXPECT_EQ(found.labels[static_cast<std::size_t>(node)],
              found.labels[static_cast<std::size_t>(node / size * size)]);
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += static_cast<double>(found.memberships.at(node, i));
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  for (int i = 0; i < count; ++i)
    EXPECT_EQ(
        found.labels[static_cast<std::size_t>(found.representatives[static_cast<std::size_t>(i)])],
        i);
}

TEST(FuzzyClusters, FindGroupsOfAnyGraph) {
  for (const int count : {2, 3, 5}) {
    const FuzzyClusters found = fuzzy_clusters(groups(count, 6), {.clusters = count, .power = 4});
    expect_groups(found, count, 6);
    EXPECT_FALSE(found.chosen);
    EXPECT_TRUE(found.converged);
    EXPECT_EQ(found.engine, "partitioned");
  }
}

// Memberships by the formula of the paper, from the representatives that were found.
TEST(FuzzyClusters, MembershipsAreInverseDistances) {
  const Graph graph = groups(3, 4);
  const FuzzyClusters found = fuzzy_clusters(graph, {.clusters = 3});
  const Image<float> rows = distances_from(graph, found.representatives);
  for (int node = 0; node < graph.nodes(); ++node) {
    double sum = 0;
    for (int i = 0; i < 3; ++i) sum += 1 / std::max(1e-12, double{rows.at(node, i)});
    for (int i = 0; i < 3; ++i)
      EXPECT_NEAR(found.memberships.at(node, i),
                  1 / std::max(1e-12, double{rows.at(node, i)}) / sum, 1e-5);
  }
}

TEST(FuzzyClusters, TheNumberMayBeChosen) {
  const FuzzyClusters found = fuzzy_clusters(groups(4, 5), {.power = 4});
  EXPECT_TRUE(found.chosen);
  expect_groups(found, 4, 5);
}

TEST(FuzzyClusters, TablesAndSquaresGiveTheSame) {
  const Graph graph = groups(3, 5);
  PathOptions paths;
  paths.engine = PathEngine::kPartitioned;
  paths.exec.device = Device::cpu();
  const DistanceTable table(graph, paths);
  FuzzyClusterOptions options{.clusters = 3};
  options.exec.device = Device::cpu();
  const FuzzyClusters by_graph = fuzzy_clusters(graph, options);
  const FuzzyClusters by_table = fuzzy_clusters(table, options);
  std::vector<std::int32_t> all(15);
  for (std::int32_t i = 0; i < 15; ++i) all[static_cast<std::size_t>(i)] = i;
  const Image<float> square = table.rows(all);
  const FuzzyClusters by_square = fuzzy_clusters(square.view(), options);
  for (const FuzzyClusters* other : {&by_table, &by_square}) {
    EXPECT_EQ(other->labels, by_graph.labels);
    EXPECT_EQ(other->representatives, by_graph.representatives);
  }
  EXPECT_EQ(by_square.engine, "");
}

TEST(FuzzyClusters, ComponentsBecomeClusters) {
  const std::vector<GraphArc> arcs{{0, 1, 1}, {1, 2, 1}, {3, 4, 1}, {4, 5, 1}};
  const FuzzyClusters found = fuzzy_clusters(Graph(6, arcs), {.clusters = 2, .power = 2});
  expect_groups(found, 2, 3);
  for (int node = 0; node < 6; ++node)
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(std::isfinite(found.memberships.at(node, i)));
}

TEST(FuzzyClusters, SmallGraphs) {
  EXPECT_EQ(fuzzy_clusters(Graph(1, {})).count, 1);
  EXPECT_EQ(fuzzy_clusters(Graph(3, {}), {.clusters = 3}).count, 3);
  EXPECT_THAT(message_of<InvalidArgument>([] { fuzzy_clusters(Graph(2, {}), {.clusters = 3}); }),
              HasSubstr("cannot make 3 clusters of 2 nodes"));
  EXPECT_THROW(fuzzy_clusters(Graph()), InvalidArgument);
  EXPECT_THROW(fuzzy_clusters(Graph(2, {}), {.power = 0}), InvalidArgument);
  const Image<float> wide(3, 2);
  EXPECT_THAT(message_of<InvalidArgument>([&] { fuzzy_clusters(wide.view()); }),
              HasSubstr("3 x 2; expected a square"));
  Image<float> negative(1, 1);
  negative.at(0, 0) = -1;
  EXPECT_THAT(message_of<InvalidArgument>([&] { fuzzy_clusters(std::as_const(negative).view()); }),
              HasSubstr("is -1"));
  for (const float other : {5.0F, std::numeric_limits<float>::infinity()}) {
    Image<float> slanted(2, 2);
    slanted.at(0, 0) = slanted.at(1, 1) = 0;
    slanted.at(1, 0) = other;
    slanted.at(0, 1) = 2;
    const auto slope = std::as_const(slanted).view();
    EXPECT_EQ(message_of<InvalidArgument>([&] { fuzzy_clusters(slope); }),
              fmt::format("fuzzy_clusters: the distance between nodes 1 and 0 is 2, but {} between "
                          "0 and 1; expected a symmetric square",
                          other));
  }
}

TEST(FuzzyClusters, AreTheSameOnEveryDeviceAndForAnyNumberOfThreads) {
  const Graph graph = groups(5, 20);
  FuzzyClusterOptions options{.clusters = 4};
  options.exec.device = Device::cpu();
  options.exec.threads = 1;
  const FuzzyClusters one = fuzzy_clusters(graph, options);
  options.exec.threads = 3;
  const FuzzyClusters three = fuzzy_clusters(graph, options);
  EXPECT_EQ(three.labels, one.labels);
  EXPECT_EQ(three.representatives, one.representatives);
  FOVEA_SKIP_WITHOUT_CUDA();
  options.exec.device = Device::cuda();
  const FuzzyClusters there = fuzzy_clusters(graph, options);
  EXPECT_EQ(there.labels, one.labels);
  EXPECT_EQ(there.representatives, one.representatives);
}

}  // namespace
}  // namespace fovea::mesh
