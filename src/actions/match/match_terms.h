// The options as the recursion uses them.
#pragma once
#include <fovea/actions/match.h>

#include <cstdint>

namespace fovea::actions::detail {

struct MatchTerms {
  float appearance = 0;     // l1
  float time = 0;           // l2
  float angles = 0;         // l2 l3, for angles in turns
  float dummy = 0;          // l1 W_d
  std::int32_t pair = 0;    // most frames from a node to the next
  std::int32_t triple = 0;  // most frames from a node to the one after the next
  bool dummies = false;

  explicit MatchTerms(const MatchOptions& options);
  MatchTerms() = default;

  // Returns the most frames from node i-2 to i-1 if there are `gap` from i-1 to i.
  FOVEA_HD std::int32_t left(std::int32_t gap) const {
    return triple - gap < pair ? triple - gap : pair;
  }
};

// Frames are at most this far from 0, so that their differences fit into an int.
inline constexpr std::int32_t kMostFrame = 1 << 29;
// The greatest number of scene nodes that may precede a node; they are counted in 16 bits.
inline constexpr int kMostBefore = 65535;
inline constexpr std::uint16_t kNobody = 65535;

// These throw InvalidArgument. `what` names the operation; features is the expected length, or -1.
void check_chain(const Chain& chain, int index, int features);
void check_points(const char* what, const Nodes& points, int features);
void check_scene(const Scene& scene, int features);

}  // namespace fovea::actions::detail
