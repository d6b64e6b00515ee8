#pragma once
#include <fovea/core/api.h>

#include <string>
#include <vector>

namespace fovea {

// A part of the library that a build or a machine may lack.
struct Feature {
  std::string name;  // "cuda", "video", "jpeg"
  bool usable = false;
  std::string detail;  // its version where usable, else why not and what to install
};

struct BuildInfo {
  std::string version;
  std::string compiler;
  std::string build_type;
  std::vector<std::string> simd_compiled;  // instruction sets this build has code for, best first
  std::vector<std::string>
      simd_usable;  // those of them that this machine runs; the first is the one used
  std::vector<Feature> features;
};

FOVEA_API BuildInfo build_info();

}  // namespace fovea
