#pragma once
#include <fovea/actions/recognize.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fovea::actions {

// Points drawn as ellipses of their extent, those of one frame.
FOVEA_API void draw_points(ImageView<std::uint8_t> rgb, std::span<const SpaceTimePoint> points);

// A model beside a scene with a line between matched points, as the paper's first figure: frames
// of both at some of the nodes.
struct MatchPicture {
  std::span<const ImageView<const std::uint8_t>> model_frames;  // gray
  std::span<const ImageView<const std::uint8_t>> scene_frames;
  const Chain* model = nullptr;
  const Scene* scene = nullptr;
  const Match* match = nullptr;
  int columns = 5;  // nodes that are shown
};
FOVEA_API Image<std::uint8_t> match_picture(const MatchPicture& picture);

// When what was seen: a bar an event, a row a class.
FOVEA_API std::string timeline_svg(std::span<const Event> events,
                                   std::span<const std::string> classes, std::int64_t frames,
                                   double frame_rate);

// Box and label of events on a frame.
FOVEA_API void draw_events(ImageView<std::uint8_t> rgb, std::span<const Event> events,
                           std::span<const std::string> classes, std::int64_t frame);

}  // namespace fovea::actions
