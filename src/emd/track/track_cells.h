// What the correlation filter sees of a frame: a square around a place, resampled to a grid of
// cells with orientation histograms of edges and brightness.
#pragma once
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fovea::emd {

struct CellGrid {
  static constexpr int kSide = 32;  // cells per side, a power of two
  static constexpr int kCell = 4;   // samples per side of a cell
  static constexpr int kDirections = 9;
  // Directed and undirected edges, and brightness.
  static constexpr int kChannels = 3 * kDirections + 1;
  static constexpr int kCells = kSide * kSide;
};

// The place of a value in a plane that is stored row by row.
inline std::size_t place_in(int side, int row, int column) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(side) +
         static_cast<std::size_t>(column);
}

// A square of a frame, in pixels; it may reach beyond the frame, whose border is then repeated.
struct CellSquare {
  double x = 0, y = 0;  // of its middle
  double side = 0;
};

// Returns kChannels planes of kCells values, one after the other, of a gray or RGB frame in host
// memory. Edges are histograms over directions as Felzenszwalb and others (2010) normalize them: by
// four blocks of cells around, cut off at 0.2. Values fall to 0 toward the border of the square,
// which a filter would otherwise take for edges.
std::vector<float> cells_of(ImageView<const std::uint8_t> frame, const CellSquare& square);

// The mean difference between neighboring pixels inside the box, without its border, relative to
// that around it. It is near 0 for a target of one color before a textured ground, whose edges
// would be taken for the target's; 1 where there is nothing to compare.
double relative_texture(ImageView<const std::uint8_t> frame, const Rect<int>& box);

}  // namespace fovea::emd
