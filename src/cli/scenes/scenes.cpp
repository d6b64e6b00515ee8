#include "cli/scenes/scenes.h"

#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>
#include <fovea/io/models.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/jobs/journal.h"
#include "cli/program/image_input.h"
#include "cli/program/run.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

namespace fs = std::filesystem;

bool is_model(const std::string& word) {
  if (fs::path(word).extension() == ".safetensors") return true;
  std::error_code error;
  if (fs::exists(word, error)) return false;
  const auto shipped = io::shipped_models("scenes");
  return std::ranges::find(shipped, word) != shipped.end() ||
         std::ranges::find(shipped, "scenes/" + word) != shipped.end();
}

}  // namespace

void describe(OptionVisitor& visit, ScenesModel& model) {
  visit.path("model", model.model, TextUse::kModel,
             "the name of a shipped model, or a file that fovea scenes train wrote");
}

std::vector<std::string> scenes_inputs(const Context& context) {
  for (const std::string& word : context.inputs)
    if (is_model(word))
      throw InvalidArgument(
          fmt::format("{0} is a model and stands where an image is expected; write --model {0}, "
                      "and images as the only other words",
                      detail::shown(word)));
  return unit_inputs(context, io::image_files());
}

scenes::Dictionary read_dictionary_or_model(const std::string& name) {
  return scenes::Dictionary::read(io::find_model(name, "scenes"));
}

Image<std::uint8_t> InputImages::read(int index) const {
  const std::string& path = paths_[static_cast<std::size_t>(index)];
  return io::to_rgb_bytes(read_finite_input(context_, path, io::Orientation::kApply),
                          path == "-" ? "standard input" : path);
}

scenes::ImageFailure SkippedImages::report() {
  return [this](int index, const std::string& why) { report(index, why); };
}

std::string SkippedImages::report(int index, const std::string& why) {
  ++count_;
  const std::string& path = paths_[static_cast<std::size_t>(index)];
  const bool named = why.find(path) != std::string::npos;
  std::string line = named ? why : fmt::format("{}: {}", path, why);
  context_.console.complain(line);
  return line;
}

int SkippedImages::status() const {
  if (count_ == 0) return kDone;
  context_.console.complain(fmt::format("{} of {} could not be read and were left out", count_,
                                        detail::counted(paths_.size(), "image")));
  return kSomeFailed;
}

}  // namespace fovea::cli
