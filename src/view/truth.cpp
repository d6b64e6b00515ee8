#include "view/truth.h"

#include <fovea/core/error.h>
#include <fovea/mesh/evaluate.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/words.h"

namespace fovea::view {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// The flow file of an image in a folder; empty where there is none. An image is no truth about
// itself.
std::string flow_file(const fs::path& folder, const fs::path& image) {
  std::vector<std::string> stems{image.stem().string()};
  if (stems.front().starts_with("frame")) stems.push_back("flow" + stems.front().substr(5));
  for (const std::string& stem : stems)
    for (const std::string& end : flow_extensions()) {
      const fs::path path = folder / fmt::format("{}.{}", stem, end);
      std::error_code error;
      if (is_file(path) && !fs::equivalent(path, image, error)) return path.string();
    }
  return {};
}

}  // namespace

Truth::Truth(std::string path) : path_(std::move(path)) {
  std::error_code error;
  folder_ = fs::is_directory(path_, error);
  if (!folder_ && !is_file(path_))
    throw IoError(fmt::format("--truth {}: there is no such file or folder", detail::shown(path_)));
  if (folder_) return;
  check_truth(path_);
  if (ends_in(path_, {"seg"})) (void)io::read_labels(path_);
  if (ends_in(path_, flow_extensions())) (void)io::read_flow(path_);
}

// References into a map stay as they are when others are added.
const VideoTruth& Truth::video(const Input& video) const {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] = videos_.try_emplace(video.path());
  if (is_new) {
    try {
      known->second.truth = read_video_truth(path_, video.path());
    } catch (const Error& error) {
      known->second.error = error.what();
    }
  }
  if (!known->second.error.empty()) throw FormatError(known->second.error);
  return known->second.truth;
}

std::vector<SavedEvent> Truth::events(const Input& input) const {
  return input.kind() == InputKind::kVideo ? video(input).events : std::vector<SavedEvent>{};
}

std::optional<std::vector<people::Annotation>> Truth::people(const Input& image,
                                                             std::int64_t frame) const {
  if (image.kind() == InputKind::kVideo) {
    const VideoTruth& truth = video(image);
    if (!truth.people) return {};
    const auto there = truth.people->find(frame);
    if (there != truth.people->end()) return there->second;
    return truth.every_frame ? std::optional(std::vector<people::Annotation>{}) : std::nullopt;
  }
  if (image.kind() != InputKind::kImage || (!folder_ && !ends_in(path_, {"txt", "json"})))
    return {};
  const std::lock_guard lock(mutex_);
  if (const auto known = people_.find(image.path()); known != people_.end()) return known->second;
  std::optional<std::vector<people::Annotation>> found;
  try {
    found = people::annotations_of(std::span(&image.path(), 1), path_).front().people;
  } catch (const IoError&) {  // has none of this image
  }
  return people_[image.path()] = std::move(found);
}

std::optional<io::FlowField> Truth::flow(const Input& first) const {
  if (first.kind() != InputKind::kImage) return {};
  std::string file;
  if (folder_) {
    const fs::path image = fs::absolute(first.path());
    file = flow_file(path_, image);
    if (file.empty()) file = flow_file(fs::path(path_) / image.parent_path().filename(), image);
  } else if (ends_in(path_, flow_extensions())) {
    file = path_;
  }
  if (file.empty()) return {};
  return io::read_flow(file);
}

std::vector<std::vector<std::int32_t>> Truth::parts(const Input& mesh, std::size_t faces) const {
  std::vector<std::string> files;
  if (folder_) files = mesh::label_files(mesh.path(), path_);
  else if (ends_in(path_, {"seg"})) files = {path_};
  std::vector<std::vector<std::int32_t>> people;
  for (const std::string& file : files) {
    people.push_back(io::read_labels(file));
    if (people.back().size() != faces)
      throw FormatError(fmt::format("{}: {} for a mesh of {} faces; expected one per face",
                                    detail::shown(file),
                                    detail::counted(people.back().size(), "label"), faces));
  }
  return people;
}

// A folder or file that is no corpus has no classes.
const scenes::Corpus& Truth::corpus() const {
  const std::lock_guard lock(mutex_);
  if (!corpus_) {
    corpus_.emplace();
    try {
      if (folder_ || ends_in(path_, {"txt", "csv"})) corpus_ = scenes::read_corpus(path_);
    } catch (const Error&) {
    }
  }
  return *corpus_;
}

// A dropped copy of a file is known by its name, where all files of that name have one class.
std::string Truth::place(const Input& image, const std::vector<std::string>& classes) const {
  const scenes::Corpus& all = corpus();
  const fs::path path = image.path();
  std::set<std::string> named;
  for (std::size_t i = 0; i < all.paths.size(); ++i) {
    const fs::path other = all.paths[i];
    if (other.filename() != path.filename()) continue;
    const std::string& place = all.classes[static_cast<std::size_t>(all.labels[i])];
    std::error_code error;
    if (fs::equivalent(other, path, error)) {
      named = {place};
      break;
    }
    named.insert(place);
  }
  if (named.size() != 1 || std::ranges::find(classes, *named.begin()) == classes.end()) return {};
  return *named.begin();
}

}  // namespace fovea::view
