#include "people/channels/channel_cells.h"

#include <fovea/core/exec.h>

#include "reference/channels.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::people {
namespace {

// On every instruction set; the twin on a GPU has its own tests.
class ChannelCellsTest : public test::OnEveryPlace {
 protected:
  void SetUp() override {
    if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "these are parts of the CPU twin";
    OnEveryPlace::SetUp();
  }
};
FOVEA_ON_EVERY_PLACE(ChannelCellsTest);

// Noise that is faint on the left, so that small gradients occur too.
Image<std::uint8_t> graded_noise(Random& random, int width, int height, int channels) {
  auto image = test::random_image<std::uint8_t>(random, width, height, channels);
  for (int y = 0; y < height; ++y)
    for (int i = 0; i < width * channels / 2; ++i)
      image.row(y)[i] = static_cast<std::uint8_t>(100 + image.row(y)[i] % 8);
  return image;
}

TEST_P(ChannelCellsTest, EqualTheDefinitionToTheBit) {
  Random random(3);
  for (const int colors : {1, 3, 4}) {
    for (const auto& [columns, rows] : {std::pair{1, 1}, {7, 5}, {19, 40}, {33, 3}}) {
      const CellOrigin origin{3, 2};
      const auto image =
          graded_noise(random, origin.x + 4 * columns + 2, origin.y + 4 * rows + 2, colors);
      CellSums sums;
      ChannelCells values, cells;
      sums.reset(columns, rows);
      values.reset(columns, rows);
      cells.reset(columns, rows);
      cpu::channel_sums(image, origin, sums, {.threads = 2});
      cpu::channel_values(sums, values, {.threads = 2});
      cpu::smooth_cells(values, cells, {.threads = 2});
      const reference::Channels expected(image, origin, columns, rows);
      for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) {
          for (int k = 0; k < channels::kSums; ++k)
            ASSERT_EQ(sums.line(y, k)[x], expected.sum(x, y, k)) << x << ' ' << y << ' ' << k;
          for (int k = 0; k < channels::kChannels; ++k)
            ASSERT_EQ(cells.line(y, k)[x], expected.byte(x, y, k)) << x << ' ' << y << ' ' << k;
        }
    }
  }
}

TEST(ChannelColors, GrayHasLightnessOnly) {
  const auto& table = lightness_table();
  EXPECT_FLOAT_EQ(table.front(), 0);
  EXPECT_FLOAT_EQ(table.back(), 100);
  for (int gray = 0; gray <= channels::kColorSum; gray += 240) {
    const auto value = static_cast<float>(gray);
    const auto luv =
        channels::luv(value, value, value, table[channels::luminance_index(gray, gray, gray)]);
    EXPECT_EQ(luv.u, 128);
    EXPECT_EQ(luv.v, 128);
  }
}

TEST(ChannelColors, RedAndGreenLieOnOppositeSides) {
  const auto u_of = [](int r, int g, int b) {
    const int index = channels::luminance_index(r, g, b);
    return channels::luv(static_cast<float>(r), static_cast<float>(g), static_cast<float>(b),
                         lightness_table()[index])
        .u;
  };
  EXPECT_GT(u_of(9000, 4000, 4000), 144);
  EXPECT_LT(u_of(4000, 9000, 4000), 112);
}

}  // namespace
}  // namespace fovea::people
