#include "operations/scenes/scenes.h"

#include <fovea/core/error.h>
#include <fovea/io/models.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/words.h"

namespace fovea::operations {
namespace {

namespace fs = std::filesystem;

bool is_scenes_model(const std::string& word) {
  if (fs::path(word).extension() == ".safetensors") return true;
  std::error_code error;
  if (fs::exists(word, error)) return false;
  const auto shipped = io::shipped_models("scenes");
  return std::ranges::find(shipped, word) != shipped.end() ||
         std::ranges::find(shipped, "scenes/" + word) != shipped.end();
}

}  // namespace

void describe_scenes_model(OptionVisitor& visit, std::string& model) {
  visit.path("model", model, TextUse::kModel,
             "the name of a shipped model, or a file that fovea scenes train wrote");
}

Argument scene_images() {
  return {"IMAGE", "images: files, folders, globs, @list, or - for standard input", 1, kAnyNumber};
}

void refuse_models(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (is_scenes_model(word))
      throw InvalidArgument(
          fmt::format("{0} is a model and stands where an image is expected; write --model {0}, "
                      "and images as the only other words",
                      detail::shown(word)));
}

scenes::Dictionary read_dictionary_or_model(const std::string& name) {
  return scenes::Dictionary::read(io::find_model(name, "scenes"));
}

Image<std::uint8_t> scene_pixels(const Source& source) {
  return io::to_rgb_bytes(source.image(io::Orientation::kApply),
                          source.name == "-" ? "standard input" : source.name);
}

}  // namespace fovea::operations
