// What fovea view shows of an evaluation of tracks.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "cli/people/eval_tracks.h"
#include "cli/program/image_input.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

constexpr std::size_t kMostPoints = 12;  // of the curve
constexpr std::size_t kMostOfEach = 60;  // mistakes of each kind, at each point

// Least scores from the smallest on, at most so many, which part the boxes evenly.
std::vector<double> least_scores(const std::vector<TrackedVideo>& videos) {
  std::vector<double> scores;
  for (const TrackedVideo& video : videos)
    for (const people::MotBox& box : video.boxes) scores.push_back(box.score);
  std::ranges::sort(scores);
  std::vector<double> least;
  for (std::size_t i = 0; i < kMostPoints && !scores.empty(); ++i) {
    const double score = scores[i * scores.size() / kMostPoints];
    if (least.empty() || score > least.back()) least.push_back(score);
  }
  if (least.empty()) least.push_back(0);  // nothing was found
  return least;
}

std::vector<people::MotBox> from_score(const std::vector<people::MotBox>& boxes, double least) {
  std::vector<people::MotBox> kept;
  std::ranges::copy_if(boxes, std::back_inserter(kept),
                       [&](const people::MotBox& box) { return box.score >= least; });
  return kept;
}

bool true_box_counts(const people::MotBox& box, const people::EvaluateTracksOptions& options) {
  return box.score != 0 && (box.visibility < 0 || box.visibility >= options.least_visibility);
}

// Whether either side has a box that counts; otherwise there is nothing to compare.
bool comparable(const std::vector<people::MotBox>& truth, const std::vector<people::MotBox>& found,
                const people::EvaluateTracksOptions& options) {
  return !found.empty() || std::ranges::any_of(truth, [&](const people::MotBox& box) {
    return true_box_counts(box, options);
  });
}

const char* track_kind(people::TrackMistakeKind kind) {
  switch (kind) {
    case people::TrackMistakeKind::kSwitch: return "Switched identities";
    case people::TrackMistakeKind::kMiss: return "People who are not found";
    case people::TrackMistakeKind::kFalse: return "Tracks of nobody";
  }
  return "";
}

std::string mistake_frames(const people::TrackMistake& mistake) {
  return mistake.first_frame == mistake.last_frame
             ? fmt::format("in frame {}", mistake.first_frame)
             : fmt::format("in frames {} to {}", mistake.first_frame, mistake.last_frame);
}

std::string mistake_text(const people::TrackMistake& mistake) {
  switch (mistake.kind) {
    case people::TrackMistakeKind::kSwitch:
      return fmt::format("person {} was {} and is {} for {}", mistake.id, mistake.before,
                         mistake.after, detail::counted(mistake.boxes, "box", "boxes"));
    case people::TrackMistakeKind::kMiss:
      return fmt::format("person {} is not found {}", mistake.id, mistake_frames(mistake));
    case people::TrackMistakeKind::kFalse:
      return fmt::format("track {} follows nobody {}", mistake.id, mistake_frames(mistake));
  }
  return {};
}

// Adds frames as inputs of the evaluation, each once, with the boxes of both sides that count.
// Those of videos that were not named have no file.
class FrameInputs {
 public:
  FrameInputs(const std::vector<TrackedVideo>& videos, const people::EvaluateTracksOptions& options,
              report::Evaluation& evaluation)
      : videos_(videos), options_(options), evaluation_(evaluation), files_(videos.size()) {
    for (std::size_t i = 0; i < videos.size(); ++i)
      if (!videos[i].video.empty()) files_[i].emplace(videos[i].video);
  }

  std::size_t at(std::size_t video, std::int64_t frame) {
    return places_.at(evaluation_, {video, frame}, [&] { return input_of(video, frame); });
  }

 private:
  report::EvaluatedInput input_of(std::size_t video, std::int64_t frame) const {
    report::EvaluatedInput input{.frame = frame};
    if (files_[video]) {
      const auto [file, number] = files_[video]->at(frame);
      input.files = {file};
      input.frame = number;
    }
    for (const people::MotBox& box : videos_[video].truth)
      if (box.frame == frame && true_box_counts(box, options_))
        input.boxes.push_back({.box = box.box, .label = std::to_string(box.id)});
    for (const people::MotBox& box : videos_[video].boxes)
      if (box.frame == frame)
        input.boxes.push_back(
            {.box = box.box, .score = box.score, .label = std::to_string(box.id)});
    return input;
  }

  const std::vector<TrackedVideo>& videos_;
  const people::EvaluateTracksOptions& options_;
  report::Evaluation& evaluation_;
  std::vector<std::optional<FrameFiles>> files_;
  report::InputPlaces<std::pair<std::size_t, std::int64_t>> places_{};
};

