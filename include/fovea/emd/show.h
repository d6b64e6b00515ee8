#pragma once
#include <fovea/core/image.h>
#include <fovea/emd/regions.h>
#include <fovea/emd/track.h>

#include <cstdint>
#include <span>

// Pictures of tracks and regions.
namespace fovea::emd {

// Draws each target's box with its number and confidence, fainter where the target is lost. The
// image is gray or RGB, in host memory; draw on an RGB image to get boxes in color.
FOVEA_API void draw_tracks(ImageView<std::uint8_t> image, std::span<const Track> tracks);

// Tints the pixels of each region and draws its box with its number and score, on an image as above
// that has the size of the map.
FOVEA_API void draw_regions(ImageView<std::uint8_t> image, const RegionSet& found);

}  // namespace fovea::emd
