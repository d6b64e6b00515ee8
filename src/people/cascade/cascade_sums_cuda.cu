// Two passes: one warp adds up the votes of a row of patches, and then one thread adds up a column
// of one bin. Sums are integers that wrap around, so that they equal those of the CPU whatever the
// order.
#include <algorithm>

#include "people/cascade/cascade_sums_cuda.cuh"

namespace fovea::people::cuda {
namespace {

constexpr struct {
  int row_warps = 4;      // rows of patches per block of threads
  int columns = 64;       // positions of one bin per block of threads
  int column_unroll = 8;  // rows that are loaded ahead
} kTuning;

constexpr int kBins = cascade::kBins;

// The strongest projection among the channels of a pixel; border pixels are repeated.
__device__ cascade::Vote vote_at(const DeviceLevel& level, const std::uint8_t* pixels, int channels,
                                 int x, int y) {
  const std::uint8_t* from = pixels + level.offset;
  const auto row = [&](int j) {
    return from + static_cast<std::int64_t>(min(max(j, 0), level.height - 1)) * level.stride;
  };
  const std::uint8_t *above = row(y - 1), *center = row(y), *below = row(y + 1);
  const int left = max(x - 1, 0) * channels, right = min(x + 1, level.width - 1) * channels;
  const int here = min(x, level.width - 1) * channels;
  cascade::Vote best{};
  for (int c = 0; c < channels; ++c) {
    const cascade::Vote vote = cascade::projection(center[right + c] - center[left + c],
                                                   below[here + c] - above[here + c]);
    if (c == 0 || vote.weight > best.weight) best = vote;
  }
  return {best.bin, best.weight >> cascade::kWeightShift};
}

__global__ void row_kernel(const DeviceLevel* levels, const SumsSheet* sheets, const Tile* tiles,
                           const std::uint8_t* pixels, int channels, std::uint32_t* sums) {
  const Tile tile = tiles[blockIdx.x];
  const SumsSheet sheet = sheets[tile.level];
  const DeviceLevel level = levels[sheet.level];
  const int y = tile.y + static_cast<int>(threadIdx.y);  // row of positions; row 0 is all zero
  if (y >= sheet.height) return;
  const int lane = static_cast<int>(threadIdx.x);
  const std::int64_t plane = static_cast<std::int64_t>(sheet.height) * sheet.pitch;
  std::uint32_t* out = sums + sheet.first + static_cast<std::int64_t>(y) * sheet.pitch;
  std::uint32_t carry[kBins] = {};
  if (lane < kBins) out[lane * plane + sheet.at(0)] = 0;
  for (int first = 0; first < sheet.patches; first += 32) {
    const int patch = first + lane;
    std::uint32_t run[kBins] = {};
    if (patch < sheet.patches && y > 0) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const cascade::Vote vote = vote_at(level, pixels, channels, sheet.x + 2 * patch + i % 2,
                                           sheet.y + 2 * (y - 1) + i / 2);
#pragma unroll
        for (int b = 0; b < kBins; ++b)
          run[b] += vote.bin == b ? static_cast<std::uint32_t>(vote.weight) : 0U;
      }
    }
#pragma unroll
    for (int b = 0; b < kBins; ++b) {
#pragma unroll
      for (int d = 1; d < 32; d *= 2) {
        const std::uint32_t other = __shfl_up_sync(~0U, run[b], d);
        if (lane >= d) run[b] += other;
      }
      run[b] += carry[b];
      carry[b] = __shfl_sync(~0U, run[b], 31);
      if (patch < sheet.patches) out[b * plane + sheet.at(patch + 1)] = run[b];
    }
  }
}

__global__ void column_kernel(const SumsSheet* sheets, const Tile* tiles, std::uint32_t* sums) {
  const Tile tile = tiles[blockIdx.x];
  const SumsSheet sheet = sheets[tile.level];
  const int x = tile.x + static_cast<int>(threadIdx.x);
  if (x >= sheet.pitch) return;
  std::uint32_t* at =
      sums + sheet.first + static_cast<std::int64_t>(tile.y) * sheet.height * sheet.pitch + x;
  std::uint32_t sum = 0;
  int y = 0;
  for (; y + kTuning.column_unroll <= sheet.height; y += kTuning.column_unroll) {
    std::uint32_t values[kTuning.column_unroll];
#pragma unroll
    for (int k = 0; k < kTuning.column_unroll; ++k)
      values[k] = at[static_cast<std::int64_t>(k) * sheet.pitch];
#pragma unroll
    for (int k = 0; k < kTuning.column_unroll; ++k, at += sheet.pitch) *at = sum += values[k];
  }
  for (; y < sheet.height; ++y, at += sheet.pitch) *at = sum += *at;
}

