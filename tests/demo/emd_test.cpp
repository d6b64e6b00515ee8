// Covers: emd_filter
#include <gmock/gmock.h>

#include <filesystem>

#include "demo/commands.h"
#include "demo/demo.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

TEST(DemoEmd, ShowsMapsAndTracksAndCommandsThatRun) {
  const test::TempFolder folder;
  const Image<std::uint8_t> scene = demo_scene();
  report::Page page("x");
  add_demo_emd(page, demo_on_cpu(folder.path(), scene));
  EXPECT_TRUE(std::filesystem::exists(folder / "chase/23.png"));
  EXPECT_TRUE(std::filesystem::exists(folder / "shield/35.png"));
  const std::string html = page.html();
  EXPECT_GE(commands_that_parse(html, "emd"), 3);
}

}  // namespace
}  // namespace fovea::cli
