#include <fovea/mesh/arc_costs.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "demo/commands.h"
#include "demo/demo.h"
#include "demo/mesh_shapes.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

TEST(DemoMesh, BodiesAreClosedAndOutwards) {
  for (const Body& body : {demo_dog(), demo_hand(), demo_teapot(), demo_pipe()}) {
    const mesh::MeshInfo info = mesh::mesh_info(demo_surface(body, 56));
    EXPECT_TRUE(info.closed);
    EXPECT_EQ(info.components, 1);
    EXPECT_EQ(info.flipped_edges, 0);
    EXPECT_GT(info.volume, 0);
  }
}

TEST(DemoMesh, ABallHasItsSize) {
  const mesh::MeshInfo info = mesh::mesh_info(demo_surface({{{{}, {}, 1, 1}}}, 40));
  EXPECT_NEAR(info.volume, 4.18879, 0.02);  // 4/3 pi
  EXPECT_NEAR(info.area, 12.56637, 0.05);
  EXPECT_EQ(info.vertices - info.edges + info.faces, 2);
}

TEST(DemoMesh, CutsBodiesIntoParts) {
  const test::TempFolder folder;
  report::Page page("x");
  add_demo_mesh(page, demo_on_cpu(folder.path()));
  const std::string html = page.html();
  for (const char* name : {"dog", "hand", "teapot", "pipe"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / (std::string(name) + ".off"))) << name;
    EXPECT_TRUE(std::filesystem::exists(folder / (std::string(name) + ".html"))) << name;
    EXPECT_THAT(html, testing::HasSubstr("href=\"" + std::string(name) + ".html\""));
  }
  EXPECT_THAT(html, testing::HasSubstr("href=\"halves.html\""));
  EXPECT_TRUE(std::filesystem::exists(folder / "halves.html"));
  EXPECT_EQ(commands_that_parse(html, "mesh"), 8);
}

}  // namespace
}  // namespace fovea::cli
