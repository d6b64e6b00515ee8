// The gallery as a whole.
#include "demo/demo.h"

#include <fovea/io/image_io.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/program/program.h"
#include "support/images.h"

namespace fovea::cli {
namespace {

using testing::HasSubstr;

TEST(Demo, WritesOnePageAndPrintsItsPath) {
  const test::TempFolder folder;
  const Ended ended = run_program({"demo", "-o", folder / "new/gallery", "--quiet"});
  EXPECT_EQ(ended.status, kDone) << ended.err;
  EXPECT_EQ(ended.out, folder / "new/gallery/index.html\n");
  EXPECT_EQ(ended.err, "");
  const std::string page = test::load(folder / "new/gallery/index.html");
  for (const char* section : {"Operations", "Pictures of reports", "This machine"})
    EXPECT_THAT(page, HasSubstr(section));
  EXPECT_THAT(page, testing::Not(HasSubstr("src=\"http")));
  EXPECT_EQ(io::image_info(folder / "new/gallery/overview.png").width, 1232);
  EXPECT_TRUE(test::images_equal(io::to_bytes(io::read_image(folder / "new/gallery/scene.png")),
                                 demo_scene()));
}

TEST(Demo, AFolderThatCannotBeIsNamed) {
  const test::TempFolder folder;
  test::save(folder / "file", "");
  const Ended ended = run_here({"demo", "-o", folder / "file/x"});
  EXPECT_EQ(ended.status, kFailed);
  EXPECT_THAT(ended.err, testing::StartsWith("fovea: " + (folder / "file/x") + ": cannot make"));
  EXPECT_EQ(run_here({"demo", "-o", ""}).status, kUsage);
}

}  // namespace
}  // namespace fovea::cli
