// A model's tensors, read without trust.
#pragma once
#include <fovea/io/model_file.h>
#include <fovea/scenes/model.h>

#include <string>

namespace fovea::scenes {

// What the file holds; `name` stands in errors.
Model parse_model(const io::ModelFile& file, const std::string& name);

}  // namespace fovea::scenes