SumsSheet sheet_of(const ScanPlan& plan, int index, int phase_x, int phase_y, int every) {
  const ScanLevel& level = plan.levels[static_cast<std::size_t>(index)];
  SumsSheet sheet{};
  sheet.level = index;
  sheet.x = plan.origin + phase_x * plan.stride;
  sheet.y = plan.top(level) + phase_y * plan.stride;
  sheet.column = phase_x;
  sheet.row = phase_y;
  sheet.every = every;
  sheet.columns = (level.columns - phase_x + every - 1) / every;
  sheet.rows = (level.rows - phase_y + every - 1) / every;
  sheet.step = plan.stride * every / cascade::kPatch;
  sheet.patches = (sheet.columns - 1) * sheet.step + plan.window.width / cascade::kPatch;
  sheet.height = (sheet.rows - 1) * sheet.step + plan.window.height / cascade::kPatch + 1;
  sheet.dealt = sheet.step % SumsSheet::kParts == 0;
  sheet.part = (sheet.patches + SumsSheet::kParts) / SumsSheet::kParts;
  sheet.pitch = (sheet.part * SumsSheet::kParts + 31) / 32 * 32;
  return sheet;
}

}  // namespace

void CascadeSums::lay_out(Session& session, const LevelImages& images, const ScanPlan& plan) {
  sheets_.clear();
  std::int64_t size = 0;
  const int every = plan.stride % cascade::kPatch == 0 ? 1 : 2;
  for (int i = 0; i < static_cast<int>(images.levels().size()); ++i) {
    const DeviceLevel& level = images.levels()[static_cast<std::size_t>(i)];
    for (int y = 0; y < every && y < level.rows; ++y)
      for (int x = 0; x < every && x < level.columns; ++x) {
        SumsSheet sheet = sheet_of(plan, i, x, y, every);
        sheet.first = size;
        size += static_cast<std::int64_t>(kBins) * sheet.height * sheet.pitch;
        sheets_.push_back(sheet);
      }
  }
  std::vector<Tile> rows, columns;
  for (int i = 0; i < static_cast<int>(sheets_.size()); ++i) {
    const SumsSheet& sheet = sheets_[static_cast<std::size_t>(i)];
    for (int y = 0; y < sheet.height; y += kTuning.row_warps) rows.push_back({i, 0, y});
    for (int b = 0; b < kBins; ++b)
      for (int x = 0; x < sheet.pitch; x += kTuning.columns) columns.push_back({i, x, b});
  }
  row_tiles_ = rows.size();
  column_tiles_ = columns.size();
  row_tiles_on_device_.fill(rows, session.stream());
  column_tiles_on_device_.fill(columns, session.stream());
  device_sheets_.fill(sheets_, session.stream());
  // Numbers between the last position and the next row are read, but never used.
  std::uint32_t* sums = sums_.reserve(static_cast<std::size_t>(size));
  check(cudaMemsetAsync(sums, 0, static_cast<std::size_t>(size) * sizeof(std::uint32_t),
                        session.stream()),
        "clearing sums");
}

void CascadeSums::build(Session& session, LevelImages& images) {
  row_kernel<<<static_cast<unsigned>(row_tiles_), dim3(32, kTuning.row_warps), 0,
               session.stream()>>>(images.device_levels(), device_sheets_.data(),
                                   row_tiles_on_device_.data(), images.pixels(), images.channels(),
                                   sums_.data());
  check_launch("votes of a cascade");
  column_kernel<<<static_cast<unsigned>(column_tiles_), kTuning.columns, 0, session.stream()>>>(
      device_sheets_.data(), column_tiles_on_device_.data(), sums_.data());
  check_launch("sums of a cascade");
}

}  // namespace fovea::people::cuda
