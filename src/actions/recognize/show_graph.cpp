// Draws a matched model and scene as graphs in space and time. Time goes to the right, the image's
// y goes down, and its x goes into the depth, up and to the right.
#include <fovea/actions/show.h>
#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "report/svg.h"

namespace fovea::actions {
namespace {

using report::coordinate;
using report::Paint;
using report::Point;
using report::ThemeColor;

constexpr int kGraphWidth = 1120, kGraphHeight = 470;
constexpr double kPanelWidth = 500, kPanelGap = 60, kPanelTop = 64, kPanelLeft = 30;
constexpr double kDepthX = 120, kDepthY = 90;  // how far the image's width reaches into the depth
constexpr double kRise = 230;                  // what the image's height measures
constexpr double kNodeRadius = 4, kPointRadius = 1.6;

std::string circle(Point at, double radius) {
  const std::string r = coordinate(radius);
  return fmt::format("M{} {}a{} {} 0 1 0 {} 0a{} {} 0 1 0 {} 0", coordinate(at.x - radius),
                     coordinate(at.y), r, r, coordinate(2 * radius), r, r, coordinate(-2 * radius));
}

std::string triangle(Point a, Point b, Point c) {
  return fmt::format("M{} {}L{} {}L{} {}Z", coordinate(a.x), coordinate(a.y), coordinate(b.x),
                     coordinate(b.y), coordinate(c.x), coordinate(c.y));
}

// One box of space and time.
class Panel {
 public:
  Panel(double left, Extent size, std::int32_t first, std::int32_t last)
      : left_(left), size_(size), first_(first), frames_(std::max(1, last - first)) {}

  Point at(double x, double y, std::int32_t frame) const {
    const double depth = x / std::max(1, size_.width - 1);
    return {left_ + (kPanelWidth - kDepthX) * (frame - first_) / frames_ + kDepthX * depth,
            kPanelTop + kDepthY + kRise * y / std::max(1, size_.height - 1) - kDepthY * depth};
  }
  Point at(const Node& node) const {
    return at(static_cast<double>(node.x), static_cast<double>(node.y), node.frame);
  }

  void draw_box(report::Svg& svg, std::string_view title) const {
    const double right = size_.width - 1, bottom = size_.height - 1;
    const std::int32_t last = first_ + frames_;
    const Paint edge{.stroke = report::theme::kGrid};
    const auto line = [&](Point from, Point to) { svg.line(from, to, edge); };
    for (const double x : {0.0, right})
      for (const double y : {0.0, bottom}) line(at(x, y, first_), at(x, y, last));
    for (const std::int32_t frame : {first_, last}) {
      line(at(0, 0, frame), at(0, bottom, frame));
      line(at(right, 0, frame), at(right, bottom, frame));
      line(at(0, 0, frame), at(right, 0, frame));
      line(at(0, bottom, frame), at(right, bottom, frame));
    }
    svg.text({left_, kPanelTop - 24}, title, {.size = 14, .bold = true});
    const report::SvgLabel label{.anchor = report::Anchor::kMiddle, .color = report::theme::kMuted};
    for (const std::int32_t frame : {first_, last}) {
      const Point corner = at(0, bottom, frame);
      svg.text({corner.x, corner.y + 18}, fmt::format("frame {}", frame), label);
    }
  }

