// Kernels of the channels. A block smooths its tile of pixels in shared memory, and one thread adds
// up each cell. Normalizing, smoothing and resampling use one thread per cell. The arithmetic is
// that of channels_math.h and equal to the CPU twin to the bit.
#include <algorithm>

#include "people/channels/channel_cells_cuda.cuh"

namespace fovea::people::cuda {
namespace {

using channels::kCell;
using channels::kChannels;
using channels::kReach;
using channels::kSums;

constexpr struct {
  int sum_x = 16, sum_y = 8;    // cells per tile in the kernel that sums pixels
  int cell_x = 32, cell_y = 8;  // cells per tile in the other kernels
} kTuning;

constexpr int kRawWidth = kTuning.sum_x * kCell + 2 * kReach,
              kRawHeight = kTuning.sum_y * kCell + 2 * kReach;
constexpr int kSmoothWidth = kRawWidth - 2, kSmoothHeight = kRawHeight - 2;

struct SumsJob {
  const DeviceLevel* images;
  const std::uint8_t* pixels;
  const SourceCells* sources;
  const Tile* tiles;
  std::ptrdiff_t stride;
  std::uint16_t* sums;
};

template <int kColors>
__global__ void sums_kernel(SumsJob job) {
  __shared__ std::uint8_t raw[kColors][kRawHeight][kRawWidth];
  __shared__ std::int16_t smooth[kColors][kSmoothHeight][kSmoothWidth];
  const Tile tile = job.tiles[blockIdx.x];
  const SourceCells source = job.sources[tile.level];
  const DeviceLevel image = job.images[tile.level];
  const int left = source.origin.x + tile.x * kCell - kReach,
            top = source.origin.y + tile.y * kCell - kReach;
  const int thread = static_cast<int>(threadIdx.y) * kTuning.sum_x + static_cast<int>(threadIdx.x);
  constexpr int kThreads = kTuning.sum_x * kTuning.sum_y;
  for (int i = thread; i < kRawWidth * kRawHeight; i += kThreads) {
    const int x = i % kRawWidth, y = i / kRawWidth;
    const int from_x = channels::least(left + x, image.width - 1),
              from_y = channels::least(top + y, image.height - 1);
    const std::uint8_t* pixel = job.pixels + image.offset +
                                static_cast<std::int64_t>(from_y) * image.stride + from_x * kColors;
    for (int c = 0; c < kColors; ++c) raw[c][y][x] = pixel[c];
  }
  __syncthreads();
  for (int i = thread; i < kSmoothWidth * kSmoothHeight; i += kThreads) {
    const int x = i % kSmoothWidth, y = i / kSmoothWidth;
    for (int c = 0; c < kColors; ++c) {
      const auto across = [&](int row) {
        return channels::smooth3(raw[c][row][x], raw[c][row][x + 1], raw[c][row][x + 2]);
      };
      smooth[c][y][x] =
          static_cast<std::int16_t>(channels::smoothed(across(y), across(y + 1), across(y + 2)));
    }
  }
  __syncthreads();
  const int column = tile.x + static_cast<int>(threadIdx.x),
            row = tile.y + static_cast<int>(threadIdx.y);
  if (column >= source.columns || row >= source.rows) return;
  int sums[kSums] = {};
  for (int i = 0; i < kCell * kCell; ++i) {
    const int x = static_cast<int>(threadIdx.x) * kCell + i % kCell + 1,
              y = static_cast<int>(threadIdx.y) * kCell + i / kCell + 1;
    int dx = 0, dy = 0, strongest = -1;
    for (int c = 0; c < kColors; ++c) {
      sums[c] += smooth[c][y][x];
      const int right = smooth[c][y][x + 1] - smooth[c][y][x - 1],
                down = smooth[c][y + 1][x] - smooth[c][y - 1][x];
      const int strength = channels::strength(right, down);
      if (strength <= strongest) continue;
      strongest = strength;
      dx = right;
      dy = down;
    }
    channels::vote(dx, dy, sums + channels::kColors);
  }
  for (int k = 0; k < kSums; ++k) {
    const int value = k < channels::kColors && k >= kColors ? sums[0] : sums[k];
    job.sums[source.sums + (static_cast<std::int64_t>(row) * kSums + k) * job.stride + column] =
        static_cast<std::uint16_t>(value);
  }
}

struct CellsJob {
  const SourceCells* sources;
  const Tile* tiles;
  std::ptrdiff_t stride;
  const std::uint16_t* sums;
  const float* lightness;
  std::uint8_t* values;
};

__device__ inline int clamp_to(int value, int count) {
  return channels::most(0, channels::least(value, count - 1));
}

__global__ void values_kernel(CellsJob job) {
  const Tile tile = job.tiles[blockIdx.x];
  const SourceCells source = job.sources[tile.level];
  const int column = tile.x + static_cast<int>(threadIdx.x),
            row = tile.y + static_cast<int>(threadIdx.y);
  if (column >= source.columns || row >= source.rows) return;
  const auto sum_of = [&](int x, int y, int k) -> int {
    return job.sums[source.sums + (static_cast<std::int64_t>(y) * kSums + k) * job.stride + x];
  };
  const auto magnitude = [&](int x, int y) {
    int sum = 0;
    for (int k = channels::kColors; k < kSums; ++k) sum += sum_of(x, y, k);
    return sum;
  };
  int around = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx)
      around += (dx == 0 ? 2 : 1) * (dy == 0 ? 2 : 1) *
                magnitude(clamp_to(column + dx, source.columns), clamp_to(row + dy, source.rows));
  const float factor = channels::normalizer(around);
  const auto store = [&](int k, int value) {
    job.values[source.cells + (static_cast<std::int64_t>(row) * kChannels + k) * job.stride +
               column] = static_cast<std::uint8_t>(value);
  };
  const int r = sum_of(column, row, 0), g = sum_of(column, row, 1), b = sum_of(column, row, 2);
  const channels::Luv luv =
      channels::luv(static_cast<float>(r), static_cast<float>(g), static_cast<float>(b),
                    job.lightness[channels::luminance_index(r, g, b)]);
  store(0, luv.l);
  store(1, luv.u);
  store(2, luv.v);
  store(channels::kMagnitude,
        channels::normalized(magnitude(column, row), factor, channels::kMagnitudeScale));
  for (int k = 0; k < channels::kOrientations; ++k)
    store(channels::kMagnitude + 1 + k,
          channels::normalized(sum_of(column, row, channels::kColors + k), factor,
                               channels::kOrientationScale));
}

struct SmoothJob {
  const SmoothedCells* levels;
  const Tile* tiles;
  std::ptrdiff_t stride;
  const std::uint8_t* values;
  std::uint8_t* cells;
};

__global__ void smooth_kernel(SmoothJob job) {
  const Tile tile = job.tiles[blockIdx.x];
  const SmoothedCells level = job.levels[tile.level];
  const int column = tile.x + static_cast<int>(threadIdx.x),
            row = tile.y + static_cast<int>(threadIdx.y);
  if (column >= level.columns || row >= level.rows) return;
  const int left = clamp_to(column - 1, level.columns), right = clamp_to(column + 1, level.columns);
  const int above = clamp_to(row - 1, level.rows), below = clamp_to(row + 1, level.rows);
  for (int k = 0; k < kChannels; ++k) {
    const auto across = [&](int y) {
      const std::uint8_t* line =
          job.values + level.cells + (static_cast<std::int64_t>(y) * kChannels + k) * job.stride;
      return channels::smooth3(line[left], line[column], line[right]);
    };
    job.cells[level.cells + (static_cast<std::int64_t>(row) * kChannels + k) * job.stride +
              column] =
        channels::smoothed_cell(channels::smooth3(across(above), across(row), across(below)));
  }
}

struct ResampleJob {
  const ResampledCells* levels;
  const Tile* tiles;
  std::ptrdiff_t stride;
  const RowTap* row_taps;
  const ColumnTap* column_taps;
  std::uint8_t* values;
};

__global__ void resample_kernel(ResampleJob job) {
  const Tile tile = job.tiles[blockIdx.x];
  const ResampledCells level = job.levels[tile.level];
  const int column = tile.x + static_cast<int>(threadIdx.x),
            row = tile.y + static_cast<int>(threadIdx.y);
  if (column >= level.columns || row >= level.rows) return;
  const RowTap& y = job.row_taps[level.row_taps + row];
  const ColumnTap x = job.column_taps[level.column_taps + column];
  for (int k = 0; k < kChannels; ++k) {
    const CellWeights weights = y.weights[k];
    const std::uint8_t* above =
        job.values + level.from + (static_cast<std::int64_t>(y.index) * kChannels + k) * job.stride;
    const std::uint8_t* below =
        job.values + level.from + (static_cast<std::int64_t>(y.next) * kChannels + k) * job.stride;
    const auto at = [&](int place) {
      return channels::shared(above[place], below[place], weights.above, weights.below);
    };
    job.values[level.cells + (static_cast<std::int64_t>(row) * kChannels + k) * job.stride +
               column] = static_cast<std::uint8_t>(channels::shared(at(x.index), at(x.next),
                                                                    128 - x.share, x.share));
  }
}

template <class Level>
std::vector<Tile> tiles_of(const std::vector<Level>& levels, Extent tile) {
  std::vector<Tile> tiles;
  for (int i = 0; i < static_cast<int>(levels.size()); ++i)
    for (int y = 0; y < levels[i].rows; y += tile.height)
      for (int x = 0; x < levels[i].columns; x += tile.width) tiles.push_back({i, x, y});
  return tiles;
}

}  // namespace

