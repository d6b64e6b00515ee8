// Windows that passed. They are gathered on the device in any order and given to the host in the
// order of the scan.
#pragma once
#include <cstdint>
#include <vector>

#include "people/level_images_cuda.cuh"
#include "people/scanner.h"

namespace fovea::people::cuda {

struct DeviceHit {
  std::int32_t window;  // its number among the windows of all levels
  float score;
};

// What kernels write to: a count, and as many hits as there is room for.
struct HitSink {
  std::uint32_t* count;
  DeviceHit* hits;
  std::uint32_t room;

  __device__ void add(std::int64_t window, float score) const {
    const std::uint32_t at = atomicAdd(count, 1U);
    if (at < room) hits[at] = {static_cast<std::int32_t>(window), score};
  }
};

class HitBuffer {
 public:
  // An empty sink with room for `room` hits.
  HitSink open(Session& session, std::uint32_t room);
  // Waits for the stream and fills `hits`, sorted. Returns false where there were more hits than
  // room; the caller then opens a larger sink (of count() hits) and runs its kernels again.
  bool fetch(Session& session, const std::vector<DeviceLevel>& levels, std::vector<Hit>& hits);
  std::uint32_t count() const { return count_; }

 private:
  // Most scans have fewer hits than this; they are copied together with the count.
  static constexpr std::uint32_t kFirst = 4096;

  KeptBuffer<std::uint32_t> memory_;  // the count, an empty word, the hits
  Array<std::uint32_t> host_;         // pinned
  std::uint32_t room_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace fovea::people::cuda
