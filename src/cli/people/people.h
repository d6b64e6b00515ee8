// What the verbs of fovea people share: the model, how people are looked for, and how they are
// told.
#pragma once
#include <fovea/io/image_io.h>
#include <fovea/people/detector.h>

#include <string>
#include <vector>

#include "cli/program/command.h"

namespace fovea::cli {

// A shipped model by its short name (hog, cascade, channels), or a file.
struct PeopleModel {
  std::string model = "channels";
};
void describe(OptionVisitor& visit, PeopleModel& choice);

std::string model_path(const std::string& word);
// Reads it; a file of another make (OpenCV, liblinear) is imported.
people::Model read_people_model(const std::string& word);

// How people are looked for, as users say it.
struct PeopleSearch {
  people::ScanOptions scan{};
  people::FuseOptions fuse{};
  std::string threshold{};  // least score; empty: the model's
};
void describe(OptionVisitor& visit, PeopleSearch& search);
people::DetectOptions detect_options(const PeopleSearch& search, const Exec& exec);

// "x,y,width,height" in whole pixels; throws InvalidArgument that names the option.
people::Region parse_region(const std::string& option, const std::string& text);

// Pixels as a detector takes them: bytes, gray or RGB, alpha left out.
Image<std::uint8_t> people_pixels(io::AnyImage image);

// Boxes with their scores drawn on an RGB or gray image.
void draw_people(ImageView<std::uint8_t> image, const std::vector<people::Detection>& people);

}  // namespace fovea::cli
