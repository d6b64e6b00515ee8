// The extension of a file's name, by which formats are chosen.
#pragma once
#include <string>
#include <string_view>

namespace fovea::io {

// ".jpg" for "a/photo.JPG": in lower case, whatever the locale; empty where the name has no dot.
inline std::string extension_of(std::string_view path) {
  const auto dot = path.find_last_of("./");
  if (dot == path.npos || path[dot] == '/') return {};
  std::string extension(path.substr(dot));
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return extension;
}

}  // namespace fovea::io
