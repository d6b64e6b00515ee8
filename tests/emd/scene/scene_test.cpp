// Covers: bands
#include <fovea/core/error.h>
#include <fovea/emd/scene.h>
#include <gtest/gtest.h>

#include <limits>
#include <stop_token>

#include "support/images.h"

namespace fovea::emd {
namespace {

TEST(EmdScene, TakesABandOrBrightness) {
  BandFrame frame{Stack<float>(2, 1, 3), "it", 255};
  for (int b = 0; b < 3; ++b) frame.bands.plane(b).at(0, 0) = static_cast<float>(100 * b);
  EXPECT_EQ(gray_band(frame, 2).at(0, 0), 200);
  EXPECT_NEAR(gray_band(frame, {}).at(0, 0), 58.7F + 22.8F, 1e-4);
  EXPECT_THROW(gray_band(frame, 3), InvalidArgument);
  EXPECT_THROW(gray_band({Stack<float>(2, 1, 2), "it", 255}, {}), InvalidArgument);
}

TEST(EmdScene, LevelsSpanBytesOrTheDataOrWhatIsAsked) {
  Image<float> band(3, 1);
  band.at(0, 0) = -2;
  band.at(1, 0) = 6;
  band.at(2, 0) = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(level_range(band, {{}, "it", 255}, {}).high, 256);
  const LevelRange own = level_range(band, {{}, "it", 0}, {});
  EXPECT_EQ(own.low, -2);
  EXPECT_EQ(own.high, 6);
  EXPECT_EQ(level_range(band, {{}, "it", 255}, {1, 5}).high, 5);
  band.at(0, 0) = band.at(1, 0) = 7;
  EXPECT_GT(level_range(band, {{}, "it", 0}, {}).high, 7);
  band.at(0, 0) = band.at(1, 0) = band.at(2, 0);
  EXPECT_THROW(level_range(band, {{}, "it", 0}, {}), FormatError);
}

TEST(EmdScene, BandsOfAnImageKeepItsSamples) {
  Image<std::uint16_t> image(2, 1, 3);
  for (int c = 0; c < 3; ++c) image.at(1, 0, c) = static_cast<std::uint16_t>(1000 * c + 7);
  const BandFrame frame = bands_of(image.view(), "it");
  EXPECT_EQ(frame.bands.count(), 3);
  EXPECT_EQ(frame.bands.plane(2).at(1, 0), 2007);
  EXPECT_EQ(frame.white, 0);
  EXPECT_EQ(bands_of(Image<std::uint8_t>(1, 1).view(), "it").white, 255);
}

// Three bands of bytes, in which a square has other values.
Image<std::uint8_t> scene() {
  Random random(3);
  Image<std::uint8_t> image = test::random_image<std::uint8_t>(random, 40, 30, 3);
  for (int y = 8; y < 20; ++y)
    for (int x = 10; x < 24; ++x) image.at(x, y, 1) = 200;
  return image;
}

TEST(EmdScene, ABoxIsTheImageThatShowsIt) {
  const Image<std::uint8_t> image = scene();
  const BandFrame frame = bands_of(image.view(), "scene");
  const BandFrame part = bands_of(clone(image.view().crop(12, 9, 8, 7)).view(), "part");
  EXPECT_EQ(frame.white, 255);
  EXPECT_EQ(frame.bands.count(), 3);
  for (const auto signature :
       {SceneSignature::kLevels, SceneSignature::kBands, SceneSignature::kContrast}) {
    const SceneMapOptions options{.signature = signature, .exec = {.device = Device::cpu()}};
    SceneMapper by_box(frame, Rect<int>{12, 9, 8, 7}, options), by_image(frame, part, options);
    EXPECT_TRUE(test::images_equal(by_box.map(frame), by_image.map(frame)));
    EXPECT_EQ(by_box.spectrum(), by_image.spectrum());
    EXPECT_EQ(by_box.spectrum().empty(), signature == SceneSignature::kLevels);
  }
}

TEST(EmdScene, GoesOnAfterAStop) {
  const BandFrame frame = bands_of(scene().view(), "scene");
  std::stop_source stop;
  SceneMapper mapper(frame, Rect<int>{12, 9, 8, 7},
                     {.signature = SceneSignature::kBands,
                      .exec = {.device = Device::cpu(), .threads = 1, .stop = stop.get_token()}});
  const Image<float> before = mapper.map(frame);
  stop.request_stop();
  EXPECT_THROW(mapper.map(frame), Cancelled);
  mapper.renew({.device = Device::cpu()});
  EXPECT_TRUE(test::images_equal(mapper.map(frame), before));
}

TEST(EmdScene, RefusesBoxesOutsideAndOtherBands) {
  const BandFrame frame = bands_of(scene().view(), "scene");
  const BandFrame gray = bands_of(Image<std::uint8_t>(4, 4).view(), "gray");
  const SceneMapOptions spectra{.signature = SceneSignature::kBands};
  EXPECT_THROW(SceneMapper(frame, Rect<int>{30, 0, 11, 5}), InvalidArgument);
  EXPECT_THROW(SceneMapper(frame, Rect<int>{0, 0, 0, 5}), InvalidArgument);
  EXPECT_THROW(SceneMapper(frame, Rect<int>{0, 0, 5, 5}, {.window = 4}), InvalidArgument);
  EXPECT_THROW(SceneMapper(frame, gray, spectra), FormatError);
  SceneMapper mapper(frame, Rect<int>{0, 0, 5, 5}, spectra);
  EXPECT_THROW(mapper.map(gray), FormatError);
}

}  // namespace
}  // namespace fovea::emd
