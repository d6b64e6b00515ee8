// What the verbs of fovea scenes share: models, and images that cannot be read.
#pragma once
#include <fovea/scenes/train.h>

#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The shipped model sun8, or a file.
scenes::Model read_scenes_model(const std::string& word);

// Names images that cannot be read as they are met, and remembers them.
class SkippedImages {
 public:
  SkippedImages(Context& context, const std::vector<std::string>& paths)
      : context_(context), paths_(paths) {}

  // To hand to the library; lives as long as this.
  scenes::ImageFailure report();
  int count() const { return static_cast<int>(lines_.size()); }
  // What was said of each.
  const std::vector<std::string>& lines() const { return lines_; }
  // kDone, or kSomeFailed where images were left out.
  int status() const;

 private:
  Context& context_;
  const std::vector<std::string>& paths_;
  std::vector<std::string> lines_;
};

}  // namespace fovea::cli
