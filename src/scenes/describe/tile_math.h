// Which places of which image a block of threads of the CUDA twin describes at a time. It is only
// index arithmetic, so that it is tested on the host.
#pragma once
#include <fovea/scenes/descriptors.h>

#include <cstdint>

namespace fovea::scenes {

// Returns the last of `count` runs that begins at or before `item`. firsts[i] is the first item of
// run i, and firsts[count] is the end of the last run; runs may be empty.
FOVEA_HD inline int run_of(const std::int32_t* firsts, int count, std::int32_t item) {
  int low = 0, high = count;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (firsts[middle] <= item) low = middle;
    else high = middle;
  }
  return low;
}

FOVEA_HD inline int clamp_index(int index, int count) {
  return index < 0 ? 0 : (index < count ? index : count - 1);
}

// The places of a grid in tiles of kColumns x kRows.
template <int kTileColumns, int kTileRows>
struct SquareTiles {
  static constexpr int kColumns = kTileColumns;
  static constexpr int kRows = kTileRows;
  static constexpr int kPoints = kColumns * kRows;
  static constexpr int kParts = 1;

  FOVEA_HD static int across(int columns) { return (columns + kColumns - 1) / kColumns; }
  FOVEA_HD static std::int64_t count(int columns, int rows) {
    return std::int64_t{across(columns)} * ((rows + kRows - 1) / kRows);
  }
  // Finds the place of a point of a tile; returns false if it lies beyond the grid.
  FOVEA_HD static bool place(const PlaceGrid& grid, std::int32_t tile, int point, int& column,
                             int& row) {
    const int tiles = across(grid.columns);
    column = tile % tiles * kColumns + point % kColumns;
    row = tile / tiles * kRows + point / kColumns;
    return column < grid.columns && row < grid.rows;
  }
  FOVEA_HD static bool is_empty(const PlaceGrid&, std::int32_t) { return false; }
};

// The places of a grid in runs of kPoints.
template <int kTilePoints>
struct RunTiles {
  static constexpr int kPoints = kTilePoints;
  static constexpr int kParts = 1;

  FOVEA_HD static std::int64_t count(int columns, int rows) {
    return (std::int64_t{columns} * rows + kPoints - 1) / kPoints;
  }
  FOVEA_HD static bool place(const PlaceGrid& grid, std::int32_t tile, int point, int& column,
                             int& row) {
    const std::int64_t index = std::int64_t{tile} * kPoints + point;
    if (index >= std::int64_t{grid.columns} * grid.rows) return false;
    column = static_cast<int>(index % grid.columns);
    row = static_cast<int>(index / grid.columns);
    return true;
  }
  FOVEA_HD static bool is_empty(const PlaceGrid&, std::int32_t) { return false; }
};

// Tiles of whole lines of larger tiles, each of which has kParts of them.
template <class Whole, int kPartPoints>
struct TileParts {
  static constexpr int kPoints = kPartPoints;
  static constexpr int kParts = Whole::kPoints / kPoints;
  static_assert(Whole::kPoints % kPoints == 0 && kPoints % Whole::kColumns == 0);

  FOVEA_HD static std::int64_t count(int columns, int rows) {
    return Whole::count(columns, rows) * kParts;
  }
  FOVEA_HD static bool place(const PlaceGrid& grid, std::int32_t tile, int point, int& column,
                             int& row) {
    return Whole::place(grid, tile / kParts, tile % kParts * kPoints + point, column, row);
  }
  // The last lines of a larger tile may all lie beyond the grid.
  FOVEA_HD static bool is_empty(const PlaceGrid& grid, std::int32_t tile) {
    int column = 0, row = 0;
    return !place(grid, tile, 0, column, row);
  }
};

}  // namespace fovea::scenes
