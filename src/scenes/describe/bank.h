// The bank's weights as both twins read them, and the conversion of pixels before they are
// filtered.
#pragma once
#include <array>

#include "scenes/describe/bank_math.h"

namespace fovea::scenes {

// Throws InvalidArgument where the sizes and deviations of the filters do not make a bank.
void check_bank(const DescriptorOptions& options);

// Returns the tables for gray pixels of 0 to 255, or for Lab in units of 1/8192.
BankTables bank_tables(const DescriptorOptions& options);

// Whether the kernels have the default sizes, whatever their deviations.
bool has_default_sizes(const BankTables& tables);

// Returns the linear light of every sRGB byte, 0 to 1.
const std::array<float, 256>& linear_of_srgb();

}  // namespace fovea::scenes
