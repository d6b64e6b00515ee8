// The blocks of a band. For rectangular blocks, rows of votes become histograms of the row, which
// are spread down to the open units (blocks, or cells that blocks share); a block is normalized as
// soon as its last row is complete. Circular blocks are summed pixel by pixel.
#include <fovea/ops/integral.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "people/hog/hog_band.h"

namespace fovea::people::cpu {
namespace {

// Normalizes rows of finished blocks and stores them where windows read them.
class Normalizer {
 public:
  Normalizer(const HogLevel& level, int numbers) : sources(numbers), level_(level) {
    if (level.x.window_step > 1) {
      pitch_ = (level.x.blocks + kNormColumns - 1) / kNormColumns * kNormColumns;
      scratch_.resize(static_cast<std::size_t>(numbers) * pitch_);
    }
  }

  void run(int row, int stride) {
    float* out = level_.blocks + row * level_.row_pitch;
    const bool direct = level_.x.window_step == 1;
    normalize_row({sources, stride, level_.x.blocks, level_.norm, direct ? out : scratch_.data(),
                   direct ? level_.pitch : pitch_});
    if (direct) return;
    for (std::size_t e = 0; e < sources.size(); ++e)
      for (int k = 0; k < level_.x.blocks; ++k)
        out[static_cast<std::ptrdiff_t>(e) * level_.pitch + level_.place(k)] =
            scratch_[e * pitch_ + k];
  }

  std::vector<const float*> sources;  // sources of the numbers of a block

 private:
  const HogLevel& level_;
  std::ptrdiff_t pitch_ = 0;
  std::vector<float> scratch_;
};

// Histograms of the units that are open or that blocks still need.
class HogBand {
 public:
  HogBand(const HogLevel& level, int first, int last)
      : level_(level),
        first_(first),
        last_(last),
        normalizer_(level, block_parts(level.hog) * level.hog.bins) {
    const HistogramAxis &ux = level.units_x, &uy = level.units_y;
    pitch_ = (ux.count * ux.parts + 2 * level.roles.margin + 15) / 16 * 16;
    first_unit_ = first * level.y.grid / uy.grid;
    last_unit_ = ((last - 1) * level.y.grid + reach()) / uy.grid + 1;
    slots_ = uy.open() + reach() / uy.grid;
    unit_floats_ = static_cast<std::size_t>(uy.parts) * level.hog.bins * pitch_;
    // Groups of columns are read as a whole, also beyond the last column.
    units_.resize(slots_ * unit_floats_ + kNormColumns * static_cast<std::size_t>(stride() + 1));
  }

  void run() {
    if (level_.sums.data != nullptr) return run_integral();
    HogRows rows(level_);
    std::vector<float> row_roles(4 * row_floats() + kRowPad);
    const HistogramAxis& uy = level_.units_y;
    const int end = (last_unit_ - 1) * uy.grid + uy.size;
    for (int y = first_unit_ * uy.grid; y < end;) {
      find_targets(y, targets_);
      int count = 1;
      for (; count < 4 && y + count < end; ++count) {
        find_targets(y + count, next_);
        if (next_ != targets_) break;
      }
      if (!targets_.empty()) add_rows(rows, row_roles, y, count);
      y += count;
      while (finished_ + first_unit_ < last_unit_ &&
             (finished_ + first_unit_) * uy.grid + uy.size <= y)
        finish(first_unit_ + finished_++);
    }
  }

 private:
  using Target = std::pair<int, int>;  // unit, part

  std::size_t row_floats() const { return static_cast<std::size_t>(level_.hog.bins + 2) * pitch_; }
  // Pixels from the first unit of a block to its last.
  int reach() const {
    const HogSide side = side_down(level_.hog);
    return level_.cells ? side.block() - side.cell : 0;
  }
  int stride() const {
    return level_.cells ? level_.x.grid / level_.units_x.grid : level_.units_x.parts;
  }
  float* unit(int index) { return units_.data() + index % slots_ * unit_floats_; }
  float* part(int index, int j) {
    return unit(index) + static_cast<std::size_t>(j) * level_.hog.bins * pitch_;
  }

  void find_targets(int y, std::vector<Target>& targets) const {
    const HistogramAxis& uy = level_.units_y;
    targets.clear();
    const int lowest = y < uy.size ? 0 : (y - uy.size) / uy.grid + 1;
    for (int u = std::max(first_unit_, lowest); u <= std::min(last_unit_ - 1, y / uy.grid); ++u)
      for (int j = 0; j < uy.parts; ++j)
        if (uy.weight(j, y - u * uy.grid) != 0) targets.emplace_back(u, j);
  }

