// Gradient words of a tile of places, computed line by line of cells from top to bottom. Each stage
// keeps the lines that the next one spans in a ring: pixels, smoothed pixels, votes, cells.
#include <algorithm>
#include <vector>

#include "scenes/describe/describe.h"
#include "scenes/describe/describe_cpu.h"
#include "scenes/describe/gradient_words_kernels.h"
#include "scenes/describe/lab.h"
#include "scenes/describe/line_ring.h"

namespace fovea::scenes::cpu {
namespace {

constexpr int kBlockPlaces = 512;  // approximate number of places in a block

// The middles of the cells of all places along a line, each listed once, and the cells of every
// place.
struct CellMiddles {
  std::vector<int> at;        // in increasing order
  std::vector<int> of_place;  // indices of cells, four per place

  CellMiddles(int first, int step, int count, int cell) {
    std::vector<int> all;
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < kCellsAcross; ++j) all.push_back(cell_middle(first + i * step, j, cell));
    at = all;
    std::sort(at.begin(), at.end());
    at.erase(std::unique(at.begin(), at.end()), at.end());
    for (const int middle : all)
      of_place.push_back(
          static_cast<int>(std::lower_bound(at.begin(), at.end(), middle) - at.begin()));
  }
};

// The lines that are kept for one channel.
struct Channel {
  LineRing<float> pixels;
  LineRing<float> smoothed;
  LineRing<float> votes;
  LineRing<float> cells;
};

class GradientDescriber final : public Describer {
 public:
  GradientDescriber(const DescriptorOptions& options, const Standard& standard)
      : options_(options),
        standard_(standard),
        channels_(static_cast<std::size_t>(channels_of(options.color))) {}

  void describe(ImageView<const std::uint8_t> image, const PlaceGrid& grid, const PlaceTile& tile,
                FunctionRef<void(const PlaceBlock&)> use) override {
    const CellMiddles across(grid.left + tile.column * grid.step, grid.step, tile.columns,
                             grid.cell);
    const CellMiddles down(grid.top + tile.line * grid.step, grid.step, tile.lines, grid.cell);
    begin(image, grid.cell, across, down);
    const int most = std::clamp(kBlockPlaces / tile.columns, 1, tile.lines);
    const std::ptrdiff_t stride = dimensions(options_);
    const auto size = static_cast<std::size_t>(most) * tile.columns * stride;
    if (numbers_.size() < size) numbers_ = Array<float>(size);
    std::size_t made = 0;  // number of lines of cells computed so far
    for (int line = 0; line < tile.lines; line += most) {
      PlaceTile part = tile;
      part.line = tile.line + line;
      part.lines = std::min(most, tile.lines - line);
      for (int i = 0; i < part.lines; ++i) {
        const int* rows = &down.of_place[static_cast<std::size_t>(line + i) * kCellsAcross];
        for (; made <= static_cast<std::size_t>(rows[kCellsAcross - 1]); ++made)
          make_cells(static_cast<int>(made), down.at[made]);
        put_places(rows, across, tile.columns,
                   numbers_.data() + static_cast<std::ptrdiff_t>(i) * tile.columns * stride);
      }
      use({part, false, numbers_.data(), stride});
    }
  }

 private:
  void begin(ImageView<const std::uint8_t> image, int cell, const CellMiddles& across,
             const CellMiddles& down) {
    image_ = image;
    if (scale_.cell != cell) scale_ = gradient_scale(cell, options_.color);
    const int reach = scale_.smooth_reach;
    // The columns that cells read, and the range of them that lies in the image.
    left_ = across.at.front() - (cell - 1);
    width_ = across.at.back() + cell - left_;
    first_ = std::clamp(left_, 0, image.width - 1);
    inside_ = std::clamp(left_ + width_ - 1, 0, image.width - 1) - first_ + 1;
    columns_.clear();
    for (const int x : across.at) columns_.push_back(x - left_);
    pixels_done_ = smoothed_done_ = votes_done_ = -1;
    // Smoothed pixels reach one column farther than votes, and pixels reach farther still.
    const int pixels = inside_ + 2 * (reach + 1);
    half_ = static_cast<std::ptrdiff_t>(kHalf) * width_ + kGradientSlack;
    sum_.assign(
        static_cast<std::size_t>(std::max<std::ptrdiff_t>(pixels, 2 * half_)) + 2 * kGradientSlack,
        0);
    int most = 1;  // greatest number of lines of cells that a line of places spans
    for (std::size_t i = 0; i < down.of_place.size(); i += kCellsAcross)
      most = std::max(most, down.of_place[i + kCellsAcross - 1] - down.of_place[i] + 1);
    for (Channel& channel : channels_) {
      channel.pixels.reset(2 * reach + 1, pixels + kGradientSlack, 0);
      channel.smoothed.reset(3, inside_ + 2 + kGradientSlack, 0);
      channel.votes.reset(2 * cell - 1, 2 * half_, 0);
      channel.cells.reset(
          most,
          static_cast<std::ptrdiff_t>(kDirections) * static_cast<std::ptrdiff_t>(across.at.size()),
          0);
    }
  }

