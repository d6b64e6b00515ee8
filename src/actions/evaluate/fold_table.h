// Matches the prototypes of clips with other clips, some clips at a time, and keeps of each clip
// and each group of clips only the least distances. So memory does not grow with prototypes x
// clips.
#pragma once
#include <fovea/actions/train.h>

#include <span>
#include <vector>

#include "actions/evaluate/fold_jobs.h"
#include "actions/infinity.h"
#include "actions/train/clip_source.h"

namespace fovea::actions {

// The least distances of rows to groups, a fixed number of each, in rising order.
template <class Number>
class LeastDistances {
 public:
  LeastDistances() = default;
  LeastDistances(int rows, int groups, int kept)
      : groups_(static_cast<std::size_t>(groups)),
        kept_(static_cast<std::size_t>(kept)),
        values_(static_cast<std::size_t>(rows) * groups_ * kept_, kInfinity<Number>) {}

  void add(int row, int group, Number value) {
    const std::span<Number> list = values_of(row, group);
    if (!(value < list.back())) return;
    std::size_t at = list.size() - 1;
    for (; at > 0 && value < list[at - 1]; --at) list[at] = list[at - 1];
    list[at] = value;
  }
  // Infinite where there are fewer.
  std::span<const Number> get(int row, int group) const {
    return {values_.data() + first(row, group), kept_};
  }

 private:
  std::size_t first(int row, int group) const {
    return (static_cast<std::size_t>(row) * groups_ + static_cast<std::size_t>(group)) * kept_;
  }
  std::span<Number> values_of(int row, int group) {
    return {values_.data() + first(row, group), kept_};
  }

  std::size_t groups_ = 0, kept_ = 0;
  std::vector<Number> values_;
};

// Which distances the recipes need that share a table.
struct FoldTableUse {
  int best = 0;            // greatest number of prototypes that are averaged; 0: none
  int symmetric_best = 0;  // greatest number of clips that are averaged; 0: none
};

class FoldTable {
 public:
  // `recipe` says how to cut, describe and match; its features have their scale.
  FoldTable(const ClipSource& clips, const FoldJobs& jobs, const TrainOptions& recipe,
            const FoldTableUse& use, const Exec& exec);

  // Returns the distances of a clip to classes, by a job's training clips.
  std::vector<double> distances(int clip, std::span<const std::int32_t> group_labels,
                                const ScoreOptions& score, int classes) const;

 private:
  friend class FoldTableMaker;
  std::vector<int> row_of_;  // by clip; -1: the clip is not tested
  LeastDistances<float> energy_, appearance_;
  LeastDistances<double> symmetric_energy_, symmetric_appearance_;
};

}  // namespace fovea::actions
