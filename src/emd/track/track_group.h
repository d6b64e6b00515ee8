// Targets that share a palette, and therefore the labels of each frame; and frames as the tracker
// takes them.
#pragma once
#include <fovea/emd/track.h>

#include <vector>

#include "core/placed.h"
#include "emd/track/track_bands.h"
#include "emd/track/track_palette.h"
#include "emd/track/track_target.h"

namespace fovea::emd {

// A frame or an example: colors of bytes, or bands of floats.
struct TrackPixels {
  TrackPixels(ImageView<const std::uint8_t> image)
      : colors(image), width(image.width), height(image.height) {}
  TrackPixels(StackView<const float> stack)
      : bands(stack), width(stack.width), height(stack.height), has_bands(true) {}

  ImageView<const std::uint8_t> colors{};
  StackView<const float> bands{};
  int width = 0;
  int height = 0;
  bool has_bands = false;

  Rect<int> bounds() const { return {0, 0, width, height}; }
  int channels() const { return has_bands ? bands.count : colors.channels; }
  fovea::detail::Placement placement() const {
    return has_bands ? fovea::detail::Placement(bands) : fovea::detail::Placement(colors);
  }
  TrackPixels crop(const Rect<int>& part) const;
};

// Pixels where they are needed; see Placed.
struct PlacedPixels {
  fovea::detail::Placed<std::uint8_t> colors{};
  fovea::detail::Placed<float> bands{};

  TrackPixels bring(const TrackPixels& from, Memory memory, const Exec& exec);
};

// Where the colors of a group come from: see ColorSource. Pixels lie in host memory.
struct GroupSource {
  TrackPixels target_pixels;
  Rect<int> target;
  TrackPixels surround_pixels;
  Rect<int> surround;
};

class Group {
 public:
  // Learns a palette from all sources, which are all colors or all bands. Throws InvalidArgument
  // where no band measured any pixel of them.
  Group(const std::vector<GroupSource>& sources, const TrackOptions& options);

  // Labels the part of a frame, and leaves the other labels as they are. `fetch`: whether labels
  // are needed in host memory too.
  LabeledFrame label(const TrackPixels& frame, const Rect<int>& part, bool fetch, const Exec& exec);

  const GroundDistance& ground() const { return ground_; }
  int colors() const { return ground_.rows(); }
  // Another group with the same palette, and labels of its own.
  Group with_same_palette() const { return Group(*this, 0); }

 private:
  Group(const Group& other, int)
      : palette_(other.palette_), table_(other.table_), ground_(other.ground_) {}

  Palette palette_{};
  BandTable table_{};
  GroundDistance ground_;
  Image<std::uint8_t> here_{};
  fovea::detail::Placed<std::uint8_t> there_{};
  PlacedPixels brought_{};
};

}  // namespace fovea::emd
