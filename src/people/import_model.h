// Classifiers of other programs, as text.
#pragma once
#include <fovea/people/model.h>

#include <string>
#include <string_view>

namespace fovea::people {

// As import_model(), out of memory; `name` stands in errors.
Model parse_foreign_model(std::string_view text, const std::string& name, const HogOptions& hog);

}  // namespace fovea::people
