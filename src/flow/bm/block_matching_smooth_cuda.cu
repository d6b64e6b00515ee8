// Fields of block matching on CUDA: filling in what is not reliable, the median, doubt, and the way
// to pixels. Each is one launch, a thread a node or a pixel; neighbours come from shared memory.
#include "flow/bm/block_matching_cuda.cuh"

namespace fovea::flow::cuda {
namespace {

using fovea::cuda::block_row;
using fovea::cuda::blocks_for;
using fovea::cuda::check_launch;
using fovea::cuda::tall_grid;

constexpr struct {
  int block_x = 32, block_y = 8;  // a warp a row
} kTuning;
constexpr dim3 kThreads(kTuning.block_x, kTuning.block_y);
constexpr int kCount = kTuning.block_x * kTuning.block_y;

dim3 grid_over(int width, int height) {
  return tall_grid(blocks_for(width, kTuning.block_x), blocks_for(height, kTuning.block_y));
}
__device__ int2 place() {
  return {static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x),
          block_row() * static_cast<int>(blockDim.y) + static_cast<int>(threadIdx.y)};
}
__device__ int thread_index() {
  return static_cast<int>(threadIdx.y) * kTuning.block_x + static_cast<int>(threadIdx.x);
}
__device__ int kept(int i, int size) { return i < 0 ? 0 : (i < size ? i : size - 1); }

constexpr int kReach = 2;  // of the triangle
constexpr int kFillWidth = kTuning.block_x + 2 * kReach;
constexpr int kFillHeight = kTuning.block_y + 2 * kReach;

// Weights and weighted values of the nodes around, then their triangles down the columns.
struct FillRoom {
  float weighted[3][kFillHeight][kFillWidth];
  float down[3][kTuning.block_y][kFillWidth];
};

__global__ void fill_kernel(bm::NodeField from, bm::NodeField to) {
  __shared__ FillRoom room;
  const int2 at = place();
  const int x0 = static_cast<int>(blockIdx.x) * kTuning.block_x - kReach;
  const int y0 = block_row() * kTuning.block_y - kReach;
  for (int i = thread_index(); i < kFillWidth * kFillHeight; i += kCount) {
    const int column = i % kFillWidth, row = i / kFillWidth;
    const bm::Motion motion =
        bm::node_at(from, kept(x0 + column, from.u.width), kept(y0 + row, from.u.height));
    const float weight = bm::weight_of(motion.confidence);
    room.weighted[0][row][column] = weight;
    room.weighted[1][row][column] = weight * motion.u;
    room.weighted[2][row][column] = weight * motion.v;
  }
  __syncthreads();
  for (int i = thread_index(); i < kFillWidth * kTuning.block_y; i += kCount) {
    const int column = i % kFillWidth, row = i / kFillWidth;
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      const auto value = [&](int j) { return room.weighted[k][row + j][column]; };
      room.down[k][row][column] = bm::triangle(value(0), value(1), value(2), value(3), value(4));
    }
  }
  __syncthreads();
  if (at.x >= from.u.width || at.y >= from.u.height) return;
  const int column = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);
  float own[3], around[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) {
    const float* line = room.down[k][row] + column;
    own[k] = room.weighted[k][row + kReach][column + kReach];
    around[k] = bm::triangle(line[0], line[1], line[2], line[3], line[4]);
  }
  const bool known = from.confidence.at(at.x, at.y) >= 0;
  const float weight = own[0] + around[0];
  to.u.at(at.x, at.y) = known ? (own[1] + around[1]) / weight : 0.0F;
  to.v.at(at.x, at.y) = known ? (own[2] + around[2]) / weight : 0.0F;
}

constexpr int kMedianWidth = kTuning.block_x + 2, kMedianHeight = kTuning.block_y + 2;