 private:
  double left_;
  Extent size_;
  std::int32_t first_, frames_;
};

// The nodes of a strand that have a place; the others are not drawn.
struct Placed {
  bool seen = false;
  Point at{};
};

// Every three consecutive nodes are a hyperedge; its sides are the edges of the graph.
void draw_strand(report::Svg& svg, const std::vector<Placed>& nodes, const ThemeColor& color) {
  const Paint area{.fill = color, .opacity = 0.16};
  const Paint edge{.stroke = color, .width = 1.4, .opacity = 0.9};
  for (std::size_t i = 2; i < nodes.size(); ++i)
    if (nodes[i].seen && nodes[i - 1].seen && nodes[i - 2].seen)
      svg.path(triangle(nodes[i - 2].at, nodes[i - 1].at, nodes[i].at), area);
  for (std::size_t i = 1; i < nodes.size(); ++i)
    for (std::size_t j = i >= 2 ? i - 2 : 0; j < i; ++j)
      if (nodes[i].seen && nodes[j].seen) svg.line(nodes[j].at, nodes[i].at, edge);
  for (const Placed& node : nodes)
    if (node.seen) svg.path(circle(node.at, kNodeRadius), {.fill = color});
}

void check(const MatchGraph& graph) {
  if (graph.model == nullptr || graph.scene == nullptr || graph.match == nullptr)
    throw InvalidArgument("a graph of a match needs model, scene and match");
  if (!graph.match->found || graph.match->strands.empty())
    throw InvalidArgument("there is no match to draw");
  for (const Strand& strand : graph.match->strands) {
    if (strand.points.size() != strand.match.path.size())
      throw InvalidArgument(fmt::format("a strand of {} points has a path of {} nodes",
                                        strand.points.size(), strand.match.path.size()));
    for (std::size_t i = 0; i < strand.points.size(); ++i)
      if (strand.points[i] < 0 || strand.points[i] >= graph.model->size() ||
          strand.match.path[i].point >= graph.scene->points.size())
        throw InvalidArgument(
            fmt::format("node {} of a strand is point {} of the model and {} of the scene, which "
                        "have {} and {}",
                        i, strand.points[i], strand.match.path[i].point, graph.model->size(),
                        graph.scene->points.size()));
  }
}

// The scene's frames that the match uses.
std::pair<std::int32_t, std::int32_t> matched_frames(const FrameMatch& match) {
  std::int32_t first = match.strands[0].match.path.front().frame, last = first;
  for (const Strand& strand : match.strands)
    for (const MatchedNode& node : strand.match.path) {
      first = std::min(first, node.frame);
      last = std::max(last, node.frame);
    }
  return {first, last};
}

}  // namespace

std::string match_graph_svg(const MatchGraph& graph) {
  check(graph);
  const FrameMatch& match = *graph.match;
  const std::vector<Node>&model = graph.model->nodes, &scene = graph.scene->points.nodes;
  const auto [first, last] = matched_frames(match);
  const Panel left(kPanelLeft, graph.model_size, model.front().frame, model.back().frame);
  const Panel right(kPanelLeft + kPanelWidth + kPanelGap, graph.scene_size, first, last);
  report::Svg svg(kGraphWidth, kGraphHeight, "A match of two graphs in space and time");
  left.draw_box(svg, "model");
  right.draw_box(svg, "scene");
  for (const Node& node : scene)
    if (node.frame >= first && node.frame <= last)
      svg.path(circle(right.at(node), kPointRadius), {.fill = report::theme::kAxis});
  int dummies = 0;
  for (std::size_t s = 0; s < match.strands.size(); ++s) {
    const Strand& strand = match.strands[s];
    const ThemeColor color = report::series_color(static_cast<int>(s), {});
    std::vector<Placed> model_nodes, scene_nodes;
    for (std::size_t i = 0; i < strand.points.size(); ++i) {
      const std::int32_t point = strand.match.path[i].point;
      model_nodes.push_back({true, left.at(model[static_cast<std::size_t>(strand.points[i])])});
      scene_nodes.push_back({});
      if (point < 0) {
        ++dummies;
        continue;
      }
      scene_nodes.back() = {true, right.at(scene[static_cast<std::size_t>(point)])};
      svg.line(model_nodes.back().at, scene_nodes.back().at,
               {.stroke = color, .width = 0.8, .opacity = 0.35});
    }
    draw_strand(svg, model_nodes, color);
    draw_strand(svg, scene_nodes, color);
  }
  svg.text({kPanelLeft, kGraphHeight - 18},
           fmt::format("Time to the right, y down, x into the depth. Filled: hyperedges of three "
                       "nodes. Gray: other points of the scene. Nodes that are not seen: {}.",
                       dummies),
           {.color = report::theme::kMuted});
  return svg.finish();
}

}  // namespace fovea::actions
