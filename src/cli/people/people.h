// What the verbs of fovea people share: the option for the model, and texts and pictures.
#pragma once
#include <fovea/io/image_io.h>
#include <fovea/people/detector.h>
#include <fovea/people/mine.h>

#include <string>

#include "cli/program/command.h"

namespace fovea::cli {

// Describes the option --model.
void describe_people_model(OptionVisitor& visit, std::string& model);

// Returns a text such as "1 person" or "2 people".
std::string people_text(std::size_t count);

// An image in RGB, so that drawings on it are in color.
Image<std::uint8_t> in_color(Image<std::uint8_t> image);

// The file in which a training looks for what a search of its negatives has found.
std::string mined_file(const std::string& folder, const people::SearchRequest& search);

}  // namespace fovea::cli
