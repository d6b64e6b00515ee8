// Arithmetic of the correlation filter's cells that both twins must agree on to the bit.
#pragma once
#include <fovea/core/api.h>

#include <cmath>
#include <cstdint>

#include "emd/track/track_cells.h"

namespace fovea::emd {

inline constexpr int kSampleSide = CellGrid::kSide * CellGrid::kCell;
inline constexpr int kSampleStride = kSampleSide + 2;  // with a border of one sample on each side
inline constexpr int kCellVotes = 2 * CellGrid::kDirections;  // values of a cell before scaling
inline constexpr int kMostReads = 4;                          // per side, of one sample
inline constexpr float kMostShare = 0.2F;                     // of a direction in a block
inline constexpr float kLeastEnergy = 1e-4F;  // of a block, with brightness from 0 to 1
inline constexpr float kBrightPart =
    1.0F / (CellGrid::kCell * CellGrid::kCell);  // of a sample in its cell's brightness

// Tables whose values come from the host, because sines differ between devices.
struct CellTables {
  float x[CellGrid::kDirections]{}, y[CellGrid::kDirections]{};  // unit vectors of directions
  float fall[CellGrid::kSide]{};  // what values are multiplied by toward the border
};
CellTables cell_tables();

// Brightness from 0 to 1.
FOVEA_HD inline float gray_of(const std::uint8_t* pixel, int channels) {
  if (channels == 1) return static_cast<float>(pixel[0]) / 255.0F;
  return static_cast<float>(77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2]) / (255.0F * 256.0F);
}

// Samples along one side of a square in a frame of this size.
struct SampleAxis {
  double from = 0, step = 0;
  int each = 1;  // reads per sample
  int size = 0;
};
FOVEA_HD inline SampleAxis sample_axis(double middle, double side, int size) {
  SampleAxis axis;
  axis.step = side / kSampleSide;
  axis.from = middle - side / 2;
  axis.size = size;
  const double reads = std::ceil(axis.step);
  axis.each = reads < 1 ? 1 : reads > kMostReads ? kMostReads : static_cast<int>(reads);
  return axis;
}

// A read lies between pixel `first` and the next one; both may be one pixel beyond the frame.
struct SampleRead {
  int first = 0;
  float share = 0;  // of the next one
};
FOVEA_HD inline SampleRead sample_read(const SampleAxis& axis, int sample, int read) {
  const double at = axis.from + axis.step * (sample + (read + 0.5) / axis.each) - 0.5;
  double low = std::floor(at);
  low = low < -1.0 ? -1.0 : low > axis.size - 1.0 ? axis.size - 1.0 : low;
  const double share = at - low;
  return {static_cast<int>(low), static_cast<float>(share < 0.0 ? 0.0 : share > 1.0 ? 1.0 : share)};
}

// A value between four neighbors: two above, two below.
FOVEA_HD inline float between(const float (&above)[2], const float (&below)[2], float across,
                              float down) {
  const float top = above[0] + across * (above[1] - above[0]);
  const float bottom = below[0] + across * (below[1] - below[0]);
  return top + down * (bottom - top);
}

// The direction of a gradient, of kCellVotes, and its length.
struct EdgeVote {
  int direction = 0;
  float length = 0;
};
FOVEA_HD inline EdgeVote edge_vote(float dx, float dy, const CellTables& tables) {
  EdgeVote vote;
  float most = 0;
  for (int i = 0; i < CellGrid::kDirections; ++i) {
    const float along = dx * tables.x[i] + dy * tables.y[i];
    if (along > most) {
      most = along;
      vote.direction = i;
    } else if (-along > most) {
      most = -along;
      vote.direction = i + CellGrid::kDirections;
    }
  }
  vote.length = std::sqrt(dx * dx + dy * dy);
  return vote;
}

// A sample votes for cell `first` and the next one, which may lie beyond the grid.
struct CellShare {
  int first = 0;
  float next = 0;  // share of the next one

  FOVEA_HD float of(int which) const { return which == 0 ? 1 - next : next; }
};
FOVEA_HD inline CellShare cell_share(int sample) {
  const float at = (static_cast<float>(sample) + 0.5F) / CellGrid::kCell - 0.5F;
  const float low = std::floor(at);
  return {static_cast<int>(low), at - low};
}

// What a cell is multiplied by: one over the root of the energy of each block of 2x2 cells that it
// belongs to.
struct BlockFactors {
  float values[4]{};

  FOVEA_HD float normalized(float vote) const {
    float sum = 0;
    for (const float factor : values) {
      const float scaled = vote * factor;
      sum += scaled < kMostShare ? scaled : kMostShare;
    }
    return 0.5F * sum;
  }
};
FOVEA_HD inline BlockFactors block_factors(const float* energies, int x, int y) {
  constexpr int kLast = CellGrid::kSide - 1;
  const auto energy = [&](int column, int row) {
    column = column < 0 ? 0 : column > kLast ? kLast : column;
    row = row < 0 ? 0 : row > kLast ? kLast : row;
    return energies[row * CellGrid::kSide + column];
  };
  BlockFactors factors;
  for (int k = 0; k < 4; ++k) {
    const int ox = x + (k % 2 == 0 ? -1 : 1), oy = y + (k < 2 ? -1 : 1);
    const float block = energy(x, y) + energy(ox, y) + energy(x, oy) + energy(ox, oy);
    factors.values[k] = 1 / std::sqrt(block + kLeastEnergy);
  }
  return factors;
}

}  // namespace fovea::emd
