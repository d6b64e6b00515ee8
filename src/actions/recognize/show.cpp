// Draws points, matches and events.
#include <fovea/actions/show.h>
#include <fovea/core/error.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fovea::actions {
namespace {

using report::Color;
using report::Point;

constexpr double kExtent = 2;    // radius of a circle in standard deviations
constexpr int kTileWidth = 220;  // width in pixels up to which small frames are enlarged
constexpr int kGap = 10;         // between tiles
constexpr int kRowGap = 46;      // between the model's tiles and the scene's
constexpr int kCaption = 18;
constexpr double kMostPointPixels = 1e9;  // of frames that stand for those of a video
constexpr std::uint8_t kDarkGround = 40, kBrightDot = 200;

void require_rgb(ImageView<std::uint8_t> image) {
  if (image.channels != 3)
    throw InvalidArgument(
        fmt::format("the image to draw on has {} channels; expected 3 (RGB)", image.channels));
}

// Copies a gray frame to RGB, with `zoom` x `zoom` pixels for each of its pixels.
void paste(ImageView<const std::uint8_t> gray, int zoom, ImageView<std::uint8_t> rgb, int left,
           int top) {
  for (int y = 0; y < gray.height * zoom; ++y)
    for (int x = 0; x < gray.width * zoom; ++x)
      for (int c = 0; c < 3; ++c) rgb.at(left + x, top + y, c) = gray.at(x / zoom, y / zoom);
}

// Frames of some of the nodes, side by side.
class Strip {
 public:
  Strip(std::span<const ImageView<const std::uint8_t>> frames, std::int64_t first_frame, int top)
      : frames_(frames), first_frame_(first_frame), top_(top) {
    if (frames.empty() || frames[0].empty() || frames[0].channels != 1)
      throw InvalidArgument("a picture of a match needs gray frames of the model and of the scene");
    zoom_ = std::max(1, (kTileWidth + frames[0].width - 1) / frames[0].width);
  }

  int tile_width() const { return frames_[0].width * zoom_; }
  int tile_height() const { return frames_[0].height * zoom_; }
  int bottom() const { return top_ + kCaption + tile_height(); }

  void draw(ImageView<std::uint8_t> picture, int column, int pitch, std::int64_t frame,
            const char* what) const {
    const int left = kGap + column * pitch;
    const auto index = frame - first_frame_;
    if (index < 0 || index >= std::ssize(frames_))
      throw InvalidArgument(
          fmt::format("frame {} of the {} is not among the {} given", frame, what, frames_.size()));
    paste(frames_[static_cast<std::size_t>(index)], zoom_, picture, left, top_ + kCaption);
    report::draw_text(picture, {static_cast<double>(left), static_cast<double>(top_)},
                      fmt::format("{} {}", what, frame), {.color = {40, 44, 52}, .size = 12});
  }
  Point place(const Node& node, int column, int pitch) const {
    return {kGap + column * pitch + (static_cast<double>(node.x) + 0.5) * zoom_,
            top_ + kCaption + (static_cast<double>(node.y) + 0.5) * zoom_};
  }

 private:
  std::span<const ImageView<const std::uint8_t>> frames_;
  std::int64_t first_frame_;
  int top_;
  int zoom_ = 1;
};

// Returns the nodes that are shown: evenly chosen among those with a point if there are enough,
// otherwise among all.
std::vector<int> shown_nodes(const Match& match, int columns) {
  std::vector<int> nodes;
  for (std::size_t i = 0; i < match.path.size(); ++i)
    if (match.path[i].point >= 0) nodes.push_back(static_cast<int>(i));
  if (static_cast<int>(nodes.size()) < columns) {
    nodes.clear();
    for (std::size_t i = 0; i < match.path.size(); ++i) nodes.push_back(static_cast<int>(i));
  }
  const int count = std::min(columns, static_cast<int>(nodes.size()));
  std::vector<int> chosen;
  for (int i = 0; i < count; ++i) {
    const auto at = count == 1 ? 0
                               : static_cast<std::size_t>(i) * (nodes.size() - 1) /
                                     static_cast<std::size_t>(count - 1);
    chosen.push_back(nodes[at]);
  }
  return chosen;
}

}  // namespace

