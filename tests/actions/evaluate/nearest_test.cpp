#include "actions/evaluate/nearest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace fovea::actions {
namespace {

using testing::ElementsAre;

Image<float> column(std::initializer_list<float> values) {
  Image<float> rows(1, static_cast<int>(values.size()));
  int y = 0;
  for (const float value : values) rows.at(0, y++) = value;
  return rows;
}

TEST(Nearest, RowsOfGroupsAndTheirClasses) {
  std::vector<Image<float>> groups;
  groups.push_back(column({0, 10}));
  groups.push_back(column({4}));
  groups.emplace_back();
  NearestRows nearest(std::move(groups), {});
  const Image<float> table = nearest.find(column({1, 9, 5}));
  ASSERT_EQ(table.width(), 3);
  EXPECT_EQ(table.at(0, 0), 1);
  EXPECT_EQ(table.at(1, 0), 9);
  EXPECT_TRUE(std::isinf(table.at(2, 0)));
  EXPECT_EQ(table.at(0, 1), 1);
  EXPECT_EQ(table.at(1, 2), 1);
  const std::vector<std::int32_t> labels{1, 0, -1};
  EXPECT_THAT(single_distances(table, 0, 2, labels, 2), ElementsAre(17, 1));
  EXPECT_THAT(single_votes(table, 0, 3, labels, 2), ElementsAre(1, 2));
  EXPECT_THAT(single_votes(table, 0, 3, std::vector<std::int32_t>{-1, -1, 0}, 2),
              ElementsAre(0, 0));
}

}  // namespace
}  // namespace fovea::actions
