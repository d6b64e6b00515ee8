// The options that points depend on, as words: see point_words() and why_not_comparable().
#pragma once
#include <fovea/actions/points.h>
#include <fovea/actions/select_points.h>

#include <string>

namespace fovea::actions {

// The words of points of which some were selected; empty where those of all are not known.
std::string words_of_selected(const std::string& found_with, const SelectOptions& selected);

}  // namespace fovea::actions
