// Covers: descriptors_gradients, gradient_words_passes
// Gradient words against the textbook's loops, and what is known of simple pictures.
#include "scenes/describe/gradient_words_math.h"

#include <fovea/scenes/descriptors.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference/scenes.h"
#include "scenes/describe/describe.h"
#include "scenes/with_exec.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

using test::random_image;

class GradientWordsTest : public test::OnEveryPlace {
 protected:
  Exec exec() const { return {.device = device()}; }
};
FOVEA_ON_EVERY_PLACE(GradientWordsTest);

void expect_words(const Image<float>& found, ImageView<const std::uint8_t> image,
                  const DescriptorOptions& options) {
  const reference::Plane plane = reference::gray_plane(image);
  int row = 0;
  for (const PlaceGrid& grid : place_grids(options, image.width, image.height)) {
    const reference::GradientWords words(plane, grid.cell);
    for (int i = 0; i < grid.count(); ++i, ++row) {
      const auto expected = words.at(grid.left + i % grid.columns * grid.step,
                                     grid.top + i / grid.columns * grid.step);
      for (int n = 0; n < 128; ++n)
        ASSERT_NEAR(found.at(n, row), expected[static_cast<std::size_t>(n)], 2e-6)
            << "number " << n << " of place " << i << ", cells of " << grid.cell;
    }
  }
  EXPECT_EQ(row, found.height());
}

TEST_P(GradientWordsTest, AreThoseOfTheTextbook) {
  Random random(1);
  const auto image = random_image<std::uint8_t>(random, 47, 41);
  for (const auto& [step, cell, scales] :
       {std::array{5, 2, 3}, {7, 4, 3}, {9, 5, 2}, {3, 7, 1}, {64, 3, 2}}) {
    const DescriptorOptions options{
        .words = WordSource::kGradients, .step = step, .cell = cell, .scales = scales};
    expect_words(descriptors(image, with(options, exec())), image, options);
  }
}

TEST_P(GradientWordsTest, SmallImagesHaveOnePlace) {
  Random random(2);
  for (const auto& [width, height] : {test::Size{1, 1}, {2, 30}, {15, 15}, {16, 3}, {90, 7}}) {
    const auto image = random_image<std::uint8_t>(random, width, height);
    const DescriptorOptions options{.words = WordSource::kGradients};
    const auto found = descriptors(image, with(options, exec()));
    ASSERT_EQ(found.height(), 1);
    expect_words(found, image, options);
  }
}

TEST_P(GradientWordsTest, LabDescribesEachChannelAlone) {
  Random random(3);
  const auto image = random_image<std::uint8_t>(random, 30, 28, 3);
  const DescriptorOptions options{
      .words = WordSource::kGradients, .color = Color::kLab, .step = 6, .scales = 2};
  const auto found = descriptors(image, with(options, exec()));
  ASSERT_EQ(found.width(), 384);
  for (int c = 0; c < 3; ++c) {
    const reference::Plane plane = reference::lab_plane(image, c);
    int row = 0;
    for (const PlaceGrid& grid : place_grids(options, 30, 28)) {
      const reference::GradientWords words(plane, grid.cell);
      for (int i = 0; i < grid.count(); ++i, ++row) {
        const auto expected = words.at(grid.left + i % grid.columns * grid.step,
                                       grid.top + i / grid.columns * grid.step);
        for (int n = 0; n < 128; ++n)  // pixels are rounded to 1/8192
          ASSERT_NEAR(found.at(128 * c + n, row), expected[static_cast<std::size_t>(n)], 2e-4);
      }
    }
  }
}

