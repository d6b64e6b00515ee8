// How the facts of a model name its preset.
#pragma once
#include <fovea/people/train.h>

#include <string>

namespace fovea::people {

// A text such as "thesis", or "thesis with enlarge 1.5, stages 30" where options differ from it.
std::string preset_text(CascadePreset preset, const CascadeTrainOptions& options);

}  // namespace fovea::people
