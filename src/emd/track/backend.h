// The twins of what a tracker does to every pixel besides the maps themselves; called with shapes
// that fit and nothing empty.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <span>

namespace fovea::emd {

namespace cpu {
// The palette's color of every pixel, by its table (kColorCells, in host memory).
void label_colors(ImageView<const std::uint8_t> frame, std::span<const std::uint8_t> table,
                  ImageView<std::uint8_t> labels, const Exec& exec);
void likelihood(ImageView<const float> to_target, ImageView<const float> to_surround,
                ImageView<std::uint16_t> out, const Exec& exec);
}  // namespace cpu

namespace cuda {
void label_colors(ImageView<const std::uint8_t> frame, std::span<const std::uint8_t> table,
                  ImageView<std::uint8_t> labels, const Exec& exec);
void likelihood(ImageView<const float> to_target, ImageView<const float> to_surround,
                ImageView<std::uint16_t> out, const Exec& exec);
}  // namespace cuda

}  // namespace fovea::emd
