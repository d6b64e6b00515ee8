// Targets as the verbs of fovea emd take them: a box of a frame, or a file that shows one alone.
#pragma once
#include <fovea/emd/detect.h>
#include <fovea/emd/track.h>

#include <string>
#include <variant>
#include <vector>

namespace fovea::cli {

using TargetWord = std::variant<emd::TrackBox, std::string>;

// "x,y,width,height", else the name of a file. InvalidArgument for numbers that are no box.
TargetWord parse_target(const std::string& word);
std::vector<TargetWord> parse_targets(const std::vector<std::string>& words);

// A box in whole pixels of a frame. InvalidArgument where it has none or reaches outside.
emd::PixelBox box_within(const emd::TrackBox& box, int width, int height);

}  // namespace fovea::cli
