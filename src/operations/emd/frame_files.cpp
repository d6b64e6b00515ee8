#include "operations/emd/frame_files.h"

#include <algorithm>
#include <filesystem>

#include "operations/files.h"

namespace fovea::operations {
namespace fs = std::filesystem;

bool is_video_input(const std::string& path) {
  return path == "-" || io::is_live_source(path) || io::has_extension(path, io::video_files());
}

io::InputKind cube_files() { return {.name = "cube", .extensions = {"hdr", "mat"}}; }

io::InputKind frame_files() {
  io::InputKind kind = io::image_files();
  kind.name = "image or cube";
  for (const std::string& extension : cube_files().extensions) kind.extensions.push_back(extension);
  return kind;
}

bool holds_cubes(const std::string& folder) {
  const io::InputKind cubes = cube_files();
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored))
    if (io::has_extension(entry->path().filename().string(), cubes)) return true;
  return false;
}

std::uint64_t sample_bytes(const std::string& file) {
  std::uint64_t bytes = std::max(file_bytes(file), image_bytes(file));
  fs::path path(file);
  if (path.extension() == ".hdr")
    for (const char* ending : {"", ".img", ".dat", ".raw", ".bin", ".bsq", ".bil", ".bip", ".cube"})
      bytes = std::max(bytes, file_bytes(path.replace_extension(ending).string()));
  return bytes;
}

}  // namespace fovea::operations
