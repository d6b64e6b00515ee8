// What a matcher saw at one pixel while it estimated a field, for explanations. Matchers on the CPU
// write it down where a request carries one.
#pragma once
#include <vector>

#include "flow/bm/block_matching_math.h"
#include "flow/lk/lucas_kanade_math.h"

namespace fovea::flow {

struct Witness {
  int x = 0, y = 0;  // pixel of the finest level

  // Lucas-Kanade, at the nearest pixel of the finest level that was estimated.
  struct Windows {
    bool known = false;
    int level = 0;
    lk::Evidence evidence{};
    float there_and_back = -1;  // pixels of the level between start and return; -1: not followed
    float doubt = 0;
    bool posed = false;   // the eigenvalue is large enough
    bool inside = false;  // the flow stays in the image
    float confidence = 0;
  } windows{};

  // Block matching, at the nearest node of the finest level.
  struct Blocks {
    bool known = false;
    int column = 0, row = 0;          // of the node
    int x = 0, y = 0;                 // first pixel of its block
    bool matched = false;             // the block has enough pixels and texture
    float inverse = 0;                // 1 / (n standard deviations) of the block
    int count = 0;                    // pixels of the block that count
    std::vector<bm::Shift> shifts{};  // that were tried
    std::vector<float> scores{};      // of each
    bm::Peak peak{};
    bm::Motion found{};                    // as the search left it
    float returned_u = 0, returned_v = 0;  // how far the way back ends from the start
    bool followed_back = false;
    float trusted = 0;               // confidence after the way back
    float moved_u = 0, moved_v = 0;  // by smoothing
    float confidence = 0;            // after that
  } blocks{};

  // What refinement and fusion made of it.
  struct Refined {
    bool known = false;
    bm::Motion before{}, after{};
  } refined{};
};

}  // namespace fovea::flow
