// Covers: bank_passes, descriptors_filters, descriptors_turn
// Responses of the bank against correlation with the whole kernels, and where places lie.
#include <fovea/core/error.h>
#include <fovea/scenes/descriptors.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "reference/scenes.h"
#include "scenes/with_exec.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

using test::images_equal;
using test::random_image;
using testing::HasSubstr;
using testing::ThrowsMessage;

class Descriptors : public test::OnEveryPlace {
 protected:
  Exec exec(int threads = 0) const { return {.device = device(), .threads = threads}; }
};
FOVEA_ON_EVERY_PLACE(Descriptors);

// The largest kernel's absolute weights add up to 39, so that 1e-5 is six digits.
void expect_responses(const Image<float>& found, const reference::Plane& plane,
                      const PlaceGrid& grid, const DescriptorOptions& options = {}) {
  for (int f = 0; f < bank_filters(options); ++f) {
    const Image<float> kernel = bank_kernel(f, options);
    for (int row = 0; row < found.height(); ++row) {
      const int x = grid.left + row % grid.columns * grid.step;
      const int y = grid.top + row / grid.columns * grid.step;
      ASSERT_NEAR(found.at(f, row), reference::correlate(plane, kernel, x, y), 1e-5)
          << "filter " << f << " at " << x << ", " << y;
    }
  }
}

TEST_P(Descriptors, ResponsesAreThoseOfTheWholeKernels) {
  Random random(1);
  for (const auto& [width, height] : {test::Size{1, 1}, {3, 2}, {2, 19}, {40, 1}, {37, 33}}) {
    const auto image = random_image<std::uint8_t>(random, width, height);
    const auto found = descriptors(image, {.exec = exec()});
    ASSERT_EQ(found.width(), 32);
    ASSERT_EQ(found.height(), width * height);
    expect_responses(found, reference::gray_plane(image), {0, 0, 1, width, height, 0});
  }
}

TEST_P(Descriptors, OtherBanksRespondWithTheirWholeKernels) {
  Random random(8);
  const auto image = random_image<std::uint8_t>(random, 35, 29);
  // Sizes that no loop is compiled for, default sizes in another order, and all of them.
  for (const std::vector<int>& sizes :
       {std::vector<int>{13}, {29, 3, 15}, {5, 7, 9, 13, 19, 23, 25, 27}}) {
    DescriptorOptions options{.filter_sizes = sizes, .exec = exec()};
    options.filter_sigmas.clear();
    for (const int size : sizes) options.filter_sigmas.push_back(0.5 + size / 7.0);
    const auto found = descriptors(image, options);
    ASSERT_EQ(found.width(), 4 * static_cast<int>(sizes.size()));
    expect_responses(found, reference::gray_plane(image), {0, 0, 1, 35, 29, 0}, options);
    options.step = 6;
    const auto some = descriptors(image, options);
    expect_responses(some, reference::gray_plane(image), place_grids(options, 35, 29).at(0),
                     options);
  }
}

TEST_P(Descriptors, SizesOfTheBankAreTheDefaultsToTheBit) {
  Random random(9);
  const auto image = random_image<std::uint8_t>(random, 41, 23, 3);
  for (const Color color : {Color::kGray, Color::kLab}) {
    const auto all = descriptors(image, {.color = color, .exec = exec()});
    const auto some = descriptors(
        image,
        {.color = color, .filter_sizes = {21, 5}, .filter_sigmas = {4, 0.5}, .exec = exec()});
    ASSERT_EQ(some.width(), all.width() / 4);
    for (int row = 0; row < all.height(); ++row)
      for (int i = 0; i < some.width(); ++i)
        ASSERT_EQ(some.at(i, row), all.at(i / 8 * 32 + (i % 8 < 4 ? 24 : 0) + i % 8, row)) << i;
  }
}

