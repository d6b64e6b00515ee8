// Histograms of colors over grids of pixels, as CPU and CUDA twins with results equal to the bit.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>

#include "people/track/signature_math.h"

namespace fovea::people {

namespace cpu {
// Row i of `masses`, which has kColors columns and lies in host memory, gets the colors of grid i.
// `table` has kColorCells entries.
void color_masses(ImageView<const std::uint8_t> frame, std::span<const PixelGrid> grids,
                  std::span<const CellColors> table, ImageView<std::uint16_t> masses,
                  const Exec& exec);
}  // namespace cpu

namespace cuda {
void color_masses(ImageView<const std::uint8_t> frame, std::span<const PixelGrid> grids,
                  std::span<const CellColors> table, ImageView<std::uint16_t> masses,
                  const Exec& exec);
}  // namespace cuda

}  // namespace fovea::people