TEST_P(GradientWordsTest, FlatPlacesAreNothingAndOthersHaveLengthOne) {
  Image<std::uint8_t> image(64, 32);
  Random random(4);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 64; ++x)
      image.at(x, y) = static_cast<std::uint8_t>(x < 32 ? 90 : random.below(256));
  const DescriptorOptions options{.words = WordSource::kGradients, .scales = 1};
  const auto found = descriptors(image, with(options, exec()));
  const PlaceGrid grid = place_grids(options, 64, 32).at(0);
  for (int i = 0; i < grid.count(); ++i) {
    const int x = grid.left + i % grid.columns * grid.step;
    double squares = 0;
    for (int n = 0; n < 128; ++n) squares += found.at(n, i) * found.at(n, i);
    if (x <= 32 - 15) {  // beyond the cells' triangles and the smoothing
      EXPECT_EQ(squares, 0);
    }
    if (x >= 32) {
      EXPECT_NEAR(squares, 1, 1e-5);
    }
  }
}

TEST_P(GradientWordsTest, AnEdgeVotesForItsDirectionAlone) {
  Image<std::uint8_t> image(16, 16);
  for (int direction = 0; direction < 4; ++direction) {  // right, down, left, up
    for (int y = 0; y < 16; ++y) {
      for (int x = 0; x < 16; ++x) {
        const int ramp = std::array{x, y, 15 - x, 15 - y}[static_cast<std::size_t>(direction)];
        image.at(x, y) = static_cast<std::uint8_t>(10 * ramp);
      }
    }
    const auto found =
        descriptors(image, {.words = WordSource::kGradients, .scales = 1, .exec = exec()});
    for (int n = 0; n < 128; ++n) {
      if (n % 8 == 2 * direction) {
        EXPECT_GT(found.at(n, 0), 0.1) << n;
      } else {
        EXPECT_NEAR(found.at(n, 0), 0, 1e-6) << n;
      }
    }
  }
}

TEST_P(GradientWordsTest, BrightnessAndContrastDoNotMatter) {
  Random random(5);
  Image<std::uint8_t> dark(40, 40), bright(40, 40);
  for (int y = 0; y < 40; ++y) {
    for (int x = 0; x < 40; ++x) {
      const auto level = random.below(100);
      dark.at(x, y) = static_cast<std::uint8_t>(level);
      bright.at(x, y) = static_cast<std::uint8_t>(2 * level + 30);
    }
  }
  const DescriptorOptions options{.words = WordSource::kGradients, .scales = 1};
  EXPECT_TRUE(test::images_equal(descriptors(dark, with(options, exec())),
                                 descriptors(bright, with(options, exec())), 1e-6));
}

TEST(GradientWordsMath, VotesAddUpToTheLengthWithinEightPercent) {
  for (int degrees = 0; degrees < 360; degrees += 3) {
    const double angle = degrees * 3.14159265358979 / 180;
    const auto votes =
        direction_votes(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)));
    double sum = 0, x = 0, y = 0;
    for (int n = 0; n < kDirections; ++n) {
      EXPECT_GE(votes.of[n], 0);
      sum += votes.of[n];
      x += votes.of[n] * std::cos(n * 3.14159265358979 / 4);
      y += votes.of[n] * std::sin(n * 3.14159265358979 / 4);
    }
    EXPECT_NEAR(sum, 1.04, 0.0425);
    EXPECT_NEAR(x, std::cos(angle), 1e-6);
    EXPECT_NEAR(y, std::sin(angle), 1e-6);
  }
}

TEST(GradientWordsMath, WeightsAddUpToOne) {
  for (const int cell : {2, 4, 9, 32, 243}) {
    const GradientScale scale = gradient_scale(cell, Color::kGray);
    double share = -static_cast<double>(scale.share_across[0]);
    double smooth = -static_cast<double>(scale.smooth[0]);
    for (int k = 0; k < cell; ++k) share += 2.0 * scale.share_across[k];
    for (int k = 0; k <= scale.smooth_reach; ++k) smooth += 2.0 * scale.smooth[k];
    EXPECT_NEAR(share, 1, 1e-6) << cell;
    EXPECT_NEAR(smooth, 1, 1e-6) << cell;
    EXPECT_LE(scale.smooth_reach, kMostSmoothReach);
  }
}

}  // namespace
}  // namespace fovea::scenes
