// What the stand-ins for .cu files share in a build without CUDA. Each folder with a .cu file has
// its own no_cuda.cpp.
#pragma once
#include <fovea/core/error.h>

namespace fovea::cuda {

inline constexpr const char* kAbsence = "this build was made without CUDA";

[[noreturn]] inline void absent() { throw DeviceError(kAbsence); }

}  // namespace fovea::cuda
