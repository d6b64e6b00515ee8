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

// The files that the words of a command line stand for.
std::vector<std::string> scenes_inputs(const Context& context);

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

// What scenes classify is asked about its answer.
struct ExplainScene {
  bool explain = false;
  std::string of{};       // name of a class; empty: the one with the greatest score
  std::string against{};  // empty: the greatest score of the others
  std::string picture{};
};
void describe(OptionVisitor& visit, ExplainScene& request);
// Explains the class of one image instead of classifying all.
int explain_scene(const ExplainScene& request, const std::string& model,
                  const std::vector<std::string>& paths, Context& context);

}  // namespace fovea::cli
