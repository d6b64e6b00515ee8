// Responses of the bank, computed line by line down a tile. Each size keeps the row sums of the
// lines that its kernel spans in a ring, so that every line of pixels is processed once and the
// data that a column reads stays in the second-level cache.
#include <algorithm>
#include <cstdint>
#include <vector>

#include "scenes/describe/bank.h"
#include "scenes/describe/bank_kernels.h"
#include "scenes/describe/describe.h"
#include "scenes/describe/describe_cpu.h"
#include "scenes/describe/lab.h"
#include "scenes/describe/line_ring.h"

namespace fovea::scenes::cpu {
namespace {

constexpr int kGroup = kMostLines;  // neighboring lines of responses that are computed together
constexpr int kBlockPlaces = 2048;  // approximate number of places in a block
constexpr int kSides = 2 * kBankReach;

// A range of lines, including first and last.
struct Span {
  int first, last;
};

// The lines that are kept for one channel.
struct Channel {
  LineRing<float> pixels;
  int pixels_done = -1;
  LineRing<std::int32_t> integral;  // includes lines beyond the border
  int integral_done = 0;
  LineRing<float> sums[kBankScales];  // three runs per line
  int sums_done[kBankScales] = {};
};

class FilterDescriber final : public Describer {
 public:
  FilterDescriber(const DescriptorOptions& options, const Standard& standard)
      : options_(options),
        standard_(standard),
        tables_(bank_tables(options)),
        channels_(static_cast<std::size_t>(channels_of(options.color))) {}

  void describe(ImageView<const std::uint8_t> image, const PlaceGrid& grid, const PlaceTile& tile,
                FunctionRef<void(const PlaceBlock&)> use) override {
    begin(image, grid, tile);
    int most = std::max(1, kBlockPlaces / tile.columns);
    if (step_ == 1) most = (most + kGroup - 1) / kGroup * kGroup;
    most = std::min(most, tile.lines);
    stride_ = static_cast<std::ptrdiff_t>(most) * tile.columns + kPadding;
    const auto size = static_cast<std::size_t>(dimensions(options_) * stride_);
    if (planes_.size() < size) planes_ = Array<float>(size);
    for (int line = 0; line < tile.lines; line += most) {
      PlaceTile part = tile;
      part.line = tile.line + line;
      part.lines = std::min(most, tile.lines - line);
      fill(grid, part);
      use({part, true, planes_.data(), stride_});
    }
  }

 private:
  static constexpr int kPadding = 16;

  void begin(ImageView<const std::uint8_t> image, const PlaceGrid& grid, const PlaceTile& tile) {
    image_ = image;
    step_ = grid.step;
    left_ = grid.left + tile.column * step_;
    width_ = (tile.columns - 1) * step_ + 1;
    const int top = grid.top + tile.line * step_;
    // The pitch is an odd number of cache lines, so that rows of sums lie in different sets of the
    // cache.
    pitch_ = (width_ + kBankSlack + 15) / 16 * 16;
    if (pitch_ / 16 % 2 == 0) pitch_ += 16;
    row_.resize(static_cast<std::size_t>(kBankKinds * pitch_));
    for (Channel& channel : channels_) {
      const int first = std::max(0, top - kBankReach);
      channel.pixels.reset(kSides + kGroup, pitch_ + kSides, first);
      channel.pixels_done = first - 1;
      channel.integral.reset(kSides + kGroup + 1, pitch_ + kSides, top - kBankReach - 1);
      channel.integral_done = top - kBankReach - 1;
      for (int s = 0; s < tables_.count; ++s) {
        const int reach = tables_.scale[s].reach;
        const int start = std::max(0, top - reach);
        channel.sums[s].reset(2 * reach + kGroup, 3 * pitch_, start);
        channel.sums_done[s] = start - 1;
      }
    }
  }

  int filters() const { return kBankKinds * tables_.count; }
  int clamped(int y) const { return std::clamp(y, 0, image_.height - 1); }

  void fill(const PlaceGrid& grid, const PlaceTile& part) {
    const int group = step_ == 1 ? kGroup : 1;
    for (int line = 0; line < part.lines; line += group) {
      const int lines = std::min(group, part.lines - line);
      const int y = grid.top + (part.line + line) * step_;
      read_pixels({y, y + lines - 1});
      for (std::size_t c = 0; c < channels_.size(); ++c) {
        float* planes = planes_.data() + static_cast<std::ptrdiff_t>(c) * filters() * stride_ +
                        static_cast<std::ptrdiff_t>(line) * part.columns;
        for (int s = 0; s < tables_.count; ++s)
          respond(static_cast<int>(c), s, {y, y + lines - 1}, part.columns, planes);
      }
    }
  }

