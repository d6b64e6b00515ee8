// Reads classifiers of other programs from text.
#pragma once
#include <fovea/people/model.h>

#include <string>
#include <string_view>

namespace fovea::people {

// The same as import_model(), from memory; errors call it `name`.
Model parse_foreign_model(std::string_view text, const std::string& name, const HogOptions& hog);

}  // namespace fovea::people