// The mistakes of all videos at one least score, the worst of each kind.
std::vector<report::Mistake> tracks_mistakes_at(const std::vector<TrackedVideo>& videos,
                                                double least,
                                                const people::EvaluateTracksOptions& options,
                                                FrameInputs& inputs) {
  struct Of {
    people::TrackMistake mistake;
    std::size_t video;
  };
  std::vector<Of> all;
  for (std::size_t v = 0; v < videos.size(); ++v) {
    const std::vector<people::MotBox> found = from_score(videos[v].boxes, least);
    if (!comparable(videos[v].truth, found, options)) continue;
    for (const people::TrackMistake& mistake :
         people::track_mistakes(videos[v].truth, found, options))
      all.push_back({mistake, v});
  }
  std::ranges::stable_sort(all, std::greater{}, [](const Of& of) { return of.mistake.boxes; });
  std::map<people::TrackMistakeKind, std::size_t> counts;
  std::vector<report::Mistake> worst;
  for (const auto& [mistake, video] : all)
    if (++counts[mistake.kind] <= kMostOfEach)
      worst.push_back({.kind = track_kind(mistake.kind),
                       .text = mistake_text(mistake),
                       .input = inputs.at(video, mistake.first_frame),
                       .box = mistake.box});
  return worst;
}

report::EvaluationChart hota_chart(const people::TrackReport& all) {
  return report::with_curve({.title = "HOTA against the overlap",
                             .x = {.title = "overlap"},
                             .y = {.title = "HOTA (%)"},
                             .figures = {"DetA (%)", "AssA (%)", "LocA (%)"},
                             .file = "hota"},
                            "HOTA", all.thresholds, [](const auto& each) {
                              return report::point_at(
                                  each.overlap, 100 * each.hota,
                                  {100 * each.deta, 100 * each.assa, 100 * each.loca});
                            });
}

}  // namespace

report::Evaluation tracks_evaluation(const std::vector<TrackedVideo>& videos,
                                     const people::TrackReport& all,
                                     const EvalTracksRequest& request) {
  report::Evaluation evaluation{
      .system = "people",
      .title = "How well people are followed",
      .summary = fmt::format(
          "{} of {} in {} were compared with {}. A person counts as found where a box overlaps it "
          "by {} of their union. The score of a box is the least with which it counts.",
          detail::counted(all.found_boxes, "box", "boxes"), detail::counted(all.tracks, "track"),
          detail::counted(videos.size(), "video"), detail::counted(all.people, "person", "people"),
          request.evaluate.match_overlap),
      .facts = {{"MOTA", fmt::format("{:.1f} %", 100 * all.mota)},
                {"IDF1", fmt::format("{:.1f} %", 100 * all.idf1)},
                {"HOTA", fmt::format("{:.1f} %", 100 * all.hota)},
                {"switches", std::to_string(all.switches)}}};
  report::EvaluationChart chart{.title = "Missed people over false boxes",
                                .threshold = "score",
                                .option = "threshold",
                                .x = {.title = "false boxes per frame"},
                                .y = {.title = "missed (%)"},
                                .figures = {"MOTA (%)", "IDF1 (%)", "HOTA (%)", "switches"},
                                .file = "curve"};
  const std::vector<double> scores = least_scores(videos);
  report::EvaluationCurve curve{.name = "tracks", .chosen = scores.front()};
  FrameInputs inputs(videos, request.evaluate, evaluation);
  std::vector<std::vector<report::Mistake>> mistakes;
  for (const double least : scores) {
    std::vector<people::TrackReport> reports;
    reports.reserve(videos.size());
    for (const TrackedVideo& video : videos) {
      const std::vector<people::MotBox> found = from_score(video.boxes, least);
      if (comparable(video.truth, found, request.evaluate))
        reports.push_back(people::evaluate_tracks(video.truth, found, request.evaluate));
    }
    const people::TrackReport sum = people::combine(reports);
    curve.points.push_back({.threshold = least,
                            .x = static_cast<double>(sum.false_positives) /
                                 static_cast<double>(std::max<std::int64_t>(1, sum.frames)),
                            .y = 100 * (1 - sum.recall),
                            .figures = {100 * sum.mota, 100 * sum.idf1, 100 * sum.hota,
                                        static_cast<double>(sum.switches)}});
    mistakes.push_back(tracks_mistakes_at(videos, least, request.evaluate, inputs));
  }
  chart.curves.push_back(std::move(curve));
  evaluation.charts = {std::move(chart), hota_chart(all)};
  evaluation.mistakes = report::merged(scores, mistakes);
  return evaluation;
}

}  // namespace fovea::cli
