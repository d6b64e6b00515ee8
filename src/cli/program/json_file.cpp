#include "cli/program/json_file.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/json_text.h"

namespace fovea::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // a result of millions of rows

std::string read_text(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) throw IoError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  std::string text;
  char buffer[64 * 1024];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, got);
    if (text.size() > kMostBytes)
      throw FormatError(
          fmt::format("{}: is larger than {} MiB; expected a result or options of this program",
                      path, kMostBytes >> 20));
  }
  if (std::ferror(file.get()) != 0)
    throw IoError(fmt::format("{}: cannot read: {}", path, std::strerror(errno)));
  return text;
}

}  // namespace

nlohmann::json read_json(const std::string& path) {
  const std::string text = read_text(path);
  detail::check_json_depth(text, path);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
    const auto line = 1 + std::count(text.begin(), end, '\n');
    const auto line_start = text.rfind('\n', at > 0 ? at - 1 : 0);
    const std::size_t column =
        line_start == std::string::npos || at == 0 ? at + 1 : at - line_start;
    throw FormatError(fmt::format("{}: is not JSON at line {}, column {}", path, line, column));
  } catch (const nlohmann::json::exception&) {
    throw FormatError(path + ": is not JSON that can be read");
  }
}

}  // namespace fovea::cli
