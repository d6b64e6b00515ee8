#include "mesh/divide/fuzzy_engine.h"

#include <fovea/core/random.h>

#include <algorithm>

#include "ops/shortest_paths/sphere_graph.h"
#include "support/devices.h"

namespace fovea::mesh {
namespace {

Image<float> noise(int faces, int candidates) {
  Image<float> rows(faces, candidates);
  Random random(3);
  for (int i = 0; i < candidates; ++i)
    for (int face = 0; face < faces; ++face) rows.at(face, i) = random.uniform(0, 50);
  return rows;
}

class FuzzyPasses : public test::OnEveryPlace {
 protected:
  std::unique_ptr<FuzzyEngine> engine(const CandidateRows& rows) const {
    const Exec exec{.device = device()};
    return device().kind == DeviceKind::kCuda ? cuda::make_fuzzy_engine(rows, exec)
                                              : cpu::make_fuzzy_engine(rows, exec);
  }
};
FOVEA_ON_EVERY_PLACE(FuzzyPasses);

TEST_P(FuzzyPasses, AreSumsAndShares) {
  const Image<float> rows = noise(333, 45);
  const auto found = engine({rows.view()});
  const std::vector<double> totals = found->totals();
  const std::vector<float> reaches = found->reaches();
  const std::vector<std::size_t> representatives = {3, 9, 1, 44, 20, 21, 22, 30, 31, 7};
  found->belong_to(representatives, 3);
  const Image<float>& share = found->memberships();
  const std::vector<double> weighted = found->weighted_totals();
  ASSERT_EQ(weighted.size(), 450U);
  for (int i = 0; i < 45; ++i) {
    const auto at = static_cast<std::size_t>(i);
    double total = 0;
    float most = 0;
    std::vector<double> sums(10, 0);
    for (int face = 0; face < 333; ++face) {
      total += static_cast<double>(rows.at(face, i));
      most = std::max(most, rows.at(face, i));
      for (int j = 0; j < 10; ++j)
        sums[static_cast<std::size_t>(j)] +=
            static_cast<double>(rows.at(face, i)) * static_cast<double>(share.at(face, j));
    }
    EXPECT_NEAR(totals[at], total, 1e-5 * total);
    EXPECT_EQ(reaches[at], most);
    for (std::size_t j = 0; j < 10; ++j)
      EXPECT_NEAR(weighted[at * 10 + j], sums[j], 1e-5 * sums[j]);
    EXPECT_EQ(found->row(at)[17], rows.at(17, i));
  }
  for (int face = 0; face < 333; ++face) {
    double all = 0;
    for (int j = 0; j < 10; ++j) all += static_cast<double>(share.at(face, j));
    EXPECT_NEAR(all, 1, 1e-5);
  }
}

TEST_P(FuzzyPasses, AreTheCpus) {
  const Graph graph = detail::sphere_graph(3);
  const DistanceTable table(graph,
                            {.engine = PathEngine::kPartitioned, .exec = {.device = device()}});
  std::vector<std::int32_t> all(static_cast<std::size_t>(graph.nodes()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int32_t>(i);
  const Image<float> rows = table.rows(all);
  const auto expected = cpu::make_fuzzy_engine({rows.view()}, {});
  const auto found =
      device().kind == DeviceKind::kCuda ? engine({{}, &table}) : engine({rows.view()});
  EXPECT_EQ(found->totals(), expected->totals());
  EXPECT_EQ(found->reaches(), expected->reaches());
  const std::vector<std::size_t> representatives = {0, 500, 1000};
  for (FuzzyEngine* each : {found.get(), expected.get()}) each->belong_to(representatives, 3);
  EXPECT_EQ(found->weighted_totals(), expected->weighted_totals());
  for (int j = 0; j < 3; ++j)
    for (int face = 0; face < graph.nodes(); ++face)
      ASSERT_EQ(found->memberships().at(face, j), expected->memberships().at(face, j));
}

// Where the device has no room for the square, it comes up in bands.
TEST_P(FuzzyPasses, ATableOnTheHostWillDo) {
  if (device().kind != DeviceKind::kCuda) GTEST_SKIP() << "rows on the CPU are never in bands";
  const Graph graph = detail::sphere_graph(3);
  const DistanceTable here(graph,
                           {.engine = PathEngine::kPartitioned, .exec = {.device = device()}});
  const DistanceTable there(
      graph, {.engine = PathEngine::kPartitioned, .exec = {.device = Device::cpu()}});
  const auto resident = engine({{}, &here});
  const auto banded = engine({{}, &there});
  EXPECT_EQ(banded->totals(), resident->totals());
  EXPECT_EQ(banded->reaches(), resident->reaches());
  EXPECT_EQ(banded->row(77), resident->row(77));
}

}  // namespace
}  // namespace fovea::mesh
