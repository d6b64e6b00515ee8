#pragma once
#include <fovea/core/api.h>
#include <fovea/core/record_fwd.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fovea {

// A part of the library that a build or a machine may lack.
struct Feature {
  std::string name;  // "cuda", "video", "jpeg"
  bool usable = false;
  std::string detail;  // its version where usable, else why not and what to install
};
FOVEA_API void describe(FieldVisitor& visit, Feature& feature);

// What this build contains and which of it this machine can use.
struct BuildInfo {
  std::string version;
  std::string compiler;
  std::string build_type;
  std::vector<std::string> simd_compiled;  // instruction sets with compiled code, best first
  std::vector<std::string> simd_usable;    // those that this machine can run; the first one is used
  std::vector<Feature> features;
};

FOVEA_API BuildInfo build_info();

// Throws DeviceError where this machine runs none of the instruction sets that were compiled, as on
// a machine with an older processor than that of a build with FOVEA_SIMD=NATIVE.
FOVEA_API void require_processor();

// How much memory this process may use: that of the machine, or of its container where that has
// less.
FOVEA_API std::uint64_t usable_memory_bytes();

}  // namespace fovea
