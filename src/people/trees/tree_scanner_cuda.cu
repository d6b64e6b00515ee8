// CUDA twin of the scanners of channels and of filtered channels: all levels of a frame at once.
// One thread filters one cell of one channel by all of its filters. Responses are integers and
// equal to those of the CPU.
#include <array>

#include "people/filtered/filter_cells.h"
#include "people/model_parts.h"
#include "people/trees/tree_walk_cuda.cuh"

namespace fovea::people::cuda {
namespace {

struct FilterJob {
  const SmoothedCells* levels;
  const Tile* tiles;
  std::ptrdiff_t stride;
  int filters;
  const std::uint8_t* values;
  const std::int8_t* weights;
  const std::int16_t* gain;
  const std::int16_t* offset;
  std::uint8_t* cells;  // cells of a level are at the same place as its values, times `filters`
};

// The result has the place of the cell in the middle of the filter. Cells with fewer than
// filtered::kReach others on a side belong to no window and are left out.
__global__ void filter_kernel(FilterJob job) {
  const Tile tile = job.tiles[blockIdx.x];
  const SmoothedCells level = job.levels[tile.level];
  const int channel = static_cast<int>(blockIdx.y);
  const int column = tile.x + static_cast<int>(threadIdx.x),
            row = tile.y + static_cast<int>(threadIdx.y);
  constexpr int kReach = filtered::kReach, kSide = FilterBank::kSide, kTaps = FilterBank::kTaps;
  if (column < kReach || row < kReach || column >= level.columns - kReach ||
      row >= level.rows - kReach)
    return;
  int values[kTaps];
  for (int t = 0; t < kTaps; ++t) {
    const int x = column - kReach + t % kSide, y = row - kReach + t / kSide;
    values[t] =
        job.values[level.cells +
                   (static_cast<std::int64_t>(y) * channels::kChannels + channel) * job.stride +
                   x] -
        filtered::kMiddle;
  }
  for (int f = 0; f < job.filters; ++f) {
    const int index = channel * job.filters + f;
    int response = 0;
    for (int t = 0; t < kTaps; ++t) response += values[t] * job.weights[index * kTaps + t];
    job.cells[level.cells * job.filters +
              (static_cast<std::int64_t>(row) * channels::kChannels * job.filters + index) *
                  job.stride +
              column] = filtered::filtered_value(response, job.gain[index], job.offset[index]);
  }
}

// The cells that trees of channels read.
class PlainCells {
 public:
  explicit PlainCells(const ChannelsModel& /*model*/) {}
  void lay_out(Session& /*session*/, const DeviceChannels& /*channels*/, bool /*changed*/) {}
  WalkedCells make(Session& /*session*/, DeviceChannels& channels, DeviceSteps& /*steps*/) {
    return {channels.cells(), channels.level_windows(), channels.level_count(), channels.windows(),
            channels.stride() * channels::kChannels};
  }
};

// The cells that trees of filtered channels read.
class FilterBankCells {
 public:
  explicit FilterBankCells(const FilteredModel& model) : bank_(model.bank) {}

  // With `changed`, the tables of the channels are others than before.
  void lay_out(Session& session, const DeviceChannels& channels, bool changed) {
    placed_ = placed_ && !changed;
    if (!placed_) place_windows(session, channels);
    placed_ = true;
  }

  WalkedCells make(Session& session, DeviceChannels& channels, DeviceSteps& steps) {
    steps.begin(Step::kFilters);
    const Extent tile = DeviceChannels::level_tile();
    const dim3 grid(static_cast<unsigned>(channels.level_tile_count()), channels::kChannels),
        block(static_cast<unsigned>(tile.width), static_cast<unsigned>(tile.height));
    const auto size =
        static_cast<std::size_t>(channels.elements()) * static_cast<std::size_t>(bank_.filters);
    filter_kernel<<<grid, block, 0, session.stream()>>>(
        {channels.levels(), channels.level_tiles(), channels.stride(), bank_.filters,
         channels.cells(), weights_.data(), gain_.data(), offset_.data(), cells_.reserve(size)});
    check_launch("filtering channels");
    return {cells_.data(), windows_.data(), channels.level_count(), channels.windows(),
            channels.stride() * channels::kChannels * bank_.filters};
  }

 private:
  // Where the windows of each level begin among filtered cells: rows of cells are as many times
  // longer as there are filters.
  void place_windows(Session& session, const DeviceChannels& channels) {
    std::vector<LevelWindows> windows(channels.host_windows().begin(),
                                      channels.host_windows().end());
    const std::int64_t row = channels.stride() * channels::kChannels;
    for (LevelWindows& level : windows)
      level.cells = level.cells / row * row * bank_.filters + level.cells % row;
    windows_.fill(windows, session.stream());
    if (filled_) return;
    weights_.fill(bank_.weights, session.stream());
    gain_.fill(bank_.gain, session.stream());
    offset_.fill(bank_.offset, session.stream());
    filled_ = true;
  }

  const FilterBank& bank_;
  bool placed_ = false;  // whether windows_ belongs to the tables of the channels
  bool filled_ = false;  // whether the bank is on the device
  KeptBuffer<LevelWindows> windows_;
  KeptBuffer<std::int8_t> weights_;
  KeptBuffer<std::int16_t> gain_, offset_;
  KeptBuffer<std::uint8_t> cells_;
};

template <class Model, int kDepth, class Cells>
class TreeScanner final : public Scanner {
 public:
  explicit TreeScanner(const Model& model) : model_(model), cells_(model) {}

  ScanResult scan(const ScanRequest& request, const Exec& exec) override {
    Session session(exec);
    session.must_wait();
    DeviceSteps steps(request.clock, session.stream());
    steps.begin(Step::kCopies);
    const fovea::cuda::OnDevice<const std::uint8_t> image(session, request.image);
    steps.begin(Step::kLevels);
    const bool changed =
        channels_.lay_out(session, image.image(), request.plan, pyramid_of(model_));
    cells_.lay_out(session, channels_, changed);
    if (channels_.stride() != stride_) {
      walker_.set_trees(scan_trees<kDepth>(model_, channels_.stride()), session.stream());
      stride_ = channels_.stride();
    }
    ScanResult result;
    result.counts.windows = channels_.windows();
    if (channels_.windows() == 0) return result;
    channels_.build(session, image.image(), steps);
    const WalkedCells cells = cells_.make(session, channels_, steps);
    steps.begin(Step::kTrees);
    walker_.scan(session, request, cells, steps, result);
    steps.finish();
    return result;
  }

 private:
  const Model& model_;
  DeviceChannels channels_;
  Cells cells_;
  std::ptrdiff_t stride_ = -1;
  TreeWalker<ScanTree<kDepth>> walker_;
};
template <int kDepth>
using FilteredScanner = TreeScanner<FilteredModel, kDepth, FilterBankCells>;

}  // namespace

std::unique_ptr<Scanner> make_channels_scanner(const ChannelsModel& model) {
  check_channels(model);
  return std::make_unique<TreeScanner<ChannelsModel, 2, PlainCells>>(model);
}

std::unique_ptr<Scanner> make_filtered_scanner(const FilteredModel& model) {
  check_filtered(model);
  switch (model.trees.depth) {
    case 2: return std::make_unique<FilteredScanner<2>>(model);
    case 3: return std::make_unique<FilteredScanner<3>>(model);
    case 4: return std::make_unique<FilteredScanner<4>>(model);
    default: return std::make_unique<FilteredScanner<5>>(model);
  }
}

}  // namespace fovea::people::cuda