TEST_P(Descriptors, LabHasThreeTimesAsMany) {
  Random random(2);
  const auto image = random_image<std::uint8_t>(random, 21, 18, 3);
  const auto found = descriptors(image, {.color = Color::kLab, .exec = exec()});
  ASSERT_EQ(found.width(), 96);
  // Planes are rounded to 1/8192, which the sharpest Laplacian multiplies.
  for (int c = 0; c < 3; ++c) {
    reference::Plane plane = reference::lab_plane(image, c);
    for (double& v : plane.values) v = std::nearbyint(v * 8192) / 8192;
    const double tolerance = 39.0 / 8192;  // where the last bit decides a rounding
    const auto grid = PlaceGrid{0, 0, 1, 21, 18, 0};
    int far = 0;
    for (int f = 0; f < 32; ++f) {
      const Image<float> kernel = bank_kernel(f);
      for (int row = 0; row < found.height(); ++row) {
        const double expected =
            reference::correlate(plane, kernel, row % grid.columns, row / grid.columns);
        ASSERT_NEAR(found.at(32 * c + f, row), expected, tolerance);
        far += std::abs(found.at(32 * c + f, row) - expected) > 2e-5 ? 1 : 0;
      }
    }
    EXPECT_LE(far, 120) << "channel " << c;
  }
}

TEST_P(Descriptors, StepsLeavePlacesOut) {
  Random random(3);
  const auto image = random_image<std::uint8_t>(random, 90, 75);
  const auto all = descriptors(image, {.exec = exec()});
  for (const int step : {2, 5, 40, 64}) {
    const DescriptorOptions options{.step = step};
    const auto some = descriptors(image, with(options, exec()));
    const PlaceGrid grid = place_grids(options, 90, 75).at(0);
    ASSERT_EQ(some.height(), grid.count());
    for (int row = 0; row < some.height(); ++row) {
      const int x = grid.left + row % grid.columns * step, y = grid.top + row / grid.columns * step;
      for (int i = 0; i < 32; ++i) ASSERT_EQ(some.at(i, row), all.at(i, y * 90 + x)) << step;
    }
  }
}

TEST_P(Descriptors, WideAndTallImagesAreCutWithoutSeams) {
  Random random(4);
  const auto image = random_image<std::uint8_t>(random, 1100, 40);
  const auto wide = descriptors(image, {.exec = exec()});
  for (const int x : {300, 500, 700}) {  // far enough from the cut's own borders
    const int left = x - 40;
    const auto part = descriptors(image.view().crop(left, 0, 81, 40), {.exec = exec()});
    for (int y = 0; y < 40; ++y)
      for (int column = 15; column < 66; ++column)
        for (int i = 0; i < 32; ++i)
          ASSERT_EQ(part.at(i, y * 81 + column), wide.at(i, y * 1100 + left + column));
  }
}

TEST_P(Descriptors, FlatImagesGiveTheirBrightnessAndNothingElse) {
  Image<std::uint8_t> image(40, 40);
  for (int y = 0; y < 40; ++y) std::fill_n(image.row(y), 40, 200);
  const auto found = descriptors(image, {.exec = exec()});
  for (int row = 0; row < found.height(); ++row) {
    for (int f = 0; f < 32; ++f) {
      const double expected = f % 4 == 0 ? 200.0 / 255 : 0;
      ASSERT_NEAR(found.at(f, row), expected, 1e-5) << f;
    }
  }
}

TEST_P(Descriptors, DifferencesArePositiveWhereBrightnessGrows) {
  Image<std::uint8_t> image(64, 64);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x) image.at(x, y) = static_cast<std::uint8_t>(2 * x + y);
  const auto found = descriptors(image, {.exec = exec()});
  for (int s = 0; s < 8; ++s) {
    EXPECT_GT(found.at(4 * s + 2, 32 * 64 + 32), 0);
    EXPECT_GT(found.at(4 * s + 3, 32 * 64 + 32), 0);
    EXPECT_NEAR(found.at(4 * s + 2, 32 * 64 + 32), 2 * found.at(4 * s + 3, 32 * 64 + 32), 1e-5);
  }
}

TEST_P(Descriptors, MirroredImagesGiveMirroredResponsesToTheBit) {
  Random random(5);
  const auto image = random_image<std::uint8_t>(random, 50, 20);
  Image<std::uint8_t> mirrored(50, 20);
  for (int y = 0; y < 20; ++y) std::reverse_copy(image.row(y), image.row(y) + 50, mirrored.row(y));
  const auto a = descriptors(image, {.exec = exec()}), b = descriptors(mirrored, {.exec = exec()});
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 50; ++x) {
      for (int f = 0; f < 32; ++f) {
        const float sign = f % 4 == 2 ? -1 : 1;
        ASSERT_EQ(a.at(f, y * 50 + x), sign * b.at(f, y * 50 + 49 - x));
      }
    }
  }
}

