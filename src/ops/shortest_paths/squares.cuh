// Squares of distances on the device, as the CUDA twins of shortest paths work on them.
#pragma once
#include <fovea/ops/shortest_paths.h>

#include <span>

#include "core/on_device.cuh"
#include "ops/shortest_paths/device_layout.h"

namespace fovea::cuda {

// How the tiles of a square, of 128 x 128 distances each, lie in memory.
enum class SquareLayout : unsigned char {
  kRows,   // as rows of the square, both halves
  kHalf,   // tiles (row, column) with row >= column, row after row, each row-major
  kStrip,  // of these tiles those that touch `strip_count` panels from `strip_first` on: for each
           // panel of the square, its tiles with them
};

// Distances between some nodes; width and height are a multiple of 128. Nodes beyond the last have
// distance 0 to themselves and are infinitely far from all others.
struct Square {
  float* distances = nullptr;
  float* pivots = nullptr;  // scratch memory of close_squares(): kPivots rows per group of panels
  int panels = 0;
  SquareLayout layout = SquareLayout::kRows;
  int pivot_groups = static_cast<int>(detail::kPivotGroups);  // groups whose pivots are kept
  int strip_first = 0;
  int strip_count = 0;

  FOVEA_HD int side() const { return panels * detail::kPanel; }
  // Floats between two rows of a tile.
  FOVEA_HD std::int64_t pitch() const {
    return layout == SquareLayout::kRows ? side() : detail::kPanel;
  }
  // A tile on or below the diagonal or, in a square of rows, any tile.
  FOVEA_HD float* tile(int row, int column) const {
    const std::int64_t r = row, c = column;
    if (layout == SquareLayout::kRows)
      return distances + r * detail::kPanel * side() + c * detail::kPanel;
    std::int64_t place = r * (r + 1) / 2 + c;
    if (layout == SquareLayout::kStrip)
      place = row >= strip_first && row < strip_first + strip_count
                  ? c * strip_count + r - strip_first
                  : r * strip_count + c - strip_first;
    return distances + place * static_cast<std::int64_t>(detail::kPanelTile);
  }
};

// A list of squares, on the host and on the device.
struct Squares {
  std::span<const Square> all;
  const Square* on_device = nullptr;
};

// Initializes squares in which no node has an arc yet: squares of rows, or one half.
void clear_squares(const Squares& squares, cudaStream_t stream);
void clear_half(const Square& half, cudaStream_t stream);

// Runs Floyd-Warshall in each square, on the lower half and on whole tiles of the diagonal. The
// result has the bits of cpu::close_half(). Squares are rows or halves.
void close_squares(const Squares& squares, const Exec& exec, cudaStream_t stream);

// Takes the steps of these panels inside their strip. Their pivots, which all other tiles lack
// afterwards, are left one row after the other.
void close_strip(const Squares& strip, cudaStream_t stream);

// Copies the lower halves of squares of rows to the upper ones; distances beyond the cutoff become
// infinite.
void mirror_squares(const Squares& squares, float cutoff, cudaStream_t stream);

}  // namespace fovea::cuda
