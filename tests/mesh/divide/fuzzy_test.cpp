// Covers: fuzzy_clusters
#include "mesh/divide/fuzzy.h"

#include <cmath>
#include <numeric>

namespace fovea::mesh {
namespace {

// Faces in a row, a step apart; all are candidates.
class RowOfFaces {
 public:
  explicit RowOfFaces(int count)
      : distances_(count, count), faces_(static_cast<std::size_t>(count)) {
    std::iota(faces_.begin(), faces_.end(), 0);
    for (int i = 0; i < count; ++i)
      for (int j = 0; j < count; ++j) distances_.at(j, i) = static_cast<float>(std::abs(i - j));
    engine_ = cpu::make_fuzzy_engine({std::as_const(distances_).view()}, {});
  }
  FuzzyEngine& engine() { return *engine_; }
  std::span<const std::int32_t> faces() const { return faces_; }

 private:
  Image<float> distances_;
  std::vector<std::int32_t> faces_;
  std::unique_ptr<FuzzyEngine> engine_;
};

TEST(Fuzzy, RepresentativesSpreadFromTheMiddle) {
  RowOfFaces row(9);
  std::vector<double> gaps;
  EXPECT_EQ(spread_candidates(row.engine(), row.faces(), 4, gaps),
            (std::vector<std::size_t>{4, 0, 8, 2}));
  EXPECT_EQ(gaps, (std::vector<double>{4, 4, 2}));
  EXPECT_EQ(farthest_pair(row.engine(), row.faces()), (std::vector<std::size_t>{0, 8}));
}

TEST(Fuzzy, TheNumberIsWhereTheGapFallsMost) {
  EXPECT_EQ(count_by_gaps(std::vector<double>{5, 4.8, 1, 0.9}), 3);
  EXPECT_EQ(count_by_gaps(std::vector<double>{5}), 1);
}

TEST(Fuzzy, MembershipIsByDistance) {
  RowOfFaces row(7);
  row.engine().belong_to(std::vector<std::size_t>{0, 6}, 1);
  const Image<float>& share = row.engine().memberships();
  for (int face = 0; face < 7; ++face) {
    EXPECT_NEAR(share.at(face, 0), (6 - face) / 6.0, 1e-6);
    EXPECT_NEAR(share.at(face, 0) + share.at(face, 1), 1, 1e-6);
  }
}

// Weighted by membership the least sum lies between the ends and the middle, alike on both sides.
TEST(Fuzzy, RepresentativesMoveInwards) {
  RowOfFaces row(21);
  const std::vector<std::size_t> ends = {0, 20};
  row.engine().belong_to(ends, 1);
  const std::vector<std::size_t> next = moved(row.engine().weighted_totals(), ends);
  EXPECT_GT(next[0], 2U);
  EXPECT_LT(next[0], 10U);
  EXPECT_EQ(next[0] + next[1], 20U);
}

}  // namespace
}  // namespace fovea::mesh
