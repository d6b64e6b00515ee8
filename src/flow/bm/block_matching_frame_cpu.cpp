// What block matching computes from one image: levels in 8 bits, and the sum and deviation of every
// block in them, once. Sums run down the columns and along the row, so that the cost of a block
// does not grow with its size.
#include <fovea/core/geometry.h>

#include <algorithm>
#include <cstring>

#include "core/parallel.h"
#include "flow/bm/block_matching_cpu.h"
#include "ops/pyramid/backend.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "flow/bm/block_matching_frame_cpu.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fovea::flow::cpu {
namespace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Computes bm::inverse_deviation() for a row of narrow blocks, whose variances fit into 32 bits.
void inverse_row(const std::int32_t* sums, const std::int32_t* squares, int n, int count,
                 float* out) {
  const hn::FixedTag<std::int32_t, 4> integers;
  const hn::FixedTag<std::uint32_t, 4> words;  // sums may wrap around; their differences fit
  const hn::FixedTag<float, 4> d;
  const auto load = [&](const std::int32_t* from)
                        HWY_ATTR { return hn::BitCast(words, hn::LoadU(integers, from)); };
  const auto area = hn::Set(words, static_cast<std::uint32_t>(n));
  int x = 0;
  for (; x + 4 <= count; x += 4) {
    const auto sum = load(sums + x);
    const auto variance =
        hn::BitCast(integers, hn::Sub(hn::Mul(area, load(squares + x)), hn::Mul(sum, sum)));
    const auto positive = hn::RebindMask(d, hn::Gt(variance, hn::Zero(integers)));
    const auto inverse = hn::Div(hn::Set(d, 1.0F), hn::Sqrt(hn::ConvertTo(d, variance)));
    hn::StoreU(hn::IfThenElseZero(positive, inverse), d, out + x);
  }
  for (; x < count; ++x) out[x] = bm::inverse_deviation(n, sums[x], squares[x]);
}

}  // namespace HWY_NAMESPACE
}  // namespace
}  // namespace fovea::flow::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fovea::flow::cpu {
namespace {

HWY_EXPORT(inverse_row);

constexpr int kRowsPerTask = 32;

template <class T>
void fit(Image<T>& image, int width, int height) {
  if (image.width() != width || image.height() != height) image = Image<T>(width, height);
}

void quantize_blocks(ImageView<const float> gray, ImageView<const float> cover, BlockLevel& level,
                     std::size_t channel, const Exec& exec) {
  parallel_for(exec, gray.height, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      std::uint8_t* out = level.gray[channel].row(y);
      const float* from = gray.row(y);
      if (cover.empty()) {
        for (int x = 0; x < gray.width; ++x) out[x] = bm::quantized(from[x]);
        continue;
      }
      const float* share = cover.row(y);
      std::uint8_t* valid = level.valid.row(y);
      for (int x = 0; x < gray.width; ++x) {
        const bool counts = share[x] >= bm::kLeastCover;
        valid[x] = counts ? 255 : 0;
        out[x] = counts ? bm::quantized(from[x] / share[x]) : std::uint8_t{0};
      }
    }
  });
}

// Sums of columns that are as high as a block.
struct ColumnSums {
  std::vector<std::int32_t> sums, squares;

  explicit ColumnSums(int width)
      : sums(static_cast<std::size_t>(width)), squares(static_cast<std::size_t>(width)) {}
  void add(const std::uint8_t* row) {
    for (std::size_t x = 0; x < sums.size(); ++x) {
      sums[x] += row[x];
      squares[x] += row[x] * row[x];
    }
  }
  void move(const std::uint8_t* out, const std::uint8_t* in) {
    for (std::size_t x = 0; x < sums.size(); ++x) {
      sums[x] += in[x] - out[x];
      squares[x] += in[x] * in[x] - out[x] * out[x];
    }
  }
};

