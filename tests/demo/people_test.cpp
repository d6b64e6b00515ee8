// Covers: people_study, why
#include <gmock/gmock.h>

#include <filesystem>

#include "cli/people/people.h"
#include "demo/commands.h"
#include "demo/demo.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

TEST(DemoPeople, ShowsEveryShippedModelAndCommandsThatRun) {
  const test::TempFolder folder;
  report::Page page("x");
  add_demo_people(page, demo_on_cpu(folder.path()));
  EXPECT_TRUE(std::filesystem::exists(folder / "street.png"));
  const std::string html = page.html();
  for (const char* name : {"hog", "cascade", "channels"})
    EXPECT_THAT(html, testing::HasSubstr("--model " + std::string(name)));
  EXPECT_GE(commands_that_parse(html, "people"), 9);
}

}  // namespace
}  // namespace fovea::cli
