// The architecture of the processor, whose sums of floats may differ in their last bits from those
// of another.
#pragma once

namespace fovea::detail {

inline constexpr const char* kArchitecture =
#ifdef __aarch64__
    "aarch64";
#else
    "x86-64";
#endif

}  // namespace fovea::detail
