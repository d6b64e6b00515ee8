#include "ops/integral/wavefront.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace fovea {
namespace {

constexpr int kBandRows = 16;        // rows of a band; the row above it is read once more
constexpr int kLeastStrip = 128;     // pixels; a narrower tile costs less than its hand-over
constexpr int kStripsPerThread = 4;  // slack between neighboring bands
constexpr int kSpins = 200;          // checks before a waiting thread yields its core

// The number of finished strips of a band. Each has a cache line of its own, because two threads
// watch neighboring bands.
struct alignas(64) BandProgress {
  std::atomic<int> strips{0};
};

}  // namespace

TileGrid divide_into_tiles(int images, int width, int height, const Exec& exec) {
  TileGrid grid{images, (height + kBandRows - 1) / kBandRows, kBandRows, 1, 0};
  const int threads = thread_count(exec);
  if (threads > 1 && images < 2 * threads)
    grid.strips = std::clamp(width / kLeastStrip, 1, kStripsPerThread * threads);
  const int pixels = (width + grid.strips - 1) / grid.strips;
  grid.strip_pixels = (pixels + 63) / 64 * 64;
  grid.strips = (width + grid.strip_pixels - 1) / grid.strip_pixels;
  return grid;
}

void for_each_tile(const Exec& exec, const TileGrid& grid,
                   FunctionRef<void(int image, int band, int strip)> body) {
  // Bands are handed out in order, image after image. The first unfinished band never waits,
  // because all before it are done. So some thread always makes progress, however few there are.
  const std::int64_t total = static_cast<std::int64_t>(grid.bands) * grid.images;
  std::vector<BandProgress> progress(static_cast<std::size_t>(total));
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> stopped{false};

  const auto wait_for = [&](const BandProgress& above, int strip) {
    for (int spin = 0; above.strips.load(std::memory_order_acquire) <= strip; ++spin) {
      if (stopped.load(std::memory_order_relaxed)) return false;
      if (spin >= kSpins) std::this_thread::yield();
    }
    return true;
  };
  // A tile that failed is never done, so threads that wait for it must be notified.
  const auto run_tile = [&](int image, int band, int strip) {
    try {
      body(image, band, strip);
    } catch (...) {
      stopped.store(true, std::memory_order_relaxed);
      throw;  // parallel_for passes the first exception to the caller
    }
  };
  const auto work = [&](std::int64_t, std::int64_t) {
    for (;;) {
      const std::int64_t item = next.fetch_add(1, std::memory_order_relaxed);
      if (item >= total) return;
      if (exec.stop.stop_requested()) stopped.store(true, std::memory_order_relaxed);
      const int band = static_cast<int>(item / grid.images);
      const int image = static_cast<int>(item % grid.images);
      for (int strip = 0; strip < grid.strips; ++strip) {
        if (band > 0 && !wait_for(progress[static_cast<std::size_t>(item - grid.images)], strip))
          return;
        if (stopped.load(std::memory_order_relaxed)) return;
        run_tile(image, band, strip);
        progress[static_cast<std::size_t>(item)].strips.store(strip + 1, std::memory_order_release);
      }
    }
  };
  parallel_for(exec, std::min<std::int64_t>(thread_count(exec), total), 1, work);
  throw_if_stopped(exec);
}

}  // namespace fovea
