// The report of fovea emd track: one line, a table of all trackers where true boxes are given, or
// JSON.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/emd/emd.h"
#include "cli/emd/track.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

// What is printed.
struct TrackPrinted {
  struct Windows {
    emd::MapReport stats{};
  };
  struct Means {
    double overlap = 0, precision = 0;
  };
  struct Measured {
    emd::TrackReport errors{};
    std::optional<double> seconds{};  // which differ from run to run
  };
  struct Rival {
    std::string name{};
    bool bar = false;
    Measured measured{};
  };
  struct Contest {
    std::vector<Rival> rivals{};
    double overlap = 0, precision = 0;  // the best of those that are the bar
    bool passes = false;
  };
  struct Target {
    int id = 0;
    bool parts = false;
    std::optional<Measured> measured{};
    std::optional<Contest> contest{};
  };
  std::string input{};
  std::optional<std::string> output{}, video{}, map_video{};
  Extent size{};
  std::optional<int> bands{};
  std::int64_t frames = 0, dropped = 0;
  bool interrupted = false;
  std::optional<Means> means{};  // over all targets
  Windows map{};
  std::vector<Target> targets{};
  std::vector<FramedTrack> tracks{};
};
void describe(FieldVisitor& visit, TrackPrinted::Windows& map) {
  visit.record("TrackMaps", "how windows of all maps got their distances");
  visit("windows", map.stats.pixels, "that were mapped");
  visit("cached", map.stats.cached, "whose histogram was known from an earlier frame");
  visit("duplicate", map.stats.duplicate, "whose histogram occurs elsewhere in the frame");
  visit("solved", map.stats.solved, "new histograms given to the solver");
  visit("pivots", map.stats.pivots, "simplex pivots for the solved ones");
  visit("solved_by", map.stats.solved_by, "which solver took how many of them");
}
void describe(FieldVisitor& visit, TrackPrinted::Means& means) {
  visit("mean_overlap", means.overlap, "over all targets");
  visit("precision_20px", means.precision, "over all targets");
}
void describe(FieldVisitor& visit, TrackPrinted::Measured& measured) {
  describe(visit, measured.errors);
  visit("seconds_per_frame", measured.seconds, "in the tracker alone", {.unit = "seconds"});
}
void describe(FieldVisitor& visit, TrackPrinted::Rival& rival) {
  visit.record("TrackRival", "another tracker on the same frames");
  visit("name", rival.name, "what it is called");
  visit("bar", rival.bar, "whether it is one of the plain trackers that ours must beat");
  describe(visit, rival.measured);
}
void describe(FieldVisitor& visit, TrackPrinted::Contest& contest) {
  visit("rivals", contest.rivals, "other trackers");
  visit("bar_overlap", contest.overlap, "best mean overlap of the plain ones");
  visit("bar_precision_20px", contest.precision, "best precision of the plain ones");
  visit("passes", contest.passes, "whether ours is as good as both");
}
void describe(FieldVisitor& visit, TrackPrinted::Target& target) {
  visit.record("TrackedTarget", "a target that was followed");
  visit("id", target.id, "from 1");
  visit("parts", target.parts, "whether its parts were compared");
  visit("measured", target.measured, "where true boxes are given", {.flat = true});
  visit("contest", target.contest, "with --rivals", {.flat = true});
}
void describe(FieldVisitor& visit, TrackPrinted& printed) {
  visit.record("TrackResult", "targets that were followed");
  visit("input", printed.input, "the video, or the folder or glob of frames");
  visit("output", printed.output, "file of the boxes");
  visit("video", printed.video, "video of the frames with the boxes");
  visit("map_video", printed.map_video, "video of the likelihood");
  visit("width", printed.size.width, "of the frames", {.unit = "pixels"});
  visit("height", printed.size.height, "of the frames", {.unit = "pixels"});
  visit("bands", printed.bands, "of frames that are cubes");
  visit("frames", printed.frames, "frames that were read");
  visit("dropped", printed.dropped, "of a live source: frames that were not looked at");
  visit("interrupted", printed.interrupted, "whether the run ended before the video did");
  visit("means", printed.means, "where true boxes are given", {.flat = true});
  visit("map", printed.map, "how distances were found");
  visit("targets", printed.targets, "in the order of their ids");
  visit("tracks", printed.tracks, "every target in every frame");
}

TrackPrinted::Contest contest_of(const TrackResult& own, const std::vector<TrackResult>& rivals,
                                 const auto& measured) {
  TrackPrinted::Contest contest;
  for (const TrackResult& rival : rivals) {
    contest.rivals.push_back({rival.name, rival.bar, measured(rival)});
    if (!rival.bar) continue;
    contest.overlap = std::max(contest.overlap, rival.errors.mean_overlap);
    contest.precision = std::max(contest.precision, rival.errors.precision_20px);
  }
  contest.passes =
      own.errors.mean_overlap >= contest.overlap && own.errors.precision_20px >= contest.precision;
  return contest;
}

void print_json(TrackReport& report, const TrackRequest& request, const emd::Tracker& tracker,
                const Context& context) {
  const auto measured = [&](const TrackResult& result) {
    return TrackPrinted::Measured{
        result.errors, tells_times(context) ? std::optional(result.seconds) : std::nullopt};
  };
  TrackPrinted printed{.input = context.inputs[0],
                       .output = named_file(request.output),
                       .video = named_file(request.video),
                       .map_video = named_file(request.map_video),
                       .size = {report.width, report.height},
                       .frames = report.frames,
                       .dropped = report.dropped,
                       .interrupted = report.interrupted,
                       .map = {tracker.report()},
                       .tracks = std::move(report.tracks)};
  if (report.bands > 0) printed.bands = report.bands;
  const auto count = static_cast<double>(report.own.size());
  for (const TrackResult& result : report.own) {
    if (!printed.means) printed.means.emplace();
    printed.means->overlap += result.errors.mean_overlap / count;
    printed.means->precision += result.errors.precision_20px / count;
  }
  for (std::size_t i = 0; i < report.targets; ++i) {
    const int id = static_cast<int>(i) + 1;
    TrackPrinted::Target& target = printed.targets.emplace_back();
    target.id = id;
    target.parts = tracker.targets() >= id && tracker.uses_parts(id);
    if (i < report.own.size()) target.measured = measured(report.own[i]);
    if (i < report.rivals.size())
      target.contest = contest_of(report.own[i], report.rivals[i], measured);
  }
  print_result(context, record_ref(printed));
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

void describe(FieldVisitor& visit, FramedTrack& framed) {
  visit("frame", framed.frame, "number of the frame, from 0");
  describe(visit, framed.track);
}

void add_tracks(TrackReport& report, const TrackFrame& tracked, bool json) {
  ++report.frames;
  for (const emd::Track& track : tracked.tracks) {
    report.lost += track.lost ? 1 : 0;
    if (json) report.tracks.push_back({tracked.frame.frame, track});
  }
}

void print_report(TrackReport& report, const TrackRequest& request, const emd::Tracker& tracker,
                  Context& context) {
  if (context.json) print_json(report, request, tracker, context);
  else context.console.print(text_of(report, request, context));
}

RecordRef track_result() { return sample_record<TrackPrinted>(); }

}  // namespace fovea::cli
