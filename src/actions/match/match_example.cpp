// Finds the part of an example video that has the best match in a scene.
#include <fovea/actions/match_example.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace fovea::actions {
namespace {

// Points of the example that are searched for, and how they were cut.
struct ExamplePart {
  FrameModel model;
  int frames = 0;  // that have points
  bool mirrored = false;
};

// Returns the part of a model from a point on, up to another.
FrameModel part_of(const Nodes& all, int first, int end) {
  FrameModel part;
  part.nodes.assign(all.nodes.begin() + first, all.nodes.begin() + end);
  part.features = clone(all.features.view().crop(0, first, all.features.width(), end - first));
  return part;
}

void cut_example(const Nodes& all, bool turned, const CutOptions& cut,
                 std::vector<ExamplePart>& parts) {
  std::vector<int> starts;  // of frames
  for (int i = 0; i < all.size(); ++i)
    if (i == 0 || all.nodes[static_cast<std::size_t>(i)].frame !=
                      all.nodes[static_cast<std::size_t>(i) - 1].frame)
      starts.push_back(i);
  const auto frames = static_cast<int>(starts.size());
  starts.push_back(all.size());
  const int nodes = std::min(cut.nodes, frames);
  for (int first = 0; nodes >= 3 && first + nodes <= frames; first += cut.step) {
    const auto begin = starts.begin() + first;
    parts.push_back({part_of(all, *begin, *(begin + nodes)), nodes, turned});
  }
}

std::vector<ExamplePart> parts_of(const PointSet& example, const ExampleOptions& options) {
  std::vector<ExamplePart> parts;
  cut_example(make_nodes(example, options.cut.points, options.features), false, options.cut, parts);
  if (options.cut.mirror)
    cut_example(make_nodes(mirrored(example), options.cut.points, options.features), true,
                options.cut, parts);
  if (parts.empty())
    throw InvalidArgument(
        "the example has points in fewer than 3 frames; lower the detector's threshold");
  return parts;
}

PointSet copied_points(const PointSet& set) {
  PointSet copy{set.size, set.frames,   set.frame_rate, set.points,
                {},       set.detector, set.votes,      set.found_with};
  if (!set.descriptors.empty()) copy.descriptors = clone(set.descriptors);
  return copy;
}

}  // namespace

void describe(OptionVisitor& visit, ExampleOptions& options) {
  visit("scene-points", options.scene_points,
        "points of each frame that are matched, the most confident; 0 matches all", 0, 1000);
  describe(visit, options.features);
  describe(visit, options.cut);
  describe(visit, options.match);
}

Chain ExampleMatch::chain(int strand) const {
  const Strand& one = match.strands.at(static_cast<std::size_t>(strand));
  Chain chain;
  chain.features = Image<float>(model.features.width(), static_cast<int>(one.points.size()));
  chain.nodes.reserve(one.points.size());
  for (const std::int32_t point : one.points) {
    std::copy_n(model.features.row(point), model.features.width(),
                chain.features.row(chain.size()));
    chain.nodes.push_back(model.nodes[static_cast<std::size_t>(point)]);
  }
  return chain;
}

std::optional<ExampleMatch> match_example(const PointSet& example, const PointSet& scene,
                                          const ExampleOptions& options) {
  check_cut(options.cut);
  ExampleOptions used = options;
  if (used.features.scale == 0) {
    const std::array<PointSet, 2> both{copied_points(example), copied_points(scene)};
    used.features.scale = learn_scale(both, used.scene_points, used.features);
  }
  std::vector<ExamplePart> parts = parts_of(example, used);
  std::vector<FrameModel> models;
  models.reserve(parts.size());
  for (ExamplePart& part : parts) models.push_back(std::move(part.model));
  Scene place = make_scene(scene, used.scene_points, used.features);
  std::vector<FrameMatch> matches = FrameMatcher(models, used.cut.variant, used.match).match(place);
  std::optional<std::size_t> best;
  const auto energy = [&](std::size_t i) {
    return static_cast<double>(matches[i].energy) / parts[i].frames;
  };
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i].found && (!best || energy(i) < energy(*best))) best = i;
  if (!best) return {};
  return ExampleMatch{.model = std::move(models[*best]),
                      .frames = parts[*best].frames,
                      .mirrored = parts[*best].mirrored,
                      .scene = std::move(place),
                      .match = std::move(matches[*best]),
                      .features = used.features};
}

ExampleReport report_of(const ExampleMatch& found, const MatchOptions& options,
                        const ExampleVideos& videos) {
  constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
  ExampleReport report{
      .mirrored = found.mirrored,
      .energy = found.match.energy,
      .appearance = found.match.appearance,
      .dummies = found.match.dummies,
      .time = found.match.time,
      .angles = found.match.angles,
      .dummy_count = found.dummy_count(),
      .frames = std::ssize(videos.model_seconds) + std::ssize(videos.scene_seconds)};
  const auto right = static_cast<float>(videos.model_width - 1);
  for (std::size_t s = 0; s < found.match.strands.size(); ++s) {
    const Match& match = found.match.strands[s].match;
    const Chain chain = found.chain(static_cast<int>(s));
    const std::vector<NodeCost> costs = node_costs(chain, found.scene, match, options);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      const Node& node = chain.nodes[i];
      const MatchedNode& matched = match.path[i];
      const bool seen = matched.point >= 0;
      const Node place = seen ? found.scene.points.nodes[static_cast<std::size_t>(matched.point)]
                              : Node{kNone, kNone};
      report.nodes.push_back(
          {.strand = static_cast<int>(s),
           .model_frame = node.frame,
           .model_seconds = videos.model_seconds[static_cast<std::size_t>(node.frame)],
           .model_x = found.mirrored ? right - node.x : node.x,
           .model_y = node.y,
           .scene_frame = matched.frame,
           .scene_seconds = videos.scene_seconds[static_cast<std::size_t>(matched.frame)],
           .scene_point = matched.point,
           .scene_x = place.x,
           .scene_y = place.y,
           .distance = seen && options.appearance > 0
                           ? static_cast<double>(costs[i].appearance) / options.appearance
                           : std::numeric_limits<double>::quiet_NaN(),
           .appearance = costs[i].appearance,
           .dummies = costs[i].dummy,
           .time = costs[i].time,
           .angles = costs[i].angles});
    }
  }
  return report;
}

}  // namespace fovea::actions
