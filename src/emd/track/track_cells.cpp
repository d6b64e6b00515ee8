// Samples are means of a few bilinear reads where the square is larger than the grid of samples, so
// that small pixels do not alias. Serial: a square has 17 000 samples.
#include "emd/track/track_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "emd/track/track_cells_math.h"

namespace fovea::emd {
namespace {

constexpr int kCellSide = CellGrid::kSide;

// Brightness of a pixel; coordinates beyond the frame repeat its border.
float gray_at(ImageView<const std::uint8_t> image, int x, int y) {
  return gray_of(&image.at(std::clamp(x, 0, image.width - 1), std::clamp(y, 0, image.height - 1)),
                 image.channels);
}

// A square of samples with its border.
struct SampledSquare {
  std::vector<float> values{};

  float at(int x, int y) const {  // from -1 to kSampleSide
    return values[place_in(kSampleStride, y + 1, x + 1)];
  }
};

std::vector<SampleRead> axis_reads(const SampleAxis& axis) {
  std::vector<SampleRead> reads;
  reads.reserve(place_in(axis.each, kSampleStride, 0));
  for (int i = -1; i <= kSampleSide; ++i)
    for (int k = 0; k < axis.each; ++k) reads.push_back(sample_read(axis, i, k));
  return reads;
}

SampledSquare sampled(ImageView<const std::uint8_t> image, const CellSquare& square) {
  const SampleAxis across = sample_axis(square.x, square.side, image.width);
  const SampleAxis down = sample_axis(square.y, square.side, image.height);
  const std::vector<SampleRead> columns = axis_reads(across), rows = axis_reads(down);
  const int left = columns.front().first, right = columns.back().first + 1;
  const std::size_t width = static_cast<std::size_t>(right - left) + 1;
  // Rows of brightness are made once and kept while samples need them.
  std::array<std::vector<float>, 2> lines{};
  std::array<int, 2> held{};
  for (std::vector<float>& line : lines) line.resize(width);
  held.fill(rows.front().first - 2);
  const auto line_of = [&](int y) -> const float* {
    const auto slot = static_cast<std::size_t>(y & 1);
    if (held[slot] != y) {
      held[slot] = y;
      for (int x = left; x <= right; ++x)
        lines[slot][static_cast<std::size_t>(x - left)] = gray_at(image, x, y);
    }
    return lines[slot].data();
  };
  SampledSquare out;
  out.values.assign(static_cast<std::size_t>(kSampleStride) * kSampleStride, 0);
  const float weight = 1 / static_cast<float>(across.each * down.each);
  for (int y = 0; y < kSampleStride; ++y) {
    float* const row = out.values.data() + place_in(kSampleStride, y, 0);
    for (int j = 0; j < down.each; ++j) {
      const SampleRead& line = rows[place_in(down.each, y, j)];
      const float* const above = line_of(line.first);
      const float* const below = line_of(line.first + 1);
      const SampleRead* read = columns.data();
      for (int x = 0; x < kSampleStride; ++x) {
        for (int k = 0; k < across.each; ++k, ++read) {
          const int at = read->first - left;
          row[x] += weight * between({above[at], above[at + 1]}, {below[at], below[at + 1]},
                                     read->share, line.share);
        }
      }
    }
  }
  return out;
}

using DirectedCells = std::vector<float>;  // kCellVotes values per cell

// Votes of all samples, each shared by the four nearest cells.
DirectedCells directed_cells(const SampledSquare& samples, const CellTables& tables) {
  DirectedCells cells(std::size_t{kCellVotes} * CellGrid::kCells, 0);
  for (int y = 0; y < kSampleSide; ++y) {
    const CellShare down = cell_share(y);
    for (int x = 0; x < kSampleSide; ++x) {
      const EdgeVote vote = edge_vote(samples.at(x + 1, y) - samples.at(x - 1, y),
                                      samples.at(x, y + 1) - samples.at(x, y - 1), tables);
      const CellShare across = cell_share(x);
      for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 2; ++i) {
          const int column = across.first + i, row = down.first + j;
          if (column < 0 || row < 0 || column >= kCellSide || row >= kCellSide) continue;
          cells[place_in(kCellVotes, row * kCellSide + column, vote.direction)] +=
              across.of(i) * down.of(j) * vote.length;
        }
      }
    }
  }
  return cells;
}

