// Kernels of soft, vlad and fisher coding: one sums up places, some per block at a time, and one
// makes features of the sums. The arithmetic is that of coding_math.h.
#pragma once
#include <cstdint>

#include "core/on_device.cuh"
#include "scenes/describe/tile_math.h"
#include "scenes/words/code_room_math.h"
#include "scenes/words/coding_math.h"
#include "scenes/words/features_math.h"

namespace fovea::scenes::cuda {

constexpr int kCodeThreads = 128;
constexpr int kCodeOutputs = 64;  // that threads compute next to each other

// How a block holds its places, of which there are at most as many as a mask of a word has bits.
// Sums are whole numbers, so that their bits do not depend on it.
template <int kTilePlaces>
struct CodeTile {
  static constexpr int kPlaces = kTilePlaces;
  static constexpr int kEach = kPlaces / (kCodeThreads / kCodeOutputs);  // places of a thread
  // Floats from one plane of places to the next in shared memory: multiples of four for planes that
  // are read by four, an odd number for those that are read place by place.
  static constexpr int kPitch = code_pitch(kPlaces), kScorePitch = code_score_pitch(kPlaces);
  static_assert(kPlaces <= 32 && kEach % 4 == 0 && kPitch % 4 == 0 && kScorePitch % 2 == 1);
};

// Linear functions on the device (LinearMap).
struct MapView {
  int inputs, outputs;
  const float* factors;
  const float* bias;
};

// Some lines of a grid whose descriptors are in memory.
struct CodeEntry {
  PlaceGrid grid;
  int width, height;  // of the image
  std::int64_t row;   // its first descriptor
  std::int64_t sums;  // where the sums of its image begin
};

struct CodeJob {
  const float* descriptors;
  std::ptrdiff_t stride;
  const CodeEntry* entries;
  const std::int32_t* firsts;  // the first tile of each entry, and the end
  int count;
  CodeShape shape;
  int pyramid;
  MapView projection, scores;
  unsigned long long* sums;  // whole numbers with a sign, added modulo 2^64
};

// Values of linear functions of the places of a tile. `in` has one plane of places per input;
// put(j, place, value) takes the values. With kSquares the inputs are followed by their squares.
template <class Tile, bool kSquares, class Put>
__device__ inline void map_places(const MapView& map, const float* in, const Put& put) {
  constexpr int kEach = Tile::kEach;
  const int part = static_cast<int>(threadIdx.x) / kCodeOutputs * kEach;
  const int numbers = kSquares ? map.inputs / 2 : map.inputs;
  for (int j = static_cast<int>(threadIdx.x) % kCodeOutputs; j < map.outputs; j += kCodeOutputs) {
    float values[kEach];
#pragma unroll
    for (int p = 0; p < kEach; ++p) values[p] = map.bias[j];
#pragma unroll
    for (int power = 0; power < (kSquares ? 2 : 1); ++power) {
      const float* factors =
          map.factors + static_cast<std::ptrdiff_t>(power) * numbers * map.outputs;
      for (int i = 0; i < numbers; ++i) {
        const float factor = factors[static_cast<std::ptrdiff_t>(i) * map.outputs + j];
        const float* x = in + i * Tile::kPitch + part;
#pragma unroll
        for (int p = 0; p < kEach; ++p) {
          const float input = power == 0 ? x[p] : x[p] * x[p];
          values[p] = std::fma(input, factor, values[p]);
        }
      }
    }
#pragma unroll
    for (int p = 0; p < kEach; ++p) put(j, part + p, values[p]);
  }
}

__device__ inline void add_sum(unsigned long long* to, std::int64_t value) {
  atomicAdd(to, static_cast<unsigned long long>(value));
}

// Adds the places of a word in their order; add(cell, place) adds one, flush(cell) ends a run of
// places in the same cell.
template <class Add, class Flush>
__device__ inline void for_each_run(unsigned mask, const int* cells, const Add& add,
                                    const Flush& flush) {
  int cell = -1;
  for (; mask != 0; mask &= mask - 1) {
    const int place = __ffs(static_cast<int>(mask)) - 1;
    if (cells[place] != cell) {
      if (cell >= 0) flush(cell);
      cell = cells[place];
    }
    add(place);
  }
  if (cell >= 0) flush(cell);
}

template <class Tile>
__device__ inline void add_tile(const CodeJob& job, std::int64_t image, const float* weights,
                                const float* numbers, const unsigned* masks, const int* cells) {
  const CodeShape& shape = job.shape;
  const std::int64_t cell_sums = shape.sums();
  unsigned long long* sums = job.sums + image;
  for (int k = static_cast<int>(threadIdx.x); k < shape.words; k += kCodeThreads) {
    std::int64_t sum = 0;
    for_each_run(
        masks[k], cells,
        [&](int place) {
          sum += static_cast<std::int64_t>(weights[k * Tile::kScorePitch + place]);
        },
        [&](int cell) {
          add_sum(sums + cell * cell_sums + k, sum);
          sum = 0;
        });
  }
  if (shape.coding == Coding::kSoft) return;
  const bool squares = shape.coding == Coding::kFisher;
  const int moments = shape.words * shape.components;
  for (int i = static_cast<int>(threadIdx.x); i < moments; i += kCodeThreads) {
    const int k = i / shape.components, j = i % shape.components;
    std::int64_t first = 0, second = 0;
    for_each_run(
        masks[k], cells,
        [&](int place) {
          const int weight = static_cast<int>(weights[k * Tile::kScorePitch + place]);
          const int units = static_cast<int>(numbers[j * Tile::kPitch + place] * kCodeUnit);
          first += weight * units;
          second += std::int64_t{weight} * (units * units);
        },
        [&](int cell) {
          unsigned long long* to = sums + cell * cell_sums + shape.words + i;
          add_sum(to, first);
          if (squares) add_sum(to + moments, second);
          first = second = 0;
        });
  }
}

template <class Tile>
__global__ void __launch_bounds__(kCodeThreads) code_kernel(const CodeJob job) {
  constexpr int kPlaces = Tile::kPlaces, kPitch = Tile::kPitch, kScorePitch = Tile::kScorePitch;
  extern __shared__ float4 shared[];
  const CodeShape& shape = job.shape;
  auto* points = reinterpret_cast<float*>(shared);  // later scores and weights
  const CodeRoom room = code_room(shape, job.projection.inputs, kPlaces);
  float* numbers = points + room.numbers;
  auto* masks = reinterpret_cast<unsigned*>(points + room.masks);
  auto* cells = reinterpret_cast<int*>(points + room.cells);

  const auto tile = static_cast<std::int32_t>(blockIdx.x);
  const int found = run_of(job.firsts, job.count, tile);
  const CodeEntry entry = job.entries[found];
  const std::int32_t of_entry = tile - job.firsts[found];
  const std::int64_t first = std::int64_t{of_entry} * kPlaces;
  const std::int64_t left = std::int64_t{entry.grid.columns} * entry.grid.rows - first;
  const int count = left < kPlaces ? static_cast<int>(left) : kPlaces;

  const auto thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < job.projection.inputs * kPlaces; i += kCodeThreads) {
    const int place = i / job.projection.inputs, number = i % job.projection.inputs;
    const std::int64_t row = entry.row + first + (place < count ? place : count - 1);
    points[number * kPitch + place] = job.descriptors[row * job.stride + number];
  }
  if (thread < kPlaces) {
    int column = 0, row = 0;
    const bool inside = RunTiles<kPlaces>::place(entry.grid, of_entry, thread, column, row);
    const int x =
        pyramid_cell(entry.grid.left + column * entry.grid.step, entry.width, job.pyramid);
    const int y = pyramid_cell(entry.grid.top + row * entry.grid.step, entry.height, job.pyramid);
    cells[thread] = inside ? (y << job.pyramid) + x : -1;
  }
  __syncthreads();
  map_places<Tile, false>(job.projection, points, [&](int j, int place, float value) {
    numbers[j * kPitch + place] = from_units(code_units(value));
  });
  __syncthreads();
  const auto put_score = [&](int k, int place, float value) {
    points[k * kScorePitch + place] = value;
  };
  if (shape.coding == Coding::kVlad) map_places<Tile, false>(job.scores, numbers, put_score);
  else map_places<Tile, true>(job.scores, numbers, put_score);
  __syncthreads();
  if (thread < kPlaces) weigh_words(shape.coding, points + thread, kScorePitch, shape.words);
  __syncthreads();
  for (int k = thread / 32; k < shape.words; k += kCodeThreads / 32) {
    const int place = thread % 32;
    const unsigned mask = __ballot_sync(~0U, place < count && points[k * kScorePitch + place] > 0);
    if (place == 0) masks[k] = mask;
  }
  __syncthreads();
  add_tile<Tile>(job, entry.sums, points, numbers, masks, cells);
}

