// The report of fovea emd track: one line, a table of all trackers where true boxes are given, or
// JSON.
#include <fovea/io/json_writer.h>
#include <fovea/io/sink.h>

#include <fmt/format.h>

#include <algorithm>

#include "cli/emd/emd.h"
#include "cli/emd/track.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

// Times differ from run to run.
enum class Times : unsigned char { kTold, kLeftOut };

void write_result(io::JsonWriter& json, const TrackResult& result, Times times) {
  json.member("mean_overlap", result.errors.mean_overlap)
      .member("precision_20px", result.errors.precision_20px)
      .member("success_50", result.errors.success_50)
      .member("success_area", result.errors.success_area)
      .member("mean_center_distance", result.errors.mean_center_distance)
      .member("missed_frames", result.errors.missed)
      .member("evaluated_frames", result.errors.frames);
  if (times == Times::kTold) json.member("seconds_per_frame", result.seconds);
}

void write_rivals(io::JsonWriter& json, const TrackResult& own,
                  const std::vector<TrackResult>& rivals, Times times) {
  double overlap = 0, precision = 0;
  json.key("rivals").begin_array();
  for (const TrackResult& rival : rivals) {
    json.begin_object().member("name", rival.name).member("bar", rival.bar);
    write_result(json, rival, times);
    json.end_object();
    if (!rival.bar) continue;
    overlap = std::max(overlap, rival.errors.mean_overlap);
    precision = std::max(precision, rival.errors.precision_20px);
  }
  json.end_array();
  json.member("bar_overlap", overlap).member("bar_precision_20px", precision);
  json.member("passes",
              own.errors.mean_overlap >= overlap && own.errors.precision_20px >= precision);
}

void write_map(io::JsonWriter& json, const emd::MapReport& stats) {
  json.key("map").begin_object();
  json.member("windows", stats.pixels).member("cached", stats.cached);
  json.member("duplicate", stats.duplicate).member("solved", stats.solved);
  json.member("pivots", stats.pivots);
  write_solved_by(json, stats.solved_by);
  json.end_object();
}

void print_json(const TrackReport& report, const TrackRequest& request, const emd::Tracker& tracker,
                const Context& context) {
  const Times times = tells_times(context) ? Times::kTold : Times::kLeftOut;
  print_result(context, [&](io::JsonWriter& json) {
    json.member("input", context.inputs[0]);
    if (!request.output.empty()) json.member("output", request.output);
    if (!request.video.empty()) json.member("video", request.video);
    if (!request.map_video.empty()) json.member("map_video", request.map_video);
    json.member("width", report.width).member("height", report.height);
    if (report.bands > 0) json.member("bands", report.bands);
    json.member("frames", report.frames).member("dropped", report.dropped);
    json.member("interrupted", report.interrupted);
    if (!report.own.empty()) {  // means over all targets
      const auto targets = static_cast<double>(report.own.size());
      double overlap = 0, precision = 0;
      for (const TrackResult& result : report.own) {
        overlap += result.errors.mean_overlap / targets;
        precision += result.errors.precision_20px / targets;
      }
      json.member("mean_overlap", overlap).member("precision_20px", precision);
    }
    write_map(json, tracker.report());
    json.key("targets").begin_array();
    for (std::size_t i = 0; i < report.targets; ++i) {
      const int id = static_cast<int>(i) + 1;
      json.begin_object().member("id", id);
      json.member("parts", tracker.targets() >= id && tracker.uses_parts(id));
      if (i < report.own.size()) write_result(json, report.own[i], times);
      if (i < report.rivals.size()) write_rivals(json, report.own[i], report.rivals[i], times);
      json.end_object();
    }
    json.end_array();
    json.key("tracks").raw("[" + report.tracks_json + "]");
  });
}

std::string text_of(const TrackReport& report, const TrackRequest& request,
                    const Context& context) {
  const bool times = tells_times(context);
  std::string text = fmt::format(
      "{}: {} in {}{}{}{}{}{}\n", context.inputs[0], detail::counted(report.targets, "target"),
      detail::counted(report.frames, "frame"),
      report.dropped == 0 ? "" : fmt::format(", {} dropped", report.dropped),
      report.lost == 0 ? "" : fmt::format(", lost in {}", report.lost),
      times ? fmt::format(", {:.3g} s", report.seconds) : "",
      request.output.empty() || request.output == "-" ? "" : ", ",
      request.output == "-" ? "" : request.output);
  for (std::size_t i = 0; i < report.own.size(); ++i) {
    text += fmt::format("{:<34} {:>12} {:>15} {:>9}{}\n", fmt::format("target {}", i + 1),
                        "mean overlap", "precision 20 px", "success", times ? "  ms/frame" : "");
    std::vector<TrackResult> all{report.own[i]};
    if (i < report.rivals.size())
      all.insert(all.end(), report.rivals[i].begin(), report.rivals[i].end());
    for (const TrackResult& result : all)
      text += fmt::format("{:<34} {:>12.3f} {:>15.3f} {:>9.3f}{}\n", result.name,
                          result.errors.mean_overlap, result.errors.precision_20px,
                          result.errors.success_area,
                          times ? fmt::format(" {:>9.2f}", 1000 * result.seconds) : "");
  }
  if (!report.own.empty() && times)
    text += "ms/frame: in the tracker alone, per target; decoding and writing are not counted\n";
  return text;
}

}  // namespace

void add_tracks(TrackReport& report, const TrackFrame& tracked, bool json) {
  ++report.frames;
  for (const emd::Track& track : tracked.tracks) {
    report.lost += track.lost ? 1 : 0;
    if (!json) continue;
    if (!report.tracks_json.empty()) report.tracks_json += ", ";
    report.tracks_json += fmt::format(
        "{{\"frame\": {}, \"id\": {}, \"box\": [{}, {}, {}, {}], \"score\": {:.6f}, "
        "\"confidence\": {:.4f}, \"lost\": {}}}",
        tracked.frame.frame, track.id, track.box.x, track.box.y, track.box.width, track.box.height,
        track.score, track.confidence, track.lost);
  }
}

void print_report(const TrackReport& report, const TrackRequest& request,
                  const emd::Tracker& tracker, Context& context) {
  if (context.json) print_json(report, request, tracker, context);
  else context.console.print(text_of(report, request, context));
}

}  // namespace fovea::cli
