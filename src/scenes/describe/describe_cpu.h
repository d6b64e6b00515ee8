// Descriptors on the CPU, a few lines of places at a time: what descriptors() and features read.
#pragma once
#include <fovea/scenes/descriptors.h>

#include <memory>
#include <vector>

#include "core/parallel.h"

namespace fovea::scenes::cpu {

// A rectangle of a grid's places, the work of one thread at a time.
struct PlaceTile {
  int grid = 0;
  int line = 0;
  int lines = 0;
  int column = 0;
  int columns = 0;
};
// Lines are cut at `most_lines` pixels or so; how does not matter to any result.
std::vector<PlaceTile> place_tiles(std::span<const PlaceGrid> grids, int most_lines);

// The numbers of the places of some lines of a tile, line after line.
struct PlaceBlock {
  PlaceTile places;
  bool planar;           // number i of place p is numbers[i * stride + p], else [p * stride + i]
  const float* numbers;  // valid until the call ends
  std::ptrdiff_t stride;

  int count() const { return places.lines * places.columns; }
};

// Numbers of places that lie as planes, to rows; a multiple of four numbers per place.
void planes_to_rows(const float* planes, std::ptrdiff_t stride, int count, ImageView<float> rows);

// (x - mean) * scale of each number, as standardized() has it; null where there is none.
struct Standard {
  const float* scale = nullptr;
  const float* offset = nullptr;
};

// One thread's memory and loops.
class Describer {
 public:
  Describer() = default;
  Describer(const Describer&) = delete;
  Describer& operator=(const Describer&) = delete;
  virtual ~Describer() = default;

  // Calls `use` for blocks of lines, from the tile's first on.
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
