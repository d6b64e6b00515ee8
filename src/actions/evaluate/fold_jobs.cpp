#include "actions/evaluate/fold_jobs.h"

#include <algorithm>
#include <map>

#include "actions/train/train.h"

namespace fovea::actions {

FoldJobs::FoldJobs(const Corpus& corpus, std::span<const Fold> folds, bool choosing)
    : is_tested_(corpus.clips.size(), false) {
  for (const Fold& fold : folds) {
    outer_.push_back(static_cast<int>(jobs_.size()));
    jobs_.push_back({fold.train, fold.validation, fold.test});
    inner_.emplace_back();
    if (choosing) add_inner(corpus, fold);
  }
  for (const FoldJob& job : jobs_)
    for (const int clip : job.test) is_tested_[static_cast<std::size_t>(clip)] = true;
  make_groups(corpus);
}

void FoldJobs::add_inner(const Corpus& corpus, const Fold& fold) {
  const auto add = [&](FoldJob job) {
    if (job.train.empty() || job.test.empty()) return;
    inner_.back().push_back(static_cast<int>(jobs_.size()));
    jobs_.push_back(std::move(job));
  };
  if (!fold.validation.empty()) return add({fold.train, fold.validation, fold.validation});
  const std::vector<int> subjects = subject_numbers(corpus);
  std::vector<int> names;
  for (const int clip : fold.train) names.push_back(subjects[static_cast<std::size_t>(clip)]);
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const int left_out : names) {
    FoldJob job;
    for (const int clip : fold.train)
      (subjects[static_cast<std::size_t>(clip)] == left_out ? job.test : job.train).push_back(clip);
    add(std::move(job));
  }
}

// Begins with one group per class, and divides groups of which a job trains on a part only.
void FoldJobs::make_groups(const Corpus& corpus) {
  std::vector<int> group;
  for (const Clip& clip : corpus.clips) group.push_back(clip.label);
  std::vector<bool> is_trained(corpus.clips.size(), false);
  for (const FoldJob& job : jobs_) {
    std::vector<bool> inside(corpus.clips.size(), false);
    for (const int clip : job.train) inside[static_cast<std::size_t>(clip)] = true;
    std::map<std::pair<int, bool>, int> parts;
    for (std::size_t clip = 0; clip < group.size(); ++clip) {
      const auto next = static_cast<int>(parts.size());
      group[clip] = parts.try_emplace({group[clip], inside[clip]}, next).first->second;
      if (inside[clip]) is_trained[clip] = true;
    }
  }
  std::map<int, int> numbers;
  group_of_.assign(group.size(), -1);
  for (std::size_t clip = 0; clip < group.size(); ++clip) {
    if (!is_trained[clip]) continue;
    const auto [found, is_new] = numbers.try_emplace(group[clip], groups());
    if (is_new) group_labels_.push_back(corpus.clips[clip].label);
    group_of_[clip] = found->second;
  }
  for (const FoldJob& job : jobs_) {
    std::vector<std::int32_t> labels(group_labels_.size(), -1);
    for (const int clip : job.train) {
      const auto of_clip = static_cast<std::size_t>(group_of(clip));
      labels[of_clip] = group_labels_[of_clip];
    }
    labels_.push_back(std::move(labels));
  }
}

}  // namespace fovea::actions
