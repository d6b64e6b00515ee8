// Telling test clips of a fold by its training clips, from tables that all folds share. Every
// prototype meets every clip once a recipe's features and matches: what a fold may not see are
// columns and rows that are passed over. Only the scale of features follows from the fold's own
// training clips; it has two digits, so that most folds share it.
#pragma once
#include <fovea/actions/train.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "actions/evaluate/score.h"
#include "actions/train/train_table.h"

namespace fovea::actions {

class FoldTeller {
 public:
  FoldTeller(const Corpus& corpus, std::span<const PointSet> points, const Exec& exec);

  // What a recipe tells of clips after training on others.
  std::vector<std::int32_t> tell(const TrainOptions& recipe, double scale,
                                 std::span<const int> train, std::span<const int> test);

  // The scale of a recipe's features by the clips trained on.
  double scale_of(const TrainOptions& recipe, std::span<const int> train) const;

  // Clips right when each subject of `train` is left out in turn.
  int right_inside(const TrainOptions& recipe, double scale, std::span<const int> train);

  // What making a recipe's table took, and which table that is.
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
  std::vector<double> distances_of(const Table& table, const TrainOptions& recipe,
                                   std::span<const int> columns, std::span<const int> train,
                                   int clip) const;
  void prepare_singles(int most);
  std::vector<double> singles_of(std::span<const int> train, int clip) const;

  std::span<const PointSet> points_;
  const Exec& exec_;
  std::vector<std::int32_t> labels_;
  std::vector<int> subjects_;
  int classes_ = 0;
  std::vector<PointSet> salient_;
  std::map<std::string, Table> tables_;
  // Single descriptors: a row a point of all clips, a column a clip.
  Image<float> singles_;
  std::vector<int> single_rows_;  // first row of each clip, and one past the last
  int single_points_ = -1;
};

}  // namespace fovea::actions
