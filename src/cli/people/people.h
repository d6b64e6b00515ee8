// What the verbs of fovea people share: the option for the model, and pixels as detectors take
// them.
#pragma once
#include <fovea/io/image_io.h>
#include <fovea/people/detector.h>

#include <string>

#include "cli/program/command.h"

namespace fovea::cli {

// The option --model.
void describe_people_model(OptionVisitor& visit, std::string& model);

// "1 person", "2 people".
std::string people_text(std::size_t count);

// Pixels as a detector takes them: bytes, gray or RGB, without opacity.
Image<std::uint8_t> people_pixels(io::AnyImage image);

// The same picture in RGB, so that what is drawn on it is in color.
Image<std::uint8_t> in_color(Image<std::uint8_t> image);

}  // namespace fovea::cli
