// Commands below the pictures of a gallery, as a reader would copy them.
#pragma once
#include <gtest/gtest.h>

#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program/command.h"
#include "cli/program/parser.h"
#include "demo/demo.h"

namespace fovea::cli {

inline DemoRun demo_on_cpu(const std::string& folder, ImageView<const std::uint8_t> scene = {}) {
  DemoRun run;
  run.exec.device = Device::cpu();
  run.scene = scene;
  run.folder = folder;
  return run;
}

// How many commands of a system a page shows; each must be one that the program takes.
inline int commands_that_parse(const std::string& html, const std::string& system) {
  int commands = 0;
  const std::string start = "fovea " + system + " ";
  for (auto at = html.find(start); at != std::string::npos; at = html.find(start, at + 1)) {
    ++commands;
    const std::string line = html.substr(at, html.find('<', at) - at);
    std::istringstream in(line);
    std::vector<std::string> words(std::istream_iterator<std::string>(in), {});
    const Command* command = find_command(words.at(1), words.at(2));
    EXPECT_NE(command, nullptr) << line;
    if (command != nullptr) {
      EXPECT_NO_THROW(parse(*command, std::span(words).subspan(3))) << line;
    }
  }
  return commands;
}

}  // namespace fovea::cli
