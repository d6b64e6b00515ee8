// Frames as indexes of palette colors, for windows of colors.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/emd/scene.h>

#include "emd/track/track_palette.h"

namespace fovea::emd {

class ColorScene {
 public:
  // Learns colors from the target, a part of `shown`, and from all of the first frame. `asked` is
  // the range of values from black to white, see level_range().
  struct Source {
    const BandFrame& first;
    const BandFrame& shown;
    Rect<int> part;
    std::array<double, 2> asked;
  };
  ColorScene(const Source& source, int colors, std::uint64_t seed);

  // Writes the index of every pixel's color, and 255 where a value is not finite; frame and labels
  // lie in one memory. Throws InvalidArgument for a frame that is neither gray nor RGB.
  void label(const BandFrame& frame, ImageView<std::uint8_t> labels, const Exec& exec) const;
  GroundDistance ground(double tau) const { return palette_distance(palette_, tau); }
  int colors() const { return palette_.size(); }
  const Palette& palette() const { return palette_; }
  const LevelRange& range() const { return range_; }

 private:
  LevelRange range_{};
  Palette palette_{};
};

}  // namespace fovea::emd
