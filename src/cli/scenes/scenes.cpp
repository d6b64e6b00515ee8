#include "cli/scenes/scenes.h"

#include <fovea/io/models.h>

#include <fmt/format.h>

#include "cli/program/run.h"

namespace fovea::cli {

scenes::Model read_scenes_model(const std::string& word) {
  return scenes::Model::read(io::find_model(word, "scenes"));
}

scenes::ImageFailure SkippedImages::report() {
  return [this](int index, const std::string& why) {
    const std::string& path = paths_[static_cast<std::size_t>(index)];
    const bool named = why.find(path) != std::string::npos;
    lines_.push_back(named ? why : fmt::format("{}: {}", path, why));
    context_.console.complain(lines_.back());
  };
}

int SkippedImages::status() const {
  if (lines_.empty()) return kDone;
  context_.console.complain(fmt::format("{} of {} images could not be read and were left out",
                                        lines_.size(), paths_.size()));
  return kSomeFailed;
}

}  // namespace fovea::cli
