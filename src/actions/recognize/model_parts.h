// Reads a model from tensors and checks all of them.
#pragma once
#include <fovea/actions/model.h>
#include <fovea/io/model_file.h>

namespace fovea::actions {

Model parse_model(const io::ModelFile& file);

}  // namespace fovea::actions
