// The bank's weights as both twins read them, and what pixels become before they are filtered.
#pragma once
#include <array>

#include "scenes/describe/bank_math.h"

namespace fovea::scenes {

// For pixels of 0 to 255 (gray), or of 1/8192 (Lab).
const BankTables& bank_tables(Color color);

// Linear light of an sRGB byte, 0 to 1.
const std::array<float, 256>& linear_of_srgb();

}  // namespace fovea::scenes
