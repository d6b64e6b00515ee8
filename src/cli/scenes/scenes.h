// What the verbs of fovea scenes share: models, images, and the handling of images that cannot be
// read.
#pragma once
#include <fovea/io/image_set.h>
#include <fovea/scenes/train.h>

#include <string>
#include <vector>

#include "cli/program/command.h"
#include "operations/scenes/scenes.h"

namespace fovea::cli {

using operations::read_dictionary_or_model;

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

// Reports images that cannot be read on standard error, as soon as they are found, and counts them.
class SkippedImages {
 public:
  SkippedImages(Context& context, const std::vector<std::string>& paths)
      : context_(context), paths_(paths) {}

  // A callback for the library, which must not outlive this object.
  scenes::ImageFailure report();
  // Reports one image and returns the message.
  std::string report(int index, const std::string& why);
  int count() const { return count_; }
  // Returns kDone, or kSomeFailed where images were left out.
  int status() const;

 private:
  Context& context_;
  const std::vector<std::string>& paths_;
  int count_ = 0;
};

}  // namespace fovea::cli
