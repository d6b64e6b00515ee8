// Images go to the device some at a time: as many as limits allow, at least one.
#pragma once
#include <cstdint>
#include <span>

namespace fovea::scenes {

// What an image, or all of a chunk together, need.
struct ChunkNeed {
  std::int64_t staged_bytes = 0;  // of pixels that are copied to the device
  std::int64_t counts = 0;
  std::int64_t pixels = 0;

  ChunkNeed& operator+=(const ChunkNeed& more) {
    staged_bytes += more.staged_bytes;
    counts += more.counts;
    pixels += more.pixels;
    return *this;
  }
  bool fits(const ChunkNeed& limits) const {
    return staged_bytes <= limits.staged_bytes && counts <= limits.counts &&
           pixels <= limits.pixels;
  }
};

// The first image after the chunk that begins at `first`.
inline std::size_t chunk_end(std::span<const ChunkNeed> needs, std::size_t first,
                             const ChunkNeed& limits) {
  ChunkNeed sum = needs[first];
  std::size_t end = first + 1;
  for (; end < needs.size(); ++end) {
    sum += needs[end];
    if (!sum.fits(limits)) break;
  }
  return end;
}

// Pixels stand in a chunk from multiples of this on.
constexpr std::int64_t kStagedAlignment = 16;
inline std::int64_t staged_bytes_of(int width, int height, int channels) {
  return (std::int64_t{width} * height * channels + kStagedAlignment - 1) / kStagedAlignment *
         kStagedAlignment;
}

}  // namespace fovea::scenes