TEST_P(Descriptors, ThreadsDoNotMatter) {
  Random random(6);
  const auto image = random_image<std::uint8_t>(random, 600, 150, 3);
  for (const WordSource words : {WordSource::kFilters, WordSource::kGradients}) {
    const DescriptorOptions options{.words = words, .step = 3};
    const auto one = descriptors(image, with(options, exec(1)));
    for (const int threads : {2, 7})
      EXPECT_TRUE(images_equal(one, descriptors(image, with(options, exec(threads)))));
  }
}

TEST_P(Descriptors, GrayOfColorsIsThatOfTheFilesFloor) {
  Random random(7);
  const auto colors = random_image<std::uint8_t>(random, 30, 20, 3);
  Image<std::uint8_t> gray(30, 20);
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 30; ++x) {
      const std::uint8_t* p = &colors.at(x, y);
      gray.at(x, y) =
          static_cast<std::uint8_t>((299 * p[0] + 587 * p[1] + 114 * p[2] + 500) / 1000);
    }
  }
  EXPECT_TRUE(
      images_equal(descriptors(colors, {.exec = exec()}), descriptors(gray, {.exec = exec()})));
}

TEST(DescriptorOptions, CountNumbers) {
  EXPECT_EQ(dimensions({}), 32);
  EXPECT_EQ(dimensions({.color = Color::kLab}), 96);
  EXPECT_EQ(dimensions({.words = WordSource::kGradients}), 128);
  EXPECT_EQ(dimensions({.words = WordSource::kGradients, .color = Color::kLab}), 384);
}

TEST(PlaceGrids, FiltersAreAskedAtEveryPixelOrStep) {
  const auto every = place_grids({}, 310, 246);
  ASSERT_EQ(every.size(), 1U);
  EXPECT_EQ(every[0].count(), 310 * 246);
  const PlaceGrid grid = place_grids({.step = 4}, 10, 3).at(0);  // 0 4 8, one pixel is left
  EXPECT_EQ(grid.columns, 3);
  EXPECT_EQ(grid.left, 0);
  EXPECT_EQ(grid.rows, 1);
  EXPECT_EQ(grid.top, 1);
}

TEST(PlaceGrids, GradientsHaveAllTheirCellsInside) {
  const DescriptorOptions options{.words = WordSource::kGradients};
  const auto grids = place_grids(options, 100, 35);
  ASSERT_EQ(grids.size(), 2U);  // cells of 9 pixels need 36
  EXPECT_EQ(grids[0].cell, 4);
  EXPECT_EQ(grids[1].cell, 6);
  for (const PlaceGrid& grid : grids) {
    EXPECT_EQ(grid.step, 4);
    EXPECT_GE(grid.left, 2 * grid.cell);
    EXPECT_LE(grid.left + (grid.columns - 1) * 4 + 2 * grid.cell, 100);
    EXPECT_GT(grid.left + grid.columns * 4 + 2 * grid.cell, 100);
    EXPECT_LE(grid.top + (grid.rows - 1) * 4 + 2 * grid.cell, 35);
  }
  const auto small = place_grids(options, 9, 200);
  ASSERT_EQ(small.size(), 1U);
  EXPECT_EQ(small[0].count(), 1);
  EXPECT_EQ(small[0].left, 4);
  EXPECT_EQ(small[0].top, 100);
}

TEST(DescriptorErrors, SayWhatWasExpected) {
  const Image<std::uint8_t> two(4, 4, 2), none;
  EXPECT_THAT(
      [&] { descriptors(two); },
      ThrowsMessage<InvalidArgument>(HasSubstr("2 channels, expected 1 (gray) or 3 (RGB)")));
  EXPECT_THROW(descriptors(none), InvalidArgument);
  const Image<std::uint8_t> image(4, 4);
  EXPECT_THROW(descriptors(image, {.step = 65}), InvalidArgument);
  EXPECT_THROW(descriptors(image, {.cell = 1}), InvalidArgument);
  EXPECT_THROW(place_grids({}, 0, 4), InvalidArgument);
}

}  // namespace
}  // namespace fovea::scenes
