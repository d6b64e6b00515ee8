#include "emd/track/track_bhattacharyya.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

namespace fovea::emd {
namespace {

using Counts = std::array<std::uint16_t, 3>;

TEST(EmdTrackBhattacharyya, IsTheFormula) {
  EXPECT_EQ(bhattacharyya(Counts{4, 0, 0}, Counts{0, 9, 0}), 1);
  EXPECT_EQ(bhattacharyya(Counts{4, 0, 0}, Counts{9, 0, 0}), 0);
  EXPECT_NEAR(bhattacharyya(Counts{1, 1, 0}, Counts{8, 0, 0}), std::sqrt(1 - std::sqrt(0.5)),
              1e-12);
  EXPECT_EQ(bhattacharyya(Counts{}, Counts{1, 0, 0}), 1);
}

TEST(EmdTrackBhattacharyya, MapsWindows) {
  Image<std::uint8_t> labels(9, 5);
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 9; ++x) labels.at(x, y) = x < 5 ? 0 : 1;
  const BhattacharyyaMapper mapper(std::vector<double>{10, 0}, 3, {});
  Image<float> distances(9, 5);
  mapper.map(labels, distances.view());
  EXPECT_EQ(distances.at(0, 0), 0);
  EXPECT_EQ(distances.at(8, 4), 1000);
  EXPECT_NEAR(distances.at(4, 2), 1000 * std::sqrt(1 - std::sqrt(2.0 / 3)), 1e-2);
}

}  // namespace
}  // namespace fovea::emd
