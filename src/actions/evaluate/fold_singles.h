// Compares the points of tested clips with those of groups of training clips, a few clips at a
// time: no table of points x clips is ever held.
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "actions/evaluate/fold_jobs.h"
#include "actions/train/clip_source.h"

namespace fovea::actions {

struct SinglesTask {
  std::function<Image<float>(const PointSet&)> searched;  // rows of a tested clip
  std::function<Image<float>(const PointSet&)> known;     // rows of a training clip
  int width = 0;                                          // of both
  // By clip: which of the tested clips are searched; all where this is null.
  const std::vector<bool>* only = nullptr;
};
// Takes the squared distances of the points of a clip, one per row, to the nearest of each group,
// one per column, infinite for groups that no job needs that tests the clip.
using SinglesUse = std::function<void(int clip, ImageView<const float> nearest)>;
void compare_singles(const ClipSource& clips, const FoldJobs& jobs, const SinglesTask& task,
                     const Exec& exec, const SinglesUse& use);

// One of the tested clips of a job.
struct TestPlace {
  int job = 0;
  std::size_t tested = 0;
};
// By clip: the jobs that test it, and which of their tested clips it is.
std::vector<std::vector<TestPlace>> test_places(const FoldJobs& jobs, int clips);

// The image-to-class distances of single flow descriptors and their votes for all jobs: classes per
// tested clip.
class FoldSingles {
 public:
  // The `most` most confident points of each training clip count (0: all).
  FoldSingles(const ClipSource& clips, const FoldJobs& jobs, int classes, int most,
              const Exec& exec);
  // Zeros, which find() or set() replace.
  FoldSingles(const FoldJobs& jobs, int classes);

  struct Search {
    const ClipSource& clips;
    const FoldJobs& jobs;
    int most;  // see above
    const Exec& exec;
    const std::vector<bool>* only = nullptr;  // see SinglesTask
  };
  void find(const Search& search);
  void set(const TestPlace& place, std::span<const double> distances, std::span<const int> votes);

  // By class, for the n-th tested clip of a job.
  std::span<const double> distances(int job, std::size_t tested) const {
    return std::span(distances_[static_cast<std::size_t>(job)])
        .subspan(tested * static_cast<std::size_t>(classes_), static_cast<std::size_t>(classes_));
  }

  // The number of descriptors whose nearest one belongs to each class.
  std::span<const int> votes(int job, std::size_t tested) const {
    return std::span(votes_[static_cast<std::size_t>(job)])
        .subspan(tested * static_cast<std::size_t>(classes_), static_cast<std::size_t>(classes_));
  }

 private:
  int classes_;
  std::vector<std::vector<double>> distances_;  // by job
  std::vector<std::vector<int>> votes_;         // by job
};

}  // namespace fovea::actions