// Nodes of which nothing is known do not vote.
__global__ void median_kernel(bm::NodeField from, bm::NodeField to) {
  __shared__ bm::Motion nodes[kMedianHeight][kMedianWidth];
  const int2 at = place();
  const int x0 = static_cast<int>(blockIdx.x) * kTuning.block_x - 1;
  const int y0 = block_row() * kTuning.block_y - 1;
  for (int i = thread_index(); i < kMedianWidth * kMedianHeight; i += kCount) {
    const int column = i % kMedianWidth, row = i / kMedianWidth;
    nodes[row][column] =
        bm::node_at(from, kept(x0 + column, from.u.width), kept(y0 + row, from.u.height));
  }
  __syncthreads();
  if (at.x >= from.u.width || at.y >= from.u.height) return;
  const int column = static_cast<int>(threadIdx.x), row = static_cast<int>(threadIdx.y);
  const bm::Motion centre = nodes[row + 1][column + 1];
  float u[9], v[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) {
    const bm::Motion motion = nodes[row + i / 3][column + i % 3];
    u[i] = motion.confidence >= 0 ? motion.u : centre.u;
    v[i] = motion.confidence >= 0 ? motion.v : centre.v;
  }
  to.u.at(at.x, at.y) = bm::median9(u);
  to.v.at(at.x, at.y) = bm::median9(v);
}

__global__ void doubt_kernel(bm::NodeField field, bm::NodeField back) {
  const int2 at = place();
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
  const int2 at = place();
  if (at.x >= raw.u.width || at.y >= raw.u.height) return;
  const bm::Motion motion = bm::node_at(raw, at.x, at.y);
  if (!(motion.confidence > 0)) return;
  raw.confidence.at(at.x, at.y) =
      bm::doubted(motion.confidence, motion.u - smoothed.u.at(at.x, at.y),
                  motion.v - smoothed.v.at(at.x, at.y));
}

__global__ void negate_kernel(bm::NodeField field) {
  const int2 at = place();
  if (at.x >= field.u.width || at.y >= field.u.height) return;
  field.u.at(at.x, at.y) = -field.u.at(at.x, at.y);
  field.v.at(at.x, at.y) = -field.v.at(at.x, at.y);
}

__global__ void spread_kernel(bm::NodeField field, ImageView<const std::uint8_t> valid,
                              FlowView out) {
  const int2 at = place();
  if (at.x >= out.u.width || at.y >= out.u.height) return;
  bm::Motion motion{0, 0, 0};
  if (valid.data == nullptr || valid.at(at.x, at.y) != 0)
    motion = bm::field_at(field, static_cast<float>(at.x), static_cast<float>(at.y));
  out.u.at(at.x, at.y) = motion.u;
  out.v.at(at.x, at.y) = motion.v;
  if (out.confidence.data != nullptr)
    out.confidence.at(at.x, at.y) = motion.confidence > 0 ? motion.confidence : 0.0F;
}

}  // namespace

void smooth_blocks(const bm::NodeField& field, const bm::NodeField& work, cudaStream_t stream) {
  const dim3 grid = grid_over(field.u.width, field.u.height);
  fill_kernel<<<grid, kThreads, 0, stream>>>(field, work);
  check_launch("filling in a flow");
  const bm::NodeField filled{work.u, work.v, field.confidence, field.step};
  median_kernel<<<grid, kThreads, 0, stream>>>(filled, field);
  check_launch("median of a flow");
}

void doubt_blocks(const bm::NodeField& field, const bm::NodeField& back, cudaStream_t stream) {
  doubt_kernel<<<grid_over(field.u.width, field.u.height), kThreads, 0, stream>>>(field, back);
  check_launch("doubting a flow");
}

void doubt_smoothed(const bm::NodeField& raw, const bm::NodeField& smoothed, cudaStream_t stream) {
  doubt_smoothed_kernel<<<grid_over(raw.u.width, raw.u.height), kThreads, 0, stream>>>(raw,
                                                                                       smoothed);
  check_launch("doubting a flow");
}

void negate_blocks(const bm::NodeField& field, cudaStream_t stream) {
  negate_kernel<<<grid_over(field.u.width, field.u.height), kThreads, 0, stream>>>(field);
  check_launch("turning a flow round");
}

void spread_blocks(const bm::NodeField& field, ImageView<const std::uint8_t> valid,
                   const FlowView& out, cudaStream_t stream) {
  spread_kernel<<<grid_over(out.u.width, out.u.height), kThreads, 0, stream>>>(field, valid, out);
  check_launch("a flow of pixels");
}

}  // namespace fovea::flow::cuda
