// Readers of a model's tensors, which check everything that they read.
#pragma once
#include <fovea/io/model_file.h>
#include <fovea/scenes/model.h>

namespace fovea::scenes {

Model parse_model(const io::ModelFile& file);

}  // namespace fovea::scenes
