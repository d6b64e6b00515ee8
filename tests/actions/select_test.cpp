#include "actions/select.h"

#include <fovea/random.h>
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
  // Candidates 1 and 2 tell everything; 0 and 3 mislead.
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

TEST(Select, IsNeverWorseThanAddingAlone) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const RandomTask random(40, 60, 4, seed);
    const SelectionTask task = random.task(12);
    std::vector<int> greedy;
    SelectionValue best;
    for (int size = 0; size < 12; ++size) {
      int at = -1;
      SelectionValue value;
      for (int i = 0; i < 60; ++i) {
        if (std::ranges::find(greedy, i) != greedy.end()) continue;
        std::vector<int> more = greedy;
        more.push_back(i);
        const SelectionValue now = selection_value(task, more);
        if (at < 0 || now > value) {
          value = now;
          at = i;
        }
      }
      greedy.push_back(at);
      if (value > best) best = value;
    }
    const std::vector<int> chosen = select_floating(task, {});
    EXPECT_FALSE(best > selection_value(task, chosen));
    EXPECT_EQ(chosen, select_floating(task, {.threads = 3}));
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
