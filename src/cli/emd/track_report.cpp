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

emd::TrackResult::Contest contest_of(const TrackResult& own, const std::vector<TrackResult>& rivals,
                                     const auto& measured) {
  emd::TrackResult::Contest contest;
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
    return emd::TrackResult::Measured{
        result.errors, reports_times(context) ? std::optional(result.seconds) : std::nullopt};
  };
  emd::TrackResult printed{.input = context.inputs[0],
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
    if (!printed.means) printed.means = emd::TrackResult::Means{};
    printed.means->overlap += result.errors.mean_overlap / count;
    printed.means->precision += result.errors.precision_20px / count;
  }
  for (std::size_t i = 0; i < report.targets; ++i) {
    const int id = static_cast<int>(i) + 1;
    emd::TrackResult::Target& target = printed.targets.emplace_back();
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
  const bool times = reports_times(context);
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
    if (json) report.tracks.push_back({tracked.frame.frame, track});
  }
}

void print_report(TrackReport& report, const TrackRequest& request, const emd::Tracker& tracker,
                  Context& context) {
  if (context.json) print_json(report, request, tracker, context);
  else context.console.print(text_of(report, request, context));
}

}  // namespace fovea::cli
