// LEMON's names before OpenCV's macros.
#ifdef FOVEA_LEMON
#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>
#endif

#include <fovea/emd/solver.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <opencv2/imgproc.hpp>

#include "emd/solve/random_problems.h"

namespace fovea::emd {
namespace {

namespace problems = random_problems;

TEST(EmdOracle, EqualsOpenCvToItsPrecision) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const int rows = problems::between(random, 2, 16);
    const int columns = round % 3 == 0 ? problems::between(random, 2, 16) : rows;
    const GroundDistance ground = problems::random_ground(random, rows, columns);
    const auto pairs = problems::random_pairs<std::uint8_t>(random, ground, 10);
    const Solutions found = Solver(ground, {.exec = {.device = Device::cpu()}})
                                .solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
    cv::Mat costs(rows, columns, CV_32F);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j)
        costs.at<float>(i, j) = static_cast<float>(ground.cost(i, j));
    for (int k = 0; k < 10; ++k) {
      cv::Mat first(rows, 1, CV_32F), second(columns, 1, CV_32F);
      for (int i = 0; i < rows; ++i) first.at<float>(i) = pairs.first.at(i, k);
      for (int j = 0; j < columns; ++j) second.at<float>(j) = pairs.second.at(j, k);
      double first_total = 0, second_total = 0;
      for (int i = 0; i < rows; ++i) first_total += pairs.first.at(i, k);
      for (int j = 0; j < columns; ++j) second_total += pairs.second.at(j, k);
      // It divides the cost by the greater mass, not by what was moved.
      const double theirs = static_cast<double>(cv::EMD(first, second, cv::DIST_USER, costs)) *
                            std::max(first_total, second_total) /
                            std::min(first_total, second_total);
      EXPECT_NEAR(found.distance[static_cast<std::size_t>(k)], theirs, 1e-4 * (1 + theirs));
    }
  }
}

#ifdef FOVEA_LEMON

using Graph = lemon::SmartDigraph;
using Simplex = lemon::NetworkSimplex<Graph, std::int64_t, std::int64_t>;

// The least cost in units; the lighter side is moved.
std::int64_t lemon_cost(const GroundDistance& ground, const std::uint8_t* first,
                        const std::uint8_t* second) {
  Graph graph;
  const int rows = ground.rows(), columns = ground.columns();
  for (int k = 0; k < rows + columns; ++k) graph.addNode();
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      graph.addArc(Graph::nodeFromId(i), Graph::nodeFromId(rows + j));
  Graph::ArcMap<std::int64_t> costs(graph);
  for (int k = 0; k < rows * columns; ++k)
    costs[Graph::arcFromId(k)] = ground.units()[static_cast<std::size_t>(k)];
  Graph::NodeMap<std::int64_t> supply(graph);
  std::int64_t out = 0, in = 0;
  for (int i = 0; i < rows; ++i) out += supply[Graph::nodeFromId(i)] = first[i];
  for (int j = 0; j < columns; ++j) {
    in += second[j];
    supply[Graph::nodeFromId(rows + j)] = -std::int64_t{second[j]};
  }
  Simplex simplex(graph);
  simplex.costMap(costs).supplyMap(supply).supplyType(out > in ? Simplex::LEQ : Simplex::GEQ);
  EXPECT_EQ(simplex.run(), Simplex::OPTIMAL);
  return simplex.totalCost<std::int64_t>();
}

TEST(EmdOracle, EqualsLemonToTheLastBit) {
  Random random(2);
  int compared = 0;
  for (int round = 0; round < 500; ++round) {
    const int rows = problems::between(random, 2, 16);
    const int columns = round % 3 == 0 ? problems::between(random, 2, 16) : rows;
    const GroundDistance ground = problems::random_ground(random, rows, columns);
    const auto pairs = problems::random_pairs<std::uint8_t>(random, ground, 20);
    SolverOptions options{.exec = {.device = Device::cpu()}};
    if (round % 3 > 0) options.solver = SolverKind::kSimplex;
    if (round % 3 > 1) options.start = SimplexStart::kAuxiliary;
    const Solutions found =
        Solver(ground, options).solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
    for (int k = 0; k < 20; ++k, ++compared) {
      int out = 0, in = 0;
      for (int i = 0; i < rows; ++i) out += pairs.first.at(i, k);
      for (int j = 0; j < columns; ++j) in += pairs.second.at(j, k);
      const auto cost =
          static_cast<double>(lemon_cost(ground, pairs.first.row(k), pairs.second.row(k)));
      ASSERT_EQ(found.status[static_cast<std::size_t>(k)], Status::kOptimal);
      ASSERT_EQ(found.distance[static_cast<std::size_t>(k)],
                cost / std::min(out, in) * ground.unit());
    }
  }
  EXPECT_EQ(compared, 10000);
}

TEST(EmdOracle, ManyBinsEqualLemonToTheLastBit) {
  Random random(12);
  for (const auto& [rows, columns] : {std::pair{65, 65}, {70, 90}, {150, 40}, {200, 200}}) {
    for (int round = 0; round < 6; ++round) {
      const GroundDistance ground = problems::random_ground(random, rows, columns);
      const auto pairs = problems::random_pairs<std::uint8_t>(random, ground, 3);
      const SolverOptions options{.exec = {.device = Device::cpu()}};
      const Solutions found =
          Solver(ground, options).solve<std::uint8_t>(pairs.first.view(), pairs.second.view());
      for (int k = 0; k < 3; ++k) {
        int out = 0, in = 0;
        for (int i = 0; i < rows; ++i) out += pairs.first.at(i, k);
        for (int j = 0; j < columns; ++j) in += pairs.second.at(j, k);
        const auto cost =
            static_cast<double>(lemon_cost(ground, pairs.first.row(k), pairs.second.row(k)));
        ASSERT_EQ(found.distance[static_cast<std::size_t>(k)],
                  cost / std::min(out, in) * ground.unit());
      }
    }
  }
}

#else

TEST(EmdOracle, EqualsLemonToTheLastBit) {
  GTEST_SKIP() << "LEMON is not installed (liblemon-dev)";
}

#endif

}  // namespace
}  // namespace fovea::emd
