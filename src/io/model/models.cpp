#include <fovea/core/error.h>
#include <fovea/io/models.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/words.h"
#include "io/model/loaded_from.h"
#include "io/model/sha256.h"
#include "io/text/source.h"

namespace fovea::io {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kEnding = ".safetensors";

// Models lie beside the file that this function was loaded from (a shared library, or the program
// that it was linked into), or else in the source tree.
std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders;
  std::error_code error;
  const fs::path file = loaded_from(reinterpret_cast<const void*>(&find_model));
  if (!file.empty()) {
    folders.push_back(file.parent_path().parent_path() / "share/fovea/models");
    folders.push_back(file.parent_path() / "models");
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path above = program.parent_path().parent_path();
  if (!error) folders.push_back(above / "share/fovea/models");
  if (!error) folders.push_back(above.parent_path() / "share/fovea/models");  // in libexec/fovea
  folders.emplace_back(FOVEA_SOURCE_MODELS);
  return folders;
}

// The file of "people/hog" is people_hog.safetensors.
std::string file_of(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name + std::string(kEnding);
}

std::string joined(const std::vector<std::string>& names) {
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string find_model(std::string_view name, std::string_view system) {
  std::error_code error;
  std::string full(name);
  if (!system.empty() && full.find('/') == std::string::npos)
    full = fmt::format("{}/{}", system, name);
  for (const std::string& known : shipped_models(system)) {
    if (known != full) continue;
    for (const fs::path& folder : model_folders()) {
      const fs::path file = folder / file_of(full);
      if (fs::exists(file, error)) return file.string();
    }
  }
  const bool is_file = fs::is_regular_file(fs::path(name), error);
  const bool is_path = name.find('/') != name.npos || fs::path(name).has_extension();
  if (is_file && is_path) return std::string(name);
  throw IoError(fmt::format(
      "{}: neither a model file nor a shipped model{}; {}shipped are {}", detail::shown(name),
      system.empty() ? "" : fmt::format(" of {}", system),
      is_file ? fmt::format("the file of that name is ./{}; ", detail::shown(name)) : "",
      joined(shipped_models(system))));
}

std::string model_hash(const std::string& path) {
  constexpr std::size_t kBlock = std::size_t{1} << 16U;
  const Source source(path);
  std::vector<std::byte> block(kBlock);
  Sha256 hasher;
  std::uint64_t at = 0;
  while (const std::size_t count = source.read_at(at, block)) {
    hasher.add(std::span(block).first(count));
    at += count;
  }
  return hasher.result();
}

std::vector<std::string> shipped_models(std::string_view system) {
  std::vector<std::string> names;
  for (const fs::path& folder : model_folders()) {
    std::error_code error;
    for (fs::directory_iterator file(folder, error), end; !error && file != end;
         file.increment(error)) {
      std::string name = file->path().filename().string();
      const auto underscore = name.find('_');
      if (!name.ends_with(kEnding) || underscore == std::string::npos) continue;
      name.resize(name.size() - kEnding.size());
      name[underscore] = '/';
      if (system.empty() || name.substr(0, underscore) == system) names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace fovea::io