std::vector<float> cell_energies(const DirectedCells& cells) {
  std::vector<float> energies(CellGrid::kCells, 0);
  for (std::size_t cell = 0; cell < energies.size(); ++cell) {
    const float* const votes = cells.data() + cell * kCellVotes;
    for (std::size_t i = 0; i < CellGrid::kDirections; ++i) {
      const float both = votes[i] + votes[i + CellGrid::kDirections];
      energies[cell] += both * both;
    }
  }
  return energies;
}

void write_edges(const DirectedCells& cells, std::vector<float>& out) {
  const std::vector<float> energies = cell_energies(cells);
  for (int y = 0; y < kCellSide; ++y) {
    for (int x = 0; x < kCellSide; ++x) {
      const std::size_t cell = place_in(kCellSide, y, x);
      const float* const votes = cells.data() + cell * kCellVotes;
      const BlockFactors factors = block_factors(energies.data(), x, y);
      for (std::size_t i = 0; i < kCellVotes; ++i)
        out[i * CellGrid::kCells + cell] = factors.normalized(votes[i]);
      for (std::size_t i = 0; i < CellGrid::kDirections; ++i)
        out[(i + kCellVotes) * CellGrid::kCells + cell] =
            factors.normalized(votes[i] + votes[i + CellGrid::kDirections]);
    }
  }
}

void write_brightness(const SampledSquare& samples, std::vector<float>& out) {
  float* const bright = out.data() + std::size_t{CellGrid::kChannels - 1} * CellGrid::kCells;
  for (int y = 0; y < kSampleSide; ++y) {
    const int row = y / CellGrid::kCell * kCellSide;
    for (int x = 0; x < kSampleSide; ++x)
      bright[row + x / CellGrid::kCell] += kBrightPart * (samples.at(x, y) - 0.5F);
  }
}

}  // namespace

CellTables cell_tables() {
  CellTables tables;
  for (int i = 0; i < CellGrid::kDirections; ++i) {
    const double angle = std::numbers::pi * i / CellGrid::kDirections;
    tables.x[i] = static_cast<float>(std::cos(angle));
    tables.y[i] = static_cast<float>(std::sin(angle));
  }
  for (int i = 0; i < kCellSide; ++i)
    tables.fall[i] =
        static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * (i + 0.5) / kCellSide));
  return tables;
}

std::vector<float> cells_of(ImageView<const std::uint8_t> frame, const CellSquare& square) {
  static const CellTables kTables = cell_tables();
  constexpr std::size_t kPlanes = CellGrid::kChannels;
  std::vector<float> out(kPlanes * CellGrid::kCells, 0);
  const SampledSquare samples = sampled(frame, square);
  write_edges(directed_cells(samples, kTables), out);
  write_brightness(samples, out);
  for (std::size_t channel = 0; channel < kPlanes; ++channel) {
    float* const plane = out.data() + channel * CellGrid::kCells;
    for (std::size_t y = 0; y < kCellSide; ++y)
      for (std::size_t x = 0; x < kCellSide; ++x)
        plane[y * kCellSide + x] *= kTables.fall[y] * kTables.fall[x];
  }
  return out;
}

double relative_texture(ImageView<const std::uint8_t> frame, const Rect<int>& box) {
  const Rect<int> whole{0, 0, frame.width, frame.height};
  const int border = std::max(1, std::min(box.width, box.height) / 8);
  const int around = std::max(2, (box.width + box.height) / 4);
  // The mean over pixels of `part` that are not in `hole`, or -1 where there are none.
  const auto mean_difference = [&](const Rect<int>& part, const Rect<int>& hole) {
    const Rect<int> seen = intersect(part, whole);
    double sum = 0;
    std::int64_t count = 0;
    for (int y = seen.y; y + 1 < seen.bottom(); ++y)
      for (int x = seen.x; x + 1 < seen.right(); ++x) {
        if (!intersect(Rect<int>{x, y, 2, 2}, hole).empty()) continue;
        const float here = gray_at(frame, x, y);
        sum += std::abs(static_cast<double>(gray_at(frame, x + 1, y) - here)) +
               std::abs(static_cast<double>(gray_at(frame, x, y + 1) - here));
        ++count;
      }
    return count > 0 ? sum / static_cast<double>(count) : -1;
  };
  const Rect<int> inner{box.x + border, box.y + border, box.width - 2 * border,
                        box.height - 2 * border};
  const Rect<int> outer{box.x - around, box.y - around, box.width + 2 * around,
                        box.height + 2 * around};
  const double inside = inner.empty() ? -1 : mean_difference(inner, {});
  const double outside = mean_difference(outer, box);
  return inside < 0 || outside <= 0 ? 1 : inside / outside;
}

}  // namespace fovea::emd
