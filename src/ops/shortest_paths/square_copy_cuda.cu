// Copies squares of distances to the host, as rows or as half a matrix, which is packed on the
// device so that only half of the bytes are copied.
#include <algorithm>

#include "ops/shortest_paths/backend.h"
#include "ops/shortest_paths/host_pipe.cuh"
#include "ops/shortest_paths/min_plus_tile.cuh"
#include "ops/shortest_paths/squares.cuh"

namespace fovea::cuda {
namespace {

constexpr unsigned kThreads = 256;

// Rows from `first` on: the distances from each node a to the nodes up to a, one row after the
// other.
__global__ void pack_kernel(ImageView<const float> square, int first, float* to) {
  const std::int64_t row = first + static_cast<int>(blockIdx.x);
  const std::int64_t begin =
      row * (row + 1) / 2 - static_cast<std::int64_t>(first) * (first + 1) / 2;
  const float* from = square.data + row * square.stride;
  for (std::int64_t b = threadIdx.x; b <= row; b += blockDim.x) to[begin + b] = from[b];
}

std::int64_t triangle(std::int64_t rows) { return rows * (rows + 1) / 2; }

}  // namespace

void square_rows(ImageView<const float> square, const Exec& exec, detail::TakeRows take) {
  Session session(exec);
  const int nodes = square.width;
  const int rows = detail::piped_rows(nodes);
  HostPipe pipe(static_cast<std::size_t>(rows) * static_cast<std::size_t>(nodes), session.stream());
  const int pieces = (nodes + rows - 1) / rows;
  const auto count = [&](int piece) { return std::min(rows, nodes - piece * rows); };
  pipe.run(
      pieces,
      [&](int piece, int, float* to, cudaStream_t stream) {
        const std::size_t row_bytes = static_cast<std::size_t>(nodes) * sizeof(float);
        check(cudaMemcpy2DAsync(to, row_bytes, square.row(piece * rows),
                                static_cast<std::size_t>(square.stride) * sizeof(float), row_bytes,
                                static_cast<std::size_t>(count(piece)), cudaMemcpyDeviceToDevice,
                                stream),
              "copying distances");
        return static_cast<std::size_t>(count(piece)) * static_cast<std::size_t>(nodes);
      },
      [&](int piece, const float* from) {
        throw_if_stopped(exec);
        take({piece * rows, packed_view(from, nodes, count(piece), 1, Memory::kHost)});
      });
}

void square_lower(ImageView<const float> square, const Exec& exec, std::span<float> lower) {
  Session session(exec);
  const int nodes = square.width;
  const int rows = detail::piped_rows(nodes);
  HostPipe pipe(static_cast<std::size_t>(rows) * static_cast<std::size_t>(nodes), session.stream());
  const int pieces = (nodes + rows - 1) / rows;
  const auto begin = [&](int piece) { return triangle(std::min(nodes, piece * rows)); };
  pipe.run(
      pieces,
      [&](int piece, int, float* to, cudaStream_t stream) {
        const auto count = static_cast<unsigned>(std::min(rows, nodes - piece * rows));
        launch(pack_kernel, {dim3(count), kThreads, 0, stream, "packing distances"}, square,
               piece * rows, to);
        return static_cast<std::size_t>(begin(piece + 1) - begin(piece));
      },
      [&](int piece, const float* from) {
        constexpr std::int64_t kGrain = 1 << 18;
        parallel_for(exec, begin(piece + 1) - begin(piece), kGrain,
                     [&](std::int64_t first, std::int64_t end) {
                       std::copy(from + first, from + end, lower.data() + begin(piece) + first);
                     });
      });
}

}  // namespace fovea::cuda
