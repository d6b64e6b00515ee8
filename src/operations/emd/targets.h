// Targets in the form that the verbs of fovea emd take: a box in a frame, or a file that shows only
// the target.
#pragma once
#include <fovea/emd/detect.h>
#include <fovea/emd/track.h>

#include <string>
#include <variant>
#include <vector>

namespace fovea::operations {

using TargetWord = std::variant<Rect<double>, std::string>;

// Parses "x,y,width,height" as a box and anything else as the name of a file. Throws
// InvalidArgument for numbers that are not a box.
TargetWord parse_target(const std::string& word);
std::vector<TargetWord> parse_targets(const std::vector<std::string>& words);

// The box in whole pixels of a frame. Throws InvalidArgument where the box has fractions or no
// area, or reaches outside.
Rect<int> box_within(const Rect<double>& box, int width, int height);

}  // namespace fovea::operations
