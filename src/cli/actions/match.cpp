// fovea actions match: finds the action of a short video in another one and draws lines between
// the points that belong together.
#include <fovea/actions/explain.h>
#include <fovea/actions/match_example.h>
#include <fovea/actions/show.h>
#include <fovea/actions/train.h>
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/record_io.h>
#include <fovea/io/video.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/actions/actions.h"
#include "cli/program/batch.h"
#include "cli/program/explain.h"
#include "cli/program/files.h"
#include "cli/program/image_input.h"
#include "cli/program/output_paths.h"
#include "cli/program/result.h"
#include "cli/program/run.h"
#include "operations/actions/explain.h"

namespace fovea::cli {
namespace {

struct ActionsMatchRequest {
  std::string output{};
  std::string graph{};
  int columns = 5;
  bool explain = false;
  std::string explain_picture{};
  actions::PointOptions points = actions::TrainOptions{}.points;
  actions::ExampleOptions example{};
};

void describe(OptionVisitor& visit, ActionsMatchRequest& request) {
  visit.path("output", request.output, TextUse::kOutput, "picture to write");
  visit.path("graph", request.graph, TextUse::kOutput,
             "also draw both graphs in space and time, side by side, .svg");
  visit("columns", request.columns, "number of nodes that are shown", 1, 20);
  visit("explain", request.explain,
        "also print what each node and triangle adds to the energy of the match");
  describe_explain_picture(visit, request.explain_picture);
  describe(visit, request.points);
  describe(visit, request.example);
}

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
      seconds.push_back(frame.seconds);
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
    try {
      images = actions::point_frames(points);
    } catch (const InvalidArgument& error) {
      throw InvalidArgument(fmt::format("{}: {}", path, error.what()));
    }
    for (std::int64_t i = 0; i < points.frames; ++i)
      seconds.push_back(static_cast<double>(i) / points.frame_rate);
    for (const auto& image : images) frames.push_back(image.view());
  }
  void mirror() {
    for (auto& image : images)
      for (int y = 0; y < image.height(); ++y)
        std::reverse(image.row(y), image.row(y) + image.width());
  }
  std::vector<Image<std::uint8_t>> images;
  std::vector<ImageView<const std::uint8_t>> frames;
  std::vector<double> seconds;  // since the first frame, by frame
  actions::PointSet points;
  std::int64_t dropped = 0;  // frames of a live source
};

// What was matched with what.
struct MatchReport {
  const ActionsMatchRequest& request;
  const std::vector<Video>& videos;
  const actions::ExampleMatch& best;

  const actions::FrameMatch& match() const { return best.match; }
  int points() const {
    std::size_t count = 0;
    for (const actions::Strand& strand : match().strands) count += strand.points.size();
    return static_cast<int>(count);
  }
  // The first and the last frame of the scene that the match uses.
  std::pair<std::int32_t, std::int32_t> scene_frames() const {
    auto frames = std::pair(best.scene.first_frame + best.scene.frames, best.scene.first_frame);
    for (const actions::Strand& strand : match().strands) {
      frames.first = std::min(frames.first, strand.match.path.front().frame);
      frames.second = std::max(frames.second, strand.match.path.back().frame);
    }
    return frames;
  }
};

// What is printed as JSON.
struct MatchResult {
  std::optional<std::string> picture{};
  std::optional<std::string> graph{};
  actions::ExampleReport report{};
  std::optional<report::Explanation> explanation{};
};
void describe(FieldVisitor& visit, MatchResult& result) {
  visit("picture", result.picture, "the picture that was written", {.null = true});
  visit("graph", result.graph, "the graphs that were written", {.null = true});
  describe(visit, result.report);
  visit("explanation", result.explanation, "what each node and triangle adds, with --explain",
        {.compact = true});
}

MatchResult result_of(const MatchReport& report) {
  const auto file = [](const std::string& path) {
    return path.empty() ? std::nullopt : std::optional(path);
  };
  MatchResult result{.picture = file(report.request.output), .graph = file(report.request.graph)};
  result.report = actions::report_of(report.best, report.request.example.match,
                                     {.model_seconds = report.videos[0].seconds,
                                      .scene_seconds = report.videos[1].seconds,
                                      .model_width = report.videos[0].frames[0].width});
  for (const Video& video : report.videos) result.report.dropped += video.dropped;
  if (report.request.explain)
    result.explanation = present(explain(report.best, report.request.example));
  return result;
}

void print_match(const MatchReport& report, const Context& context) {
  if (context.json) {
    print_result(context, [&](io::JsonWriter& json) {
      io::write_fields(json, record_ref(result_of(report)), {.arrays = io::ArrayJson::kElements});
    });
    return;
  }
  const actions::FrameMatch& match = report.match();
  const std::vector<actions::Node>& nodes = report.best.model.nodes;
  const auto [first, last] = report.scene_frames();
  context.console.print(fmt::format(
      "energy {:.3f} per node: appearance {:.3f}, dummies {:.3f} ({} of {} nodes), time {:.3f}, "
      "angles {:.3f}; frames {} to {} of the example{} match {} to {} of the scene\n",
      report.best.energy(), match.appearance, match.dummies, report.best.dummy_count(),
      report.points(), match.time, match.angles, nodes.front().frame, nodes.back().frame,
      report.best.mirrored ? ", mirrored," : "", first, last));
  if (report.request.explain)
    context.console.print("\n" +
                          report::to_text(present(explain(report.best, report.request.example))));
}

