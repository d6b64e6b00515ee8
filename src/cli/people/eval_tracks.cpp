// fovea people eval-tracks: compares tracks with true ones by the measures of the MOT challenge.
#include "cli/people/eval_tracks.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include "cli/program/files.h"
#include "cli/program/result.h"
#include "cli/program/run.h"

namespace fovea::cli {

void describe(OptionVisitor& visit, EvalTracksRequest& request) {
  visit("truth", request.truths,
        "file of true boxes, MOT challenge text; one for each file of found boxes, in their order",
        {.use = TextUse::kInput, .repeats = true});
  visit("video", request.videos,
        "with -o: the video of each file of found boxes, in their order, or the folder of its "
        "frames, in which fovea view opens mistakes",
        {.use = TextUse::kInput, .repeats = true});
  visit.path(
      "output", request.output, TextUse::kFolder,
      "folder for the report: a page with curve and worst mistakes, and evaluation.json for fovea "
      "view");
  visit("pedestrians", request.pedestrians, "leave out true boxes of other classes than 1",
        {.off_help = "count true boxes of all classes"});
  describe(visit, request.evaluate);
}

namespace {

// The report of one file of found boxes.
struct TrackedSequence {
  std::string found{}, truth{};
  people::TrackReport report{};
};
void describe(FieldVisitor& visit, TrackedSequence& sequence) {
  visit("found", sequence.found, "the file of found boxes");
  visit("truth", sequence.truth, "the file of true boxes");
  describe(visit, sequence.report);
}

struct EvalTracksResult {
  std::vector<TrackedSequence> sequences{};
  people::TrackReport all{};
};
void describe(FieldVisitor& visit, EvalTracksResult& result) {
  visit("sequences", result.sequences, "each file of found boxes, in their order");
  visit("all", result.all, "all of them together");
}

std::string report_line(const std::string& name, const people::TrackReport& report) {
  const auto percent = [](double share) { return fmt::format("{:.1f}", 100 * share); };
  return fmt::format(
      "{:<24} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>5} {:>5} "
      "{:>4} {:>4}\n",
      name, percent(report.mota), percent(report.motp), percent(report.idf1), percent(report.idp),
      percent(report.idr), percent(report.hota), percent(report.deta), percent(report.assa),
      report.misses, report.false_positives, report.switches, report.fragments,
      report.mostly_tracked, report.mostly_lost);
}

int run_eval_tracks(EvalTracksRequest& request, Context& context) {
  const std::vector<std::string>& found = context.inputs;
  if (request.truths.size() != found.size())
    throw InvalidArgument(
        fmt::format("--truth names {} files for {} files of found boxes; expected one for each",
                    request.truths.size(), found.size()));
  if (!request.videos.empty() && request.videos.size() != found.size())
    throw InvalidArgument(
        fmt::format("--video names {} videos for {} files of found boxes; expected one for each",
                    request.videos.size(), found.size()));
  require_no_file("-o", request.output);
  context.exec.device = Device::cpu();  // everything here runs on the CPU, and the result says so
  std::vector<people::TrackReport> reports;
  std::vector<TrackedVideo> videos;
  EvalTracksResult result;
  for (std::size_t i = 0; i < found.size(); ++i) {
    TrackedVideo video{
        .found = found[i],
        .video = request.videos.empty() ? "" : request.videos[i],
        .truth = people::read_mot(request.truths[i], {.pedestrians = request.pedestrians}),
        .boxes = people::read_mot(found[i], {.pedestrians = false})};
    if (video.truth.empty())
      throw FormatError(fmt::format("{}: holds no true box", request.truths[i]));
    reports.push_back(people::evaluate_tracks(video.truth, video.boxes, request.evaluate));
    result.sequences.push_back({found[i], request.truths[i], reports.back()});
    videos.push_back(std::move(video));
  }
  result.all = people::combine(reports);
  if (!request.output.empty()) {
    write_evaluation_folder(request.output, context,
                            tracks_evaluation(videos, result.all, request));
    if (request.videos.empty())
      context.console.note("without --video, fovea view lists the mistakes and cannot open them");
  }
  if (context.json) {
    print_result(context, record_ref(result));
    return kDone;
  }
  std::string text = fmt::format(
      "{:<24} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>6} {:>7} {:>7} {:>5} {:>5} {:>4} "
      "{:>4}\n",
      "percent", "MOTA", "MOTP", "IDF1", "IDP", "IDR", "HOTA", "DetA", "AssA", "misses", "false",
      "swit.", "frag.", "MT", "ML");
  for (std::size_t i = 0; i < found.size(); ++i) text += report_line(found[i], reports[i]);
  if (found.size() > 1) text += report_line("all", result.all);
  context.console.print(text);
  return kDone;
}

}  // namespace

Command people_eval_tracks_command() {
  return {
      .system = "people",
      .verb = "eval-tracks",
      .summary = "compare tracks with true ones by MOTA, IDF1 and HOTA",
      .text =
          "Reads tracks as MOT challenge text, as people track writes them, and the true boxes. "
          "Prints CLEAR MOT (MOTA, MOTP, misses, false positives, switches, fragments, people "
          "mostly tracked and mostly lost), identity measures (IDF1, IDP, IDR) and HOTA with its "
          "parts for detection and association, by the definitions of TrackEval. True boxes whose "
          "seventh number is 0 do not count. Several sequences are also reported together.",
      .arguments = {{"FOUND", "files of tracks, MOT challenge text", 1, kAnyNumber}},
      .examples = {{"fovea people eval-tracks tracks.txt --truth gt.txt", "measure one sequence"},
                   {"fovea people eval-tracks a.txt b.txt --truth gt_a.txt --truth gt_b.txt --json",
                    "measure two sequences, each alone and together"},
                   {"fovea people eval-tracks t.txt --truth gt.txt --video walk.mp4 -o report",
                    "see the mistakes by fovea view report/evaluation.json"}},
      .request = make_request<EvalTracksRequest, run_eval_tracks>,
      .result = {sample_record<EvalTracksResult>}};
}

}  // namespace fovea::cli
