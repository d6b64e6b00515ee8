// The plan that both twins of the map follow: keys, bounds and the size of the table of known
// histograms. All of it is decided before the first frame.
#pragma once
#include <fovea/emd/map.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "emd/map/map_math.h"

namespace fovea::emd {

enum class KeyKind : unsigned char {
  kRank,    // the combinatorial rank
  kPacked,  // the counts themselves, side by side
  kWhole,   // a hash; then the whole histograms are compared
};

// The keys that identify histograms.
struct KeyPlan {
  KeyKind kind = KeyKind::kWhole;
  int bins = 0;
  int mass = 0;
  int terms = 0;
  std::vector<std::uint64_t> binomials{};

  detail::RankParams rank() const { return {bins, mass, terms, binomials.data()}; }
};
// Keys for windows that count at most `mass` pixels.
KeyPlan window_keys(int bins, int mass);
// Keys for any histograms whose counts have this many bytes.
KeyPlan any_keys(int bins, std::size_t count_bytes);

// Returns C(n, k), or 2^64 - 1 if it is that large or larger.
std::uint64_t binomial(std::uint64_t n, std::uint64_t k);

// Bounds for one target, the most useful first; none if there is no threshold.
struct BoundPlan {
  int bins = 0;
  float threshold = 0;
  std::vector<double> weights{};
  std::vector<double> offsets{};

  detail::BoundParams params() const {
    return {bins, static_cast<int>(offsets.size()), weights.data(), offsets.data(), threshold};
  }
};
BoundPlan plan_bounds(const GroundDistance& ground, std::span<const std::uint16_t> target,
                      float threshold);

// Decides the size of the table of known histograms. It is never more than 3/4 full: before a band
// of pixels is looked up there is room for all of them to be new. If there is not, all known
// histograms are forgotten, and the table grows if it may: up to kMostSlotsPerPixel slots per pixel
// of the frame, within the limit. If nothing is kept from band to band, the histograms of a band
// share a table of kFirstSlotsPerPixel slots per pixel and are forgotten after it.
class TablePlan {
 public:
  static constexpr std::int64_t kFirstSlotsPerPixel = 4, kMostSlotsPerPixel = 32;
  static constexpr std::int64_t kLeastSlots = 1 << 16;

  // The scratch memory of a band depends on the number of `bins`.
  TablePlan(std::uint64_t cache_bytes, std::uint64_t slot_bytes, int bins = 1);

  // Returns the bytes per slot if a histogram of `kept_bins` bins is kept with it, or without one
  // if that is 0.
  static std::uint64_t bytes_per_slot(int kept_bins);

  // Returns how many rows of a frame are looked up at a time.
  int band_rows(int width) const;
  // How many pixels may be new in the worst case, and how many the whole frame has.
  struct Need {
    std::int64_t fresh;
    std::int64_t frame;
  };
  // Returns the capacity needed by a table of `capacity` slots with `entries`. Sets `forgotten` if
  // the known histograms have to be forgotten first.
  std::uint32_t room_for(std::uint32_t capacity, std::int64_t entries, const Need& need,
                         bool& forgotten) const;
  bool keeps() const { return keeps_; }
  // Returns how many known histograms fit into `capacity` slots.
  static std::int64_t limit(std::uint32_t capacity) {
    return static_cast<std::int64_t>(capacity) / 4 * 3;
  }

 private:
  std::uint64_t most_slots_;
  std::int64_t most_band_;  // pixels
  bool keeps_;
};

// Rows [first, last) of a frame.
struct RowSpan {
  int first, last;

  int count() const { return last - first; }
  RowSpan reached(int radius, int height) const {
    return {std::max(0, first - radius), std::min(height, last + radius)};
  }
};
// Calls band(rows) for a frame's rows, `most` at a time.
template <class Band>
void for_each_band(int height, int most, const Band& band) {
  for (int first = 0; first < height; first += most)
    band(RowSpan{first, std::min(height, first + most)});
}

// Everything about a map except its frames. The device of exec is resolved.
struct MapPlan {
  GroundDistance ground;
  MapOptions options;
  std::vector<std::uint16_t> target;
  BoundPlan bounds;

  int bins() const { return ground.rows(); }
};

}  // namespace fovea::emd
