// What fovea view shows of targets that were followed and whose true boxes are known.
#include <fmt/format.h>

#include <algorithm>

#include "core/words.h"
#include "operations/emd/track.h"

namespace fovea::operations::of_emd_track {
namespace {

constexpr std::size_t kMostFrames = 100;  // that are listed of a target
constexpr std::int64_t kApart = 5;        // frames between those that are listed
constexpr int kOverlapSteps = 20;         // of the curve

struct FrameOverlap {
  std::int64_t frame = 0;  // from the first on that has boxes
  double overlap = 0;
};

// Frames whose true box is known, the first one as well: those that evaluate_track() counts.
std::vector<FrameOverlap> overlaps_of(const Boxes& boxes, const Boxes& truth) {
  std::vector<FrameOverlap> overlaps;
  for (std::size_t i = 0; i < std::min(boxes.size(), truth.size()); ++i)
    if (truth[i].area() > 0)
      overlaps.push_back({static_cast<std::int64_t>(i), overlap(boxes[i], truth[i])});
  return overlaps;
}

report::EvaluationCurve success_curve(const std::string& name,
                                      const std::vector<FrameOverlap>& overlaps) {
  report::EvaluationCurve curve{.name = name, .chosen = 0.5};
  const auto all = static_cast<double>(std::max<std::size_t>(1, overlaps.size()));
  for (int step = 0; step <= kOverlapSteps; ++step) {
    const double least = static_cast<double>(step) / kOverlapSteps;
    const auto above = static_cast<double>(std::ranges::count_if(
        overlaps, [&](const FrameOverlap& each) { return each.overlap > least; }));
    curve.points.push_back(
        report::point_at(least, 100 * above / all, {static_cast<double>(overlaps.size()) - above}));
  }
  return curve;
}

// The frames that fit worst, but none that fits, as the first does where its box is given.
// Neighbors of a frame look like it and are left out.
std::vector<FrameOverlap> worst_of(std::vector<FrameOverlap> overlaps) {
  std::ranges::stable_sort(overlaps, {}, &FrameOverlap::overlap);
  std::vector<FrameOverlap> worst;
  for (const FrameOverlap& each : overlaps) {
    if (worst.size() == kMostFrames || each.overlap >= 1) break;
    if (std::ranges::none_of(worst, [&](const FrameOverlap& other) {
          return std::abs(other.frame - each.frame) < kApart;
        }))
      worst.push_back(each);
  }
  return worst;
}

}  // namespace

report::Evaluation track_evaluation(const Count& count) {
  const std::vector<Boxes>&boxes = count.boxes, &truths = count.setup->truths;
  const int first = count.setup->asked.frame;
  report::Evaluation evaluation{
      .system = "track",
      .title = "How well targets are followed",
      .summary = fmt::format(
          "{} followed. The overlap of a frame is the intersection of the found "
          "and the true box over their union. All frames whose true box is known count, the "
          "first one as well.",
          truths.size() == 1 ? "One target was" : fmt::format("{} targets were", truths.size()))};
  report::EvaluationChart chart{.title = "Frames above an overlap",
                                .threshold = "overlap",
                                .x = {.title = "overlap"},
                                .y = {.title = "frames above it (%)"},
                                .figures = {"frames up to it"}};
  report::InputPlaces<std::int64_t> inputs;
  for (std::size_t target = 0; target < truths.size(); ++target) {
    const std::string name = fmt::format("target {}", target + 1);
    const std::vector<FrameOverlap> overlaps = overlaps_of(boxes[target], truths[target]);
    const emd::TrackReport report = emd::evaluate_track(boxes[target], truths[target]);
    evaluation.facts.emplace_back(
        name, fmt::format("mean overlap {:.3f}, {:.1f} % of {} above one half", report.mean_overlap,
                          100 * report.success_50, detail::counted(report.frames, "frame")));
    chart.curves.push_back(success_curve(name, overlaps));
    for (const FrameOverlap& each : worst_of(overlaps)) {
      const std::size_t input = inputs.at(evaluation, each.frame, [&] {
        const auto& [file, number] = count.files[static_cast<std::size_t>(each.frame)];
        return report::EvaluatedInput{.files = {file}, .frame = number};
      });
      const auto at = static_cast<std::size_t>(each.frame);
      std::vector<report::EvaluationBox>& shown = evaluation.inputs[input].boxes;
      shown.push_back({.box = truths[target][at], .label = name});
      shown.push_back(
          {.box = boxes[target][at], .score = each.overlap, .curve = target, .label = name});
      report::Mistake mistake{
          .kind = "Frames with little overlap",
          .text = fmt::format("overlap {:.2f} in frame {}", each.overlap, first + each.frame),
          .input = input,
          .curve = target,
          .box = truths[target][at]};
      if (each.overlap > 0) mistake.above = each.overlap;
      evaluation.mistakes.push_back(std::move(mistake));
    }
  }
  evaluation.charts.push_back(std::move(chart));
  return evaluation;
}

}  // namespace fovea::operations::of_emd_track
