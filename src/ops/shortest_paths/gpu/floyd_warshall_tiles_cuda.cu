// Floyd-Warshall of distances that do not fit on the device, in the order of host_tiles.h. Tiles
// travel through two slots of pinned memory, each with a stream of its own: while the device works
// on one, the host empties and fills the other. It takes the steps of close_squares_cuda.cu, each
// tile after the same pivots, and gives its bits. For M nodes in a super panel, all distances go to
// the device and back N / M times.
#include <algorithm>

#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/gpu/host_tiles.h"
#include "ops/shortest_paths/gpu/panel_steps.cuh"
#include "ops/shortest_paths/squares.cuh"
#include "ops/shortest_paths/travel_slot.cuh"

namespace fovea::cuda {
namespace {

using detail::HostTile;
using detail::kPanel;
using detail::kPanelTile;
using detail::kPivots;
using detail::SuperPanels;

constexpr const char* kWhat = "floyd-warshall in tiles";

// Tiles between two super panels that take the pivots of a third.
struct Visit {
  float* tiles;
  int rows;  // in tiles
  int first_row, first_column;
  const float* pivots;
  std::int64_t side;
  int depth;  // pivots
};

__global__ void __launch_bounds__(Tile128::kThreads, 2) visit_kernel(Visit visit) {
  extern __shared__ float4 shared_memory[];
  const auto number = static_cast<int>(blockIdx.x);
  const int row = visit.first_row + number % visit.rows;
  const int column = visit.first_column + number / visit.rows;
  if (row < column) return;
  update_tile({visit.tiles + number * static_cast<std::int64_t>(kPanelTile),
               kPanel,
               {visit.pivots + row * kPanel, visit.side},
               {visit.pivots + column * kPanel, visit.side},
               0,
               visit.depth},
              shared_memory);
}

struct TileSlot : TravelSlot {
  explicit TileSlot(std::size_t floats) : TravelSlot(floats, kWhat) {}
  std::vector<HostTile> back;  // tiles that come back from the device
};

class TiledClosing {
 public:
  TiledClosing(int nodes, int each, const Exec& exec, cudaStream_t stream)
      : nodes_(nodes),
        panels_{detail::panels_of(nodes), each},
        exec_(exec),
        stream_(stream),
        strip_(static_cast<std::size_t>(each) * kPanel * detail::square_side(nodes), stream),
        pivots_(strip_.size(), stream),
        on_device_(1, stream),
        slots_{TileSlot(slot_floats(each)), TileSlot(slot_floats(each))} {
    allow_shared(visit_kernel, Tile128::kBytes, kWhat);
    Event allocated;  // in the order of the stream
    allocated.record(stream);
    for (TileSlot& slot : slots_) {
      allocated.hold(slot.stream);
      slot.done.record(slot.stream);
    }
  }

  // The half of a matrix is closed in place.
  void run(std::span<float> lower) {
    lower_ = lower;
    for (int super = 0; super < panels_.count(); ++super) {
      load_strip(super);
      close(super);
      store_strip(super);
      for (int row = 0; row < panels_.count(); ++row)
        for (int column = 0; column <= row; ++column)
          if (row != super && column != super) visit(super, row, column);
      for (TileSlot& slot : slots_) empty(slot);
      if (exec_.progress)
        exec_.progress({"distances", super + 1.0, static_cast<double>(panels_.count())});
    }
  }

 private:
  static std::size_t slot_floats(int each) {
    return static_cast<std::size_t>(each) * static_cast<std::size_t>(each) * kPanelTile;
  }
  // Floats of the tiles between two super panels.
  std::size_t floats(int one, int other) const {
    return static_cast<std::size_t>(panels_.size(one)) *
           static_cast<std::size_t>(panels_.size(other)) * kPanelTile;
  }
  float* strip_part(int super, int other) const {
    return strip_.data() + static_cast<std::size_t>(panels_.first(other)) *
                               static_cast<std::size_t>(panels_.size(super)) * kPanelTile;
  }

  // Waits until the slot is free; tiles that came back go to the matrix.
  void empty(TileSlot& slot) {
    throw_if_stopped(exec_);
    slot.done.wait(kWhat);
    detail::store_tiles(slot.host.data(), nodes_, slot.back, exec_, lower_);
    slot.back.clear();
  }
  TileSlot& next_slot() {
    TileSlot& slot = slots_[turn_++ % 2];
    empty(slot);
    return slot;
  }

  void load_strip(int super) {
    for (int other = 0; other < panels_.count(); ++other) {
      TileSlot& slot = next_slot();
      detail::load_tiles(lower_, nodes_, strip_tiles(panels_, super, other), exec_,
                         slot.host.data());
      slot.to_device(strip_part(super, other), floats(super, other));
      slot.done.record(slot.stream);
    }
    for (const TileSlot& slot : slots_) slot.done.hold(stream_);
  }
  void close(int super) {
    const Square square{.distances = strip_.data(),
                        .pivots = pivots_.data(),
                        .panels = panels_.panels,
                        .layout = SquareLayout::kStrip,
                        .pivot_groups = panels_.each / detail::kGroup,
                        .strip_first = panels_.first(super),
                        .strip_count = panels_.size(super)};
    on_device_.fill(&square);
    close_strip({{&square, 1}, on_device_.data()}, stream_);
    Event closed;
    closed.record(stream_);
    for (const TileSlot& slot : slots_) closed.hold(slot.stream);
  }
  void store_strip(int super) {
    for (int other = 0; other < panels_.count(); ++other) {
      TileSlot& slot = next_slot();
      slot.to_host(strip_part(super, other), floats(super, other));
      slot.done.record(slot.stream);
      slot.back = strip_tiles(panels_, super, other);
    }
  }
  void visit(int super, int row, int column) {
    TileSlot& slot = next_slot();
    slot.back = outer_tiles(panels_, row, column);
    detail::load_tiles(lower_, nodes_, slot.back, exec_, slot.host.data());
    slot.to_device(slot.device.data(), floats(row, column));
    const Visit visit{slot.device.data(),          panels_.size(row), panels_.first(row),
                      panels_.first(column),       pivots_.data(),    panels_.panels * kPanel,
                      panels_.size(super) * kPanel};
    launch(visit_kernel,
           {dim3(static_cast<unsigned>(panels_.size(row) * panels_.size(column))), kTileThreads,
            Tile128::kBytes, slot.stream, kWhat},
           visit);
    slot.to_host(slot.device.data(), floats(row, column));
    slot.done.record(slot.stream);
  }

  int nodes_;
  SuperPanels panels_;
  const Exec& exec_;
  cudaStream_t stream_;
  std::span<float> lower_;
  DeviceBuffer<float> strip_;
  DeviceBuffer<float> pivots_;
  DeviceBuffer<Square> on_device_;
  TileSlot slots_[2];
  int turn_ = 0;
};

}  // namespace

void floyd_warshall_tiles(const Graph& graph, const PathOptions& options, int each,
                          std::span<float> lower) {
  Session session(options.exec);
  detail::set_lower(graph, options.exec, lower);
  {
    TiledClosing closing(graph.nodes(), each, options.exec, session.stream());
    closing.run(lower);
  }
  session.must_wait();
  session.finish(kWhat);
}

}  // namespace fovea::cuda
