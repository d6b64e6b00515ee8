// What the verbs of fovea people share: the option for the model, and pixels in the form that
// detectors take.
#pragma once
#include <fovea/io/image_io.h>
#include <fovea/people/detector.h>

#include <string>

#include "cli/program/command.h"

namespace fovea::cli {

// Describes the option --model.
void describe_people_model(OptionVisitor& visit, std::string& model);

// Returns a text such as "1 person" or "2 people".
std::string people_text(std::size_t count);

// Converts an image for a detector: bytes, gray or RGB, without alpha.
Image<std::uint8_t> people_pixels(io::AnyImage image);

// The same image in RGB, so that drawings on it are in color.
Image<std::uint8_t> in_color(Image<std::uint8_t> image);

}  // namespace fovea::cli
