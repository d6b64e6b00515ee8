// Computes all distances over the parts of a plan (step 4 of path_plan.h), into a square or row by
// row.
#include <algorithm>

#include "ops/shortest_paths/at.h"
#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/host_pipe.cuh"
#include "ops/shortest_paths/parts.cuh"

namespace fovea::cuda {
namespace {

using detail::at;
using detail::PathPart;
using detail::PathPlan;

constexpr unsigned kThreads = 256;

Strip moved(const Strip& strip, int columns) {
  return {strip.data + columns, strip.pitch, strip.list};
}

// Some rows of a piece, ordered by part: the rows of one part are neighbors, and each part begins
// at a multiple of 4.
struct Slots {
  explicit Slots(const PathPlan& plan) : first(plan.parts.size() + 1) {}

  std::vector<std::int32_t> row;     // row of the piece for each slot; -1 for slots between parts
  std::vector<std::int32_t> column;  // column of the node
  std::vector<std::int32_t> own;     // number of the node in its part
  std::vector<std::int32_t> part;
  std::vector<int> first;  // first slot of each part
};

Slots slots_of(const PathPlan& plan, int first, int end) {
  constexpr std::size_t kAlign = 4;  // number of floats that are loaded together
  std::vector<std::vector<std::int32_t>> nodes(plan.parts.size());
  for (int node = first; node < end; ++node) nodes[at(plan.part_of[at(node)])].push_back(node);
  Slots slots(plan);
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    slots.first[p] = static_cast<int>(slots.row.size());
    const PathPart& part = plan.parts[p];
    for (const std::int32_t node : nodes[p]) {
      const std::int32_t own = plan.position_of[at(node)] - part.first;
      slots.row.push_back(node - first);
      slots.column.push_back(part.column + own);
      slots.own.push_back(own);
      slots.part.push_back(static_cast<std::int32_t>(p));
    }
    while (slots.row.size() % kAlign != 0) {
      slots.row.push_back(-1);
      slots.column.push_back(0);
      slots.own.push_back(0);
      slots.part.push_back(-1);
    }
  }
  slots.first.back() = static_cast<int>(slots.row.size());
  return slots;
}

// The columns of `far` that belong to the slots.
__global__ void far_slots_kernel(const float* far, std::int64_t far_pitch,
                                 const std::int32_t* columns, int slots, float* to,
                                 std::int64_t pitch) {
  for (int slot = static_cast<int>(threadIdx.x); slot < slots; slot += static_cast<int>(blockDim.x))
    to[blockIdx.x * pitch + slot] = far[blockIdx.x * far_pitch + columns[slot]];
}

struct SlotPart {
  Strip gates;  // distances inside the part
  int count;
};

// Distances from the gates of each slot's part.
__global__ void inside_slots_kernel(const SlotPart* parts, const std::int32_t* part_of,
                                    const std::int32_t* own, float* to, std::int64_t pitch) {
  const int slot = static_cast<int>(blockIdx.x);
  if (part_of[slot] < 0) return;
  const SlotPart part = parts[part_of[slot]];
  for (int k = static_cast<int>(threadIdx.x); k < part.count; k += static_cast<int>(blockDim.x))
    to[k * pitch + slot] = part.gates.row(k)[own[slot]];
}

// Computes pieces of rows.
class Pieces {
 public:
  Pieces(const PathPlan& plan, const PathOptions& options, const Parts& parts, int rows,
         cudaStream_t stream)
      : plan_(plan),
        parts_(parts),
        cutoff_(options.cutoff),
        pitch_(detail::slot_pitch(plan, rows)),
        room_{Room(plan, pitch_, stream), Room(plan, pitch_, stream)},
        slot_parts_(plan.parts.size(), stream) {
    std::vector<SlotPart> each;
    for (const PathPart& part : plan.parts) each.push_back({parts.gates_inside(part), part.gates});
    slot_parts_.fill(each.data());
  }

