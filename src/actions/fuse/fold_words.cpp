#include "actions/fuse/fold_words.h"

#include <algorithm>

namespace fovea::actions {

void FoldWords::add(std::span<const int> jobs, const WordHistograms& histograms,
                    std::span<const std::int32_t> labels, int classes, const Exec& exec) {
  for (const int job : jobs) {
    throw_if_stopped(exec);
    const FoldJob& clips = jobs_.jobs()[static_cast<std::size_t>(job)];
    auto& margins = margins_[static_cast<std::size_t>(job)];
    margins.assign(clips.test.size(), {});
    const auto classifier = train_words(histograms, clips.train, labels, exec);
    if (!classifier) continue;
    std::vector<std::size_t> which;
    for (std::size_t i = 0; i < clips.test.size(); ++i)
      if (histograms.has(clips.test[i])) which.push_back(i);
    Image<float> rows(histograms.words(), static_cast<int>(which.size()));
    for (std::size_t i = 0; i < which.size(); ++i)
      std::ranges::copy(histograms.of(clips.test[which[i]], false), rows.row(static_cast<int>(i)));
    std::vector<std::vector<double>> found = word_margins(*classifier, rows, classes, exec);
    for (std::size_t i = 0; i < which.size(); ++i) margins[which[i]] = std::move(found[i]);
  }
}

WordFold word_fold(const FoldJobs& jobs, std::size_t fold) {
  WordFold result;
  result.jobs.push_back(jobs.outer(fold));
  result.jobs.insert(result.jobs.end(), jobs.inner(fold).begin(), jobs.inner(fold).end());
  for (const int job : result.jobs) {
    const FoldJob& clips = jobs.jobs()[static_cast<std::size_t>(job)];
    for (const std::vector<int>& some : {clips.train, clips.test})
      result.clips.insert(result.clips.end(), some.begin(), some.end());
  }
  std::ranges::sort(result.clips);
  result.clips.erase(std::unique(result.clips.begin(), result.clips.end()), result.clips.end());
  result.train = jobs.jobs()[static_cast<std::size_t>(jobs.outer(fold))].train;
  return result;
}

}  // namespace fovea::actions
