#pragma once
#include <fovea/core/image.h>
#include <fovea/people/model.h>

#include <cstdint>
#include <string>
#include <vector>

// Pictures of what detectors see and have learned.
namespace fovea::people {

// The gradients of an image as glyphs, a star a cell: a line lies along the edges of its
// orientation (across the gradient), the brighter the stronger among the cells around it. A cell is
// drawn `glyph` pixels wide. Gray; cells cut off by the border are left out.
FOVEA_API Image<std::uint8_t> hog_glyphs(ImageView<const std::uint8_t> image,
                                         const HogOptions& options = {}, int glyph = 16);

// A picture and what it shows.
struct ModelPicture {
  std::string caption;
  Image<std::uint8_t> image;  // gray or RGB
};

// What a model has learned. One with a linear classifier: glyphs of the weights that speak for a
// person, and of those against. A cascade: the blocks of its first stages in the window. Boosted
// channels: how often trees look at each cell of each channel.
FOVEA_API std::vector<ModelPicture> model_pictures(const Model& model, int glyph = 16);

}  // namespace fovea::people