Extent DeviceChannels::level_tile() { return {kTuning.cell_x, kTuning.cell_y}; }

bool DeviceChannels::same(ImageView<const std::uint8_t> image, const ScanPlan& plan) const {
  return image_ == Extent{image.width, image.height} &&
         channels_ == (image.channels == 1 ? 1 : 3) && plan == plan_;
}

void DeviceChannels::add_resampled(const ScanPlan& plan, int level, int source,
                                   const ExactCells& exact) {
  const CellPlacement placement = cell_placement(plan, {level, source}, exact, pyramid_);
  ResampledCells& cells = resampled_.back();
  cells.column_taps = static_cast<int>(column_taps_.size());
  cells.row_taps = static_cast<int>(row_taps_.size());
  for (int x = 0; x < cells.columns; ++x) {
    const CellTap tap = cell_tap(placement.first_x + x * placement.step_x, exact.columns);
    column_taps_.push_back({tap.index, std::min(tap.index + 1, exact.columns - 1), tap.share});
  }
  for (int y = 0; y < cells.rows; ++y) {
    const CellTap tap = cell_tap(placement.first_y + y * placement.step_y, exact.rows);
    RowTap row{tap.index, std::min(tap.index + 1, exact.rows - 1), {}};
    for (int k = 0; k < kChannels; ++k) row.weights[k] = cell_weights(tap, placement.factor[k]);
    row_taps_.push_back(row);
  }
}

