#pragma once
#include <string>

namespace fovea::report {

// The page's style sheet, with the colors of both themes.
std::string page_style();

}  // namespace fovea::report
