// Covers: color
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/core/random.h>
#include <fovea/report/color_map.h>
#include <fovea/report/montage.h>

#include <cmath>
#include <limits>

#include "report/oklab.h"
#include "support/images.h"

namespace fovea::report {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr ColorMap kSequential[] = {ColorMap::kEmber, ColorMap::kTide, ColorMap::kGray};

Image<float> row_of(std::initializer_list<float> values) {
  Image<float> image(static_cast<int>(values.size()), 1);
  std::copy(values.begin(), values.end(), image.row(0));
  return image;
}
Color pixel(const Image<std::uint8_t>& image, int x, int y = 0) {
  return {image.at(x, y, 0), image.at(x, y, 1), image.at(x, y, 2)};
}

TEST(ColorMap, SequentialOnesRiseInLightness) {
  for (const ColorMap map : kSequential) {
    const auto shades = colors(map, 128);
    for (std::size_t i = 1; i < shades.size(); ++i)
      EXPECT_GT(to_oklab(shades[i]).l, to_oklab(shades[i - 1]).l) << i;
    EXPECT_LT(to_oklab(shades.front()).l, 0.2);
    EXPECT_GT(to_oklab(shades.back()).l, 0.95);
  }
}

TEST(ColorMap, StepsAreEvenToTheEye) {
  for (const Choice& choice : choices(ColorMap{})) {
    if (static_cast<ColorMap>(choice.value) == ColorMap::kGray) continue;  // even in gray level
    const auto shades = colors(static_cast<ColorMap>(choice.value), 33);
    double least = 1e9, most = 0;
    for (std::size_t i = 1; i < shades.size(); ++i) {
      const double step = distance(to_oklab(shades[i]), to_oklab(shades[i - 1]));
      least = std::min(least, step);
      most = std::max(most, step);
    }
    EXPECT_LT(most / least, 1.35) << choice.word;
  }
}

TEST(ColorMap, GrayIsTheGrayLevel) {
  const auto shades = colors(ColorMap::kGray, 256);
  for (std::size_t i = 0; i < 256; ++i) EXPECT_NEAR(shades[i].g, static_cast<double>(i), 1);
}

TEST(ColorMap, DivergingArmsMirrorInLightness) {
  const auto shades = colors(ColorMap::kBalance, 101);
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_NEAR(to_oklab(shades[i]).l, to_oklab(shades[100 - i]).l, 0.02);
  EXPECT_GT(to_oklab(shades[50]).l, 0.95);
}

TEST(ColorMap, CyclicOneJoinsItsEnds) {
  EXPECT_EQ(color_at(ColorMap::kPhase, 0), color_at(ColorMap::kPhase, 1));
  EXPECT_EQ(color_at(ColorMap::kPhase, 0.25), color_at(ColorMap::kPhase, -1.75));
  for (const Color shade : colors(ColorMap::kPhase, 36)) EXPECT_NEAR(to_oklab(shade).l, 0.74, 0.01);
}

TEST(ColorMap, OklabGoesThereAndBack) {
  for (int i = 0; i < kPaletteSize; ++i) EXPECT_EQ(to_color(to_oklab(palette(i))), palette(i));
  EXPECT_NEAR(to_oklab(kWhite).l, 1, 1e-4);
}

TEST(Palette, AnyTwoAreFarApart) {
  for (int i = 0; i < kPaletteSize; ++i)
    for (int k = 0; k < i; ++k)
      EXPECT_GT(distance(to_oklab(palette(i)), to_oklab(palette(k))), 0.12) << i << ' ' << k;
  EXPECT_EQ(palette(kPaletteSize), palette(0));
  EXPECT_EQ(palette(-1), palette(kPaletteSize - 1));
}

TEST(Palette, LabelsAreReadable) {
  for (int i = 0; i < kPaletteSize; ++i)
    EXPECT_GT(distance(to_oklab(palette(i)), to_oklab(readable_on(palette(i)))), 0.3);
}

TEST(ApplyColorMap, EndsNaNAndInfinities) {
  const auto values = row_of({-1, 0, 1, 2, kNaN, kInf, -kInf});
  const auto image = apply_color_map(values, {.map = ColorMap::kGray, .automatic = false});
  EXPECT_EQ(pixel(image, 0), kBlack);
  EXPECT_EQ(pixel(image, 1), kBlack);
  EXPECT_EQ(pixel(image, 2), kWhite);
  EXPECT_EQ(pixel(image, 3), kWhite);
  EXPECT_EQ(pixel(image, 4), ColorMapOptions{}.missing);
  EXPECT_EQ(pixel(image, 5), kWhite);
  EXPECT_EQ(pixel(image, 6), kBlack);
}

TEST(ApplyColorMap, RangeFromPercentiles) {
  Image<float> values(101, 1);
  for (int i = 0; i <= 100; ++i) values.at(i, 0) = static_cast<float>((i * 37) % 101);
  const ValueRange range = percentile_range(values, 5, 90);
  EXPECT_EQ(range.low, 5);
  EXPECT_EQ(range.high, 90);
  const ValueRange symmetric = value_range(values, {.symmetric = true});
  EXPECT_EQ(symmetric.low, -99);
  EXPECT_EQ(symmetric.high, 99);
}

TEST(ApplyColorMap, ConstantEmptyAndMissingValues) {
  const ValueRange same = percentile_range(row_of({4, 4, 4}));
  EXPECT_LT(same.low, 4);
  EXPECT_GT(same.high, 4);
  const ValueRange none = percentile_range(row_of({kNaN, kInf}));
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.high, 1);
  EXPECT_TRUE(apply_color_map(ImageView<const float>{}).empty());
  const auto flat = apply_color_map(row_of({3}), {.automatic = false, .low = 3, .high = 3});
  EXPECT_EQ(pixel(flat, 0), color_at(ColorMap::kEmber, 0.5));
}

