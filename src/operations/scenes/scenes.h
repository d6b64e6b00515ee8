// What operations and verbs on scenes share: models, and images as they take them.
#pragma once
#include <fovea/scenes/train.h>

#include <string>
#include <vector>

#include "operations/operation.h"

namespace fovea::operations {

// Describes the option --model.
void describe_scenes_model(OptionVisitor& visit, std::string& model);

// The argument IMAGE... of verbs on images.
Argument scene_images();

// Throws InvalidArgument, which explains that models are given with --model, where one of the words
// for inputs names a model.
void refuse_models(const std::vector<std::string>& words);

// The words of a dictionary's file, of a model's file, or of a shipped model by its name.
scenes::Dictionary read_dictionary_or_model(const std::string& name);

// An input as RGB bytes, upright.
Image<std::uint8_t> scene_pixels(const Source& source);

}  // namespace fovea::operations
