// Min-plus products in one launch, with tiles of 64 x 128 per block, and a measurement of the
// greatest speed of their steps on a machine.
#include <fovea/core/exec.h>

#include "ops/shortest_paths/min_plus.h"
#include "ops/shortest_paths/products.cuh"

namespace fovea::cuda {
namespace {

using Tile64 = Tile<2>;

constexpr struct {
  unsigned peak_block = 256;
  int peak_blocks = 4;   // blocks per multiprocessor
  int peak_chains = 16;  // chains per thread
} kTuning;

// The numbers of a tile before they are written. The pitch is odd, so that rows and columns are
// both read without bank conflicts.
constexpr int kPitch = Tile64::kColumns + 1;
static_assert(sizeof(float) * Tile64::kRows * kPitch <= Tile64::kBytes);

// Writes row by row or column by column, so that neighbors are stored together.
__device__ void write_rows(const Product& product, const ProductTile& tile, const int* found) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int i = static_cast<int>(threadIdx.x) / 32; i < Tile64::kRows; i += Tile64::kThreads / 32) {
    const int row = tile.row + i;
    if (row >= product.rows) return;
    const int to_row = product.to_rows != nullptr ? product.to_rows[row] : row;
    if (to_row < 0) continue;
    const float* least = product.least.data != nullptr ? product.least.row(row) : nullptr;
    float* to = product.to + to_row * product.to_pitch;
    for (int j = lane; j < Tile64::kColumns && tile.column + j < product.columns; j += 32) {
      const int column = tile.column + j;
      const int to_column = product.to_columns != nullptr ? product.to_columns[column] : column;
      if (to_column < 0) continue;
      float value = __int_as_float(found[i * kPitch + j]);
      if (least != nullptr && least[column] < value) value = least[column];
      to[to_column] = value > product.cutoff ? __int_as_float(kInfiniteBits) : value;
    }
  }
}
__device__ void write_mirrored(const Product& product, const ProductTile& tile, const int* found) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  for (int j = static_cast<int>(threadIdx.x) / 32; j < Tile64::kColumns;
       j += Tile64::kThreads / 32) {
    const int column = tile.column + j;
    if (column >= product.columns) return;
    const int to_row = product.to_columns != nullptr ? product.to_columns[column] : column;
    if (to_row < 0) continue;
    float* to = product.to + to_row * product.to_pitch;
    for (int i = lane; i < Tile64::kRows && tile.row + i < product.rows; i += 32) {
      const int row = tile.row + i;
      const int to_column = product.to_rows != nullptr ? product.to_rows[row] : row;
      if (to_column < 0) continue;
      const float value = __int_as_float(found[i * kPitch + j]);
      to[to_column] = value > product.cutoff ? __int_as_float(kInfiniteBits) : value;
    }
  }
}

__device__ Strip moved(const Strip& strip, int columns) {
  return {strip.data + columns, strip.pitch, strip.list};
}

__global__ void __launch_bounds__(Tile64::kThreads, 3)
    products_kernel(const Product* products, const ProductTile* tiles) {
  extern __shared__ float4 shared_memory[];
  const ProductTile tile = tiles[blockIdx.x];
  const Product& product = products[tile.product];
  Tile64::Least least;
  least.clear();
  for (int pair = 0; pair < product.pairs; ++pair)
    Tile64::accumulate(reinterpret_cast<Tile64::Stage*>(shared_memory),
                       moved(product.a[pair], tile.row), moved(product.b[pair], tile.column), 0,
                       product.depth, least);
  auto* found = reinterpret_cast<int*>(shared_memory);
#pragma unroll
  for (int i = 0; i < Tile64::kMine; ++i)
#pragma unroll
    for (int j = 0; j < Tile64::kMine; ++j)
      found[Tile64::row(i) * kPitch + Tile64::column(j)] = least.bits[i][j];
  __syncthreads();
  if (product.straight) write_rows(product, tile, found);
  if (product.mirrored) write_mirrored(product, tile, found);
}

__global__ void peak_kernel(std::int64_t rounds, float term, float* never_written) {
  int chains[kTuning.peak_chains];
#pragma unroll
  for (int i = 0; i < kTuning.peak_chains; ++i)
    chains[i] = bits_of(static_cast<float>(threadIdx.x) + static_cast<float>(i));
  float grown = term;
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kTuning.peak_chains; ++i)
      chains[i] = __vimin3_s32(chains[i], bits_of(grown + static_cast<float>(i)),
                               bits_of(term + __int_as_float(chains[i])));
    grown = __int_as_float(chains[0]);
  }
  int all = chains[0];
#pragma unroll
  for (int i = 1; i < kTuning.peak_chains; ++i) all = min(all, chains[i]);
  if (all == -1) *never_written = 1;
}

}  // namespace

void Products::add(const Product& product) {
  const auto number = static_cast<std::int32_t>(products_.size());
  for (int row = 0; row < product.rows; row += Tile64::kRows)
    for (int column = 0; column < product.columns; column += Tile64::kColumns)
      tiles_.push_back({number, row, column});
  products_.push_back(product);
}

void Products::run(cudaStream_t stream) const {
  if (tiles_.empty()) return;
  DeviceBuffer<Product> products(products_.size(), stream);
  DeviceBuffer<ProductTile> tiles(tiles_.size(), stream);
  products.fill(products_.data());
  tiles.fill(tiles_.data());
  allow_shared(products_kernel, Tile64::kBytes, "min-plus products");
  launch(products_kernel,
         {dim3(static_cast<unsigned>(tiles_.size())), static_cast<unsigned>(Tile64::kThreads),
          Tile64::kBytes, stream, "min-plus products"},
         products.data(), tiles.data());
}

double min_plus_steps(std::int64_t rounds, const Exec& exec) {
  Session session(exec);
  int units = 0;
  check(cudaDeviceGetAttribute(&units, cudaDevAttrMultiProcessorCount, exec.device.index),
        "multiprocessors");
  const auto blocks = static_cast<unsigned>(units * kTuning.peak_blocks);
  launch(peak_kernel, {dim3(blocks), kTuning.peak_block, 0, session.stream(), "min-plus steps"},
         rounds, 1.F, nullptr);
  session.finish("min-plus steps");
  return 2.0 * kTuning.peak_chains * kTuning.peak_block * static_cast<double>(blocks) *
         static_cast<double>(rounds);
}

}  // namespace fovea::cuda
