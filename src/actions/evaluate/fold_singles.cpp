#include "actions/evaluate/fold_singles.h"

#include <algorithm>

#include "actions/evaluate/nearest.h"
#include "actions/infinity.h"
#include "actions/match/features.h"
#include "actions/train/train.h"

namespace fovea::actions {
namespace {

constexpr std::int64_t kNumbersAtOnce = 8 << 20;  // of the table of searched points and groups
constexpr int kRowsAtOnce = 1 << 15;              // of known points

// Clips whose points are searched together, and the first row of each.
struct SearchBlock {
  std::vector<int> clips;
  std::vector<int> first{0};
  Image<float> rows;
};

class Comparison {
 public:
  Comparison(const ClipSource& clips, const FoldJobs& jobs, const SinglesTask& task,
             const Exec& exec)
      : clips_(clips), jobs_(jobs), task_(task), exec_(exec) {
    members_.resize(static_cast<std::size_t>(jobs.groups()));
    for (int clip = 0; clip < clips.size(); ++clip)
      if (const int group = jobs.group_of(clip); group >= 0)
        members_[static_cast<std::size_t>(group)].push_back(clip);
  }

  void run(const SinglesUse& use) {
    const std::vector<std::vector<TestPlace>> places = test_places(jobs_, clips_.size());
    std::vector<int> some;
    std::int64_t numbers = 0;
    for (int clip = 0; clip < clips_.size(); ++clip) {
      const auto at = static_cast<std::size_t>(clip);
      if (places[at].empty() || (task_.only != nullptr && !(*task_.only)[at])) continue;
      some.push_back(clip);
      numbers += std::int64_t{clips_.points(clip, 0)} * std::max(jobs_.groups(), task_.width);
      if (numbers < kNumbersAtOnce) continue;
      search(some, places, use);
      some.clear();
      numbers = 0;
    }
    if (!some.empty()) search(some, places, use);
  }

 private:
  void search(const std::vector<int>& clips, const std::vector<std::vector<TestPlace>>& places,
              const SinglesUse& use) {
    SearchBlock block;
    block.clips = clips;
    std::vector<bool> is_needed(members_.size(), false);
    std::vector<Image<float>> rows;
    for (const int clip : clips) {
      PointSet room;
      rows.push_back(task_.searched(clips_.get(clip, room)));
      block.first.push_back(block.first.back() + rows.back().height());
      for (const TestPlace& place : places[static_cast<std::size_t>(clip)]) {
        const std::span<const std::int32_t> labels = jobs_.labels(place.job);
        for (std::size_t group = 0; group < labels.size(); ++group)
          if (labels[group] >= 0) is_needed[group] = true;
      }
    }
    block.rows = stacked(rows, task_.width);
    Image<float> nearest(jobs_.groups(), block.rows.height());
    for (int y = 0; y < nearest.height(); ++y)
      std::fill_n(nearest.row(y), nearest.width(), kInfinity<float>);
    for (std::size_t group = 0; group < members_.size(); ++group)
      if (is_needed[group]) find_group(static_cast<int>(group), block.rows, nearest);
    for (std::size_t i = 0; i < clips.size(); ++i)
      use(clips[i], std::as_const(nearest).view().crop(0, block.first[i], nearest.width(),
                                                       block.first[i + 1] - block.first[i]));
  }

  void find_group(int group, const Image<float>& searched, Image<float>& nearest) const {
    const std::vector<int>& members = members_[static_cast<std::size_t>(group)];
    std::vector<Image<float>> rows;
    int height = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      PointSet room;
      rows.push_back(task_.known(clips_.get(members[i], room)));
      height += rows.back().height();
      if (height < kRowsAtOnce && i + 1 < members.size()) continue;
      find_rows(group, stacked(rows, task_.width), searched, nearest);
      rows.clear();
      height = 0;
    }
  }

  void find_rows(int group, Image<float> known, const Image<float>& searched,
                 Image<float>& nearest) const {
    std::vector<Image<float>> one;
    one.push_back(std::move(known));
    const Image<float> found = NearestRows(std::move(one), exec_).find(searched);
    for (int y = 0; y < found.height(); ++y)
      nearest.at(group, y) = std::min(nearest.at(group, y), found.at(0, y));
  }

  const ClipSource& clips_;
  const FoldJobs& jobs_;
  const SinglesTask& task_;
  const Exec& exec_;
  std::vector<std::vector<int>> members_;  // the clips of each group
};

}  // namespace

std::vector<std::vector<TestPlace>> test_places(const FoldJobs& jobs, int clips) {
  std::vector<std::vector<TestPlace>> places(static_cast<std::size_t>(clips));
  for (std::size_t job = 0; job < jobs.jobs().size(); ++job) {
    const std::vector<int>& test = jobs.jobs()[job].test;
    for (std::size_t i = 0; i < test.size(); ++i)
      places[static_cast<std::size_t>(test[i])].push_back({static_cast<int>(job), i});
  }
  return places;
}

void compare_singles(const ClipSource& clips, const FoldJobs& jobs, const SinglesTask& task,
                     const Exec& exec, const SinglesUse& use) {
  Comparison(clips, jobs, task, exec).run(use);
}

FoldSingles::FoldSingles(const ClipSource& clips, const FoldJobs& jobs, int classes, int most,
                         const Exec& exec)
    : FoldSingles(jobs, classes) {
  find({clips, jobs, most, exec});
}

FoldSingles::FoldSingles(const FoldJobs& jobs, int classes) : classes_(classes) {
  for (const FoldJob& job : jobs.jobs()) {
    distances_.emplace_back(job.test.size() * static_cast<std::size_t>(classes), 0);
    votes_.emplace_back(job.test.size() * static_cast<std::size_t>(classes), 0);
  }
}

void FoldSingles::find(const Search& search) {
  const std::vector<std::vector<TestPlace>> places = test_places(search.jobs, search.clips.size());
  const SinglesTask task{[](const PointSet& points) { return fusion_rows(points, 0); },
                         [most = search.most](const PointSet& points) {
                           return with_mirrored_hof(fusion_rows(points, most));
                         },
                         kHofSize, search.only};
  compare_singles(search.clips, search.jobs, task, search.exec,
                  [&](int clip, ImageView<const float> nearest) {
                    for (const TestPlace& place : places[static_cast<std::size_t>(clip)]) {
                      const std::span<const std::int32_t> labels = search.jobs.labels(place.job);
                      set(place, single_distances(nearest, 0, nearest.height, labels, classes_),
                          single_votes(nearest, 0, nearest.height, labels, classes_));
                    }
                  });
}

void FoldSingles::set(const TestPlace& place, std::span<const double> distances,
                      std::span<const int> votes) {
  const auto job = static_cast<std::size_t>(place.job);
  const auto first = static_cast<std::ptrdiff_t>(place.tested * static_cast<std::size_t>(classes_));
  std::ranges::copy(distances, distances_[job].begin() + first);
  std::ranges::copy(votes, votes_[job].begin() + first);
}

}  // namespace fovea::actions
