// Classifies the test clips of folds by their training clips, with tables that all folds share: the
// least distances of every clip to every group of clips, once per choice of features and of match
// options. Only the scale of features is learned from the training clips of the fold; it is rounded
// to two digits, so that most folds share it.
#pragma once
#include <fovea/actions/evaluate.h>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "actions/evaluate/fold_jobs.h"
#include "actions/evaluate/fold_singles.h"
#include "actions/evaluate/fold_table.h"
#include "actions/fuse/fold_words.h"
#include "actions/fuse/late_fusion.h"
#include "actions/train/clip_source.h"
#include "actions/train/reject_rule.h"

namespace fovea::actions {

class FoldClassifier {
 public:
  // The recipes are those that will be asked for. They compete if `choosing`; late fusion needs
  // the same jobs to learn its weights.
  FoldClassifier(const Corpus& corpus, const ClipSource& clips, std::span<const Fold> folds,
                 std::span<const Recipe> recipes, bool choosing, const Exec& exec);

  // Returns the distances of each test clip of a fold to the classes. They are equal to those of
  // Classifier with a model that is trained on the fold's training clips.
  std::vector<std::vector<double>> distances(const TrainOptions& recipe, double scale,
                                             std::size_t fold) {
    return job_distances(recipe, scale, fold, jobs_.outer(fold));
  }
  // Returns what the test clips of a fold have for a reject rule: distances to classes by matching
  // and, if `most` is not negative, by single descriptors of the `most` most confident points of
  // training clips (0: all).
  std::vector<RejectClip> evidence(const TrainOptions& recipe, double scale, std::size_t fold,
                                   int most) {
    return job_evidence({recipe, scale, fold, jobs_.outer(fold)}, most);
  }
  // The same of the clips by which the fold chooses.
  std::vector<RejectClip> inner_evidence(const TrainOptions& recipe, double scale, std::size_t fold,
                                         int most);
  // Returns the labels of the test clips of a fold by a recipe.
  std::vector<std::int32_t> classify(const TrainOptions& recipe, double scale, std::size_t fold) {
    return labels_of(distances(recipe, scale, fold));
  }
  // Returns the scale of a recipe's features, learned from the training clips of a fold.
  double scale_of(const TrainOptions& recipe, std::size_t fold) const;
  // Returns the number of correct clips among those by which a fold chooses its recipe: its
  // validation clips or, if it has none, each of its training subjects, left out in turn.
  int correct_inside(const TrainOptions& recipe, double scale, std::size_t fold);

  // The table of a recipe, and how long it took to make; none if prototypes are selected.
  struct TableCost {
    const void* table = nullptr;
    double seconds = 0;
  };
  TableCost table_cost(const TrainOptions& recipe, double scale);

 private:
  struct Table {
    std::unique_ptr<FoldTable> least;
    double seconds = 0;
  };
  const Table& table_of(const TrainOptions& recipe, double scale);
  FoldTableUse use_of(const std::string& key) const;
  // A job of a fold, by a recipe.
  struct JobTask {
    const TrainOptions& recipe;
    double scale;
    std::size_t fold;
    int job;
  };
  static std::vector<std::int32_t> labels_of(const std::vector<std::vector<double>>& distances);
  std::vector<RejectClip> job_evidence(const JobTask& task, int most);
  std::vector<std::vector<double>> job_distances(const TrainOptions& recipe, double scale,
                                                 std::size_t fold, int job);
  bool is_late(const TrainOptions& recipe, std::size_t fold) const;
  std::vector<FusionClip> late_clips(const TrainOptions& recipe, double scale, int job);
  // Weights from the clips by which the fold chooses, without those of one of its jobs, whose
  // results would otherwise seem better than they are.
  FusionWeights late_weights(const TrainOptions& recipe, double scale, std::size_t fold,
                             int without);
  std::vector<std::vector<double>> late_distances(const JobTask& task);
  std::vector<std::vector<double>> matched_distances(const TrainOptions& recipe, double scale,
                                                     int job);
  std::vector<std::vector<double>> selected_distances(const TrainOptions& recipe, double scale,
                                                      const FoldJob& job) const;
  void prepare_singles(int most);
  void prepare_words();

  ClipSource clips_;
  const Exec& exec_;
  std::span<const Recipe> recipes_;
  FoldJobs jobs_;
  std::vector<std::int32_t> labels_;
  std::vector<int> subjects_;
  int classes_ = 0;
  std::map<std::string, Table> tables_;
  std::unique_ptr<FoldSingles> singles_;
  int single_points_ = -1;
  std::unique_ptr<FoldWords> words_;
  // Scores of the clips of jobs for late fusion, by the matching of a recipe.
  std::map<std::pair<std::string, int>, std::vector<FusionClip>> late_;
};

}  // namespace fovea::actions
