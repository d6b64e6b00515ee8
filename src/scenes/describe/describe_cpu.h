// Descriptors on the CPU, a few lines of places at a time, for descriptors() and for features.
#pragma once
#include <fovea/scenes/descriptors.h>

#include <memory>
#include <vector>

#include "core/parallel.h"

namespace fovea::scenes::cpu {

// A rectangle of a grid's places, which one thread describes.
struct PlaceTile {
  int grid = 0;
  int line = 0;
  int lines = 0;
  int column = 0;
  int columns = 0;
};
// Divides grids into tiles. Lines are cut at about `most_lines` pixels, which does not change any
// result.
std::vector<PlaceTile> place_tiles(std::span<const PlaceGrid> grids, int most_lines);

// The numbers of the places of some lines of a tile, line by line.
struct PlaceBlock {
  PlaceTile places;
  bool planar;  // true: number i of place p is numbers[i * stride + p], else [p * stride + i]
  const float* numbers;  // valid until the call ends
  std::ptrdiff_t stride;

  int count() const { return places.lines * places.columns; }
};

// Converts the numbers of places from planes to rows; the count per place is a multiple of four.
void planes_to_rows(const float* planes, std::ptrdiff_t stride, int count, ImageView<float> rows);

// Computes (x - mean) * scale for each number with standardized(); null pointers leave numbers as
// they are.
struct Standard {
  const float* scale = nullptr;
  const float* offset = nullptr;
};

// The memory and the loops of one thread.
class Describer {
 public:
  Describer() = default;
  Describer(const Describer&) = delete;
  Describer& operator=(const Describer&) = delete;
  virtual ~Describer() = default;

  // Calls `use` for blocks of lines, from the first line of the tile to the last.
  virtual void describe(ImageView<const std::uint8_t> image, const PlaceGrid& grid,
                        const PlaceTile& tile, FunctionRef<void(const PlaceBlock&)> use) = 0;
};
std::unique_ptr<Describer> make_describer(const DescriptorOptions& options,
                                          const Standard& standard);
std::unique_ptr<Describer> make_filter_describer(const DescriptorOptions& options,
                                                 const Standard& standard);
std::unique_ptr<Describer> make_gradient_describer(const DescriptorOptions& options,
                                                   const Standard& standard);

}  // namespace fovea::scenes::cpu
