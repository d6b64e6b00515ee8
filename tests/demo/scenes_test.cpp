#include <gmock/gmock.h>

#include <filesystem>

#include "demo/commands.h"
#include "demo/demo.h"
#include "support/files.h"
#include "support/sanitized.h"

namespace fovea::cli {
namespace {

TEST(DemoScenes, TellsDrawnPlacesApart) {
  FOVEA_SKIP_WHERE_SANITIZED("it draws what the systems' own tests compute");
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
