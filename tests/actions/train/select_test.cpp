#include "actions/train/select.h"

#include <fovea/core/random.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace fovea::actions {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

// Distances by chance, candidates of a clip's own class somewhat nearer.
struct RandomTask {
  RandomTask(int clips, int candidates, int classes, std::uint64_t seed)
      : distances(candidates, clips) {
    Random random(seed);
    for (int i = 0; i < clips; ++i) clip_labels.push_back(i % classes);
    for (int i = 0; i < candidates; ++i) candidate_labels.push_back(i % classes);
    for (int y = 0; y < clips; ++y)
      for (int x = 0; x < candidates; ++x)
        distances.at(x, y) = random.uniform() + (x % classes == y % classes ? 0 : 0.2F);
  }
  SelectionTask task(int most) const {
    return {distances.view(), clip_labels, candidate_labels, most};
  }
  Image<float> distances;
  std::vector<std::int32_t> clip_labels, candidate_labels;
};

TEST(Select, FindsThePairThatTellsAll) {
  // Candidates 1 and 2 classify everything correctly; 0 and 3 mislead.
  Image<float> distances(4, 4);
  const float rows[4][4] = {{5, 1, 3, 4}, {6, 1, 3, 1}, {1, 3, 1, 9}, {1, 3, 1, 9}};
  for (int y = 0; y < 4; ++y)
    for (int x = 0; x < 4; ++x) distances.at(x, y) = rows[y][x];
  const std::vector<std::int32_t> clips{0, 0, 1, 1}, candidates{0, 0, 1, 1};
  const SelectionTask task{distances.view(), clips, candidates, 3};
  EXPECT_THAT(select_floating(task, {}), ElementsAre(1, 2));
  EXPECT_EQ(selection_value(task, std::vector<int>{1, 2}).right, 4);
  EXPECT_DOUBLE_EQ(selection_value(task, std::vector<int>{1, 2}).margin, 2);
  EXPECT_EQ(selection_value(task, std::vector<int>{}).right, 0);
}

// The search as the paper describes it, with every set valued anew.
std::vector<int> textbook(const SelectionTask& task) {
  std::vector<int> chosen;
  std::vector<SelectionValue> best(static_cast<std::size_t>(task.most) + 1);
  std::vector<std::vector<int>> sets(best.size());
  const auto record = [&](const std::vector<int>& set) {
    const SelectionValue value = selection_value(task, set);
    if (!(value > best[set.size()])) return false;
    best[set.size()] = value;
    sets[set.size()] = set;
    return true;
  };
  while (static_cast<int>(chosen.size()) < task.most) {
    std::vector<std::vector<int>> tried;
    for (int i = 0; i < task.distances.width; ++i) {
      if (std::ranges::find(chosen, i) != chosen.end()) continue;
      tried.push_back(chosen);
      tried.back().push_back(i);
    }
    const auto best_of = [&](const std::vector<std::vector<int>>& all) {
      std::size_t at = 0;
      for (std::size_t i = 1; i < all.size(); ++i)
        if (selection_value(task, all[i]) > selection_value(task, all[at])) at = i;
      return at;
    };
    chosen = tried[best_of(tried)];
    record(chosen);
    const int added = chosen.back();
    while (chosen.size() > 2) {
      std::vector<std::vector<int>> less;
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        less.push_back(chosen);
        less.back().erase(less.back().begin() + static_cast<std::ptrdiff_t>(i));
      }
      const std::size_t at = best_of(less);
      if (chosen[at] == added || !record(less[at])) break;
      chosen = less[at];
    }
  }
  std::size_t winner = 0;
  for (std::size_t i = 1; i < best.size(); ++i)
    if (best[i] > best[winner]) winner = i;
  std::ranges::sort(sets[winner]);
  return sets[winner];
}

TEST(Select, IsTheTextbooksForAnyNumberOfThreads) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const RandomTask random(30, 30, 3, seed);
    const std::vector<int> chosen = select_floating(random.task(8), {});
    EXPECT_EQ(chosen, textbook(random.task(8)));
    EXPECT_EQ(chosen, select_floating(random.task(8), {.threads = 3}));
  }
}

TEST(Select, EndsWhereNothingMatches) {
  RandomTask random(6, 5, 2, 1);
  for (int y = 0; y < 6; ++y)
    for (int x = 0; x < 5; ++x) random.distances.at(x, y) = std::numeric_limits<float>::infinity();
  EXPECT_EQ(selection_value(random.task(5), std::vector<int>{0, 1}).right, 0);
  EXPECT_THAT(select_floating(random.task(50), {}), SizeIs(testing::Le(5U)));
}

}  // namespace
}  // namespace fovea::actions
