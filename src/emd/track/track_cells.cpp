// Samples are means of a few bilinear reads where the square is larger than the grid of samples, so
// that small pixels do not alias. Serial: a square has 17 000 samples.
#include "emd/track/track_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fovea::emd {
namespace {

constexpr int kCellSide = CellGrid::kSide;
constexpr int kSampleSide = CellGrid::kSide * CellGrid::kCell;
constexpr int kCellDirections = CellGrid::kDirections;
constexpr int kMostReads = 4;          // per side, of one sample
constexpr float kMostShare = 0.2F;     // of a direction in a block
constexpr float kLeastEnergy = 1e-4F;  // of a block, with brightness from 0 to 1

// Brightness from 0 to 1 of a pixel; coordinates beyond the frame repeat its border.
float gray_at(ImageView<const std::uint8_t> image, int x, int y) {
  const std::uint8_t* const pixel =
      &image.at(std::clamp(x, 0, image.width - 1), std::clamp(y, 0, image.height - 1));
  if (image.channels == 1) return static_cast<float>(pixel[0]) / 255.0F;
  return static_cast<float>(77 * pixel[0] + 150 * pixel[1] + 29 * pixel[2]) / (255.0F * 256.0F);
}

// A square of samples with a border of one sample on each side.
struct SampledSquare {
  static constexpr int kStride = kSampleSide + 2;
  std::vector<float> values{};

  float at(int x, int y) const {  // from -1 to kSampleSide
    return values[place_in(kStride, y + 1, x + 1)];
  }
};

// The pixels and weights along one axis that samples are means of.
struct AxisReads {
  std::vector<int> first{};
  std::vector<float> share{};
  int each = 1;
};

// Reads beyond the frame of this size are those of its border.
AxisReads axis_reads(double middle, double side, int size) {
  const double step = side / kSampleSide;
  AxisReads axis;
  axis.each = std::clamp(static_cast<int>(std::ceil(step)), 1, kMostReads);
  const std::size_t count = place_in(axis.each, SampledSquare::kStride, 0);
  axis.first.reserve(count);
  axis.share.reserve(count);
  for (int i = -1; i <= kSampleSide; ++i) {
    for (int k = 0; k < axis.each; ++k) {
      const double at = middle - side / 2 + step * (i + (k + 0.5) / axis.each) - 0.5;
      const double low = std::clamp(std::floor(at), -1.0, size - 1.0);
      axis.first.push_back(static_cast<int>(low));
      axis.share.push_back(static_cast<float>(std::clamp(at - low, 0.0, 1.0)));
    }
  }
  return axis;
}

SampledSquare sampled(ImageView<const std::uint8_t> image, const CellSquare& square) {
  const AxisReads columns = axis_reads(square.x, square.side, image.width);
  const AxisReads rows = axis_reads(square.y, square.side, image.height);
  const int left = columns.first.front(), right = columns.first.back() + 1;
  const std::size_t width = static_cast<std::size_t>(right - left) + 1;
  // Rows of brightness are made once and kept while samples need them.
  std::array<std::vector<float>, 2> lines{};
  std::array<int, 2> held{};
  for (std::vector<float>& line : lines) line.resize(width);
  held.fill(rows.first.front() - 2);
  const auto line_of = [&](int y) -> const std::vector<float>& {
    const auto slot = static_cast<std::size_t>(y & 1);
    if (held[slot] != y) {
      held[slot] = y;
      for (int x = left; x <= right; ++x)
        lines[slot][static_cast<std::size_t>(x - left)] = gray_at(image, x, y);
    }
    return lines[slot];
  };
  SampledSquare out;
  out.values.assign(static_cast<std::size_t>(SampledSquare::kStride) * SampledSquare::kStride, 0);
  const float weight = 1 / static_cast<float>(columns.each * rows.each);
  for (int y = 0; y < SampledSquare::kStride; ++y) {
    float* const row = out.values.data() + place_in(SampledSquare::kStride, y, 0);
    for (int j = 0; j < rows.each; ++j) {
      const std::size_t line = place_in(rows.each, y, j);
      const std::vector<float>& above = line_of(rows.first[line]);
      const std::vector<float>& below = line_of(rows.first[line] + 1);
      const float down = rows.share[line];
      std::size_t read = 0;
      for (int x = 0; x < SampledSquare::kStride; ++x) {
        for (int k = 0; k < columns.each; ++k, ++read) {
          const auto at = static_cast<std::size_t>(columns.first[read] - left);
          const float across = columns.share[read];
          const float top = above[at] + across * (above[at + 1] - above[at]);
          const float bottom = below[at] + across * (below[at + 1] - below[at]);
          row[x] += weight * (top + down * (bottom - top));
        }
      }
    }
  }
  return out;
}

struct Directions {
  std::array<float, kCellDirections> x{}, y{};
};
Directions unit_directions() {
  Directions all;
  for (std::size_t i = 0; i < kCellDirections; ++i) {
    const double angle = std::numbers::pi * static_cast<double>(i) / kCellDirections;
    all.x[i] = static_cast<float>(std::cos(angle));
    all.y[i] = static_cast<float>(std::sin(angle));
  }
  return all;
}

using DirectedCells = std::vector<float>;  // 2 kCellDirections values per cell

// Votes of all samples, each shared by the four nearest cells.
DirectedCells directed_cells(const SampledSquare& samples) {
  static const Directions kUnits = unit_directions();
  DirectedCells cells(std::size_t{2} * kCellDirections * CellGrid::kCells, 0);
  for (int y = 0; y < kSampleSide; ++y) {
    const float cy = (static_cast<float>(y) + 0.5F) / CellGrid::kCell - 0.5F;
    const int top = static_cast<int>(std::floor(cy));
    const float down = cy - static_cast<float>(top);
    for (int x = 0; x < kSampleSide; ++x) {
      const float dx = samples.at(x + 1, y) - samples.at(x - 1, y);
      const float dy = samples.at(x, y + 1) - samples.at(x, y - 1);
      int best = 0;
      float most = 0;
      for (int i = 0; i < kCellDirections; ++i) {
        const auto unit = static_cast<std::size_t>(i);
        const float along = dx * kUnits.x[unit] + dy * kUnits.y[unit];
        if (along > most) {
          most = along;
          best = i;
        } else if (-along > most) {
          most = -along;
          best = i + kCellDirections;
        }
      }
      const float size = std::sqrt(dx * dx + dy * dy);
      const float cx = (static_cast<float>(x) + 0.5F) / CellGrid::kCell - 0.5F;
      const int left = static_cast<int>(std::floor(cx));
      const float across = cx - static_cast<float>(left);
      for (int j = 0; j < 2; ++j) {
        for (int i = 0; i < 2; ++i) {
          const int column = left + i, row = top + j;
          if (column < 0 || row < 0 || column >= kCellSide || row >= kCellSide) continue;
          const float share = (i == 0 ? 1 - across : across) * (j == 0 ? 1 - down : down);
          cells[place_in(2 * kCellDirections, row * kCellSide + column, best)] += share * size;
        }
      }
    }
  }
  return cells;
}

// The four factors that a cell is multiplied by: one over the root of the energy of each block of
// 2x2 cells that it belongs to.
class BlockFactors {
 public:
  explicit BlockFactors(const DirectedCells& cells) : energy_(CellGrid::kCells) {
    for (std::size_t cell = 0; cell < energy_.size(); ++cell) {
      const float* const votes = cells.data() + cell * 2 * kCellDirections;
      for (std::size_t i = 0; i < kCellDirections; ++i) {
        const float both = votes[i] + votes[i + kCellDirections];
        energy_[cell] += both * both;
      }
    }
  }
  std::array<float, 4> at(int x, int y) const {
    std::array<float, 4> factors{};
    for (int k = 0; k < 4; ++k) {
      const int ox = x + (k % 2 == 0 ? -1 : 1), oy = y + (k < 2 ? -1 : 1);
      const float block = energy(x, y) + energy(ox, y) + energy(x, oy) + energy(ox, oy);
      factors[static_cast<std::size_t>(k)] = 1 / std::sqrt(block + kLeastEnergy);
    }
    return factors;
  }

