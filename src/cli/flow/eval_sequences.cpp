// Finds the pairs of an evaluation and their true flow: in Middlebury's folders, or from a list.
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/flow/eval.h"
#include "core/json_text.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

// The file with this stem and one of the extensions; empty where there is none.
std::string file_of(const fs::path& folder, const char* stem,
                    const std::vector<std::string>& extensions) {
  for (const std::string& extension : extensions) {
    const fs::path path = folder / fmt::format("{}.{}", stem, extension);
    std::error_code error;
    if (fs::is_regular_file(path, error)) return path.string();
  }
  return {};
}

FlowSequence in_folder(const fs::path& folder) {
  const std::vector<std::string> images = io::image_files().extensions;
  return {fs::path(folder / ".").parent_path().filename().string(),
          file_of(folder, "frame10", images), file_of(folder, "frame11", images),
          file_of(folder, "flow10", {"flo", "png", "pfm", "npy", "tif", "tiff"})};
}

bool complete(const FlowSequence& sequence) {
  return !sequence.first.empty() && !sequence.second.empty() && !sequence.truth.empty();
}

void add_folder(const std::string& word, std::vector<FlowSequence>& sequences) {
  const FlowSequence single = in_folder(word);
  if (complete(single)) {
    sequences.push_back(single);
    return;
  }
  std::vector<std::string> folders;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(word, error)) {
    if (entry.is_directory(error)) folders.push_back(entry.path().string());
  }
  if (error) throw IoError(fmt::format("{}: cannot list: {}", word, error.message()));
  std::sort(folders.begin(), folders.end(), io::natural_less);
  const std::size_t before = sequences.size();
  for (const std::string& folder : folders) {
    const FlowSequence sequence = in_folder(folder);
    if (complete(sequence)) sequences.push_back(sequence);
  }
  if (sequences.size() == before)
    throw IoError(fmt::format(
        "{}: has no folder with frame10, frame11 (images) and flow10 (.flo or .png)", word));
}

std::string read_list(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{64} << 20;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw IoError(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  std::string text(kMostBytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() == kMostBytes || text.find('\0') != std::string::npos)
    throw FormatError(path + ": is not a list of images and flow files; expected text");
  return text;
}

void add_list(const std::string& word, std::vector<FlowSequence>& sequences) {
  std::istringstream text(read_list(word));
  const fs::path folder = fs::path(word).parent_path();
  const std::size_t before = sequences.size();
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    std::istringstream words(line);
    std::array<std::string, 3> paths;
    std::string more;
    words >> paths[0];
    if (paths[0].empty() || paths[0][0] == '#') continue;
    words >> paths[1] >> paths[2];
    if (paths[2].empty() || words >> more)
      throw FormatError(
          fmt::format("{}: line {} is {}; expected first image, second image and flow file", word,
                      number, detail::json_quote(line.substr(0, 200))));
    for (std::string& path : paths) path = (folder / path).string();
    sequences.push_back({fs::path(paths[2]).stem().string(), paths[0], paths[1], paths[2]});
  }
  if (sequences.size() == before)
    throw FormatError(
        word + ": names no sequence; expected lines of first image, second image and flow file");
}

// Where several sequences have one name, their paths replace it.
void name_apart(std::vector<FlowSequence>& sequences) {
  std::vector<std::string> names;
  names.reserve(sequences.size());
  for (const FlowSequence& sequence : sequences) names.push_back(sequence.name);
  for (FlowSequence& sequence : sequences) {
    if (std::count(names.begin(), names.end(), sequence.name) > 1) sequence.name = sequence.truth;
  }
}

}  // namespace

std::vector<FlowSequence> find_sequences(const std::vector<std::string>& words) {
  std::vector<FlowSequence> sequences;
  for (const std::string& word : words) {
    std::error_code error;
    if (fs::is_directory(word, error)) add_folder(word, sequences);
    else add_list(word.starts_with('@') ? word.substr(1) : word, sequences);
  }
  name_apart(sequences);
  return sequences;
}

}  // namespace fovea::cli
