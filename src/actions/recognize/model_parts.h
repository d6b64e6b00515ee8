// Reads a model from tensors, and checks all of them.
#pragma once
#include <fovea/actions/model.h>
#include <fovea/io/model_file.h>

#include <string>

namespace fovea::actions {

// Messages begin with `name`.
Model parse_model(const io::ModelFile& file, const std::string& name);

}  // namespace fovea::actions
