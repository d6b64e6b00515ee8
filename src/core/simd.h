// What Highway compiled and what this machine runs. SIMD code itself stands in *_cpu.cpp files.
#pragma once
#include <string>
#include <vector>

namespace fovea::detail {

std::vector<std::string> simd_compiled();
std::vector<std::string> simd_usable();

// Throws DeviceError where none of the compiled instruction sets is usable.
void require_simd(const std::vector<std::string>& compiled, const std::vector<std::string>& usable);

}  // namespace fovea::detail
