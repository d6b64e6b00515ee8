// What Highway compiled and what this machine runs. SIMD code itself stands in *_cpu.cpp files.
#pragma once
#include <string>
#include <vector>

namespace fovea::detail {

std::vector<std::string> simd_compiled();
std::vector<std::string> simd_usable();

}  // namespace fovea::detail
