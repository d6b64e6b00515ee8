// Fields of block matching on CUDA: filling in unreliable nodes, the median, lowered confidences,
// and interpolation to pixels. Each is one launch with one thread per node or pixel; neighbors come
// from shared memory.
#include "core/launch.cuh"
#include "flow/bm/block_matching_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::block_row;
using fovea::cuda::check;
using fovea::cuda::check_launch;
using fovea::cuda::grid_over;
using fovea::cuda::thread_place;

constexpr struct {
  int block_x = 32, block_y = 8;  // one warp per row
} kTuning;
constexpr dim3 kThreads(kTuning.block_x, kTuning.block_y);
constexpr int kCount = kTuning.block_x * kTuning.block_y;

__device__ int thread_index() {
  return static_cast<int>(threadIdx.y) * kTuning.block_x + static_cast<int>(threadIdx.x);
}
__device__ int kept(int i, int size) { return i < 0 ? 0 : (i < size ? i : size - 1); }

constexpr int kReach = 2;  // reach of the triangle
// The nodes whose filled-in values the median reads, and the nodes that these read in turn.
constexpr int kFilledWidth = kTuning.block_x + 2, kFilledHeight = kTuning.block_y + 2;
constexpr int kWidth = kFilledWidth + 2 * kReach, kHeight = kFilledHeight + 2 * kReach;

// The weights and weighted values of the nodes around, their triangles down the columns, and the
// results.
struct SmoothRoom {
  float weighted[3][kHeight][kWidth];
  float down[3][kFilledHeight][kWidth];
  float u[kFilledHeight][kFilledWidth], v[kFilledHeight][kFilledWidth];
};

__device__ void fill_in(SmoothRoom& room, int column, int row) {
  float own[3], around[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const float* line = room.down[k][row] + column;
    own[k] = room.weighted[k][row + kReach][column + kReach];
    around[k] = bm::triangle(line[0], line[1], line[2], line[3], line[4]);
  }
  const bool known = own[0] > 0;
  const float weight = own[0] + around[0];
  room.u[row][column] = known ? (own[1] + around[1]) / weight : 0.0F;
  room.v[row][column] = known ? (own[2] + around[2]) / weight : 0.0F;
}

// Unreliable nodes take the flow of reliable neighbors, and then a median removes outliers. Nodes
// about which nothing is known do not vote.
__global__ void smooth_kernel(bm::NodeField from, bm::NodeField to) {
  __shared__ SmoothRoom room;
  const int2 at = thread_place();
  const int x0 = static_cast<int>(blockIdx.x) * kTuning.block_x - 1;
  const int y0 = block_row() * kTuning.block_y - 1;
  const int width = from.u.width, height = from.u.height;
  for (int i = thread_index(); i < kWidth * kHeight; i += kCount) {
    const int column = i % kWidth, row = i / kWidth;
    const bm::Motion motion =
        bm::node_at(from, kept(x0 - kReach + column, width), kept(y0 - kReach + row, height));
    const float weight = bm::weight_of(motion.confidence);
    room.weighted[0][row][column] = weight;
    room.weighted[1][row][column] = weight * motion.u;
    room.weighted[2][row][column] = weight * motion.v;
  }
  __syncthreads();
  for (int i = thread_index(); i < kWidth * kFilledHeight; i += kCount) {
    const int column = i % kWidth, row = i / kWidth;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const auto value = [&](int j) { return room.weighted[k][row + j][column]; };
      room.down[k][row][column] = bm::triangle(value(0), value(1), value(2), value(3), value(4));
    }
  }
  __syncthreads();
  for (int i = thread_index(); i < kFilledWidth * kFilledHeight; i += kCount)
    fill_in(room, i % kFilledWidth, i / kFilledWidth);
  __syncthreads();
  if (at.x >= width || at.y >= height) return;
  const int column = at.x - x0, row = at.y - y0;
  float u[9], v[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    const int x = kept(at.x + i % 3 - 1, width) - x0, y = kept(at.y + i / 3 - 1, height) - y0;
    const bool known = room.weighted[0][y + kReach][x + kReach] > 0;
    u[i] = known ? room.u[y][x] : room.u[row][column];
    v[i] = known ? room.v[y][x] : room.v[row][column];
  }
  to.u.at(at.x, at.y) = bm::median9(u);
  to.v.at(at.x, at.y) = bm::median9(v);
}

