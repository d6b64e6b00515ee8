#pragma once
#include <fovea/scenes/classifier.h>
#include <fovea/scenes/features.h>

#include <map>
#include <string>
#include <vector>

namespace fovea::scenes {

// All that is needed to tell which kind of place a picture shows.
struct Model {
  Dictionary dictionary;
  int pyramid = 0;
  Classifier classifier;
  std::vector<std::string> classes;          // their names
  std::map<std::string, std::string> facts;  // where it comes from: data, command, counts

  // A safetensors file. Reading trusts nothing: a file of another kind or version, of another bank
  // of filters, numbers that are not finite and sizes that do not fit each other are a ModelError,
  // damage is a FormatError.
  FOVEA_API static Model read(const std::string& path);
  FOVEA_API void write(const std::string& path) const;
};

}  // namespace fovea::scenes
