// What operations and verbs on people share: the option for the model, and texts and pictures.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/options.h>

#include <cstddef>
#include <string>

namespace fovea::operations {

// Describes the option --model.
void describe_people_model(OptionVisitor& visit, std::string& model);

// Returns a text such as "1 person" or "2 people".
std::string people_text(std::size_t count);

// An image in RGB, so that drawings on it are in color.
Image<std::uint8_t> in_color(Image<std::uint8_t> image);

}  // namespace fovea::operations
