#include <gmock/gmock.h>

#include <filesystem>

#include "cli/demo/commands.h"
#include "cli/demo/demo.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

TEST(DemoEmd, ShowsMapsAndTracksAndCommandsThatRun) {
  const test::TempFolder folder;
  const Image<std::uint8_t> scene = demo_scene();
  report::Page page("x");
  add_demo_emd(page, demo_on_cpu(folder.path(), scene));
  EXPECT_TRUE(std::filesystem::exists(folder / "chase/23.png"));
  const std::string html = page.html();
  EXPECT_GE(commands_that_parse(html, "emd"), 2);
}

}  // namespace
}  // namespace fovea::cli