 private:
  float energy(int x, int y) const {
    return energy_[place_in(kCellSide, std::clamp(y, 0, kCellSide - 1),
                            std::clamp(x, 0, kCellSide - 1))];
  }
  std::vector<float> energy_;
};

void write_edges(const DirectedCells& cells, std::vector<float>& out) {
  const BlockFactors factors(cells);
  for (int y = 0; y < kCellSide; ++y) {
    for (int x = 0; x < kCellSide; ++x) {
      const std::size_t cell = place_in(kCellSide, y, x);
      const float* const votes = cells.data() + cell * 2 * kCellDirections;
      const std::array<float, 4> scales = factors.at(x, y);
      const auto normalized = [&](float vote) {
        float sum = 0;
        for (const float scale : scales) sum += std::min(vote * scale, kMostShare);
        return 0.5F * sum;
      };
      for (std::size_t i = 0; i < std::size_t{2} * kCellDirections; ++i)
        out[i * CellGrid::kCells + cell] = normalized(votes[i]);
      for (std::size_t i = 0; i < kCellDirections; ++i)
        out[(i + 2 * kCellDirections) * CellGrid::kCells + cell] =
            normalized(votes[i] + votes[i + kCellDirections]);
    }
  }
}

void write_brightness(const SampledSquare& samples, std::vector<float>& out) {
  constexpr float kPart = 1.0F / (CellGrid::kCell * CellGrid::kCell);
  float* const bright = out.data() + std::size_t{3} * kCellDirections * CellGrid::kCells;
  for (int y = 0; y < kSampleSide; ++y) {
    const int row = y / CellGrid::kCell * kCellSide;
    for (int x = 0; x < kSampleSide; ++x)
      bright[row + x / CellGrid::kCell] += kPart * (samples.at(x, y) - 0.5F);
  }
}

}  // namespace

std::vector<float> cells_of(ImageView<const std::uint8_t> frame, const CellSquare& square) {
  constexpr std::size_t kPlanes = CellGrid::kChannels;
  std::vector<float> out(kPlanes * CellGrid::kCells, 0);
  const SampledSquare samples = sampled(frame, square);
  write_edges(directed_cells(samples), out);
  write_brightness(samples, out);
  std::array<float, kCellSide> fall{};
  for (int i = 0; i < kCellSide; ++i)
    fall[static_cast<std::size_t>(i)] =
        static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * (i + 0.5) / kCellSide));
  for (std::size_t channel = 0; channel < kPlanes; ++channel) {
    float* const plane = out.data() + channel * CellGrid::kCells;
    for (std::size_t y = 0; y < kCellSide; ++y)
      for (std::size_t x = 0; x < kCellSide; ++x) plane[y * kCellSide + x] *= fall[y] * fall[x];
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
