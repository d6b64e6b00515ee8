// Arithmetic that both twins of the map share: keys that identify histograms, the table of known
// histograms, and lower bounds from dual vectors.
#pragma once
#include <fovea/core/api.h>

#include <cmath>
#include <cstdint>

namespace fovea::emd::detail {

// Marks an empty slot, and a histogram that has no exact 64-bit key.
inline constexpr std::uint64_t kNoKey = ~std::uint64_t{0};
// Distances are not negative, so the sign bit marks a value that is not known yet. The other bits
// give the slot where it will be stored. If all of them are set (kUnknown), the value is still
// missing from its slot, or the pixel has no slot.
inline constexpr std::uint32_t kPending = 0x80000000U;
inline constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

// One known histogram. The key is claimed once by compare-and-swap. The value is stored after all
// claims of a frame, so that no reader sees a half-written value.
struct alignas(16) Slot {
  std::uint64_t key;
  std::uint32_t value;  // bits of a float, or kUnknown
  std::uint32_t unused;
};

// The exact rank of a histogram among all histograms of `bins` counts with a total of at most
// `mass`: the combinatorial number system over the partial sums s_k, which is the sum of C(s_k + k,
// k + 1). If counts always add up to the mass, the last sum adds no information and is left out, so
// that one more bin still fits.
struct RankParams {
  int bins = 0;
  int mass = 0;
  int terms = 0;  // bins, or bins - 1 where only histograms of the whole mass have a rank
  const std::uint64_t* binomials = nullptr;  // [k][s]: C(s + k, k + 1), mass + 1 numbers per term
};

template <class Counts>
FOVEA_HD inline std::uint64_t rank_of(const RankParams& params, const Counts& counts) {
  std::uint64_t rank = 0;
  int sum = 0;
  const std::uint64_t* line = params.binomials;
  for (int k = 0; k < params.terms; ++k, line += params.mass + 1) {
    sum += static_cast<int>(counts[k]);
    rank += line[sum];
  }
  if (params.terms == params.bins) return rank;
  return sum + static_cast<int>(counts[params.bins - 1]) == params.mass ? rank : kNoKey;
}

// Packs the counts themselves side by side into one word; the caller makes sure that they fit.
template <class Count, class Counts>
FOVEA_HD inline std::uint64_t packed_counts(int bins, const Counts& counts) {
  std::uint64_t key = 0;
  for (int b = 0; b < bins; ++b)
    key |= static_cast<std::uint64_t>(counts[b]) << (8 * sizeof(Count) * static_cast<unsigned>(b));
  return key;
}

// Spreads keys over all 64 bits; keys of neighboring pixels are similar.
FOVEA_HD inline std::uint64_t scramble(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0x9e3779b97f4a7c15U;
  x ^= x >> 29;
  x *= 0xd6e8feb86659fd93U;
  x ^= x >> 32;
  return x;
}
template <class Counts>
FOVEA_HD inline std::uint64_t hash_of(int bins, const Counts& counts) {
  std::uint64_t hash = 0;
  for (int b = 0; b < bins; ++b) hash = (hash ^ counts[b]) * 0x9e3779b97f4a7c15U + 1;
  return scramble(hash);
}

FOVEA_HD inline std::uint32_t first_slot(std::uint64_t hash, std::uint32_t capacity) {
  return static_cast<std::uint32_t>(((hash >> 32) * capacity) >> 32);
}

// Histograms without an exact key are found by a part of their hash and then compared as a whole.
// The slot's key holds this part and the owner that has the histogram: either the number of a known
// histogram or, with the highest bit set, a pixel of the frame.
inline constexpr std::uint32_t kOwnerIsPixel = 0x80000000U;
FOVEA_HD inline std::uint64_t owner_key(std::uint64_t hash, std::uint32_t owner) {
  return (hash & 0xffffffffU) << 32 | owner;
}
FOVEA_HD inline bool hash_part_equals(std::uint64_t key, std::uint64_t hash) {
  return key >> 32 == (hash & 0xffffffffU);
}
FOVEA_HD inline std::uint32_t owner_of(std::uint64_t key) {
  return static_cast<std::uint32_t>(key);
}

struct SlotContent {
  std::uint64_t key;
  std::uint32_t value;
};
struct Place {
  std::uint32_t slot;
  std::uint32_t value;  // bits of the distance, or kUnknown
  bool claimed;         // by this call: the histogram is new, and this pixel has to solve it
};

// Finds a key's slot or claims an empty one, by linear probing; the table is never full.
//   read(slot) returns its SlotContent; same(key) says whether it is the histogram looked for;
//   claim(slot) returns the key that the slot had; if it was kNoKey, the slot is now the caller's.
template <class Read, class Same, class Claim>
FOVEA_HD inline Place find_or_claim(std::uint64_t hash, std::uint32_t capacity, const Read& read,
                                    const Same& same, const Claim& claim) {
  std::uint32_t slot = first_slot(hash, capacity);
  for (;;) {
    SlotContent there = read(slot);
    if (there.key == kNoKey) {
      there.key = claim(slot);
      if (there.key == kNoKey) return {slot, kUnknown, true};
      there.value = kUnknown;  // another thread claimed it first, in the same frame
    }
    if (same(there.key)) return {slot, there.value, false};
    slot = slot + 1 == capacity ? 0 : slot + 1;
  }
}

// Lower bounds of the distance to one target. If u_i + v_j <= cost(i, j) for all i and j, then u.p
// / |p| + v.q / |q| is at most the distance of p and q, each scaled to mass 1.
struct BoundParams {
  int bins = 0;
  int count = 0;
  const double* weights = nullptr;  // [bound][bin]: u
  const double* offsets = nullptr;  // v.q / |q|, reduced by the largest possible rounding error
  float threshold = 0;
};

// Returns the first bound above the threshold, or -1 if there is none. It is rounded in the same
// way as the distance, so that the distance lies above the threshold too.
template <class Counts>
FOVEA_HD inline float bound_above(const BoundParams& params, const Counts& counts) {
  int mass = 0;
  for (int b = 0; b < params.bins; ++b) mass += static_cast<int>(counts[b]);
  if (mass == 0) return -1;
  const double* weights = params.weights;
  for (int k = 0; k < params.count; ++k, weights += params.bins) {
    double sum = 0;
    for (int b = 0; b < params.bins; ++b)
      sum = fma(weights[b], static_cast<double>(counts[b]), sum);
    const auto bound = static_cast<float>(sum / mass + params.offsets[k]);
    if (bound > params.threshold) return bound;
  }
  return -1;
}

}  // namespace fovea::emd::detail
