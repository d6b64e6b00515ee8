// Covers: actions, actions_clips
#include <gmock/gmock.h>

#include <filesystem>

#include "demo/commands.h"
#include "demo/demo.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

TEST(DemoActions, ShowsWhatAStrangerDoes) {
  const test::TempFolder folder;
  report::Page page("x");
  DemoRun run = demo_on_cpu(folder.path());
  run.act_frames = 20;
  add_demo_actions(page, run);
  EXPECT_TRUE(std::filesystem::exists(folder / "lessons/wave/person0_wave.y4m"));
  const std::string html = page.html();
  EXPECT_THAT(html, testing::HasSubstr("recognized while it happens"));
  EXPECT_THAT(html, testing::Not(testing::HasSubstr("no data")));  // something was recognized
  EXPECT_TRUE(std::filesystem::exists(folder / "clips/bend.y4m"));
  EXPECT_TRUE(std::filesystem::exists(folder / "two.y4m"));
  EXPECT_THAT(html, testing::HasSubstr("graphs in space and time"));
  EXPECT_THAT(html, testing::HasSubstr("runner-up"));
  EXPECT_THAT(html, testing::HasSubstr("two people at once"));
  EXPECT_EQ(commands_that_parse(html, "actions"), 7);
}

}  // namespace
}  // namespace fovea::cli
