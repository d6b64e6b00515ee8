#include "io/model/loaded_from.h"

#include <dlfcn.h>

#include <charconv>
#include <cstdint>
#include <fstream>
#include <string>

namespace fovea::io {
namespace {

namespace fs = std::filesystem;

// A line of /proc/self/maps: "first-last permissions offset device inode    path", with the
// addresses in hexadecimal.
fs::path path_in(const std::string& line, std::uintptr_t address) {
  std::uintptr_t first = 0, last = 0;
  const char* end = line.data() + line.size();
  const auto [dash, error] = std::from_chars(line.data(), end, first, 16);
  if (error != std::errc() || dash == end) return {};
  if (std::from_chars(dash + 1, end, last, 16).ec != std::errc()) return {};
  const auto path = line.find('/');
  if (address < first || address >= last || path == std::string::npos) return {};
  return line.substr(path);
}

}  // namespace

fs::path loaded_from(const void* address) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    fs::path path = path_in(line, reinterpret_cast<std::uintptr_t>(address));
    std::error_code error;
    if (!path.empty() && fs::exists(path, error)) return path;
  }
  Dl_info self{};
  std::error_code error;
  if (dladdr(address, &self) == 0 || self.dli_fname == nullptr) return {};
  fs::path path = fs::canonical(self.dli_fname, error);
  return error ? fs::path() : path;
}

}  // namespace fovea::io