bool DeviceChannels::lay_out(Session& session, ImageView<const std::uint8_t> image,
                             const ScanPlan& plan, const ChannelPyramid& pyramid) {
  if (same(image, plan)) return false;
  image_ = {};  // nothing is laid out until everything is
  require_cell_stride(plan);
  pyramid_ = pyramid;
  channels_ = image.channels == 1 ? 1 : 3;
  const std::vector<int> source_of = channel_sources(plan, pyramid.exact_per_octave);
  const int levels = static_cast<int>(plan.levels.size());
  struct Group {
    int source, first, last;
    ExactCells exact;
  };
  std::vector<Group> groups;
  ScanPlan pixels{plan.window, plan.stride, 0, 0, {}};
  int widest = 0;
  for (int first = 0; first < levels;) {
    int last = first;
    while (last < levels && source_of[last] == source_of[first]) ++last;
    groups.push_back({source_of[first], first, last,
                      exact_cells(plan, source_of[first], first, last, pyramid.reach)});
    pixels.levels.push_back(plan.levels[source_of[first]]);
    pixels.padding = std::max(pixels.padding, groups.back().exact.padding);
    widest = std::max(widest, groups.back().exact.columns);
    for (int l = first; l < last; ++l)
      widest = std::max(widest, resampled_cells(plan, plan.levels[l], pyramid.reach).width);
    first = last;
  }
  stride_ = (widest + 15) / 16 * 16;
  images_.lay_out(session, {image.width, image.height}, channels_, pixels);
  sources_.clear();
  resampled_.clear();
  row_taps_.clear();
  column_taps_.clear();
  level_windows_.clear();
  windows_ = 0;
  smoothed_.clear();
  std::int64_t sums = 0, cells = 0;
  for (const Group& group : groups) {
    const ExactCells& exact = group.exact;
    const std::int64_t from = cells;
    const int shift = pixels.padding - exact.padding;
    sources_.push_back(
        {exact.columns, exact.rows, {exact.origin.x + shift, exact.origin.y + shift}, sums, cells});
    smoothed_.push_back({exact.columns, exact.rows, cells});
    sums += stride_ * kSums * exact.rows;
    cells += stride_ * kChannels * exact.rows;
    for (int l = group.first; l < group.last; ++l) {
      const ScanLevel& level = plan.levels[l];
      LevelWindows windows{windows_, from + exact.margin_y * kChannels * stride_ + exact.margin_x,
                           level.columns};
      if (l != group.source) {
        const Extent size = resampled_cells(plan, level, pyramid.reach);
        windows.cells = cells + pyramid.reach * (kChannels * stride_ + 1);
        smoothed_.push_back({size.width, size.height, cells});
        resampled_.push_back({size.width, size.height, from, cells, 0, 0});
        add_resampled(plan, l, group.source, exact);
        cells += stride_ * kChannels * size.height;
      }
      windows.cells += static_cast<std::int64_t>(level.first_row * plan.stride / channels::kCell) *
                       kChannels * stride_;
      level_windows_.push_back(windows);
      windows_ += static_cast<std::int64_t>(level.columns) * level.rows;
    }
  }
  const cudaStream_t stream = session.stream();
  const auto sum_tiles = tiles_of(sources_, {kTuning.sum_x, kTuning.sum_y}),
             cell_tiles = tiles_of(sources_, {kTuning.cell_x, kTuning.cell_y}),
             resample_tiles = tiles_of(resampled_, {kTuning.cell_x, kTuning.cell_y}),
             smooth_tiles = tiles_of(smoothed_, {kTuning.cell_x, kTuning.cell_y});
  sum_tiles_ = sum_tiles.size();
  cell_tiles_ = cell_tiles.size();
  resample_tiles_ = resample_tiles.size();
  smooth_tiles_ = smooth_tiles.size();
  device_sum_tiles_.fill(sum_tiles, stream);
  device_cell_tiles_.fill(cell_tiles, stream);
  device_sources_.fill(sources_, stream);
  device_smooth_tiles_.fill(smooth_tiles, stream);
  device_smoothed_.fill(smoothed_, stream);
  if (!resampled_.empty()) {
    device_resample_tiles_.fill(resample_tiles, stream);
    device_resampled_.fill(resampled_, stream);
    device_row_taps_.fill(row_taps_, stream);
    device_column_taps_.fill(column_taps_, stream);
  }
  device_windows_.fill(level_windows_, stream);
  lightness_.fill(lightness_table(), stream);
  sums_.reserve(static_cast<std::size_t>(sums));
  values_.reserve(static_cast<std::size_t>(cells));
  if (pyramid.smooth) cells_.reserve(static_cast<std::size_t>(cells));
  elements_ = cells;
  image_ = {image.width, image.height};
  plan_ = plan;
  return true;
}

