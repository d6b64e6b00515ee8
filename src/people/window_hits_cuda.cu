#include "people/window_hits_cuda.cuh"

#include <algorithm>
#include <cstring>

namespace fovea::people::cuda {

HitSink HitBuffer::open(Session& session, std::uint32_t room) {
  room_ = std::max(room, kFirst);
  std::uint32_t* memory = memory_.reserve(2 + 2 * static_cast<std::size_t>(room_));
  check(cudaMemsetAsync(memory, 0, sizeof(std::uint32_t), session.stream()), "clearing a count");
  return {memory, reinterpret_cast<DeviceHit*>(memory + 2), room_};
}

bool HitBuffer::fetch(Session& session, const std::vector<DeviceLevel>& levels,
                      std::vector<Hit>& hits) {
  const auto words = [](std::uint32_t count) { return 2 + 2 * static_cast<std::size_t>(count); };
  const auto copy = [&](std::size_t first, std::size_t last) {
    check(cudaMemcpyAsync(host_.data() + first, memory_.data() + first,
                          (last - first) * sizeof(std::uint32_t), cudaMemcpyDeviceToHost,
                          session.stream()),
          "fetching windows");
    check(cudaStreamSynchronize(session.stream()), "scanning windows");
  };
  if (host_.size() < words(kFirst)) host_ = Array<std::uint32_t>(words(kFirst), Memory::kPinned);
  copy(0, words(kFirst));
  count_ = host_[0];
  if (count_ > room_) return false;
  if (count_ > kFirst) {
    if (host_.size() < words(count_)) host_ = Array<std::uint32_t>(words(count_), Memory::kPinned);
    copy(0, words(count_));
  }
  std::vector<DeviceHit> found(count_);
  if (count_ > 0) std::memcpy(found.data(), host_.data() + 2, count_ * sizeof(DeviceHit));
  std::sort(found.begin(), found.end(),
            [](const DeviceHit& a, const DeviceHit& b) { return a.window < b.window; });
  hits.clear();
  std::size_t level = 0;
  for (const DeviceHit& hit : found) {
    while (level + 1 < levels.size() && hit.window >= levels[level + 1].first_window) ++level;
    const auto place = static_cast<int>(hit.window - levels[level].first_window);
    hits.push_back({static_cast<int>(level), place % levels[level].columns,
                    place / levels[level].columns, hit.score});
  }
  return true;
}

}  // namespace fovea::people::cuda
