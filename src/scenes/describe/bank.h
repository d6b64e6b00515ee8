// The bank's weights as both twins read them, and the conversion of pixels before they are
// filtered.
#pragma once
#include <array>

#include "scenes/describe/bank_math.h"

namespace fovea::scenes {

// Returns the tables for gray pixels of 0 to 255, or for Lab in units of 1/8192.
const BankTables& bank_tables(Color color);

// Returns the linear light of every sRGB byte, 0 to 1.
const std::array<float, 256>& linear_of_srgb();

}  // namespace fovea::scenes
