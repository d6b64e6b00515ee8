// What the verbs of fovea scenes share: models, images and what happens to those that cannot be
// read.
#pragma once
#include <fovea/io/image_set.h>
#include <fovea/scenes/train.h>

#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// The option --model of verbs that use a trained model.
struct ScenesModel {
  std::string model = "sun8";
};
void describe(OptionVisitor& visit, ScenesModel& model);

// The files that the words of a command line stand for. Throws InvalidArgument, with the right way
// to write it, where a word names a model: models are given with --model.
std::vector<std::string> scenes_inputs(const std::vector<std::string>& words);

// Image files as RGB bytes; "-" is standard input. A file with a pixel that is NaN or infinite is
// one that cannot be read.
class InputImages final : public io::ImageSet {
 public:
  InputImages(const Context& context, std::vector<std::string> paths)
      : context_(context), paths_(std::move(paths)) {}
  int count() const override { return static_cast<int>(paths_.size()); }
  Image<std::uint8_t> read(int index) const override;

 private:
  const Context& context_;
  std::vector<std::string> paths_;
};

// Names images that cannot be read on standard error, as they are met, and counts them.
class SkippedImages {
 public:
  SkippedImages(Context& context, const std::vector<std::string>& paths)
      : context_(context), paths_(paths) {}

  // To hand to the library; lives as long as this.
  scenes::ImageFailure report();
  // Returns what was said.
  std::string report(int index, const std::string& why);
  int count() const { return count_; }
  // kDone, or kSomeFailed where images were left out.
  int status() const;

 private:
  Context& context_;
  const std::vector<std::string>& paths_;
  int count_ = 0;
};

}  // namespace fovea::cli