TEST(ApplyColorMap, RefusesChannelsAndPercentages) {
  Image<float> two(3, 3, 2);
  EXPECT_THROW(apply_color_map(two), InvalidArgument);
  EXPECT_THROW(percentile_range(row_of({1}), -1, 50), InvalidArgument);
  EXPECT_THROW(apply_color_map(row_of({1}), {.high_percent = 101}), InvalidArgument);
}

TEST(ColorBar, HasTheMapsEndsAndKeepsToItsView) {
  Image<std::uint8_t> frame(100, 220, 3);
  for (int y = 0; y < 220; ++y) std::fill_n(frame.row(y), 300, std::uint8_t{9});
  draw_color_bar(frame.view().crop(10, 10, 80, 200),
                 {.map = ColorMap::kGray, .range = {0, 10}, .title = "s"});
  EXPECT_EQ(frame.at(9, 100), 9);
  EXPECT_EQ(frame.at(90, 100), 9);
  EXPECT_EQ(frame.at(50, 9), 9);
  EXPECT_EQ(frame.at(50, 210), 9);
  int darkest = 255;
  for (int y = 180; y < 205; ++y) darkest = std::min<int>(darkest, frame.at(18, y));
  EXPECT_LT(darkest, 10);
  for (const auto& [w, h] : {std::pair{1, 1}, {3, 90}, {90, 3}, {200, 40}})  // tiny ones, too
    draw_color_bar(frame.view().crop(0, 0, std::min(w, 100), h), {.range = {-1e30, 1e30}});
}

TEST(ColorBar, StandsBesideAPictureThatStaysAsItWas) {
  Random random(3);
  const auto picture = test::random_image<std::uint8_t>(random, 60, 80, 3);
  const auto both = with_color_bar(picture, {.range = {0, 1}});
  EXPECT_GT(both.width(), 80);
  EXPECT_TRUE(test::images_equal(both.view().crop(0, 0, 60, 80), picture.view()));
}

TEST(Montage, LaysPicturesOnAGrid) {
  Random random(4);
  const auto a = test::random_image<std::uint8_t>(random, 20, 10, 3);
  const auto b = test::random_image<std::uint8_t>(random, 20, 10, 1);
  const Tile tiles[] = {{a.view(), ""}, {b.view(), ""}, {a.view(), ""}};
  const auto sheet = montage(tiles, {.columns = 2, .gap = 4});
  EXPECT_EQ(sheet.width(), 2 * 20 + 3 * 4);
  EXPECT_EQ(sheet.height(), 2 * 10 + 3 * 4);
  EXPECT_TRUE(test::images_equal(sheet.view().crop(4, 4, 20, 10), a.view()));
  EXPECT_EQ(sheet.at(28, 4, 2), b.at(0, 0));
  EXPECT_EQ(pixel(sheet, 30, 20), kWhite);
}

TEST(Montage, ShrinksByAreaAndCutsCaptions) {
  Image<std::uint8_t> stripes(40, 40);
  for (int y = 0; y < 40; ++y)
    for (int x = 0; x < 40; ++x) stripes.at(x, y) = x % 2 == 0 ? 0 : 200;
  const Tile tile{stripes.view(), "a caption far too long for so small a cell"};
  const auto sheet = montage({&tile, 1}, {.cell = {20, 30}, .gap = 0});
  EXPECT_EQ(sheet.width(), 20);
  EXPECT_EQ(sheet.at(7, 20, 0), 100);
}

TEST(Montage, OptionsAreListed) {
  EXPECT_EQ(options_json(MontageOptions{.columns = 3, .cell = {20, 30}}),
            R"({"columns": 3, "cell": [20, 30], "gap": 8, "text-size": 12})");
}

TEST(Montage, OfNothingAndOfHoles) {
  EXPECT_FALSE(montage({}).empty());
  const Tile hole{{}, "nothing"};
  EXPECT_FALSE(montage({&hole, 1}).empty());
  EXPECT_THROW(montage({}, {.gap = -1}), InvalidArgument);
}

}  // namespace
}  // namespace fovea::report
