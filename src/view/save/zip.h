// Several files in one, as a browser can save it: a zip archive whose files are stored as they are.
#pragma once
#include <string>
#include <vector>

namespace fovea::view {

struct ZipEntry {
  std::string name{};
  std::string bytes{};
};

// Throws InvalidArgument where the files together have 4 GiB or more.
std::string zip_of(const std::vector<ZipEntry>& entries);

}  // namespace fovea::view
