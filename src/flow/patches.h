// Connected sets of pixels.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <vector>

namespace fovea::flow {

struct PatchPixel {
  int x, y;
};

// Calls visit(pixels) for every connected set of pixels between which `joined` holds, in the order
// of their first pixels. Pixels for which `taken` is not 0 are left out; it is used up.
template <class Joined, class Visit>
void for_each_patch(Image<std::uint8_t>& taken, const Joined& joined, const Visit& visit) {
  const int width = taken.width(), height = taken.height();
  std::vector<PatchPixel> patch;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      if (taken.at(x, y) != 0) continue;
      patch.assign(1, {x, y});
      taken.at(x, y) = 1;
      for (std::size_t next = 0; next < patch.size(); ++next) {
        const PatchPixel at = patch[next];
        for (const PatchPixel to : {PatchPixel{at.x - 1, at.y}, PatchPixel{at.x + 1, at.y},
                                    PatchPixel{at.x, at.y - 1}, PatchPixel{at.x, at.y + 1}}) {
          if (to.x < 0 || to.y < 0 || to.x >= width || to.y >= height) continue;
          if (taken.at(to.x, to.y) != 0 || !joined(at, to)) continue;
          taken.at(to.x, to.y) = 1;
          patch.push_back(to);
        }
      }
      visit(patch);
    }
  }
}

}  // namespace fovea::flow
