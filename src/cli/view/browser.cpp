#include "cli/view/browser.h"

#include <fmt/format.h>

#include <spawn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

#include "cli/program/files.h"

namespace fovea::cli {

void open_in_browser(const std::string& address, const std::string& private_folder) {
  const auto is_set = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0';
  };
  if (!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) return;
  const std::string path = private_folder + "/open.html";
  write_text(
      path,
      fmt::format("<!doctype html><meta http-equiv=\"refresh\" content=\"0;url={}\">\n", address));
  std::string program = "xdg-open", file = path;
  std::array<char*, 3> words{program.data(), file.data(), nullptr};
  pid_t child = 0;
  posix_spawnp(&child, words[0], nullptr, nullptr, words.data(), environ);
}

}  // namespace fovea::cli
