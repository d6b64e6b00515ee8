#pragma once
#include <fovea/scenes/features.h>
#include <fovea/scenes/trained_classifier.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::scenes {

// Everything that Classifier needs to know.
struct Model {
  Dictionary dictionary;
  int pyramid = 0;  // levels of the spatial pyramid below the whole image
  TrainedClassifier classifier;
  std::vector<std::string> classes;          // names, by label
  std::map<std::string, std::string> facts;  // where the model comes from: data, options, counts

  // A safetensors file. Reading trusts nothing: a file of another kind or version, one that was
  // trained with another bank of filters, numbers that are not finite and sizes that do not fit
  // together throw ModelError; a damaged file throws FormatError. Files of version 0.1.0 are read.
  FOVEA_API static Model read(const std::string& path);
  FOVEA_API void write(const std::string& path) const;
};

// Reads a model by the name of a shipped one ("scenes/sun8", or "sun8" alone) or by its file.
// Throws IoError that lists the shipped models where there is neither.
FOVEA_API std::shared_ptr<const Model> load_model(std::string_view name);

}  // namespace fovea::scenes
