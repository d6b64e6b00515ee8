#include "operations/json_file.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <nlohmann/json.hpp>

#include "io/text/json_reader.h"

namespace fovea::operations {
namespace {

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // for results of millions of rows

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

nlohmann::json read_json(const std::string& path) { return io::parse_json(read_text(path), path); }

}  // namespace fovea::operations
