// fovea actions match: finds the action of a short video in another one and draws lines between
// the points that belong together.
#include <fovea/actions/show.h>
#include <fovea/actions/train.h>
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <algorithm>

#include "cli/actions/actions.h"
#include "cli/program/batch.h"
#include "cli/program/image_input.h"
#include "cli/program/output_paths.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {
namespace {

struct ActionsMatchRequest {
  std::string output{};
  int columns = 5;
  int scene_points = 1;
  actions::PointOptions points = actions::TrainOptions{}.points;
  actions::FeatureOptions features{};
  actions::CutOptions cut{};
  actions::MatchOptions match{};
};

void describe(OptionVisitor& visit, ActionsMatchRequest& request) {
  visit.path("output", request.output, TextUse::kOutput, "picture to write");
  visit("columns", request.columns, "number of nodes that are shown", 1, 20);
  visit("scene-points", request.scene_points,
        "points of each frame that are matched, the most confident; 0 matches all", 0, 1000);
  describe(visit, request.points);
  describe(visit, request.features);
  describe(visit, request.cut);
  describe(visit, request.match);
}

constexpr double kMostPixels = 1e9;  // that are drawn for a file of points

// A short video in memory.
struct Video {
  Video(const Context& context, const std::string& path, const actions::PointOptions& options) {
    if (actions::is_points_file(path)) {
      read_points_file(path, options);
      return;
    }
    require_end(context, path);
    io::VideoReader reader =
        open_video(context, path, video_options(context, io::VideoColor::kGray));
    io::Frame frame;
    while (reader.next(frame)) {
      images.push_back(std::move(frame.image));
      frame = {};
    }
    note_reading(context, path, reader);
    dropped = reader.dropped();
    if (images.empty()) throw FormatError(path + ": the video has no frames");
    for (const auto& image : images) frames.push_back(image.view());
    points = actions::find_points(frames, options);
    if (points.points.empty())
      throw InvalidArgument(path +
                            ": the video has no interest points; lower the detector's threshold");
  }
  // A file of points has no frames: each is shown as a dark picture of its points.
  void read_points_file(const std::string& path, const actions::PointOptions& options) {
    const actions::Clip clip{.path = path, .subject = {}, .scenario = {}};
    actions::ClipOptions reading;
    reading.points = options;
    points = std::move(actions::clip_points({&clip, 1}, reading)[0]);
    if (points.points.empty()) throw FormatError(path + ": the file has no points");
    const double pixels = static_cast<double>(points.size.width) * points.size.height;
    if (pixels * static_cast<double>(points.frames) > kMostPixels)
      throw InvalidArgument(fmt::format("{}: {} frames of {} x {} pixels are too many to draw",
                                        path, points.frames, points.size.width,
                                        points.size.height));
    for (std::int64_t i = 0; i < points.frames; ++i) {
      images.emplace_back(points.size.width, points.size.height);
      for (int y = 0; y < points.size.height; ++y)
        std::fill_n(images.back().row(y), points.size.width, std::uint8_t{40});
    }
    for (const actions::SpaceTimePoint& point : points.points) {
      Image<std::uint8_t>& image = images[static_cast<std::size_t>(point.frame)];
      const int x = std::clamp(static_cast<int>(point.x), 0, image.width() - 1);
      const int y = std::clamp(static_cast<int>(point.y), 0, image.height() - 1);
      for (int v = std::max(0, y - 1); v <= std::min(image.height() - 1, y + 1); ++v)
        for (int u = std::max(0, x - 1); u <= std::min(image.width() - 1, x + 1); ++u)
          image.at(u, v) = 200;
    }
    for (const auto& image : images) frames.push_back(image.view());
  }
  void mirror() {
    for (auto& image : images)
      for (int y = 0; y < image.height(); ++y)
        std::reverse(image.row(y), image.row(y) + image.width());
  }
  std::vector<Image<std::uint8_t>> images;
  std::vector<ImageView<const std::uint8_t>> frames;
  actions::PointSet points;
  std::int64_t dropped = 0;  // frames of a live source
};

// A chain of points of the example, and how it was cut.
struct Candidate {
  actions::Chain chain;
  int first = 0;
  bool mirrored = false;
};

std::vector<Candidate> candidates_of(const actions::PointSet& points,
                                     const ActionsMatchRequest& request) {
  std::vector<Candidate> result;
  for (const bool turned : {false, true}) {
    if (turned && !request.cut.mirror) break;
    const actions::Nodes all =
        turned ? actions::make_nodes(actions::mirrored(points), 1, request.features)
               : actions::make_nodes(points, 1, request.features);
    const int nodes = std::min(request.cut.nodes, all.size());
    for (int first = 0; nodes >= 3 && first + nodes <= all.size(); first += request.cut.step) {
      Candidate one{{}, first, turned};
      one.chain.nodes.assign(all.nodes.begin() + first, all.nodes.begin() + first + nodes);
      one.chain.features = clone(all.features.view().crop(0, first, all.features.width(), nodes));
      result.push_back(std::move(one));
    }
  }
  if (result.empty())
    throw InvalidArgument(
        "the example has points in fewer than 3 frames; lower the detector's threshold");
  return result;
}

void print_match(const Candidate& model, const actions::Match& match,
                 const ActionsMatchRequest& request, const std::vector<Video>& videos,
                 const Context& context) {
  if (!context.json) {
    context.console.print(fmt::format(
        "energy {:.3f} per node: appearance {:.3f}, dummies {:.3f} ({} of {} nodes), time {:.3f}, "
        "angles {:.3f}; frames {} to {} of the example{} match {} to {} of the scene\n",
        match.energy / static_cast<float>(model.chain.size()), match.appearance, match.dummies,
        match.dummy_count, model.chain.size(), match.time, match.angles,
        model.chain.nodes.front().frame, model.chain.nodes.back().frame,
        model.mirrored ? ", mirrored," : "", match.path.front().frame, match.path.back().frame));
    return;
  }
  print_result(context, [&](io::JsonWriter& json) {
    json.member("picture", request.output).member("mirrored", model.mirrored);
    json.member("energy", match.energy).member("appearance", match.appearance);
    json.member("dummies", match.dummies).member("time", match.time).member("angles", match.angles);
    json.member("dummy_count", match.dummy_count);
    std::int64_t frames = 0, dropped = 0;
    for (const Video& video : videos) {
      frames += static_cast<std::int64_t>(video.images.size());
      dropped += video.dropped;
    }
    json.member("frames", frames).member("dropped", dropped).key("nodes").begin_array();
    for (std::size_t i = 0; i < match.path.size(); ++i)
      json.begin_object()
          .member("model_frame", model.chain.nodes[i].frame)
          .member("scene_frame", match.path[i].frame)
          .member("scene_point", match.path[i].point)
          .end_object();
    json.end_array();
  });
}

int run_actions_match(ActionsMatchRequest& request, Context& context) {
  if (request.output.empty())
    throw InvalidArgument("actions match needs -o PICTURE, the file to write");
  check_outputs(context, {{"-o", request.output}});
  settle_device(context);
  request.points.exec = context.exec;
  request.match.exec = context.exec;
  std::vector<Video> videos;
  for (const std::string& path : context.inputs) videos.emplace_back(context, path, request.points);
  std::vector<actions::PointSet> points;
  points.reserve(videos.size());
  for (Video& video : videos) points.push_back(std::move(video.points));
  if (request.features.scale == 0)
    request.features.scale = actions::learn_scale(points, request.scene_points, request.features);
  const std::vector<Candidate> candidates = candidates_of(points[0], request);
  std::vector<actions::Chain> chains;
  for (const Candidate& one : candidates) {
    actions::Chain chain;
    chain.nodes = one.chain.nodes;
    chain.features = clone(one.chain.features);
    chains.push_back(std::move(chain));
  }
  const actions::Scene scene =
      actions::make_scene(points[1], request.scene_points, request.features);
  const std::vector<actions::Match> matches = actions::Matcher(chains, request.match).match(scene);
  std::size_t best = matches.size();
  const auto energy = [&](std::size_t i) {
    return matches[i].energy / static_cast<float>(candidates[i].chain.size());
  };
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i].found && (best == matches.size() || energy(i) < energy(best))) best = i;
  if (best == matches.size())
    throw InvalidArgument(
        fmt::format("{} has no match in {}: no assignment keeps the order of frames and the "
                    "window; allow dummies, fewer nodes or a wider window",
                    context.inputs[0], context.inputs[1]));
  if (candidates[best].mirrored) videos[0].mirror();
  const Image<std::uint8_t> picture = actions::match_picture({.model_frames = videos[0].frames,
                                                              .scene_frames = videos[1].frames,
                                                              .model = &candidates[best].chain,
                                                              .scene = &scene,
                                                              .match = &matches[best],
                                                              .columns = request.columns});
  io::write_image(request.output, picture.view());
  context.console.end_progress();
  print_match(candidates[best], matches[best], request, videos, context);
  return kDone;
}

}  // namespace

Command actions_match_command() {
  return {
      .system = "actions",
      .verb = "match",
      .summary = "find the action of one video in another and draw the match",
      .text =
          "Finds the part of EXAMPLE that has the best match in SCENE, exactly, and draws frames "
          "of both with lines between the matched points. Prints the energy of the match and the "
          "terms that add up to it. Both videos should be short, because their frames are kept in "
          "memory. Text files with points in the format of STIP-2.0 stand for videos; they are "
          "drawn as points on a dark ground.",
      .arguments = {{"EXAMPLE", "short video of an action, or a file of its points"},
                    {"SCENE", "video to find the action in, or a file of its points"}},
      .examples = {{"fovea actions match daria_walk.avi eli_walk.avi -o match.png",
                    "show five of the matched nodes"},
                   {"fovea actions match a.avi b.avi -o match.png --nodes 30 --no-dummies --json",
                    "require a point for each of 30 nodes"}},
      .request = make_request<ActionsMatchRequest, run_actions_match>,
      .reads_images = true,
      .reads_videos = true};
}

}  // namespace fovea::cli
