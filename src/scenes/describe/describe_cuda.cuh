// What kernels that describe places read: tables of images and grids, and the conversion of pixels
// to numbers.
#pragma once
#include <cstdint>

#include "core/rgb.h"
#include "scenes/describe/bank_math.h"
#include "scenes/describe/lab_math.h"
#include "scenes/describe/tile_math.h"

namespace fovea::scenes::cuda {

// A place of an image, in pixels, that is an entry of a list.
struct ListedPlace {
  std::int32_t x, y;
  std::int32_t output;  // the row to which its numbers go
};

// A grid of places of an image on the device.
struct GridEntry {
  const std::uint8_t* pixels;
  std::ptrdiff_t stride;
  int width, height, channels;
  PlaceGrid grid;
  const ListedPlace*
      listed;           // null: the places of the grid itself. With a list the grid is one line
  std::int64_t output;  // where its first count, word or descriptor goes
  std::int64_t planes;  // gradients: where the directions of its image begin,
  int margin;           // and how far they extend beyond each of its borders
};

// Grids and their tiles: those of grid i are firsts[i] to firsts[i + 1].
struct GridTable {
  const GridEntry* entries;
  const std::int32_t* firsts;
  int count;
  std::int32_t first, tiles;  // a launch processes so many tiles, beginning with the first
};

// The number of a tile among those of its grid, and among those of the launch.
struct TileNumber {
  std::int32_t of_grid, of_launch;
};

// The tiles of one of several workers, and the grid of each tile. Neighboring tiles go to different
// workers, because a plain part of an image, such as its sky, takes longer to search. With kParts
// above 1, every tile of the table counts as so many tiles.
template <int kParts = 1>
class TileWalk {
 public:
  __device__ TileWalk(const GridTable& table, int index, int workers)
      : table_(table), at_(index), step_(workers) {
    if (more()) entry_ = run_of(table.firsts, table.count, whole());
  }
  __device__ bool more() const { return at_ < table_.tiles * kParts; }
  __device__ void next() {
    at_ += step_;
    while (more() && table_.firsts[entry_ + 1] <= whole()) ++entry_;
  }
  __device__ const GridEntry& entry() const { return table_.entries[entry_]; }
  __device__ std::int32_t tile() const {
    return (whole() - table_.firsts[entry_]) * kParts + at_ % kParts;
  }
  __device__ TileNumber number() const { return {tile(), at_}; }

 private:
  __device__ std::int32_t whole() const { return table_.first + at_ / kParts; }

  const GridTable& table_;
  std::int32_t at_, step_;
  int entry_ = 0;
};

// Places as kernels number them: those of a grid, or those of its list.
__device__ inline ListedPlace place_at(const GridEntry& entry, int column, int row) {
  if (entry.listed != nullptr) return entry.listed[column];
  return {entry.grid.left + column * entry.grid.step, entry.grid.top + row * entry.grid.step,
          row * entry.grid.columns + column};
}

template <Color kColor>
constexpr int kPlanesOf = kColor == Color::kGray ? 1 : 3;

// Brightness from 0 to 255, or L, a and b in 1/8192, of the pixel at (x, y) or of the nearest one.
// `linear` is a table for sRGB bytes, used for Lab.
template <Color kColor>
__device__ inline void read_pixel(const GridEntry& entry, int x, int y, const float* linear,
                                  float (&planes)[kPlanesOf<kColor>]) {
  const std::uint8_t* pixel =
      entry.pixels + clamp_index(y, entry.height) * entry.stride +
      static_cast<std::ptrdiff_t>(clamp_index(x, entry.width)) * entry.channels;
  const int r = __ldg(pixel);
  const int g = entry.channels == 3 ? __ldg(pixel + 1) : r;
  const int b = entry.channels == 3 ? __ldg(pixel + 2) : r;
  if constexpr (kColor == Color::kGray) {
    planes[0] = static_cast<float>(entry.channels == 3 ? fovea::detail::luma(r, g, b) : r);
  } else {
    const LabPixel lab = lab_of(__ldg(linear + r), __ldg(linear + g), __ldg(linear + b));
    planes[0] = lab.l;
    planes[1] = lab.a;
    planes[2] = lab.b;
  }
}

}  // namespace fovea::scenes::cuda
