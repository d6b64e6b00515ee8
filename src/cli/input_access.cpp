#include "cli/input_access.h"

#include <fovea/error.h>

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

void add_folder(const std::string& folder, std::vector<std::string>& inputs) {
  std::vector<std::string> found;
  std::error_code error;
  const fs::directory_iterator entries(folder, error);
  if (error) throw IoError(fmt::format("{}: cannot list: {}", folder, error.message()));
  for (const auto& entry : entries) {
    const std::string extension = entry.path().extension().string();
    if (entry.is_regular_file() && (extension == ".pgm" || extension == ".ppm"))
      found.push_back(entry.path().string());
  }
  if (found.empty()) throw IoError(folder + ": holds no images");
  std::sort(found.begin(), found.end());
  inputs.insert(inputs.end(), found.begin(), found.end());
}

void add_list(const std::string& path, std::vector<std::string>& inputs) {
  std::ifstream list(path);
  if (!list) throw IoError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  for (std::string line; std::getline(list, line);) {
    if (!line.empty()) inputs.push_back(line);
  }
}

void add_glob(const std::string& pattern, std::vector<std::string>& inputs) {
  glob_t found{};
  const int status = glob(pattern.c_str(), 0, nullptr, &found);
  for (std::size_t i = 0; status == 0 && i < found.gl_pathc; ++i)
    inputs.emplace_back(found.gl_pathv[i]);
  globfree(&found);
  if (status != 0) throw IoError(pattern + ": no file matches");
}

}  // namespace

std::vector<std::string> expand_inputs(const std::vector<std::string>& words) {
  std::vector<std::string> inputs;
  for (const std::string& word : words) {
    std::error_code ignored;
    if (word == "-" || fs::is_regular_file(word, ignored)) inputs.push_back(word);
    else if (fs::is_directory(word, ignored)) add_folder(word, inputs);
    else if (word.size() > 1 && word[0] == '@') add_list(word.substr(1), inputs);
    else if (word.find_first_of("*?[") != std::string::npos) add_glob(word, inputs);
    else inputs.push_back(word);  // reading it says why it cannot be had
  }
  return inputs;
}

}  // namespace fovea::cli
