// What is classified by what in all folds, and groups of clips that are always trained on together.
// Results are kept per group and not per clip or prototype, which bounds their memory.
#pragma once
#include <fovea/actions/evaluate.h>

#include <span>
#include <vector>

namespace fovea::actions {

// Some clips are classified by others.
struct FoldJob {
  std::vector<int> train;
  std::vector<int> validation;  // with which prototypes are selected; empty: some of `train`
  std::vector<int> test;
};

class FoldJobs {
 public:
  // With `choosing`, there are also jobs by which a fold chooses among recipes: its validation
  // clips are classified, or, if it has none, each of its training subjects in turn by the others.
  FoldJobs(const Corpus& corpus, std::span<const Fold> folds, bool choosing);

  std::span<const FoldJob> jobs() const { return jobs_; }
  std::size_t folds() const { return outer_.size(); }
  int outer(std::size_t fold) const { return outer_[fold]; }
  std::span<const int> inner(std::size_t fold) const { return inner_[fold]; }

  // Groups have one class each. A clip that no job trains on has the group -1.
  int groups() const { return static_cast<int>(group_labels_.size()); }
  int group_of(int clip) const { return group_of_[static_cast<std::size_t>(clip)]; }
  bool is_tested(int clip) const { return is_tested_[static_cast<std::size_t>(clip)]; }
  // Returns the class of each group that a job trains on; -1 for the others.
  std::span<const std::int32_t> labels(int job) const {
    return labels_[static_cast<std::size_t>(job)];
  }

 private:
  void add_inner(const Corpus& corpus, const Fold& fold);
  void make_groups(const Corpus& corpus);

  std::vector<FoldJob> jobs_;
  std::vector<int> outer_;
  std::vector<std::vector<int>> inner_;
  std::vector<int> group_of_;
  std::vector<bool> is_tested_;
  std::vector<std::int32_t> group_labels_;
  std::vector<std::vector<std::int32_t>> labels_;
};

}  // namespace fovea::actions
