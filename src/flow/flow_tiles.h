// How an image that does not fit the memory limit is divided: coarse levels are estimated as a
// whole, finer ones in tiles that overlap by as much as their pixels depend on.
#pragma once
#include <fovea/core/geometry.h>

#include <cstdint>
#include <vector>

#include "flow/matcher.h"

namespace fovea::flow {

struct TilePlan {
  int unit = 1;         // pixels: tiles begin at multiples of it
  int start_level = 0;  // this level and coarser ones are estimated as a whole; 0: all levels are
  bool from_rest = false;  // there is no coarser level: tiles are estimated without a start
  int halo = 0;            // pixels around a tile that it depends on, not counting motion
  int move = 0;            // greatest number of pixels that are added for motion
  int side = 0;            // side of a tile in pixels, without its surroundings
};

// Throws InvalidArgument if no division stays within `limit` bytes; 0 means no limit.
TilePlan plan_tiles(const Matcher& matcher, int width, int height, std::uint64_t limit);

// The tiles of an image, row by row; they begin at multiples of plan.unit.
std::vector<Rect<int>> tiles_of(const TilePlan& plan, int width, int height);
// Returns a tile with its surroundings, for motion of up to `move` pixels.
Rect<int> surrounded(const Rect<int>& tile, const TilePlan& plan, int move, int width, int height);

}  // namespace fovea::flow
