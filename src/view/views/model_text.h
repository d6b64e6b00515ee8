// What the page says of a model in its list.
#pragma once
#include <string>

namespace fovea::view {

// One sentence that says what a model knows and was trained with, by its file, and, of people, from
// what score on it counts by default. Empty where it cannot be read, as runs say then.
std::string model_text(const std::string& name, const std::string& system);

}  // namespace fovea::view