struct CodeFinishJob {
  const unsigned long long* sums;
  CodeShape shape;
  int pyramid;
  CodeFactors factors;
  float* features;  // rows of images, without gaps
};

// One block of kCodePartial threads per image and cell of the pyramid.
__global__ void __launch_bounds__(kCodePartial) code_finish_kernel(const CodeFinishJob job) {
  __shared__ double partial[kCodePartial];
  __shared__ unsigned long long all;
  const auto thread = static_cast<int>(threadIdx.x);
  const int cells = pyramid_cells(job.pyramid);
  const auto image = static_cast<std::int64_t>(blockIdx.x) / cells;
  const int numbered = static_cast<int>(static_cast<std::int64_t>(blockIdx.x) % cells);
  const int level = numbered == 0 ? 0 : (numbered < pyramid_cells(1) ? 1 : 2);
  const int cell = numbered - pyramid_start(level), across = 1 << level;
  const int parts = 1 << (job.pyramid - level), side = 1 << job.pyramid;
  const std::int64_t cell_sums = job.shape.sums(), length = job.shape.length();
  const unsigned long long* finest = job.sums + image * side * side * cell_sums;
  const auto sum = [&](std::int64_t at) {
    unsigned long long result = 0;
    for (int part = 0; part < parts * parts; ++part) {
      const int x = cell % across * parts + part % parts, y = cell / across * parts + part / parts;
      result += finest[std::int64_t{y * side + x} * cell_sums + at];
    }
    return static_cast<std::int64_t>(result);
  };
  float* features = job.features + (image * cells + numbered) * length;
  if (job.shape.coding == Coding::kSoft) {
    if (thread == 0) all = 0;
    __syncthreads();
    unsigned long long own = 0;
    for (int i = thread; i < side * side * job.shape.words; i += kCodePartial)
      own += finest[i / job.shape.words * cell_sums + i % job.shape.words];
    atomicAdd(&all, own);
    __syncthreads();
    for (std::int64_t i = thread; i < length; i += kCodePartial)
      features[i] =
          feature_of(sum(i), static_cast<std::int64_t>(all), level_weight(level, job.pyramid));
    return;
  }
  double own = 0;
  for (std::int64_t i = thread; i < length; i += kCodePartial)
    own += std::fabs(code_value(job.shape, job.factors, i, sum));
  partial[thread] = own;
  __syncthreads();
  for (int width = kCodePartial / 2; width > 0; width /= 2) {
    if (thread < width) partial[thread] += partial[thread + width];
    __syncthreads();
  }
  const double total = partial[0];
  for (std::int64_t i = thread; i < length; i += kCodePartial)
    features[i] =
        code_feature(code_value(job.shape, job.factors, i, sum), total, cell_length(level));
}

}  // namespace fovea::scenes::cuda
