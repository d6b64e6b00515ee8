#pragma once
#include <fovea/actions/recognize.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fovea::actions {

// Draws the points of one frame as circles of their extent.
FOVEA_API void draw_points(ImageView<std::uint8_t> rgb, std::span<const SpaceTimePoint> points);

// Dark gray frames with a dot at each point, in place of the frames of a video of which only the
// points are known. Throws InvalidArgument where they would have more than a billion pixels.
FOVEA_API std::vector<Image<std::uint8_t>> point_frames(const PointSet& points);

// A chain beside a scene, with lines between matched points, like the first figure of the paper:
// frames of both at some of the nodes.
struct MatchPicture {
  std::span<const ImageView<const std::uint8_t>> model_frames;  // gray
  std::span<const ImageView<const std::uint8_t>> scene_frames;
  const Chain* model = nullptr;
  const Scene* scene = nullptr;
  const Match* match = nullptr;
  int columns = 5;  // number of nodes that are shown
};
FOVEA_API Image<std::uint8_t> match_picture(const MatchPicture& picture);

// A model and the part of a scene that it matches, side by side as graphs in space and time (the
// paper's figure 1b): nodes are joined to the two before them, each three consecutive nodes are a
// filled triangle, the hyperedge, and thin lines join matched points. Strands differ by color.
// Nodes that are not seen have no place in the scene and are counted below.
struct MatchGraph {
  const FrameModel* model = nullptr;
  const Scene* scene = nullptr;
  const FrameMatch* match = nullptr;
  Extent model_size{};  // of the videos' frames
  Extent scene_size{};
};
FOVEA_API std::string match_graph_svg(const MatchGraph& graph);

// A timeline with one row per class and one bar per event.
FOVEA_API std::string timeline_svg(std::span<const Event> events,
                                   std::span<const std::string> classes, std::int64_t frames,
                                   double frame_rate);

// Draws box and name of the events that include this frame.
FOVEA_API void draw_events(ImageView<std::uint8_t> rgb, std::span<const Event> events,
                           std::int64_t frame);

}  // namespace fovea::actions
