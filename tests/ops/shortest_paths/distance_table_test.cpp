#include "ops/shortest_paths/distance_table.h"

#include <fovea/core/error.h>

#include "ops/shortest_paths/same_bits.h"
#include "ops/shortest_paths/sphere_graph.h"
#include "support/devices.h"
#include "support/sanitized.h"

namespace fovea {
namespace {

using test::same_bits;
using testing::HasSubstr;
using TablePlaces = test::OnEveryPlace;

constexpr PathEngine kEngines[] = {PathEngine::kDijkstra, PathEngine::kFloydWarshall,
                                   PathEngine::kPartitioned, PathEngine::kAuto};

TEST_P(TablePlaces, HoldsWhatAllDistancesGives) {
  FOVEA_SKIP_WHERE_SANITIZED("a shorter test runs the same code");
  DistanceTable table;
  EXPECT_EQ(table.nodes(), 0);
  for (const Graph& graph : {detail::sphere_graph(3), Graph(1, {}), detail::sphere_graph(2)})
    for (const PathEngine engine : kEngines) {
      const PathOptions options{.engine = engine, .exec = {.device = device()}};
      PathReport report;
      const DistanceMatrix expected = all_distances(graph, options, &report);
      table.compute(graph, options);
      EXPECT_EQ(table.nodes(), graph.nodes());
      EXPECT_EQ(table.device(),
                engine == PathEngine::kDijkstra ? Device::cpu() : resolve(device()));
      EXPECT_EQ(table.report().engine, report.engine);
      EXPECT_TRUE(same_bits(table.matrix().lower(), expected.lower())) << to_string(engine);
      const std::vector<std::int32_t> nodes{graph.nodes() - 1, 0, graph.nodes() / 2, 0};
      const Image<float> rows = table.rows(nodes);
      std::vector<float> row(static_cast<std::size_t>(graph.nodes()));
      for (int i = 0; i < rows.height(); ++i) {
        expected.row(nodes[static_cast<std::size_t>(i)], row);
        EXPECT_TRUE(same_bits({rows.row(i), row.size()}, row)) << to_string(engine);
      }
    }
}

TEST_P(TablePlaces, LiesWhereItWasMade) {
  const DistanceTable table(detail::sphere_graph(2), {.exec = {.device = device()}});
  const auto& memory = detail::TableMemory::of(table);
  const bool on_gpu = device().kind == DeviceKind::kCuda;
  EXPECT_EQ(memory.on_device().empty(), !on_gpu);
  EXPECT_EQ(memory.on_host().nodes(), on_gpu ? 0 : 320);
  if (on_gpu) {
    EXPECT_EQ(memory.on_device().width, 320);
    EXPECT_EQ(memory.on_device().stride % 128, 0);
  }
}
FOVEA_ON_EVERY_PLACE(TablePlaces);

TEST(DistanceTable, RefusesNodesThatAreNotThere) {
  const DistanceTable table(detail::sphere_graph(0), {.exec = {.device = Device::cpu()}});
  const std::vector<std::int32_t> beyond{3, 20};
  try {
    (void)table.rows(beyond);
    FAIL();
  } catch (const InvalidArgument& error) {
    EXPECT_THAT(error.what(), HasSubstr("row of node 20; there are 20 nodes"));
  }
  EXPECT_TRUE(table.rows({}).empty());
}

TEST(DistanceTable, OfAnEmptyGraphIsEmpty) {
  const DistanceTable table{Graph(0, {})};
  EXPECT_EQ(table.nodes(), 0);
  EXPECT_EQ(table.matrix().nodes(), 0);
}

}  // namespace
}  // namespace fovea
