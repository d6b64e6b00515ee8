// CUDA twin of the filtered channels' scanner: all levels of a frame at once. One thread filters
// one cell of one channel by all of its filters. Responses are integers and equal to those of the
// CPU.
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

template <int kDepth>
class FilteredScanner final : public Scanner {
 public:
  explicit FilteredScanner(const FilteredModel& model) : model_(model) {}

  ScanResult scan(const ScanRequest& request, const Exec& exec) override {
    Session session(exec);
    session.must_wait();
    DeviceSteps steps(request.clock, session.stream());
    steps.begin(Step::kCopies);
    const fovea::cuda::OnDevice<const std::uint8_t> image(session, request.image);
    steps.begin(Step::kLevels);
    placed_ =
        !channels_.lay_out(session, image.image(), request.plan, pyramid_of(model_)) && placed_;
    if (!placed_) place_windows(session);
    placed_ = true;
    if (channels_.stride() != stride_) {
      walker_.set_trees(scan_trees<kDepth>(model_, channels_.stride()), session.stream());
      stride_ = channels_.stride();
    }
    ScanResult result;
    result.counts.windows = channels_.windows();
    if (channels_.windows() == 0) return result;
    channels_.build(session, image.image(), steps);
    steps.begin(Step::kFilters);
    filter(session);
    steps.begin(Step::kTrees);
    walker_.scan(session, request,
                 {cells_.data(), windows_.data(), channels_.level_count(), channels_.windows(),
                  stride_ * channels::kChannels * model_.bank.filters},
                 steps, result);
    steps.finish();
    return result;
  }

 private:
  // Where the windows of each level begin among filtered cells: rows of cells are as many times
  // longer as there are filters.
  void place_windows(Session& session) {
    std::vector<LevelWindows> windows(channels_.host_windows().begin(),
                                      channels_.host_windows().end());
    const std::int64_t row = channels_.stride() * channels::kChannels;
    for (LevelWindows& level : windows)
      level.cells = level.cells / row * row * model_.bank.filters + level.cells % row;
    windows_.fill(windows, session.stream());
    if (filled_) return;
    weights_.fill(model_.bank.weights, session.stream());
    gain_.fill(model_.bank.gain, session.stream());
    offset_.fill(model_.bank.offset, session.stream());
    filled_ = true;
  }

  void filter(Session& session) {
    const Extent tile = DeviceChannels::level_tile();
    const dim3 grid(static_cast<unsigned>(channels_.level_tile_count()), channels::kChannels),
        block(static_cast<unsigned>(tile.width), static_cast<unsigned>(tile.height));
    const auto size = static_cast<std::size_t>(channels_.elements()) *
                      static_cast<std::size_t>(model_.bank.filters);
    filter_kernel<<<grid, block, 0, session.stream()>>>(
        {channels_.levels(), channels_.level_tiles(), stride_, model_.bank.filters,
         channels_.cells(), weights_.data(), gain_.data(), offset_.data(), cells_.reserve(size)});
    check_launch("filtering channels");
  }

  const FilteredModel& model_;
  DeviceChannels channels_;
  std::ptrdiff_t stride_ = -1;
  bool placed_ = false;  // whether windows_ belongs to the tables of channels_
  bool filled_ = false;  // whether the bank is on the device
  TreeWalker<ScanTree<kDepth>> walker_;
  KeptBuffer<LevelWindows> windows_;
  KeptBuffer<std::int8_t> weights_;
  KeptBuffer<std::int16_t> gain_, offset_;
  KeptBuffer<std::uint8_t> cells_;
};

}  // namespace

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
