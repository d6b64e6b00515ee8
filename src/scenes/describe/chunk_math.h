// Images are sent to the device in chunks: as many as the limits allow, at least one.
#pragma once
#include <cstdint>
#include <span>

namespace fovea::scenes {

// What one image, or a whole chunk, needs.
struct ChunkNeed {
  std::int64_t staged_bytes = 0;  // bytes of pixels that are copied to the device
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

// Returns the end of the chunk that starts at `first`: the index of the first image after it.
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

// The pixels of an image start at a multiple of this in a chunk.
constexpr std::int64_t kStagedAlignment = 16;
inline std::int64_t staged_bytes_of(int width, int height, int channels) {
  return (std::int64_t{width} * height * channels + kStagedAlignment - 1) / kStagedAlignment *
         kStagedAlignment;
}

}  // namespace fovea::scenes