  int clamped(int y) const { return std::clamp(y, 0, image_.height - 1); }

  // Computes line `number` of the cells, whose middle is at y.
  void make_cells(int number, int y) {
    const int reach = scale_.cell - 1, last = clamped(y + reach);
    for (int line = std::max(votes_done_ + 1, clamped(y - reach)); line <= last; ++line)
      make_votes(line);
    votes_done_ = std::max(votes_done_, last);
    for (Channel& channel : channels_) {
      lines_.clear();
      for (int k = -reach; k <= reach; ++k) lines_.push_back(channel.votes.line(clamped(y + k)));
      sum_lines(lines_.data(), scale_.share_down, reach, static_cast<int>(2 * half_), sum_.data());
      cell_line({sum_.data(), half_, columns_.data(), static_cast<int>(columns_.size()),
                 channel.cells.line(number)},
                scale_.share_across, reach);
    }
  }

  void make_votes(int y) {
    const int last = clamped(y + 1);
    for (int line = std::max(smoothed_done_ + 1, clamped(y - 1)); line <= last; ++line)
      smooth(line);
    smoothed_done_ = std::max(smoothed_done_, last);
    for (Channel& channel : channels_) {
      float* votes = channel.votes.line(y);
      const int before = first_ - left_;
      vote_line({channel.smoothed.line(clamped(y - 1)) + 1, channel.smoothed.line(y) + 1,
                 channel.smoothed.line(last) + 1},
                inside_, votes + static_cast<std::ptrdiff_t>(before) * kHalf, half_);
      for (float* run : {votes, votes + half_}) repeat_votes(run, before);
    }
  }
  // Repeats the first and the last column of votes of the image beyond its borders.
  void repeat_votes(float* run, int before) const {
    const int last = before + inside_ - 1;
    for (int x = 0; x < before; ++x)
      std::copy_n(run + static_cast<std::ptrdiff_t>(before) * kHalf, kHalf, run + x * kHalf);
    for (int x = last + 1; x < width_; ++x)
      std::copy_n(run + static_cast<std::ptrdiff_t>(last) * kHalf, kHalf, run + x * kHalf);
  }

  void smooth(int y) {
    const int reach = scale_.smooth_reach, last = clamped(y + reach);
    const PixelLine columns{0, first_ - 1 - reach, inside_ + 2 * (reach + 1)};
    for (int line = std::max(pixels_done_ + 1, clamped(y - reach)); line <= last; ++line) {
      float* at[3] = {};
      for (std::size_t c = 0; c < channels_.size(); ++c) at[c] = channels_[c].pixels.line(line);
      pixel_line(image_, options_.color, {line, columns.left, columns.count}, at);
    }
    pixels_done_ = std::max(pixels_done_, last);
    for (Channel& channel : channels_) {
      lines_.clear();
      for (int k = -reach; k <= reach; ++k) lines_.push_back(channel.pixels.line(clamped(y + k)));
      sum_lines(lines_.data(), scale_.smooth, reach, columns.count, sum_.data());
      float* to = channel.smoothed.line(y);
      sum_columns(sum_.data() + reach, scale_.smooth, reach, inside_ + 2, to);
      // Beyond the image, its smoothed border is repeated.
      if (first_ == 0) to[0] = to[1];
      if (first_ + inside_ == image_.width) to[inside_ + 1] = to[inside_];
    }
  }

  void put_places(const int* rows, const CellMiddles& across, int count, float* to) {
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      PlaceJob job{};
      for (int k = 0; k < kCellsAcross; ++k) job.cells[k] = channels_[c].cells.line(rows[k]);
      job.columns = across.of_place.data();
      job.count = count;
      if (standard_.scale != nullptr) {
        job.scale = standard_.scale + c * kGradientNumbers;
        job.offset = standard_.offset + c * kGradientNumbers;
      }
      job.to = to + c * kGradientNumbers;
      job.stride = dimensions(options_);
      place_line(job);
    }
  }

  DescriptorOptions options_;
  Standard standard_;
  GradientScale scale_{};
  std::vector<Channel> channels_;
  ImageView<const std::uint8_t> image_{};
  int left_ = 0, width_ = 0;    // columns that cells read
  int first_ = 0, inside_ = 0;  // the range of them that lies in the image
  std::ptrdiff_t half_ = 0;
  int pixels_done_ = -1, smoothed_done_ = -1, votes_done_ = -1;
  std::vector<int> columns_;
  std::vector<const float*> lines_;
  std::vector<float> sum_;
  Array<float> numbers_;
};

}  // namespace

std::unique_ptr<Describer> make_gradient_describer(const DescriptorOptions& options,
                                                   const Standard& standard) {
  return std::make_unique<GradientDescriber>(options, standard);
}

}  // namespace fovea::scenes::cpu
