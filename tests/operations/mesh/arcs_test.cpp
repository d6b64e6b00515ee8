#include <fovea/io/npy.h>
#include <fovea/mesh/arc_costs.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/mesh/shapes.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(MeshArcs, ListsEveryArcWithItsCost) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell(8, 12));
  const Ended ended = run_here(
      {"mesh", "arcs", folder / "bell.off", "-o", folder / "arcs.csv", "--alpha", "0.2", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const mesh::DualGraph graph = mesh::dual_graph(io::read_mesh(folder / "bell.off"));
  EXPECT_EQ(json::parse(ended.out)["arcs"], graph.arcs.size());
  EXPECT_EQ(mesh::read_arc_costs(folder / "arcs.csv", graph),
            mesh::arc_costs(graph, {.alpha = 0.2}));
  const std::string table = test::load(folder / "arcs.csv");
  EXPECT_EQ(static_cast<std::size_t>(std::count(table.begin(), table.end(), '\n')),
            graph.arcs.size() + 1);
}

TEST(MeshArcs, WritesShapeDiameters) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell(8, 12));
  for (const char* file : {"d.npy", "d.ply"})
    ASSERT_EQ(run_here({"mesh", "arcs", folder / "bell.off", "--diameters", folder / file,
                        "--diameter-rays", "5", "--quiet"})
                  .status,
              kDone);
  const io::NdArray found = io::read_array(folder / "d.npy");
  const std::vector<float> expected =
      mesh::shape_diameters(io::read_mesh(folder / "bell.off"), {.rays = 5});
  EXPECT_THAT(found.as<float>(), testing::ElementsAreArray(expected));
  EXPECT_THAT(test::load(folder / "d.ply"), HasSubstr("property float diameter\nend_header"));
}

TEST(MeshArcs, BadUseIsOneLine) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell(8, 12));
  EXPECT_THAT(run_here({"mesh", "arcs", folder / "bell.off"}).err, HasSubstr("-o FILE.csv"));
  const Ended ended = run_here({"mesh", "arcs", folder / "bell.off", "-o", folder / "arcs.npy"});
  EXPECT_EQ(ended.status, kUsage);
  EXPECT_THAT(ended.err, HasSubstr("written as .csv"));
}

}  // namespace
}  // namespace fovea::cli
