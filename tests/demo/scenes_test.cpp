#include <gmock/gmock.h>

#include <filesystem>

#include "demo/commands.h"
#include "demo/demo.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

TEST(DemoScenes, TellsDrawnPlacesApart) {
  const test::TempFolder folder;
  report::Page page("x");
  add_demo_scenes(page, demo_on_cpu(folder.path()));
  EXPECT_TRUE(std::filesystem::exists(folder / "more-places/city/12.png"));
  const std::string html = page.html();
  EXPECT_THAT(html, testing::HasSubstr("Places that training has not seen"));
  EXPECT_EQ(commands_that_parse(html, "scenes"), 6);
}

}  // namespace
}  // namespace fovea::cli
