// The report of emd track: one line, a table of all trackers where true boxes are given, or a
// record.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/words.h"
#include "operations/emd/track.h"

namespace fovea::operations::of_emd_track {
namespace {

// How accurately and how fast one tracker follows a target.
struct Row {
  std::string name;
  bool bar = false;
  emd::TrackResult::Measured measured{};
};

// Ours, and with --rivals others. Seconds are per frame after the first, in the tracker alone:
// decoding, drawing and writing do not count. Targets that are followed together share it equally.
std::vector<Row> rows_of(const Setup& setup, const Count& count, const Ended& ended,
                         std::size_t target) {
  const Boxes& truth = setup.truths[target];
  const auto followed = static_cast<double>(std::max<std::int64_t>(1, count.frames - 1));
  const auto row = [&](const std::string& name, bool bar, const Boxes& boxes, double seconds) {
    return Row{name,
               bar,
               {emd::evaluate_track(boxes, truth),
                ended.plan.times ? std::optional(seconds / followed) : std::nullopt}};
  };
  std::vector<Row> rows{row("fovea", false, count.boxes[target],
                            count.seconds / static_cast<double>(setup.targets.size()))};
  if (setup.asked.rivals && ended.whole)
    for (const Contestant& each : count.follower->contests[target])
      rows.push_back(row(each.name, each.bar, each.boxes, each.seconds));
  return rows;
}

emd::TrackResult::Contest contest_of(const std::vector<Row>& rows) {
  emd::TrackResult::Contest contest;
  for (const Row& rival : std::span(rows).subspan(1)) {
    contest.rivals.push_back({rival.name, rival.bar, rival.measured});
    if (!rival.bar) continue;
    contest.overlap = std::max(contest.overlap, rival.measured.errors.mean_overlap);
    contest.precision = std::max(contest.precision, rival.measured.errors.precision_20px);
  }
  const emd::TrackReport& own = rows.front().measured.errors;
  contest.passes = own.mean_overlap >= contest.overlap && own.precision_20px >= contest.precision;
  return contest;
}

// The name of the file that an output was written to; nothing where the run did not write it.
std::optional<std::string> file_of(const Plan& plan, std::string_view output) {
  const auto found = plan.files.find(output);
  return found == plan.files.end() ? std::nullopt : std::optional(found->second.front());
}

}  // namespace

RecordRef report(const Setup& setup, Count& count, const Ended& ended) {
  const emd::Tracker& tracker = count.follower->tracker;
  emd::TrackResult& result = count.result;
  result.input = ended.plan.inputs[0];
  result.output = file_of(ended.plan, "output");
  result.video = file_of(ended.plan, "video");
  result.map_video = file_of(ended.plan, "map-video");
  result.size = count.follower->size;
  if (count.follower->bands > 0) result.bands = count.follower->bands;
  result.frames = count.frames;
  result.dropped = ended.dropped;
  result.interrupted = !ended.whole;
  result.map = {tracker.report()};
  const auto share = static_cast<double>(setup.truths.size());
  result.targets.clear();
  result.means.reset();
  for (std::size_t i = 0; i < setup.targets.size(); ++i) {
    const int id = static_cast<int>(i) + 1;
    emd::TrackResult::Target& target = result.targets.emplace_back();
    target.id = id;
    target.parts = tracker.targets() >= id && tracker.uses_parts(id);
    if (setup.truths.empty()) continue;
    const std::vector<Row> rows = rows_of(setup, count, ended, i);
    target.measured = rows.front().measured;
    if (rows.size() > 1) target.contest = contest_of(rows);
    if (!result.means) result.means = emd::TrackResult::Means{};
    result.means->overlap += target.measured->errors.mean_overlap / share;
    result.means->precision += target.measured->errors.precision_20px / share;
  }
  return record_ref(result);
}

std::string report_text(const Setup& setup, Count& count, const Ended& ended) {
  const bool times = ended.plan.times;
  const std::string output = file_of(ended.plan, "output").value_or("-");
  std::string text = fmt::format(
      "{}: {} in {}{}{}{}{}{}\n", ended.plan.inputs[0],
      detail::counted(setup.targets.size(), "target"), detail::counted(count.frames, "frame"),
      ended.dropped == 0 ? "" : fmt::format(", {} dropped", ended.dropped),
      count.lost == 0 ? "" : fmt::format(", lost in {}", count.lost),
      times ? fmt::format(", {:.3g} s", ended.seconds) : "", output == "-" ? "" : ", ",
      output == "-" ? "" : output);
  for (std::size_t i = 0; i < setup.truths.size(); ++i) {
    text += fmt::format("{:<34} {:>12} {:>15} {:>9}{}\n", fmt::format("target {}", i + 1),
                        "mean overlap", "precision 20 px", "success", times ? "  ms/frame" : "");
    for (const Row& row : rows_of(setup, count, ended, i))
      text += fmt::format("{:<34} {:>12.3f} {:>15.3f} {:>9.3f}{}\n", row.name,
                          row.measured.errors.mean_overlap, row.measured.errors.precision_20px,
                          row.measured.errors.success_area,
                          times ? fmt::format(" {:>9.2f}", 1000 * *row.measured.seconds) : "");
  }
  if (!setup.truths.empty() && times)
    text += "ms/frame: in the tracker alone, per target; decoding and writing are not counted\n";
  return text;
}

}  // namespace fovea::operations::of_emd_track