  void read_pixels(Span lines) {
    Channel& first = channels_[0];
    const int from = std::max(first.pixels_done + 1, clamped(lines.first - kBankReach));
    const int to = clamped(lines.last + kBankReach);
    for (int y = from; y <= to; ++y) {
      float* at[3] = {};
      for (std::size_t c = 0; c < channels_.size(); ++c) at[c] = channels_[c].pixels.line(y);
      pixel_line(image_, options_.color, {y, left_ - kBankReach, width_ + kSides}, at);
    }
    for (Channel& channel : channels_) {
      channel.pixels_done = std::max(channel.pixels_done, to);
      add_up(channel, lines);
    }
  }

  // Sums of all pixels above and to the left may overflow and wrap around; their differences are
  // still right.
  void add_up(Channel& channel, Span lines) {
    int y = channel.integral_done + 1;
    const int least = lines.first - kBankReach;
    if (y < least) {  // lines were skipped: sums start again above the first line that is needed
      y = least;
      std::fill_n(channel.integral.line(y - 1), pitch_ + kSides, 0);
    }
    for (; y <= lines.last + kBankReach; ++y) {
      const float* pixels = channel.pixels.line(clamped(y));
      const std::int32_t* above = channel.integral.line(y - 1);
      std::int32_t* to = channel.integral.line(y);
      std::uint32_t run = 0;
      to[0] = 0;
      for (int i = 0; i < width_ + kSides; ++i) {
        run += static_cast<std::uint32_t>(static_cast<std::int32_t>(pixels[i]));
        to[i + 1] = static_cast<std::int32_t>(static_cast<std::uint32_t>(above[i + 1]) + run);
      }
    }
    channel.integral_done = y - 1;
  }

  void respond(int c, int s, Span lines, int columns, float* planes) {
    Channel& channel = channels_[static_cast<std::size_t>(c)];
    const BankScale& scale = tables_.scale[s];
    const int reach = scale.reach;
    const int last = clamped(lines.last + reach);
    for (int y = std::max(channel.sums_done[s] + 1, clamped(lines.first - reach)); y <= last; ++y)
      bank_row_pass({channel.pixels.line(y) + kBankReach, width_, channel.sums[s].line(y), pitch_},
                    scale.row, reach);
    channel.sums_done[s] = std::max(channel.sums_done[s], last);

    ColumnJob job{};
    job.pitch = pitch_;
    job.width = width_;
    job.level = scale.level;
    job.reach = reach;
    const int filter = c * filters() + s * kBankKinds;
    if (standard_.scale != nullptr) {
      job.scale = standard_.scale + filter;
      job.offset = standard_.offset + filter;
    }
    float* out = planes + static_cast<std::ptrdiff_t>(s) * kBankKinds * stride_;
    job.lines = lines.last - lines.first + 1;
    for (int i = 0; i < 2 * reach + job.lines; ++i)
      job.rows[i] = channel.sums[s].line(clamped(lines.first - reach + i));
    for (int l = 0; l < job.lines; ++l) {
      const int y = lines.first + l;
      job.below[l] = channel.integral.line(y + reach) + kBankReach - reach;
      job.above[l] = channel.integral.line(y - reach - 1) + kBankReach - reach;
      for (int i = 0; i < kBankKinds; ++i)
        job.out[l][i] = step_ == 1 ? out + i * stride_ + static_cast<std::ptrdiff_t>(l) * columns
                                   : row_.data() + i * pitch_;
    }
    bank_column_pass(job, scale.column);
    if (step_ == 1) return;
    for (int i = 0; i < kBankKinds; ++i)
      for (int x = 0; x < columns; ++x)
        out[i * stride_ + x] = row_[static_cast<std::size_t>(i * pitch_ + x * step_)];
  }

  DescriptorOptions options_;
  Standard standard_;
  BankTables tables_;
  std::vector<Channel> channels_;
  ImageView<const std::uint8_t> image_{};
  int step_ = 1;
  int left_ = 0;   // the first column of pixels of the tile
  int width_ = 0;  // pixels from the first place of a line to the last
  std::ptrdiff_t pitch_ = 0;
  std::ptrdiff_t stride_ = 0;
  Array<float> planes_;
  std::vector<float> row_;  // one line of responses, used if not all of them are needed
};

}  // namespace

std::unique_ptr<Describer> make_filter_describer(const DescriptorOptions& options,
                                                 const Standard& standard) {
  return std::make_unique<FilterDescriber>(options, standard);
}

}  // namespace fovea::scenes::cpu
