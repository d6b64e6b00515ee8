#include "cli/program/shipped_models.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <filesystem>
#include <vector>

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) folders.push_back(program.parent_path().parent_path() / "share/fovea/models");
  folders.emplace_back(FOVEA_SOURCE_MODELS);
  return folders;
}

}  // namespace

std::string shipped_model(const std::string& file) {
  std::string looked;
  for (const fs::path& folder : model_folders()) {
    std::error_code error;
    if (fs::exists(folder / file, error)) return (folder / file).string();
    looked += (looked.empty() ? "" : " nor in ") + folder.string();
  }
  throw IoError(fmt::format("{} is not in {}; give a model file, or train one", file, looked));
}

}  // namespace fovea::cli
