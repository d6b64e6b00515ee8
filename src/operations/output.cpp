#include "operations/output.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace fovea::operations {

void check_ending(const Output& output, const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (output.endings.empty() || std::ranges::find(output.endings, ending) != output.endings.end())
    return;
  throw InvalidArgument(
      fmt::format("{}: {} is written as {}", path, output.what, fmt::join(output.endings, ", ")));
}

}  // namespace fovea::operations