__global__ void doubt_kernel(bm::NodeField field, bm::NodeField back) {
  const int2 at = thread_place();
  if (at.x >= field.u.width || at.y >= field.u.height) return;
  const bm::Motion motion = bm::node_at(field, at.x, at.y);
  if (!(motion.confidence > 0)) return;
  const bm::Layout layout = bm::layout_of(1, field.step);
  const bm::Motion returned =
      bm::field_at(back, layout.middle(at.x) + motion.u, layout.middle(at.y) + motion.v);
  field.confidence.at(at.x, at.y) =
      bm::doubted(motion.confidence, motion.u + returned.u, motion.v + returned.v);
}

__global__ void doubt_smoothed_kernel(bm::NodeField raw, bm::NodeField smoothed) {
  const int2 at = thread_place();
  if (at.x >= raw.u.width || at.y >= raw.u.height) return;
  const bm::Motion motion = bm::node_at(raw, at.x, at.y);
  if (!(motion.confidence > 0)) return;
  raw.confidence.at(at.x, at.y) =
      bm::doubted(motion.confidence, motion.u - smoothed.u.at(at.x, at.y),
                  motion.v - smoothed.v.at(at.x, at.y));
}

__global__ void negate_kernel(bm::NodeField field) {
  const int2 at = thread_place();
  if (at.x >= field.u.width || at.y >= field.u.height) return;
  field.u.at(at.x, at.y) = -field.u.at(at.x, at.y);
  field.v.at(at.x, at.y) = -field.v.at(at.x, at.y);
}

__global__ void spread_kernel(bm::NodeField field, ImageView<const std::uint8_t> valid,
                              bool interpolate, FlowView out) {
  const int2 at = thread_place();
  if (at.x >= out.u.width || at.y >= out.u.height) return;
  bm::Motion motion{0, 0, 0};
  if (valid.data == nullptr || valid.at(at.x, at.y) != 0)
    motion = interpolate ? bm::field_at(field, static_cast<float>(at.x), static_cast<float>(at.y))
                         : bm::node_at(field, min(at.x / field.step, field.u.width - 1),
                                       min(at.y / field.step, field.u.height - 1));
  out.u.at(at.x, at.y) = motion.u;
  out.v.at(at.x, at.y) = motion.v;
  if (out.confidence.data != nullptr)
    out.confidence.at(at.x, at.y) = motion.confidence > 0 ? motion.confidence : 0.0F;
}

}  // namespace

void copy_plane(const ImageView<float>& from, const ImageView<float>& to, cudaStream_t stream) {
  check(cudaMemcpy2DAsync(to.data, static_cast<std::size_t>(to.stride) * sizeof(float), from.data,
                          static_cast<std::size_t>(from.stride) * sizeof(float),
                          static_cast<std::size_t>(from.width) * sizeof(float),
                          static_cast<std::size_t>(from.height), cudaMemcpyDeviceToDevice, stream),
        "copying a field");
}

void smooth_blocks(const bm::NodeField& field, const bm::NodeField& work, int passes,
                   cudaStream_t stream) {
  const dim3 grid = grid_over(field.u.width, field.u.height, kThreads);
  const bm::NodeField fields[2] = {field, {work.u, work.v, field.confidence, field.step}};
  for (int k = 0; k < passes; ++k) {
    smooth_kernel<<<grid, kThreads, 0, stream>>>(fields[k % 2], fields[(k + 1) % 2]);
    check_launch("smoothing a flow");
  }
  if (passes % 2 == 0) return;
  copy_plane(work.u, field.u, stream);
  copy_plane(work.v, field.v, stream);
}

void doubt_blocks(const bm::NodeField& field, const bm::NodeField& back, cudaStream_t stream) {
  doubt_kernel<<<grid_over(field.u.width, field.u.height, kThreads), kThreads, 0, stream>>>(field,
                                                                                            back);
  check_launch("doubting a flow");
}

void doubt_smoothed(const bm::NodeField& raw, const bm::NodeField& smoothed, cudaStream_t stream) {
  doubt_smoothed_kernel<<<grid_over(raw.u.width, raw.u.height, kThreads), kThreads, 0, stream>>>(
      raw, smoothed);
  check_launch("doubting a flow");
}

void negate_blocks(const bm::NodeField& field, cudaStream_t stream) {
  negate_kernel<<<grid_over(field.u.width, field.u.height, kThreads), kThreads, 0, stream>>>(field);
  check_launch("turning a flow round");
}

void spread_blocks(const bm::NodeField& field, ImageView<const std::uint8_t> valid,
                   bool interpolate, const FlowView& out, cudaStream_t stream) {
  spread_kernel<<<grid_over(out.u.width, out.u.height, kThreads), kThreads, 0, stream>>>(
      field, valid, interpolate, out);
  check_launch("a flow of pixels");
}

}  // namespace fovea::flow::cuda
