#include <gmock/gmock.h>

#include <sstream>

#include "cli/program/command.h"
#include "cli/program/parser.h"
#include "demo/demo.h"

namespace fovea::cli {
namespace {

// The commands that the page tells readers to run.
std::vector<std::string> commands_in(const std::string& page) {
  std::vector<std::string> lines;
  for (auto at = page.find("fovea ops "); at != std::string::npos;
       at = page.find("fovea ops ", at + 1))
    lines.push_back(page.substr(at, page.find('<', at) - at));
  return lines;
}

TEST(DemoOps, EveryCommandShownCanBeRun) {
  const Image<std::uint8_t> scene = demo_scene();
  report::Page page("x");
  add_demo_operations(page, {.exec = {.device = Device::cpu()}, .scene = scene});
  const auto lines = commands_in(page.html());
  for (const Command* verb : verbs_of("ops"))
    EXPECT_THAT(lines, testing::Contains(testing::HasSubstr(verb->name()))) << verb->name();
  for (const std::string& line : lines) {
    std::istringstream in(line);
    std::vector<std::string> words(std::istream_iterator<std::string>(in), {});
    const Command* command = find_command(words.at(1), words.at(2));
    ASSERT_NE(command, nullptr) << line;
    EXPECT_NO_THROW(parse(*command, std::span(words).subspan(3))) << line;
  }
}

}  // namespace
}  // namespace fovea::cli
