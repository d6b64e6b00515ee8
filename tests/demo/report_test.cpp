#include <gmock/gmock.h>

#include "demo/demo.h"

namespace fovea::cli {
namespace {

TEST(DemoReport, OneOfEachKindAndTheSameEveryTime) {
  const auto drawn = [] {
    report::Page page("x");
    add_demo_report(page, {});
    return page.html();
  };
  const std::string page = drawn();
  EXPECT_EQ(page, drawn());
  for (const char* kind : {"<svg", "data:image/png", "<table", "<dl", "<pre"})
    EXPECT_THAT(page, testing::HasSubstr(kind));
  EXPECT_THAT(page, testing::HasSubstr("made up"));
}

}  // namespace
}  // namespace fovea::cli
