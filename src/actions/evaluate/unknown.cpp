// Measures how well unknown actions are rejected: each subject and each action is left out in turn.
// The rule is learned from the other subjects and actions alone.
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <algorithm>

#include "actions/evaluate/evaluate_fold.h"
#include "actions/evaluate/score.h"
#include "actions/infinity.h"
#include "actions/train/calibration.h"
#include "actions/train/reject_rule.h"
#include "actions/train/train.h"

namespace fovea::actions {
namespace {

// The distances of a fold's clips: those it tests by all of its training subjects, and those of its
// training subjects by the others of them.
struct FoldDistances {
  std::vector<RejectClip> tested;
  std::vector<RejectClip> trained;
};

class UnknownTest {
 public:
  UnknownTest(const Corpus& corpus, const ClipSource& clips, const TrainOptions& options,
              const Exec& exec)
      : corpus_(corpus),
        options_(options),
        folds_(leave_one_subject_out(corpus)),
        recipes_{{"given", options}},
        classifier_(corpus, clips, folds_, recipes_, true, exec),
        exec_(exec),
        points_(kept_points(options)) {}

  UnknownReport run() {
    for (std::size_t fold = 0; fold < folds_.size(); ++fold) {
      throw_if_stopped(exec_);
      const double scale = classifier_.scale_of(options_, fold);
      const FoldDistances distances{classifier_.evidence(options_, scale, fold, points_),
                                    classifier_.inner_evidence(options_, scale, fold, points_)};
      for (std::size_t left_out = 0; left_out < corpus_.classes.size(); ++left_out)
        add(distances, static_cast<std::int32_t>(left_out));
    }
    finish();
    return std::move(report_);
  }

 private:
  // Takes a class out of what is known.
  static RejectClip without(const RejectClip& clip, std::int32_t label) {
    RejectClip result = clip;
    result.matching[static_cast<std::size_t>(label)] = kInfinity<double>;
    if (!result.singles.empty())
      result.singles[static_cast<std::size_t>(label)] = kInfinity<double>;
    if (!result.fused.empty()) result.fused[static_cast<std::size_t>(label)] = kInfinity<double>;
    return result;
  }

  int nearest_of(const RejectClip& clip) const {
    if (!clip.fused.empty()) return least_of(clip.fused);
    const int nearest = least_of(clip.matching);
    if (nearest < 0 || !(options_.score.fusion > 0)) return nearest;
    return least_of(fused(clip.matching, clip.singles, options_.score.fusion));
  }

  void add(const FoldDistances& distances, std::int32_t left_out) {
    std::vector<RejectClip> known;
    for (const RejectClip& clip : distances.trained)
      if (clip.label != left_out) known.push_back(without(clip, left_out));
    const auto rule = learn_reject_rule(known, options_.clip_reject_share);
    if (!rule)
      throw InvalidArgument(fmt::format(
          "unknown actions: without {} there are fewer than three actions, or no clip fits",
          corpus_.classes[static_cast<std::size_t>(left_out)]));
    for (const RejectClip& whole : distances.tested) {
      const RejectClip clip = without(whole, left_out);
      const int nearest = nearest_of(clip);
      const bool is_known = clip.label != left_out;
      const double value =
          nearest < 0 ? 0 : allowance(*rule, {clip.matching, clip.singles}, nearest);
      (is_known ? report_.known : report_.unknown) += 1;
      if (value >= 1) (is_known ? report_.known_kept : report_.unknown_kept) += 1;
      if (value >= 1 && nearest == clip.label) ++report_.known_right;
      (is_known ? known_values_ : unknown_values_).push_back(value);
    }
  }

  // The curve over all trials, and the area below it.
  void finish() {
    std::ranges::sort(known_values_, std::ranges::greater());
    std::ranges::sort(unknown_values_, std::ranges::greater());
    std::size_t passed = 0;
    double area = 0;
    for (std::size_t kept = 0; kept < known_values_.size(); ++kept) {
      while (passed < unknown_values_.size() && unknown_values_[passed] >= known_values_[kept])
        ++passed;
      report_.curve.push_back(
          {static_cast<double>(kept + 1) / static_cast<double>(known_values_.size()),
           static_cast<double>(passed) / static_cast<double>(unknown_values_.size())});
      area += 1 - report_.curve.back().unknown_kept;
    }
    report_.area = area / static_cast<double>(known_values_.size());
  }

  const Corpus& corpus_;
  const TrainOptions& options_;
  std::vector<Fold> folds_;
  std::vector<Recipe> recipes_;
  FoldClassifier classifier_;
  const Exec& exec_;
  int points_;
  std::vector<double> known_values_, unknown_values_;
  UnknownReport report_;
};

UnknownReport run_unknown(const Corpus& corpus, const ClipSource& clips,
                          const TrainOptions& options, const Exec& exec) {
  check_options(options);
  check_corpus(corpus, clips.size(), "evaluate_unknown");
  if (corpus.classes.size() < 4 || corpus.subjects().size() < 3)
    throw InvalidArgument(fmt::format(
        "unknown actions: {} actions of {} subjects; four actions of three subjects are needed to "
        "leave out one of each and still learn a rule",
        corpus.classes.size(), corpus.subjects().size()));
  return UnknownTest(corpus, clips, options, exec).run();
}

}  // namespace

UnknownReport evaluate_unknown(const Corpus& corpus, std::span<const PointSet> points,
                               const TrainOptions& options, const Exec& exec) {
  return run_unknown(corpus, points, options, exec);
}

UnknownReport evaluate_unknown(const Corpus& corpus, const PackedClips& points,
                               const TrainOptions& options, const Exec& exec) {
  return run_unknown(corpus, points, options, exec);
}

}  // namespace fovea::actions
