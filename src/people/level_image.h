// The padded image of one level of a scan.
#pragma once
#include <fovea/core/image.h>
#include <fovea/people/scan.h>

#include <cstdint>

namespace fovea::people {

// The pixel of a line of `size` pixels that pixel i of the padded line shows: reflected about the
// border pixels as often as necessary.
FOVEA_HD inline int reflected(int i, int padding, int size) {
  if (size == 1) return 0;
  const int period = 2 * (size - 1);
  int place = (i - padding) % period;
  if (place < 0) place += period;
  return place < size ? place : period - place;
}

}  // namespace fovea::people

namespace fovea::people::cpu {

// Fills `out`, which has the size of the padded level, from the image: resized bilinearly, then
// reflected at the borders. Both lie in host memory and have the same number of channels.
void level_image(ImageView<const std::uint8_t> image, const ScanPlan& plan, const ScanLevel& level,
                 ImageView<std::uint8_t> out, const Exec& exec);

}  // namespace fovea::people::cpu