// Makes room for sums of all blocks. Returns whether there are any.
bool fit_sums(BlockLevel& level, const bm::Settings& options) {
  const int columns = level.width - options.block + 1, rows = level.height - options.block + 1;
  if (columns < 1 || rows < 1) {
    level.sums = {}, level.squares = {};
    level.inverse = {};
    return false;
  }
  // The search reads whole vectors, even beyond the last row.
  for (int c = 0; c < options.channels; ++c) fit(level.sums[c], columns, rows + 1);
  if (options.cost == BlockCost::kSsd) fit(level.squares, columns, rows + 1);
  fit(level.inverse, columns, rows + 1);
  return true;
}

void sum_blocks(BlockLevel& level, const bm::Settings& options, const Exec& exec) {
  const int block = options.block;
  const bool keep_squares = options.cost == BlockCost::kSsd;
  const int columns = level.width - block + 1, rows = level.height - block + 1;
  parallel_for(exec, rows, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    ColumnSums down(level.width);
    std::vector<std::int32_t> line(keep_squares ? 0 : static_cast<std::size_t>(columns));
    const auto top = static_cast<int>(first);
    const Image<std::uint8_t>& gray = level.gray[0];
    for (int y = top; y < top + block; ++y) down.add(gray.row(y));
    for (int y = top; y < last; ++y) {
      if (y > top) down.move(gray.row(y - 1), gray.row(y + block - 1));
      std::int32_t* sums = level.sums[0].row(y);
      std::int32_t* squares = keep_squares ? level.squares.row(y) : line.data();
      std::int32_t sum = 0, square = 0;
      for (int x = 0; x < block; ++x) sum += down.sums[x], square += down.squares[x];
      for (int x = 0;; ++x) {
        sums[x] = sum, squares[x] = square;
        if (x + 1 == columns) break;
        sum += down.sums[x + block] - down.sums[x];
        square += down.squares[x + block] - down.squares[x];
      }
      float* inverse = level.inverse.row(y);
      const int n = block * block;
      if (block <= bm::kGreatestNarrowBlock)
        HWY_DYNAMIC_DISPATCH(inverse_row)(sums, squares, n, columns, inverse);
      else
        for (int x = 0; x < columns; ++x)
          inverse[x] = bm::inverse_deviation(n, sums[x], squares[x]);
    }
  });
}

// The sums of blocks along a row from those of their columns.
void sum_row(const std::vector<std::int32_t>& down, int block, int columns, std::int32_t* out) {
  std::int32_t sum = 0;
  for (int x = 0; x < block; ++x) sum += down[static_cast<std::size_t>(x)];
  for (int x = 0;; ++x) {
    out[x] = sum;
    if (x + 1 == columns) return;
    sum += *(down.begin() + x + block) - *(down.begin() + x);
  }
}

// Does the same for colors: each channel has sums, while squares and deviations are joint. Squares
// may wrap around as unsigned numbers; what the search computes from them fits.
void sum_color_blocks(BlockLevel& level, const bm::Settings& options, const Exec& exec) {
  const int block = options.block;
  const bool keep_squares = options.cost == BlockCost::kSsd;
  const int columns = level.width - block + 1, rows = level.height - block + 1;
  parallel_for(exec, rows, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    std::vector<ColumnSums> down(bm::kColors, ColumnSums(level.width));
    std::vector<std::int32_t> line(static_cast<std::size_t>(columns));
    std::vector<std::int64_t> variances(static_cast<std::size_t>(columns));
    std::vector<std::uint32_t> squares(static_cast<std::size_t>(columns));
    const auto top = static_cast<int>(first);
    const std::int64_t n = static_cast<std::int64_t>(block) * block;
    for (int y = top; y < last; ++y) {
      std::fill(variances.begin(), variances.end(), 0);
      std::fill(squares.begin(), squares.end(), 0U);
      for (std::size_t c = 0; c < down.size(); ++c) {
        const Image<std::uint8_t>& gray = level.gray[c];
        for (int row = y; y == top && row < top + block; ++row) down[c].add(gray.row(row));
        if (y > top) down[c].move(gray.row(y - 1), gray.row(y + block - 1));
        std::int32_t* sums = level.sums[c].row(y);
        sum_row(down[c].sums, block, columns, sums);
        sum_row(down[c].squares, block, columns, line.data());
        for (std::size_t x = 0; x < line.size(); ++x) {
          variances[x] += n * line[x] - std::int64_t{sums[x]} * sums[x];
          squares[x] += static_cast<std::uint32_t>(line[x]);
        }
      }
      float* inverse = level.inverse.row(y);
      for (std::size_t x = 0; x < line.size(); ++x)
        inverse[x] = bm::inverse_of_variance(variances[x]);
      if (keep_squares) std::memcpy(level.squares.row(y), squares.data(), 4 * squares.size());
    }
  });
}

