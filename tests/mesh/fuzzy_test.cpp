#include "mesh/fuzzy.h"

#include <cmath>

namespace fovea::mesh {
namespace {

// Faces in a row, a step apart; all are candidates.
CandidateRows row_of(int count) {
  CandidateRows candidates;
  candidates.rows = Image<float>(count, count);
  for (int i = 0; i < count; ++i) {
    candidates.faces.push_back(i);
    for (int j = 0; j < count; ++j) candidates.rows.at(j, i) = static_cast<float>(std::abs(i - j));
  }
  return candidates;
}

TEST(Fuzzy, RepresentativesSpreadFromTheMiddle) {
  std::vector<double> gaps;
  EXPECT_EQ(spread_candidates(row_of(9), 4, gaps), (std::vector<std::size_t>{4, 0, 8, 2}));
  EXPECT_EQ(gaps, (std::vector<double>{4, 4, 2}));
  EXPECT_EQ(farthest_pair(row_of(9)), (std::vector<std::size_t>{0, 8}));
}

TEST(Fuzzy, TheNumberIsWhereTheGapFallsMost) {
  EXPECT_EQ(count_by_gaps(std::vector<double>{5, 4.8, 1, 0.9}), 3);
  EXPECT_EQ(count_by_gaps(std::vector<double>{5}), 1);
}

TEST(Fuzzy, MembershipIsByDistance) {
  const std::vector<std::size_t> representatives = {0, 6};
  const Image<float> share = memberships(row_of(7), representatives);
  for (int face = 0; face < 7; ++face) {
    EXPECT_NEAR(share.at(face, 0), (6 - face) / 6.0, 1e-6);
    EXPECT_NEAR(share.at(face, 0) + share.at(face, 1), 1, 1e-6);
  }
}

// Weighted by membership the least sum lies between the ends and the middle, alike on both sides.
TEST(Fuzzy, RepresentativesMoveInwards) {
  const CandidateRows candidates = row_of(21);
  const std::vector<std::size_t> ends = {0, 20};
  const std::vector<std::size_t> next = moved(candidates, memberships(candidates, ends), ends, {});
  EXPECT_GT(next[0], 2U);
  EXPECT_LT(next[0], 10U);
  EXPECT_EQ(next[0] + next[1], 20U);
}

}  // namespace
}  // namespace fovea::mesh
