// A model's tensors, read without trust.
#pragma once
#include <fovea/actions/model.h>
#include <fovea/io/model_file.h>

#include <string>

namespace fovea::actions {

// What the file holds; `name` stands in errors.
Model parse_model(const io::ModelFile& file, const std::string& name);

}  // namespace fovea::actions