  void add_rows(HogRows& rows, std::vector<float>& row_roles, int y, int count) {
    const HistogramAxis& uy = level_.units_y;
    SpreadJob spread{{}, count, {}, static_cast<int>(level_.hog.bins * pitch_)};
    for (int k = 0; k < count; ++k) {
      float* roles = row_roles.data() + k * row_floats();
      if (level_.timer) level_.timer->next(Step::kGradients);
      const Votes votes = rows.votes(y + k, static_cast<std::uint32_t>(pitch_), 0);
      if (level_.timer) level_.timer->next(Step::kBlocks);
      std::fill_n(roles, row_floats(), 0.0F);
      scatter_row({votes, level_.units_x.pixels(), level_.roles, level_.hog.interpolate,
                   level_.hog.bins, pitch_, roles + level_.roles.margin});
      spread.rows[k] = roles + pitch_;  // row of the first bin
    }
    spread_.clear();
    for (const auto& [u, j] : targets_) {
      if (opened_ <= u) {
        std::fill_n(unit(u), unit_floats_, 0.0F);
        opened_ = u + 1;
      }
      SpreadTarget target{part(u, j), {}};
      for (int k = 0; k < count; ++k) target.weight[k] = uy.weight(j, y + k - u * uy.grid);
      spread_.push_back(target);
    }
    spread.targets = spread_;
    spread_rows(spread);
  }

  // A unit is complete, and so is the block of which it is the last unit.
  void finish(int index) {
    const int pixel = index * level_.units_y.grid - reach();
    if (pixel % level_.y.grid != 0) return;
    const int row = pixel / level_.y.grid;
    if (row < first_ || row >= last_) return;
    const int bins = level_.hog.bins;
    const Extent cell = level_.hog.cell_size(), block = level_.hog.block_cells();
    std::size_t e = 0;
    for (int i = 0; i < block.width; ++i) {
      for (int j = 0; j < block.height; ++j) {
        const int down = row * level_.y.grid + j * cell.height;
        const float* cells = level_.cells ? unit(down / level_.units_y.grid) + level_.roles.margin +
                                                i * cell.width / level_.units_x.grid
                                          : part(row, j) + level_.roles.margin + i;
        for (int bin = 0; bin < bins; ++bin) normalizer_.sources[e++] = cells + bin * pitch_;
      }
    }
    normalizer_.run(row, stride());
  }

  void run_integral() {
    const HistogramAxis &ux = level_.units_x, &uy = level_.units_y;
    for (int u = first_unit_; u < last_unit_; ++u) {
      for (int bin = 0; bin < level_.hog.bins; ++bin) {
        const auto sums = level_.sums.plane(bin);
        float* out = unit(u) + bin * pitch_ + level_.roles.margin;
        for (int k = 0; k < ux.count; ++k)
          out[k] =
              1 / kHogSumScale *
              static_cast<float>(rectangle_sum(sums, k * ux.grid, u * uy.grid, ux.size, uy.size));
      }
      finish(u);
    }
  }

  const HogLevel& level_;
  int first_, last_;
  Normalizer normalizer_;
  std::ptrdiff_t pitch_ = 0;
  int first_unit_ = 0, last_unit_ = 0, slots_ = 0;
  int opened_ = 0, finished_ = 0;
  std::size_t unit_floats_ = 0;
  std::vector<float> units_;
  std::vector<Target> targets_, next_;
  std::vector<SpreadTarget> spread_;
};

// The sums of one circular block, whose pixels are visited row by row.
void circular_sums(const HogLevel& level, const Votes* rows, int x, float* numbers) {
  const int size = level.hog.block * level.hog.cell, bins = level.hog.bins;
  for (int v = 0; v < size; ++v) {
    for (int u = 0; u < size; ++u) {
      const int part = level.circle.part[v * size + u];
      if (part < 0) continue;
      const float weight = level.circle.weight[v * size + u];
      const SharePair share = rows[v].shares[x + u];
      const int n = rows[v].places[x + u];
      float& high = numbers[part * bins + high_bin(n, bins)];
      if (level.hog.interpolate) {
        float& low = numbers[part * bins + low_bin(n, bins)];
        low = std::fma(weight, share.low, low);
      }
      high = std::fma(weight, share.high, high);
    }
  }
}

void build_circular(const HogLevel& level, int first, int last) {
  const int size = level.hog.block * level.hog.cell;
  const int numbers = block_parts(level.hog) * level.hog.bins;
  const int columns = (level.x.blocks + kNormColumns - 1) / kNormColumns * kNormColumns;
  Normalizer normalizer(level, numbers);
  std::vector<float> raw(static_cast<std::size_t>(numbers) * columns), block(numbers);
  for (int e = 0; e < numbers; ++e)
    normalizer.sources[e] = raw.data() + static_cast<std::size_t>(e) * columns;
  HogRows rows(level);
  rows.votes(first * level.y.grid, 1,
             size - 1);  // allocates memory, so that rows do not move later
  std::vector<Votes> votes(size);
  for (int row = first; row < last; ++row) {
    for (int v = 0; v < size; ++v) {
      const int y = row * level.y.grid + v;
      votes[v] = rows.votes(y, 1, y % size);
    }
    for (int k = 0; k < level.x.blocks; ++k) {
      std::fill(block.begin(), block.end(), 0.0F);
      circular_sums(level, votes.data(), k * level.x.grid, block.data());
      for (int e = 0; e < numbers; ++e) raw[static_cast<std::size_t>(e) * columns + k] = block[e];
    }
    normalizer.run(row, 1);
  }
}

}  // namespace

void build_band(const HogLevel& level, int first, int last) {
  if (level.hog.shape == BlockShape::kCircular) return build_circular(level, first, last);
  HogBand(level, first, last).run();
}

}  // namespace fovea::people::cpu
