#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/mesh/shapes.h"
#include "cli/program/program.h"

namespace fovea::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

TEST(MeshInfo, CountsWhatAMeshIsMadeOf) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell());
  const Ended ended = run_here({"mesh", "info", folder / "bell.off", "--json"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  const json result = json::parse(ended.out)["results"][0];
  EXPECT_EQ(result["format"], "OFF");
  EXPECT_EQ(result["faces"], 2 * 16 * 48);
  EXPECT_EQ(result["vertices"], 16 * 49);
  EXPECT_EQ(result["border_edges"], 32);  // both ends are open
  EXPECT_EQ(result["components"], 1);
  EXPECT_FALSE(result["closed"]);
  EXPECT_EQ(result["high"][0], 2);
}

TEST(MeshInfo, ReportsWhatIsUnusual) {
  const test::TempFolder folder;
  // Two squares over one edge as polygons, a face without area, a vertex of no face.
  test::save(folder / "odd.obj",
             "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 0 1 1\nv 9 9 9\n"
             "f 1 2 3 4\nf 1 4 6 5\nf 1 2 2\n");
  const Ended ended = run_here({"mesh", "info", folder / "odd.obj"});
  ASSERT_EQ(ended.status, kDone) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("OBJ, 7 vertices, 5 faces, 1 component, open"));
  EXPECT_THAT(ended.out, HasSubstr("3 polygons in the file"));
  EXPECT_THAT(ended.out, HasSubstr("1 face without area"));
  EXPECT_THAT(ended.out, HasSubstr("1 unused vertex"));
}

TEST(MeshInfo, OneBadFileOfSeveralIsNamed) {
  const test::TempFolder folder;
  io::write_mesh(folder / "bell.off", dumbbell());
  test::save(folder / "bad.off", "OFF\n4294967296 99999999999 0\n");
  const Ended ended = run_here({"mesh", "info", folder.path(), "--quiet"});
  EXPECT_EQ(ended.status, kSomeFailed) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("bad.off"));
  EXPECT_THAT(ended.err, HasSubstr("4294967296 vertices"));
}

}  // namespace
}  // namespace fovea::cli
