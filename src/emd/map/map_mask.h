// Which parts of a frame are worked on where only the pixels of a mask are mapped.
#pragma once
#include <fovea/core/geometry.h>

#include <cstdint>
#include <vector>

#include "emd/map/map_engine.h"

namespace fovea::emd {

// The smallest box around all pixels where the mask is not 0; nothing where there is none.
std::vector<Rect<int>> box_around(ImageView<const std::uint8_t> mask);

// Boxes around parts of the mask that hold all of it. They are made by cutting the box around all
// of it along its widest empty rows or columns, again and again, as long as more than 2 * reach of
// them are empty: then the windows of two parts have no pixel in common, and no box grown by
// `reach` holds pixels of another part's mask.
std::vector<Rect<int>> boxes_of(ImageView<const std::uint8_t> mask, int reach);

// The box with all pixels that windows in it reach.
Rect<int> reached_from(const Rect<int>& box, int reach, int width, int height);
// The part of a frame in host memory.
MapFrame cut(const MapFrame& frame, const Rect<int>& box);

}  // namespace fovea::emd