void DeviceChannels::build(Session& session, ImageView<const std::uint8_t> image,
                           DeviceSteps& steps) {
  if (sum_tiles_ == 0) return;
  const cudaStream_t stream = session.stream();
  images_.build(session, image);
  steps.begin(Step::kChannels);
  const SumsJob sums{images_.device_levels(),  images_.pixels(), device_sources_.data(),
                     device_sum_tiles_.data(), stride_,          sums_.data()};
  const dim3 sum_block(kTuning.sum_x, kTuning.sum_y), block(kTuning.cell_x, kTuning.cell_y);
  if (channels_ == 1)
    sums_kernel<1><<<static_cast<unsigned>(sum_tiles_), sum_block, 0, stream>>>(sums);
  else sums_kernel<3><<<static_cast<unsigned>(sum_tiles_), sum_block, 0, stream>>>(sums);
  values_kernel<<<static_cast<unsigned>(cell_tiles_), block, 0, stream>>>(
      {device_sources_.data(), device_cell_tiles_.data(), stride_, sums_.data(), lightness_.data(),
       values_.data()});
  steps.begin(Step::kCells);
  if (resample_tiles_ > 0)
    resample_kernel<<<static_cast<unsigned>(resample_tiles_), block, 0, stream>>>(
        {device_resampled_.data(), device_resample_tiles_.data(), stride_, device_row_taps_.data(),
         device_column_taps_.data(), values_.data()});
  if (pyramid_.smooth)
    smooth_kernel<<<static_cast<unsigned>(smooth_tiles_), block, 0, stream>>>(
        {device_smoothed_.data(), device_smooth_tiles_.data(), stride_, values_.data(),
         cells_.data()});
  check_launch("channels");
}

}  // namespace fovea::people::cuda
