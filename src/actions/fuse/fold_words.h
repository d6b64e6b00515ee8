// The margins of words and support vectors for all jobs of folds.
#pragma once
#include <span>
#include <vector>

#include "actions/evaluate/fold_jobs.h"
#include "actions/fuse/words.h"

namespace fovea::actions {

class FoldWords {
 public:
  explicit FoldWords(const FoldJobs& jobs) : jobs_(jobs), margins_(jobs.jobs().size()) {}
  // Trains one job after the other on histograms of all of their clips, and keeps the margins of
  // the clips that they test.
  void add(std::span<const int> jobs, const WordHistograms& histograms,
           std::span<const std::int32_t> labels, int classes, const Exec& exec);
  // By class, for the n-th tested clip of a job; empty if words say nothing about it.
  std::span<const double> margins(int job, std::size_t tested) const {
    const auto& of_job = margins_[static_cast<std::size_t>(job)];
    return of_job.empty() ? std::span<const double>() : of_job[tested];
  }

 private:
  const FoldJobs& jobs_;
  std::vector<std::vector<std::vector<double>>> margins_;  // by job and tested clip
};

// Returns the outer job of a fold, the jobs by which it chooses, and all clips of the former.
struct WordFold {
  std::vector<int> jobs;
  std::vector<int> train;  // from which words are learned
  std::vector<int> clips;
};
WordFold word_fold(const FoldJobs& jobs, std::size_t fold);

}  // namespace fovea::actions
