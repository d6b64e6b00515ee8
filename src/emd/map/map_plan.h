// The plan that both twins of the map follow: keys, bounds and the size of the table of known
// histograms, all decided before there is a frame.
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
  kPacked,  // the counts side by side
  kWhole,   // a hash, then the whole histogram
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

// C(n, k), or 2^64 - 1 for anything from there on.
std::uint64_t binomial(std::uint64_t n, std::uint64_t k);

// Bounds for one target, the most useful first; none where there is no threshold.
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

// How large the table of known histograms is. It is never more than 3/4 full: before a band of
// pixels is looked up there is room for all of them to be new. Where there is not, all is
// forgotten, and the table is made larger if it may be: up to kMostSlotsPerPixel slots per pixel of
// the frame, within the limit. Where nothing is kept, the histograms of a band share a table of
// kFirstSlotsPerPixel slots per pixel and are forgotten with it.
class TablePlan {
 public:
  static constexpr std::int64_t kFirstSlotsPerPixel = 4, kMostSlotsPerPixel = 32;
  static constexpr std::int64_t kLeastSlots = 1 << 16;

  // The scratch memory of a band depends on the number of `bins`.
  TablePlan(std::uint64_t cache_bytes, std::uint64_t slot_bytes, int bins = 1);

  // Bytes per slot where histograms of `kept_bins` bins are kept with it; 0 where none are.
  static std::uint64_t bytes_per_slot(int kept_bins);

  // Rows of a frame that are looked up at a time.
  int band_rows(int width) const;
  // How many pixels may all be new, and how many the whole frame has.
  struct Need {
    std::int64_t fresh;
    std::int64_t frame;
  };
  // The capacity that a table of `capacity` slots with `entries` needs. If it has to be forgotten
  // first, `forgotten` is set.
  std::uint32_t room_for(std::uint32_t capacity, std::int64_t entries, const Need& need,
                         bool& forgotten) const;
  bool keeps() const { return keeps_; }
  // Number of known histograms that fit into `capacity` slots.
  static std::int64_t limit(std::uint32_t capacity) {
    return static_cast<std::int64_t>(capacity) / 4 * 3;
  }

 private:
  std::uint64_t most_slots_;
  std::int64_t most_band_;  // pixels
  bool keeps_;
};

// Rows [first, last) of a frame, and those that their windows reach.
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
