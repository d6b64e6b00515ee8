#include "cli/view/tunnel.h"

#include <fmt/format.h>

#include <vector>

#include "core/words.h"
#include "view/form.h"

namespace fovea::cli {

std::string tunnel_line(int port, std::string_view connection, const std::string& user) {
  const std::vector<std::string_view> parts = detail::split(connection, ' ');
  if (parts.size() != 4 || parts[2].empty()) return {};
  const std::string machine = (user.empty() ? "" : user + "@") + std::string(parts[2]);
  const std::string at =
      parts[3] == "22" ? "" : "-p " + view::shell_word(std::string(parts[3])) + " ";
  return fmt::format("ssh {0}-L {1}:localhost:{1} {2}", at, port, view::shell_word(machine));
}

}  // namespace fovea::cli
