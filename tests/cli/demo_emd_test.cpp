#include <gmock/gmock.h>

#include <filesystem>
#include <sstream>

#include "cli/command.h"
#include "cli/demo.h"
#include "cli/parser.h"
#include "support/files.h"

namespace fovea::cli {
namespace {

TEST(DemoEmd, ShowsMapsAndTracksAndCommandsThatRun) {
  const test::TempFolder folder;
  const Image<std::uint8_t> scene = demo_scene();
  report::Page page("x");
  add_demo_emd(page, {.exec = {.device = Device::cpu()}, .scene = scene, .folder = folder.path()});
  EXPECT_TRUE(std::filesystem::exists(folder / "chase/23.png"));
  const std::string html = page.html();
  int commands = 0;
  for (auto at = html.find("fovea emd "); at != std::string::npos;
       at = html.find("fovea emd ", at + 1), ++commands) {
    const std::string line = html.substr(at, html.find('<', at) - at);
    std::istringstream in(line);
    std::vector<std::string> words(std::istream_iterator<std::string>(in), {});
    const Command* command = find_command(words.at(1), words.at(2));
    ASSERT_NE(command, nullptr) << line;
    EXPECT_NO_THROW(parse(*command, std::span(words).subspan(3))) << line;
  }
  EXPECT_GE(commands, 2);
}

}  // namespace
}  // namespace fovea::cli
