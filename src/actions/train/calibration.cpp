#include "actions/train/calibration.h"

#include <algorithm>
#include <numeric>

#include "actions/evaluate/fold_singles.h"
#include "actions/evaluate/fold_table.h"
#include "actions/evaluate/score.h"
#include "actions/fuse/fold_words.h"
#include "actions/fuse/late_fusion.h"
#include "actions/train/reject_rule.h"

namespace fovea::actions {
namespace {

// One fold per subject, which tests those of its clips that count.
std::vector<Fold> calibration_folds(const CalibrationTask& task) {
  std::vector<Fold> folds = leave_one_subject_out(task.corpus);
  for (Fold& fold : folds)
    std::erase_if(fold.test,
                  [&](int clip) { return !std::ranges::binary_search(task.which, clip); });
  std::erase_if(folds, [](const Fold& fold) { return fold.test.empty(); });
  return folds;
}

class Calibrator {
 public:
  explicit Calibrator(const CalibrationTask& task)
      : task_(task),
        options_(task.clips.options),
        classes_(static_cast<int>(task.corpus.classes.size())),
        subjects_(subject_numbers(task.corpus)),
        jobs_(task.corpus, calibration_folds(task), false) {}

  Calibration run() {
    find_distances();
    Calibration result;
    if (fuses_late(options_)) result.fusion = fused();
    result.rule = learn_reject_rule(known_, options_.clip_reject_share);
    return result;
  }

 private:
  const Exec& exec() const { return task_.clips.exec; }

  // Distances by matching and by single descriptors of other subjects.
  void find_distances() {
    std::optional<FoldTable> symmetric;
    if (options_.score.symmetric)
      symmetric.emplace(task_.clips.clips, jobs_, options_, FoldTableUse{0, options_.score.best},
                        exec());
    if (const int most = kept_points(options_); most >= 0) compare_singles_of(most);
    for (std::size_t job = 0; job < jobs_.jobs().size(); ++job)
      for (std::size_t i = 0; i < jobs_.jobs()[job].test.size(); ++i) {
        const int clip = jobs_.jobs()[job].test[i];
        RejectClip& one = known_.emplace_back();
        one.label = task_.clips.labels[static_cast<std::size_t>(clip)];
        const auto number = static_cast<int>(job);
        if (symmetric)
          one.matching = symmetric->distances(clip, jobs_.labels(number), options_.score, classes_);
        else one.matching = others_distances(clip);
        if (!singles_) continue;
        const std::span<const double> own = singles_->distances(number, i);
        one.singles.assign(own.begin(), own.end());
      }
  }

  void compare_singles_of(int most) {
    if (task_.known == nullptr) {
      singles_.emplace(task_.clips.clips, jobs_, classes_, most, exec());
      return;
    }
    singles_.emplace(jobs_, classes_);
    for (std::size_t job = 0; job < jobs_.jobs().size(); ++job)
      for (std::size_t i = 0; i < jobs_.jobs()[job].test.size(); ++i) {
        const auto clip = static_cast<std::size_t>(jobs_.jobs()[job].test[i]);
        singles_->set({static_cast<int>(job), i}, task_.known->clips[clip].singles,
                      task_.known->clips[clip].votes);
      }
  }

  // Returns the distances of a clip to classes by the prototypes of other subjects.
  std::vector<double> others_distances(int clip) const {
    std::vector<int> columns;
    for (std::size_t i = 0; i < task_.prototypes.size(); ++i)
      if (subjects_[static_cast<std::size_t>(task_.prototypes[i].clip)] !=
          subjects_[static_cast<std::size_t>(clip)])
        columns.push_back(static_cast<int>(i));
    const auto row =
        static_cast<int>(std::ranges::lower_bound(task_.which, clip) - task_.which.begin());
    return nearest_prototypes(row_of(task_.scores, row), columns, task_.prototypes, classes_,
                              options_.score.best)
        .distances;
  }

  // Learns words from all clips, and weights from clips of people on whom the support vector
  // machines were not trained.
  std::optional<LateFusion> fused() {
    std::vector<int> all(task_.corpus.clips.size());
    std::iota(all.begin(), all.end(), 0);
    LateFusion fusion;
    fusion.words = learn_words(task_.clips.clips, all, exec());
    const WordHistograms histograms(task_.clips.clips, all, fusion.words, exec());
    auto classifier = train_words(histograms, all, task_.clips.labels, exec());
    if (!classifier || static_cast<int>(classifier->classes.size()) < classes_) return {};
    fusion.classifier = std::move(classifier->svm);
    FoldWords words(jobs_);
    std::vector<int> numbers(jobs_.jobs().size());
    std::iota(numbers.begin(), numbers.end(), 0);
    words.add(numbers, histograms, task_.clips.labels, classes_, exec());
    std::vector<FusionClip> clips;
    clips.reserve(known_.size());
    for (std::size_t job = 0; job < jobs_.jobs().size(); ++job)
      for (std::size_t i = 0; i < jobs_.jobs()[job].test.size(); ++i) {
        const RejectClip& one = known_[clips.size()];
        const auto number = static_cast<int>(job);
        clips.push_back({has_label(jobs_.labels(number), one.label) ? one.label : -1,
                         fusion_scores({one.matching, one.singles, singles_->votes(number, i),
                                        words.margins(number, i)})});
      }
    fusion.weights = learn_fusion(clips);
    for (std::size_t i = 0; i < clips.size(); ++i)
      known_[i].fused = fused_distances(clips[i].scores, fusion.weights, classes_);
    return fusion;
  }

  const CalibrationTask& task_;
  const TrainOptions& options_;
  int classes_;
  std::vector<int> subjects_;
  FoldJobs jobs_;
  std::optional<FoldSingles> singles_;
  std::vector<RejectClip> known_;  // the tested clips of all jobs
};

}  // namespace

bool fuses_late(const TrainOptions& options) {
  return options.late_fusion && !(options.score.fusion > 0) && options.selection == Selection::kAll;
}

int kept_points(const TrainOptions& options) {
  if (options.score.fusion > 0 || fuses_late(options)) return options.fusion_points;
  return options.reject_points > 0 ? options.reject_points : -1;
}

bool has_label(std::span<const std::int32_t> group_labels, std::int32_t label) {
  return std::ranges::find(group_labels, label) != group_labels.end();
}

Calibration calibrate(const CalibrationTask& task) {
  Calibration result = Calibrator(task).run();
  result.points = kept_points(task.clips.options);
  if (result.fusion || !fuses_late(task.clips.options)) return result;
  TrainOptions options = task.clips.options;
  options.late_fusion = false;
  const ClipTask clips{task.clips.clips, task.clips.labels, options, task.clips.exec};
  return calibrate({task.corpus, clips, task.prototypes, task.which, task.scores});
}

}  // namespace fovea::actions
