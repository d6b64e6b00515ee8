// Kernels that compute planes of directions for many images: pixels are smoothed down and across,
// and votes are shared down and across. A thread processes one pixel at a time.
#pragma once
#include "scenes/describe/describe_cuda.cuh"
#include "scenes/describe/gradient_words_math.h"

namespace fovea::scenes::cuda {
namespace {

constexpr int kPixelThreads = 256;

struct PlanesJob {
  GridTable table;
  const GradientScale* scale;
  const float* linear;
  std::int64_t pixels;  // pixels per plane, of all images
  float* line;          // planes of pixels: input and output of a step
  float* other;
  float4* votes;  // the same for directions
  float4* shared;
};

// One pixel of one image, for this thread.
struct PixelPlace {
  const GridEntry* entry;
  int x, y;            // counted from the image's first pixel; the margin lies beyond
  std::int64_t index;  // index among the pixels of all images
};
// Calls body(place) for this thread's pixels.
template <class Body>
__device__ void each_pixel(const PlanesJob& job, const Body& body) {
  for (TileWalk walk(job.table, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x));
       walk.more(); walk.next()) {
    const GridEntry entry = walk.entry();
    const int width = entry.width + 2 * entry.margin, height = entry.height + 2 * entry.margin;
    const std::int64_t pixel =
        std::int64_t{walk.tile()} * kPixelThreads + static_cast<int>(threadIdx.x);
    if (pixel >= std::int64_t{width} * height) continue;
    body(PixelPlace{&entry, static_cast<int>(pixel % width) - entry.margin,
                    static_cast<int>(pixel / width) - entry.margin, entry.planes + pixel});
  }
}

template <Color kColor>
__global__ void pixels_kernel(PlanesJob job) {
  each_pixel(job, [&](const PixelPlace& at) {
    float planes[kPlanesOf<kColor>];
    read_pixel<kColor>(*at.entry, at.x, at.y, job.linear, planes);
    for (int plane = 0; plane < kPlanesOf<kColor>; ++plane)
      job.line[plane * job.pixels + at.index] = planes[plane];
  });
}

// The index of the pixel k farther along, or of the border pixel.
template <bool kDown>
__device__ std::int64_t along(const PixelPlace& at, int k) {
  if (!kDown) return at.index + (clamp_index(at.x + k, at.entry->width) - at.x);
  const int width = at.entry->width + 2 * at.entry->margin;
  return at.index + std::int64_t{clamp_index(at.y + k, at.entry->height) - at.y} * width;
}

template <bool kDown, int kPlanes>
__global__ void smooth_kernel(PlanesJob job) {
  const float* from = kDown ? job.line : job.other;
  float* to = kDown ? job.other : job.line;
  each_pixel(job, [&](const PixelPlace& at) {
    for (int plane = 0; plane < kPlanes; ++plane) {
      const float* line = from + plane * job.pixels;
      to[plane * job.pixels + at.index] =
          symmetric_sum([&](int k) { return line[along<kDown>(at, k)]; }, job.scale->smooth,
                        job.scale->smooth_reach);
    }
  });
}

template <int kPlanes>
__global__ void votes_kernel(PlanesJob job) {
  each_pixel(job, [&](const PixelPlace& at) {
    for (int plane = 0; plane < kPlanes; ++plane) {
      const float* line = job.line + plane * job.pixels;
      const DirectionVotes votes =
          direction_votes(line[along<false>(at, 1)] - line[along<false>(at, -1)],
                          line[along<true>(at, 1)] - line[along<true>(at, -1)]);
      float4* to = job.votes + (plane * job.pixels + at.index) * 2;
      to[0] = make_float4(votes.of[0], votes.of[1], votes.of[2], votes.of[3]);
      to[1] = make_float4(votes.of[4], votes.of[5], votes.of[6], votes.of[7]);
    }
  });
}

// Half of the directions of a pixel.
template <bool kDown>
__device__ float4 share(const PixelPlace& at, const float4* votes, const GradientScale& scale) {
  const float* weights = kDown ? scale.share_down : scale.share_across;
  float4 sum = votes[along<kDown>(at, 0) * 2];
  sum = make_float4(sum.x * weights[0], sum.y * weights[0], sum.z * weights[0], sum.w * weights[0]);
#pragma unroll 2
  for (int k = 1; k < scale.cell; ++k) {
    const float4 before = votes[along<kDown>(at, -k) * 2], after = votes[along<kDown>(at, k) * 2];
    const float weight = weights[k];
    sum.x = fmaf(before.x + after.x, weight, sum.x);
    sum.y = fmaf(before.y + after.y, weight, sum.y);
    sum.z = fmaf(before.z + after.z, weight, sum.z);
    sum.w = fmaf(before.w + after.w, weight, sum.w);
  }
  return sum;
}
template <bool kDown, int kPlanes>
__global__ void share_kernel(PlanesJob job) {
  const float4* from = kDown ? job.votes : job.shared;
  float4* to = kDown ? job.shared : job.votes;
  each_pixel(job, [&](const PixelPlace& at) {
    for (int plane = 0; plane < kPlanes; ++plane)
      for (int half = 0; half < 2; ++half)
        to[(plane * job.pixels + at.index) * 2 + half] =
            share<kDown>(at, from + plane * job.pixels * 2 + half, *job.scale);
  });
}

}  // namespace
}  // namespace fovea::scenes::cuda
