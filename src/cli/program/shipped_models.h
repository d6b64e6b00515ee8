// Models that come with the program.
#pragma once
#include <string>

namespace fovea::cli {

// The path of a shipped file ("people_hog.safetensors"). They lie in share/fovea/models beside the
// program's folder, or in the source tree it was built from. Throws IoError with the places looked
// at.
std::string shipped_model(const std::string& file);

}  // namespace fovea::cli
