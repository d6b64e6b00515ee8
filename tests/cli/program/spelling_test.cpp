#include "cli/program/spelling.h"

#include <gtest/gtest.h>

namespace fovea::cli {
namespace {

TEST(Spelling, DistanceCountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", "abc"), 0);
  EXPECT_EQ(edit_distance("abc", "acb"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("ca", "abc"), 3);  // no letter is edited twice
  EXPECT_EQ(edit_distance("gradient", "gradeint"), 1);
}

TEST(Spelling, NearestIsNearEnough) {
  const std::vector<std::string> known{"gradient", "resize", "integral"};
  EXPECT_EQ(nearest_word("gradeint", known), "gradient");
  EXPECT_EQ(nearest_word("grad", known), "gradient");
  EXPECT_EQ(nearest_word("xyz", known), "");
  EXPECT_EQ(nearest_word("", known), "");
  EXPECT_EQ(nearest_word(std::string(100000, 'g'), known), "");
  EXPECT_EQ(nearest_word("a", {"b"}), "");
}

TEST(Spelling, AsksOrFallsBack) {
  EXPECT_EQ(did_you_mean("op", {"ops"}), "; did you mean ops?");
  EXPECT_EQ(did_you_mean("flow", {"ops"}, "; see fovea help"), "; see fovea help");
}

}  // namespace
}  // namespace fovea::cli
