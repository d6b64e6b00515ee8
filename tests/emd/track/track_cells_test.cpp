#include "emd/track/track_cells.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace fovea::emd {
namespace {

constexpr int kPlane = CellGrid::kCells;
constexpr int kMiddleCell = CellGrid::kSide / 2 * CellGrid::kSide + CellGrid::kSide / 2;

template <class Value>
Image<std::uint8_t> painted_by(int width, int height, int channels, Value value) {
  Image<std::uint8_t> image(width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int k = 0; k < channels; ++k) image.at(x, y, k) = static_cast<std::uint8_t>(value(x, y));
  return image;
}

float cell_value(const std::vector<float>& cells, int channel, int cell) {
  return cells[static_cast<std::size_t>(channel * kPlane + cell)];
}

TEST(EmdTrackCells, AFlatSquareHasBrightnessAlone) {
  for (const int channels : {1, 3}) {
    const auto image = painted_by(40, 30, channels, [](int, int) { return 255; });
    const auto cells = cells_of(image.view(), {20, 15, 90});  // far beyond the frame
    ASSERT_EQ(cells.size(), static_cast<std::size_t>(CellGrid::kChannels) * kPlane);
    for (int i = 0; i + 1 < CellGrid::kChannels; ++i)
      EXPECT_NEAR(cell_value(cells, i, kMiddleCell), 0, 1e-3) << i;
    EXPECT_NEAR(cell_value(cells, CellGrid::kChannels - 1, kMiddleCell), 0.5, 0.01);
    EXPECT_NEAR(cell_value(cells, CellGrid::kChannels - 1, 0), 0, 0.01);  // falls toward the border
  }
}

TEST(EmdTrackCells, EdgesVoteForTheirDirection) {
  const auto right = painted_by(128, 128, 1, [](int x, int) { return x; });
  const auto down = painted_by(128, 128, 1, [](int, int y) { return y; });
  const auto left = painted_by(128, 128, 1, [](int x, int) { return 127 - x; });
  const auto strongest = [](const Image<std::uint8_t>& image, int first, int count) {
    const auto cells = cells_of(image.view(), {64, 64, 128});
    int best = first;
    for (int i = first; i < first + count; ++i)
      if (cell_value(cells, i, kMiddleCell) > cell_value(cells, best, kMiddleCell)) best = i;
    return best - first;
  };
  constexpr int kTurn = CellGrid::kDirections;
  EXPECT_EQ(strongest(right, 0, 2 * kTurn), 0);
  EXPECT_EQ(strongest(left, 0, 2 * kTurn), kTurn);
  EXPECT_EQ(strongest(right, 2 * kTurn, kTurn), 0);
  EXPECT_EQ(strongest(left, 2 * kTurn, kTurn), 0);
  EXPECT_THAT(strongest(down, 2 * kTurn, kTurn), testing::AnyOf(4, 5));  // 80 or 100 degrees
}

TEST(EmdTrackCells, AHugeSquareCostsNoMoreThanAFrame) {
  const auto image = painted_by(40, 30, 1, [](int x, int) { return 2 * x; });
  for (const float value : cells_of(image.view(), {20, 15, 1e6})) ASSERT_TRUE(std::isfinite(value));
}

// A gain of the light changes edges hardly, because blocks are normalized.
TEST(EmdTrackCells, EdgesDoNotDependOnTheGain) {
  const auto wave = [](double gain) {
    return painted_by(64, 64, 1, [=](int x, int y) {
      return gain * (60 + 30 * std::sin(0.4 * x) + 25 * std::cos(0.3 * y + 0.1 * x));
    });
  };
  const auto dim = cells_of(wave(1).view(), {32, 32, 50});
  const auto lit = cells_of(wave(2).view(), {32, 32, 50});
  for (int i = 0; i + 1 < CellGrid::kChannels; ++i)
    for (int cell = 0; cell < kPlane; cell += 37)
      EXPECT_NEAR(cell_value(dim, i, cell), cell_value(lit, i, cell), 0.05) << i << ", " << cell;
}

TEST(EmdTrackCells, ATargetOfOneColorHasNoTexture) {
  const auto checks =
      painted_by(60, 60, 3, [](int x, int y) { return (x + y) % 2 == 0 ? 90 : 130; });
  const Rect<int> box{20, 20, 16, 16};
  EXPECT_NEAR(relative_texture(checks.view(), box), 1, 1e-6);
  const auto inside = [&](int x, int y) { return x >= 20 && x < 36 && y >= 20 && y < 36; };
  const auto flat = painted_by(60, 60, 3, [&](int x, int y) {
    return inside(x, y) ? 200 : (x + y) % 2 == 0 ? 90 : 130;
  });
  EXPECT_EQ(relative_texture(flat.view(), box), 0);
  EXPECT_EQ(relative_texture(flat.view(), {0, 0, 60, 60}), 1) << "nothing is around it";
  EXPECT_EQ(relative_texture(flat.view(), {30, 30, 2, 2}), 1) << "nothing is inside it";
}

}  // namespace
}  // namespace fovea::emd
