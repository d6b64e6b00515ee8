// Classifies the test clips of a fold by its training clips, with tables that all folds share. A
// table matches every prototype with every clip, once per choice of features and of match options;
// a fold skips the columns and rows that it must not see. Only the scale of features is learned
// from the training clips of the fold; it is rounded to two digits, so that most folds share it.
#pragma once
#include <fovea/actions/train.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "actions/evaluate/score.h"
#include "actions/train/train_table.h"

namespace fovea::actions {

class FoldClassifier {
 public:
  FoldClassifier(const Corpus& corpus, std::span<const PointSet> points, const Exec& exec);

  // Returns the distances of each test clip to the classes by a recipe that is trained on other
  // clips. They are equal to those of Classifier with a model of that training.
  std::vector<std::vector<double>> distances(const TrainOptions& recipe, double scale,
                                             std::span<const int> train, std::span<const int> test);
  // Returns the labels of clips by a recipe that is trained on others.
  std::vector<std::int32_t> classify(const TrainOptions& recipe, double scale,
                                     std::span<const int> train, std::span<const int> test);

  // Returns the scale of a recipe's features, learned from the training clips.
  double scale_of(const TrainOptions& recipe, std::span<const int> train) const;

  // Returns the number of correct clips when each subject of `train` is left out in turn.
  int correct_inside(const TrainOptions& recipe, double scale, std::span<const int> train);

  // The table of a recipe, and how long it took to make.
  struct TableCost {
    const void* table;
    double seconds;
  };
  TableCost table_cost(const TrainOptions& recipe, double scale) {
    const Table& table = table_of(recipe, scale);
    return {&table, table.seconds};
  }

 private:
  struct Table {
    ScoreTable scores;
    std::vector<ClipColumns> columns;
    double seconds = 0;
  };
  const Table& table_of(const TrainOptions& recipe, double scale);
  Table make_table(const TrainOptions& recipe, double scale);
  std::vector<int> columns_of(const Table& table, const TrainOptions& recipe,
                              std::span<const int> train);
  // Returns the symmetric distances of a clip to the training clips that have prototypes.
  struct SymmetricDistances {
    std::vector<double> distances;
    std::vector<std::int32_t> labels;
  };
  SymmetricDistances symmetric_of(const Table& table, const TrainOptions& recipe, double scale,
                                  std::span<const int> train, int clip);
  void prepare_singles(int most);
  std::vector<double> singles_of(std::span<const int> train, int clip) const;

  std::span<const PointSet> points_;
  const Exec& exec_;
  std::vector<std::int32_t> labels_;
  std::vector<int> subjects_;
  int classes_ = 0;
  std::vector<PointSet> salient_;
  std::map<std::string, Table> tables_;
  // Distances of single descriptors: one row per point of all clips, one column per clip.
  Image<float> singles_;
  std::vector<int> single_rows_;  // first row of each clip, and one past the last
  int single_points_ = -1;
};

}  // namespace fovea::actions