void halve_blocks(ImageView<const float> image, Image<float>& out, const Exec& exec) {
  fit(out, bm::half(image.width), bm::half(image.height));
  const ImageView<float> outs[] = {out.view()};
  fovea::cpu::gaussian_halve<float>(image, outs, exec);
}

// Sets gray to 0 where the mask is 0, and converts the mask to a share.
void apply_mask(ImageView<const float> gray, ImageView<const std::uint8_t> mask, Image<float>& out,
                Image<float>& cover, const Exec& exec) {
  fit(out, gray.width, gray.height);
  fit(cover, gray.width, gray.height);
  parallel_for(exec, gray.height, kRowsPerTask, [&](std::int64_t first, std::int64_t last) {
    for (int y = static_cast<int>(first); y < last; ++y) {
      const std::uint8_t* counts = mask.row(y);
      const float* from = gray.row(y);
      float* value = out.row(y);
      float* share = cover.row(y);
      for (int x = 0; x < gray.width; ++x) {
        value[x] = counts[x] != 0 ? from[x] : 0.0F;
        share[x] = counts[x] != 0 ? 1.0F : 0.0F;
      }
    }
  });
}

}  // namespace

void prepare_block_frame(BlockFrame& frame, std::span<const ImageView<const float>> channels,
                         ImageView<const std::uint8_t> mask, const bm::Settings& options,
                         const Exec& exec) {
  const Extent size{channels[0].width, channels[0].height};
  frame.levels.resize(static_cast<std::size_t>(bm::level_count(size.width, size.height, options)));
  const bool masked = !mask.empty();
  std::array<ImageView<const float>, bm::kColors> values{};
  for (std::size_t c = 0; c < channels.size(); ++c) {
    if (masked) apply_mask(channels[c], mask, frame.gray[c][0], frame.cover[0], exec);
    values[c] = masked ? frame.gray[c][0].view() : channels[c];
  }
  ImageView<const float> cover = masked ? frame.cover[0].view() : ImageView<const float>{};
  for (std::size_t k = 0; k < frame.levels.size(); ++k) {
    BlockLevel& level = frame.levels[k];
    level.width = values[0].width, level.height = values[0].height;
    if (masked) fit(level.valid, level.width, level.height);
    else level.valid = {};
    for (std::size_t c = 0; c < channels.size(); ++c) {
      fit(level.gray[c], level.width, level.height);
      quantize_blocks(values[c], cover, level, c, exec);
    }
    if (!fit_sums(level, options)) level.inverse = {};
    else if (options.channels == 1) sum_blocks(level, options, exec);
    else sum_color_blocks(level, options, exec);
    if (k + 1 == frame.levels.size()) break;
    for (std::size_t c = 0; c < channels.size(); ++c) {
      Image<float>& next = frame.gray[c][(k + 1) % 2];
      halve_blocks(values[c], next, exec);
      values[c] = next.view();
    }
    if (!masked) continue;
    Image<float>& next_cover = frame.cover[(k + 1) % 2];
    halve_blocks(cover, next_cover, exec);
    cover = next_cover.view();
  }
}

}  // namespace fovea::flow::cpu
#endif  // HWY_ONCE