void draw_match(const MatchReport& report) {
  const actions::Strand& strand = report.match().strands.front();
  const actions::Chain chain = report.best.chain(0);
  if (!report.request.output.empty())
    io::write_image(report.request.output,
                    actions::match_picture({.model_frames = report.videos[0].frames,
                                            .scene_frames = report.videos[1].frames,
                                            .model = &chain,
                                            .scene = &report.best.scene,
                                            .match = &strand.match,
                                            .columns = report.request.columns})
                        .view());
  if (!report.request.explain_picture.empty()) {
    report::Explanation shown = present(explain(report.best, report.request.example));
    const std::int64_t frame = operations::drawn_frame(shown);
    operations::show_frame(shown, frame);
    io::write_image(
        report.request.explain_picture,
        report::draw_explanation(
            report.videos[1].frames[static_cast<std::size_t>(std::max<std::int64_t>(frame, 0))],
            shown, {.whole_image = true})
            .view());
  }
  const auto size = [&](std::size_t video) {
    const auto& frame = report.videos[video].frames[0];
    return Extent{frame.width, frame.height};
  };
  if (!report.request.graph.empty())
    write_text(report.request.graph, actions::match_graph_svg({.model = &report.best.model,
                                                               .scene = &report.best.scene,
                                                               .match = &report.match(),
                                                               .model_size = size(0),
                                                               .scene_size = size(1)}));
}

void check_match_request(const ActionsMatchRequest& request, Context& context) {
  check_explain_picture(request.explain, request.explain_picture);
  if (request.output.empty() && request.graph.empty() && !request.explain && !context.json)
    throw InvalidArgument(
        "actions match needs -o PICTURE, --graph FILE, --explain or --json: there is nothing to "
        "write");
  if (!request.graph.empty() && std::filesystem::path(request.graph).extension() != ".svg")
    throw InvalidArgument(fmt::format("--graph {}: the name must end in .svg", request.graph));
  actions::check_cut(request.example.cut);
  check_outputs(context, {{"-o", request.output},
                          {"--graph", request.graph},
                          {"--explain-picture", request.explain_picture}});
}

int run_actions_match(ActionsMatchRequest& request, Context& context) {
  check_match_request(request, context);
  resolve_device(context);
  request.points.exec = context.exec;
  request.example.match.exec = context.exec;
  std::vector<Video> videos;
  for (const std::string& path : context.inputs) videos.emplace_back(context, path, request.points);
  const auto best = actions::match_example(videos[0].points, videos[1].points, request.example);
  if (!best)
    throw InvalidArgument(
        fmt::format("{} has no match in {}: no assignment keeps the order of frames and the "
                    "window; allow dummies, fewer nodes or a wider window",
                    context.inputs[0], context.inputs[1]));
  if (best->mirrored) videos[0].mirror();
  const MatchReport report{request, videos, *best};
  draw_match(report);
  context.console.end_progress();
  print_match(report, context);
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
          "of both with lines between the matched points. --graph draws both as graphs in space "
          "and time: nodes are joined to the two before them, and every three are a triangle. "
          "Prints the energy of the match and the terms that add up to it; --json also gives for "
          "each node its frame, time and place in both videos, or that it is not seen, and what it "
          "adds to each term. With several points per frame the picture shows the most confident "
          "ones, and the graph all. Both videos should be short, because their frames are kept in "
          "memory. Text files with points in the format of STIP-2.0 stand for videos; they are "
          "drawn as points on a dark ground.",
      .arguments = {{"EXAMPLE", "short video of an action, or a file of its points"},
                    {"SCENE", "video to find the action in, or a file of its points"}},
      .examples = {{"fovea actions match daria_walk.avi eli_walk.avi -o match.png",
                    "show five of the matched nodes"},
                   {"fovea actions match a.avi b.avi -o match.png --nodes 30 --no-dummies --json",
                    "require a point for each of 30 nodes"},
                   {"fovea actions match a.avi b.avi --graph graph.svg",
                    "draw both graphs in space and time"},
                   {"fovea actions match a.avi b.avi --json --model-points 3 --variant greedy",
                    "match three points per frame and print every node"},
                   {"fovea actions match a.avi b.avi --explain",
                    "print what each node and triangle adds to the energy"}},
      .request = make_request<ActionsMatchRequest, run_actions_match>,
      .result = {.record = sample_record<MatchResult>},
      .reads_images = true,
      .reads_videos = true};
}

}  // namespace fovea::cli
