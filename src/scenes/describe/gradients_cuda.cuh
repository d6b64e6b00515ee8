// Gradient words of places: a warp describes four places at a time, from the planes of directions
// that descriptors_gradients_cuda.cu computes. The arithmetic is that of gradient_words_math.h.
#pragma once
#include "scenes/describe/filters_cuda.cuh"
#include "scenes/describe/gradient_words_math.h"

namespace fovea::scenes::cuda {

// Planes of directions of all images, plane after plane; the eight directions of a pixel are
// neighbors.
struct DirectionPlanes {
  const float* cells;
  std::int64_t pixels;  // pixels per plane
};

template <Color kPlaceColor, int kTilePoints, int kBlockThreads>
struct Gradients {
  using Tiles = RunTiles<kTilePoints>;
  struct Job {
    DirectionPlanes planes;
    const float* scale;
    const float* offset;
  };
  static constexpr int kPlanes = kPlanesOf<kPlaceColor>;
  static constexpr int kDimensions = kGradientNumbers * kPlanes;
  static constexpr int kThreads = kBlockThreads;
  static constexpr int kPoints = kTilePoints;
  static constexpr int kStride = point_stride(kDimensions);
  static constexpr int kWorkFloats = 0;
  static constexpr int kTogether = 32 / kDirections;

  __device__ static void describe(const Job& job, const GridEntry& entry, TileNumber tile,
                                  float* points, float*) {
    constexpr int kWarps = kThreads / 32;
    static_assert(kPoints % (kTogether * kWarps) == 0);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    for (int first = warp * kTogether; first < kPoints; first += kWarps * kTogether) {
      for (int plane = 0; plane < kPlanes; ++plane) {
        float* to = points + first * kStride + plane * kGradientNumbers;
        for (int i = 0; i < kTogether; ++i)
          gather(job, entry, tile.of_grid, first + i, plane, to + i * kStride);
        __syncwarp();
        normalize(job, plane, to);
        __syncwarp();
      }
    }
    __syncthreads();
  }

 private:
  // Half of a cell's directions per lane.
  __device__ static void gather(const Job& job, const GridEntry& entry, std::int32_t tile,
                                int point, int plane, float* to) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    float4 votes = make_float4(0, 0, 0, 0);
    int column = 0, row = 0;
    if (Tiles::place(entry.grid, tile, point, column, row)) {
      const ListedPlace place = place_at(entry, column, row);
      const int across = lane / 2 % kCellsAcross, down = lane / 2 / kCellsAcross;
      const int x = cell_middle(place.x, across, entry.grid.cell) + entry.margin,
                y = cell_middle(place.y, down, entry.grid.cell) + entry.margin;
      const std::int64_t pixel = plane * job.planes.pixels + entry.planes +
                                 std::int64_t{y} * (entry.width + 2 * entry.margin) + x;
      votes = reinterpret_cast<const float4*>(job.planes.cells)[pixel * 2 + lane % 2];
      const float weight = cell_weight(across, down);
      votes = make_float4(votes.x * weight, votes.y * weight, votes.z * weight, votes.w * weight);
    }
    reinterpret_cast<float4*>(to)[lane] = votes;
  }

  // One direction of one of the places per lane.
  __device__ static void normalize(const Job& job, int plane, float* points) {
    const int lane = static_cast<int>(threadIdx.x) % 32, direction = lane % kDirections;
    float* numbers = points + lane / kDirections * kStride + direction;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < kGradientCells; ++i)
      sum = fmaf(numbers[i * kDirections], numbers[i * kDirections], sum);
    const float squares = of_directions(sum);
    const float first = first_scale(squares);
    float shares[kGradientCells];
    sum = 0;
#pragma unroll
    for (int i = 0; i < kGradientCells; ++i) {
      shares[i] = clipped_share(numbers[i * kDirections], first);
      sum = fmaf(shares[i], shares[i], sum);
    }
    const float clipped_squares = of_directions(sum);
    const bool again = has_contrast(squares);
    const float second = again ? second_scale(clipped_squares) : 1.0F;
    const int number = plane * kGradientNumbers + direction;
#pragma unroll
    for (int i = 0; i < kGradientCells; ++i)
      numbers[i * kDirections] =
          standardized(again ? shares[i] * second : shares[i], job.scale[number + i * kDirections],
                       job.offset[number + i * kDirections]);
  }
  __device__ static float of_directions(float sum) {
    float sums[kDirections];
#pragma unroll
    for (int i = 0; i < kDirections; ++i) sums[i] = __shfl_sync(~0U, sum, i, kDirections);
    return sum_of_directions(sums);
  }
};

}  // namespace fovea::scenes::cuda