  void make(int first, int end, int room, float* to, cudaStream_t stream) {
    const Slots slots = slots_of(plan_, first, end);
    const Room& here = room_[room];
    const std::size_t count = slots.row.size();
    std::int32_t* row = here.lists.data();
    std::int32_t *column = row + pitch_, *own = column + pitch_, *part_of = own + pitch_;
    upload(row, slots.row.data(), count * sizeof(std::int32_t), stream);
    upload(column, slots.column.data(), count * sizeof(std::int32_t), stream);
    upload(own, slots.own.data(), count * sizeof(std::int32_t), stream);
    upload(part_of, slots.part.data(), count * sizeof(std::int32_t), stream);
    const auto pitch = static_cast<std::int64_t>(pitch_);
    const auto far_columns = static_cast<std::int64_t>(detail::far_pitch(plan_));
    launch(far_slots_kernel,
           {dim3(static_cast<unsigned>(plan_.gates)), kThreads, 0, stream, "rows of distances"},
           parts_.far(), far_columns, column, static_cast<int>(count), here.far.data(), pitch);
    launch(inside_slots_kernel,
           {dim3(static_cast<unsigned>(count)), kThreads / 8, 0, stream, "rows of distances"},
           slot_parts_.data(), part_of, own, here.inside.data(), pitch);

    Products products;
    const auto add = [&](Product product, const std::int32_t* rows, const std::int32_t* columns) {
      product.cutoff = cutoff_;
      product.to = to;
      product.to_pitch = plan_.nodes;
      product.to_rows = rows;
      product.to_columns = columns;
      products.add(product);
    };
    for (std::size_t p = 0; p < plan_.parts.size(); ++p) {
      const PathPart& part = plan_.parts[p];
      const int begin = slots.first[p], mine = slots.first[p + 1] - begin;
      Product earlier;  // from rows of earlier parts to the columns of this part
      earlier.a[0] = {here.far.data(), pitch, parts_.gate_numbers(part)};
      earlier.b[0] = parts_.gates_inside(part);
      earlier.rows = begin;
      earlier.columns = part.own;
      earlier.depth = part.gates;
      add(earlier, row, parts_.columns() + part.column);
      if (mine == 0) continue;
      Product later;  // from rows of this part to the columns of earlier parts
      later.a[0] = {here.inside.data() + begin, pitch, nullptr};
      later.b[0] = parts_.gates_far(part);
      later.rows = mine;
      later.columns = part.column;
      later.depth = part.gates;
      add(later, row + begin, parts_.columns());
      Product inside = later;
      inside.pairs = 2;
      inside.b[0] = moved(parts_.gates_far(part), part.column);
      inside.a[1] = {here.far.data() + begin, pitch, parts_.gate_numbers(part)};
      inside.b[1] = parts_.gates_inside(part);
      inside.columns = part.own;
      inside.least = parts_.inside(part);
      inside.least.list = own + begin;
      add(inside, row + begin, parts_.columns() + part.column);
    }
    products.run(stream);
  }

 private:
  struct Room {
    Room(const PathPlan& plan, std::size_t pitch, cudaStream_t stream)
        : far(pitch * at(plan.gates), stream),
          inside(pitch * at(detail::most_gates(plan)), stream),
          lists(4 * pitch, stream) {}
    DeviceBuffer<float> far;
    DeviceBuffer<float> inside;
    DeviceBuffer<std::int32_t> lists;
  };
  const PathPlan& plan_;
  const Parts& parts_;
  float cutoff_;
  std::size_t pitch_;
  Room room_[2];
  DeviceBuffer<SlotPart> slot_parts_;
};

}  // namespace

void partitioned(const PathPlan& plan, const PathOptions& options, ImageView<float> square) {
  Session session(options.exec);
  const Parts parts(plan, options.exec, session.stream());
  Products products;
  for (const PathPart& part : plan.parts) {
    Product product;
    product.a[0] = parts.gates_inside(part);
    product.b[0] = parts.gates_far(part);
    product.rows = part.own;
    product.columns = part.column;
    product.depth = part.gates;
    product.cutoff = options.cutoff;
    product.to = square.data;
    product.to_pitch = square.stride;
    product.to_rows = parts.nodes_of(part);
    product.to_columns = parts.columns();
    product.mirrored = true;
    products.add(product);
    product.pairs = 2;
    product.b[0] = product.a[1] = moved(parts.gates_far(part), part.column);
    product.b[1] = parts.gates_inside(part);
    product.least = parts.inside(part);
    product.columns = part.own;
    product.to_columns = parts.nodes_of(part);
    product.mirrored = false;
    products.add(product);
  }
  products.run(session.stream());
  session.must_wait();
  session.finish("distances over parts");
}

void partitioned_rows(const PathPlan& plan, const PathOptions& options, detail::TakeRows take) {
  Session session(options.exec);
  const Parts parts(plan, options.exec, session.stream());
  const int rows = detail::piped_rows(plan.nodes);
  Pieces pieces(plan, options, parts, rows, session.stream());
  HostPipe pipe(at(rows) * at(plan.nodes), session.stream());
  const int count = (plan.nodes + rows - 1) / rows;
  const auto end_of = [&](int piece) { return std::min(plan.nodes, (piece + 1) * rows); };
  pipe.run(
      count,
      [&](int piece, int slot, float* to, cudaStream_t stream) {
        pieces.make(piece * rows, end_of(piece), slot, to, stream);
        return at(end_of(piece) - piece * rows) * at(plan.nodes);
      },
      [&](int piece, const float* from) {
        throw_if_stopped(options.exec);
        take({piece * rows,
              packed_view(from, plan.nodes, end_of(piece) - piece * rows, 1, Memory::kHost)});
      });
  session.must_wait();
  session.finish("distances over parts");
}

}  // namespace fovea::cuda
