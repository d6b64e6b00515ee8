// Covers: flow_parts
#include <gmock/gmock.h>

#include <filesystem>

#include "demo/commands.h"
#include "demo/demo.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

TEST(DemoFlow, ShowsBothMethodsAndCommandsThatRun) {
  const test::TempFolder folder;
  report::Page page("x");
  add_demo_flow(page, demo_on_cpu(folder.path()));
  for (const char* name : {"first.png", "second.png", "true.flo", "left.png", "right.png",
                           "disparity.pfm", "frame10.png", "frame11.png", "layers10.png"})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  const std::string html = page.html();
  EXPECT_EQ(commands_that_parse(html, "flow"), 11);
}

}  // namespace
}  // namespace fovea::cli
