// Per-pixel work of the tracker besides the maps themselves, as CPU and CUDA twins. Callers make
// sure that shapes fit and nothing is empty.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <span>

#include "emd/track/track_bands.h"

namespace fovea::emd {

namespace cpu {
// Writes the index of the palette color of every pixel, read from its table (kColorCells entries,
// in host memory).
void label_colors(ImageView<const std::uint8_t> frame, std::span<const std::uint8_t> table,
                  ImageView<std::uint8_t> labels, const Exec& exec);
// Writes the index of the nearest color of every pixel over the bands that measured it, and
// kNoLabel where none did. Of colors that are equally near, the first one is taken.
void label_bands(StackView<const float> frame, const BandTable& table,
                 ImageView<std::uint8_t> labels, const Exec& exec);
void likelihood(ImageView<const float> to_target, ImageView<const float> to_surround,
                ImageView<std::uint16_t> out, const Exec& exec);
}  // namespace cpu

namespace cuda {
void label_colors(ImageView<const std::uint8_t> frame, std::span<const std::uint8_t> table,
                  ImageView<std::uint8_t> labels, const Exec& exec);
void label_bands(StackView<const float> frame, const BandTable& table,
                 ImageView<std::uint8_t> labels, const Exec& exec);
void likelihood(ImageView<const float> to_target, ImageView<const float> to_surround,
                ImageView<std::uint16_t> out, const Exec& exec);
}  // namespace cuda

}  // namespace fovea::emd
