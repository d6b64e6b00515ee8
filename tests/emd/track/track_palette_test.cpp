#include "emd/track/track_palette.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "emd/track/track_math.h"

namespace fovea::emd {
namespace {

void expect_lab(const LabColor& color, float l, float a, float b) {
  EXPECT_NEAR(color[0], l, 0.02);
  EXPECT_NEAR(color[1], a, 0.02);
  EXPECT_NEAR(color[2], b, 0.02);
}

TEST(EmdTrackPalette, LabIsThatOfTheStandard) {
  expect_lab(lab_of(0, 0, 0), 0, 0, 0);
  expect_lab(lab_of(255, 255, 255), 100, 0, 0);
  expect_lab(lab_of(255, 0, 0), 53.24F, 80.09F, 67.20F);
  expect_lab(lab_of(0, 0, 255), 32.30F, 79.19F, -107.86F);
  EXPECT_NEAR(chroma_of(lab_of(90, 90, 90)), 0, 0.02);
}

// The gray axis, bit for bit, from the standard's transfer function and no other rounding.
TEST(EmdTrackPalette, LabOfGrayIsThatOfTheTransferFunctionToTheBit) {
  for (int i = 0; i <= 255; ++i) {
    const double v = i / 255.0;
    const double light = v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    const double y = 0.2126729 * light + 0.7151522 * light + 0.0721750 * light;
    const double root = y > 0.008856451679 ? std::cbrt(y) : 7.787037037 * y + 16.0 / 116.0;
    const auto value = static_cast<std::uint8_t>(i);
    EXPECT_EQ(lab_of(value, value, value)[0], static_cast<float>(116 * root - 16)) << i;
  }
}

TEST(EmdTrackPalette, FindsTheColorsThatAreThere) {
  std::vector<LabColor> samples;
  const std::vector<std::array<std::uint8_t, 3>> colors{
      {200, 30, 30}, {20, 20, 220}, {240, 240, 240}};
  for (int i = 0; i < 300; ++i) {
    const auto& color = colors[static_cast<std::size_t>(i % 3)];
    samples.push_back(lab_of(color[0], color[1], color[2]));
  }
  const Palette palette = learn_palette(samples, 16, 1);
  ASSERT_EQ(palette.size(), 3);  // no more than there are
  std::vector<int> labels;
  for (const auto& color : colors) {
    const int label =
        palette.table[static_cast<std::size_t>(color_cell(color[0], color[1], color[2]))];
    const LabColor own = lab_of(color[0], color[1], color[2]);
    expect_lab(palette.colors[static_cast<std::size_t>(label)], own[0], own[1], own[2]);
    labels.push_back(label);
  }
  std::sort(labels.begin(), labels.end());
  EXPECT_THAT(labels, testing::ElementsAre(0, 1, 2));
  EXPECT_EQ(learn_palette(samples, 16, 1).colors, palette.colors);
}

TEST(EmdTrackPalette, DistancesAreWholeThousandthsAndMetric) {
  std::vector<LabColor> samples;
  for (int i = 0; i < 2000; ++i)
    samples.push_back(lab_of(static_cast<std::uint8_t>(i * 7), static_cast<std::uint8_t>(i * 31),
                             static_cast<std::uint8_t>(i * 13)));
  const Palette palette = learn_palette(samples, 16, 3);
  const GroundDistance ground = palette_distance(palette, 50);
  EXPECT_EQ(ground.rows(), palette.size());
  EXPECT_TRUE(ground.exact());
  EXPECT_TRUE(ground.metric());
  EXPECT_EQ(ground.greatest(), 1000);
  for (int i = 0; i < ground.rows(); ++i)
    for (int j = 0; j < ground.rows(); ++j)
      EXPECT_EQ(ground.cost(i, j), std::floor(ground.cost(i, j)));
}

TEST(EmdTrackPalette, LikelihoodIsTheSurroundsShare) {
  EXPECT_EQ(likelihood_of(0, 0), 0);
  EXPECT_EQ(likelihood_of(500, 0), 0);
  EXPECT_EQ(likelihood_of(0, 999), 65469);    // 999 / 1000
  EXPECT_EQ(likelihood_of(499, 500), 32768);  // one half
}

}  // namespace
}  // namespace fovea::emd