void draw_points(ImageView<std::uint8_t> rgb, std::span<const SpaceTimePoint> points) {
  require_rgb(rgb);
  for (const SpaceTimePoint& point : points) {
    const Point center{static_cast<double>(point.x) + 0.5, static_cast<double>(point.y) + 0.5};
    // Short and long events have different colors.
    const Color color = report::palette(point.tau2 > 3 ? 1 : 0);
    report::draw_circle(rgb, center,
                        kExtent * std::sqrt(std::max(0.0, static_cast<double>(point.sigma2))),
                        {.color = color, .thickness = 1.5F});
    report::fill_circle(rgb, center, 1.5, {.color = color});
  }
}

std::vector<Image<std::uint8_t>> point_frames(const PointSet& points) {
  const Extent size = points.size;
  if (static_cast<double>(size.width) * size.height * static_cast<double>(points.frames) >
      kMostPointPixels)
    throw InvalidArgument(fmt::format("{} frames of {} x {} pixels are too many to draw",
                                      points.frames, size.width, size.height));
  std::vector<Image<std::uint8_t>> frames;
  frames.reserve(static_cast<std::size_t>(points.frames));
  for (std::int64_t i = 0; i < points.frames; ++i) {
    frames.emplace_back(size.width, size.height);
    for (int y = 0; y < size.height; ++y)
      std::fill_n(frames.back().row(y), size.width, kDarkGround);
  }
  for (const SpaceTimePoint& point : points.points) {
    if (point.frame < 0 || point.frame >= points.frames) continue;
    Image<std::uint8_t>& image = frames[static_cast<std::size_t>(point.frame)];
    if (image.empty()) continue;
    const int x = std::clamp(static_cast<int>(point.x), 0, image.width() - 1);
    const int y = std::clamp(static_cast<int>(point.y), 0, image.height() - 1);
    for (int v = std::max(0, y - 1); v <= std::min(image.height() - 1, y + 1); ++v)
      for (int u = std::max(0, x - 1); u <= std::min(image.width() - 1, x + 1); ++u)
        image.at(u, v) = kBrightDot;
  }
  return frames;
}

Image<std::uint8_t> match_picture(const MatchPicture& picture) {
  if (picture.model == nullptr || picture.scene == nullptr || picture.match == nullptr)
    throw InvalidArgument("a picture of a match needs model, scene and match");
  if (!picture.match->found) throw InvalidArgument("there is no match to draw");
  if (picture.columns < 1)
    throw InvalidArgument(fmt::format("{} nodes to show, expected 1 or more", picture.columns));
  const Chain& model = *picture.model;
  const Match& match = *picture.match;
  const Strip above(picture.model_frames, 0, kGap);
  const Strip below(picture.scene_frames, picture.scene->first_frame, above.bottom() + kRowGap);
  const std::vector<int> nodes = shown_nodes(match, picture.columns);
  const int pitch = std::max(above.tile_width(), below.tile_width()) + kGap;
  Image<std::uint8_t> result(kGap + pitch * static_cast<int>(nodes.size()), below.bottom() + kGap,
                             3);
  for (int y = 0; y < result.height(); ++y)
    std::fill_n(result.row(y), result.view().row_elements(), std::uint8_t{255});
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto node = static_cast<std::size_t>(nodes[i]);
    const auto column = static_cast<int>(i);
    const MatchedNode& matched = match.path[node];
    above.draw(result, column, pitch, model.nodes[node].frame, "model, frame");
    below.draw(result, column, pitch, matched.frame, "scene, frame");
    const Point from = above.place(model.nodes[node], column, pitch);
    const Color color = report::palette(column);
    report::draw_circle(result, from, 7, {.color = color});
    if (matched.point < 0) continue;
    const Point to = below.place(
        picture.scene->points.nodes[static_cast<std::size_t>(matched.point)], column, pitch);
    report::draw_line(result, from, to, {.color = color, .thickness = 2, .alpha = 0.9F});
    report::draw_circle(result, to, 7, {.color = color});
  }
  return result;
}

void draw_events(ImageView<std::uint8_t> rgb, std::span<const Event> events, std::int64_t frame) {
  require_rgb(rgb);
  for (const Event& event : events) {
    if (frame < event.first_frame || frame > event.last_frame) continue;
    report::draw_box(rgb, {event.box.x, event.box.y, event.box.width, event.box.height}, event.name,
                     {.color = report::palette(event.label), .thickness = 1.5F, .text_size = 12});
  }
}

}  // namespace fovea::actions
