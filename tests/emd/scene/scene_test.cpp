// Covers: bands, colors, scene_options
#include <fovea/core/error.h>
#include <fovea/emd/scene.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stop_token>

#include "support/files.h"
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

template <class T>
void expect_samples_kept(const std::string& path, T least) {
  Stack<T> bands(4, 3, 2);
  for (int b = 0; b < 2; ++b)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x) bands.plane(b).at(x, y) = static_cast<T>(least + 900 * b + y + x);
  io::write_cube(path, {std::move(bands), {}});
  const BandFrame frame = read_bands(path);
  const auto* const kept = std::get_if<Stack<T>>(&frame.samples);
  ASSERT_NE(kept, nullptr);
  ASSERT_EQ(kept->count(), 2);
  for (int b = 0; b < 2; ++b)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x)
        EXPECT_EQ(static_cast<float>(kept->plane(b).at(x, y)), frame.bands.plane(b).at(x, y));
  EXPECT_EQ(frame.bands.plane(1).at(3, 2), static_cast<float>(least) + 905);
}

TEST(EmdScene, FilesOf16BitsKeepTheirSamples) {
  const test::TempFolder folder;
  expect_samples_kept<std::uint16_t>(folder / "plain.hdr", 64000);
  expect_samples_kept<std::int16_t>(folder / "signed.hdr", -300);
  io::write_cube(folder / "floats.hdr", {Stack<float>(3, 2, 2), {}});
  EXPECT_EQ(std::get<0>(read_bands(folder / "floats.hdr").samples).count(), 0);
}

TEST(EmdScene, AFrameWithoutASpectrumIsUnreadable) {
  BandFrame frame{Stack<float>(6, 5, 3), "it", 0};
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 6; ++x)
      frame.bands.plane((x + y) % 3).at(x, y) = std::numeric_limits<float>::quiet_NaN();
  for (const auto signature : {SceneSignature::kBands, SceneSignature::kContrast})
    EXPECT_THROW(SceneMapper(frame, Rect<int>{1, 1, 2, 2},
                             {.signature = signature, .exec = {.device = Device::cpu()}}),
                 FormatError);
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
  for (const auto signature : {SceneSignature::kLevels, SceneSignature::kBands,
                               SceneSignature::kContrast, SceneSignature::kColors}) {
    const SceneMapOptions options{.signature = signature, .exec = {.device = Device::cpu()}};
    SceneMapper by_box(frame, Rect<int>{12, 9, 8, 7}, options), by_image(frame, part, options);
    EXPECT_TRUE(test::images_equal(by_box.map(frame), by_image.map(frame)));
    EXPECT_EQ(by_box.spectrum(), by_image.spectrum());
    EXPECT_EQ(by_box.spectrum().empty(), !options.spectral());
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

// A red square on green of the same brightness, with noise that no gray level tells apart.
Image<std::uint8_t> red_on_green() {
  Random random(9);
  Image<std::uint8_t> image(64, 48, 3);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x) {
      const bool square = x >= 20 && x < 40 && y >= 12 && y < 32;
      const auto noise = static_cast<int>(random.below(20));
      image.at(x, y, 0) = static_cast<std::uint8_t>((square ? 180 : 40) + noise);
      image.at(x, y, 1) = static_cast<std::uint8_t>((square ? 40 : 111) + noise);
      image.at(x, y, 2) = static_cast<std::uint8_t>(40 + noise);
    }
  return image;
}

TEST(EmdScene, ColorsSeparateWhatGrayLevelsDoNot) {
  const Image<std::uint8_t> image = red_on_green();
  const BandFrame frame = bands_of(image.view(), "scene");
  SceneMapper mapper(frame, Rect<int>{24, 16, 10, 10},
                     {.signature = SceneSignature::kColors, .window = 5});
  const Image<float> map = mapper.map(frame);
  EXPECT_LT(map.at(30, 22), 200);
  EXPECT_GT(map.at(5, 5), 900) << "as different as tau or more";
  EXPECT_LE(mapper.mapper().target().size(), 16U);
  EXPECT_EQ(mapper.range().high, 256);
  EXPECT_EQ(mapper.target_size(), (Extent{10, 10}));

  // Samples of 16 bits with the same colors, where a range is given, have the same map.
  Image<std::uint16_t> deep(64, 48, 3);
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x)
      for (int c = 0; c < 3; ++c)
        deep.at(x, y, c) = static_cast<std::uint16_t>(256 * image.at(x, y, c) + 100);
  const BandFrame same = bands_of(deep.view(), "deep");
  SceneMapper by_range(same, Rect<int>{24, 16, 10, 10},
                       {.signature = SceneSignature::kColors, .range = {0, 65536}, .window = 5});
  EXPECT_TRUE(test::images_equal(by_range.map(same), map));
}

TEST(EmdScene, ColorsLeaveOutMissingValuesAndRefuseSpectra) {
  BandFrame frame = bands_of(red_on_green().view(), "scene");
  frame.white = 0;
  frame.bands.plane(1).at(3, 3) = std::numeric_limits<float>::quiet_NaN();
  SceneMapper mapper(frame, Rect<int>{24, 16, 10, 10}, {.signature = SceneSignature::kColors});
  PreparedFrame prepared;
  mapper.prepare(frame, prepared, 1);
  EXPECT_EQ(prepared.labels.at(3, 3), 255);
  EXPECT_LT(prepared.labels.at(4, 3), 16);
  const BandFrame five{Stack<float>(8, 8, 5), "five", 255};
  EXPECT_THROW(SceneMapper(five, Rect<int>{0, 0, 4, 4}, {.signature = SceneSignature::kColors}),
               InvalidArgument);
}

TEST(EmdScene, OnlyTheRegionOfInterestIsMapped) {
  const BandFrame frame = bands_of(scene().view(), "scene");
  const Rect<int> target{12, 9, 8, 7}, roi{5, 4, 20, 11};
  for (const auto signature :
       {SceneSignature::kLevels, SceneSignature::kContrast, SceneSignature::kColors}) {
    const int window = signature == SceneSignature::kContrast ? 3 : 7;
    SceneMapper all(frame, target, {.signature = signature, .window = window});
    SceneMapper part(frame, target, {.signature = signature, .window = window, .roi = roi});
    const Image<float> whole = all.map(frame);
    const auto expect_within = [&](const Image<float>& map, auto chosen) {
      for (int y = 0; y < map.height(); ++y)
        for (int x = 0; x < map.width(); ++x) {
          if (chosen(x, y)) {
            ASSERT_EQ(map.at(x, y), whole.at(x, y)) << x << ' ' << y;
          } else {
            ASSERT_TRUE(std::isnan(map.at(x, y)));
          }
        }
    };
    const auto in_roi = [&](int x, int y) {
      return x >= roi.x && x < roi.right() && y >= roi.y && y < roi.bottom();
    };
    expect_within(part.map(frame), in_roi);
    Image<std::uint8_t> mask(40, 30);
    for (int y = 0; y < 30; ++y)
      for (int x = 0; x < 40; ++x) mask.at(x, y) = x % 3 == 0 ? 1 : 0;
    part.set_mask(mask);
    expect_within(part.map(frame), [&](int x, int y) { return in_roi(x, y) && x % 3 == 0; });
    part.set_mask({});
    expect_within(part.map(frame), in_roi);
  }
}

TEST(EmdScene, RefusesMasksThatDoNotFit) {
  const BandFrame frame = bands_of(scene().view(), "scene");
  const Rect<int> target{12, 9, 8, 7};
  EXPECT_THROW(SceneMapper(frame, target, {.roi = Rect<int>{30, 0, 11, 5}}), InvalidArgument);
  EXPECT_THROW(SceneMapper(frame, target, {.roi = Rect<int>{0, 0, 0, 5}}), InvalidArgument);
  SceneMapper mapper(frame, target);
  Image<std::uint8_t> mask(41, 30);
  for (int y = 0; y < 30; ++y) std::fill_n(mask.row(y), 41, std::uint8_t{0});
  EXPECT_THROW(mapper.set_mask(mask), InvalidArgument) << "it chooses no pixel";
  mask.at(1, 1) = 1;
  mapper.set_mask(mask);
  EXPECT_THROW(mapper.map(frame), InvalidArgument) << "it is wider than the frame";
  mapper.set_mask({});
  EXPECT_NO_THROW(mapper.map(frame));
  EXPECT_THROW(
      SceneMapper(frame, target, {.signature = SceneSignature::kBands, .changed_only = true}),
      InvalidArgument);
}

TEST(EmdScene, ChangedPixelsAloneGiveTheSameMaps) {
  Image<std::uint8_t> image = scene();
  const BandFrame first = bands_of(image.view(), "scene");
  const Rect<int> target{12, 9, 8, 7};
  for (const auto& roi : {std::optional<Rect<int>>{}, std::optional(Rect<int>{2, 2, 30, 20})}) {
    SceneMapper all(first, target, {.window = 5, .roi = roi});
    SceneMapper changed(first, target, {.window = 5, .roi = roi, .changed_only = true});
    for (int k = 0; k < 5; ++k) {
      if (k == 2) image.at(20, 20, 0) = image.at(20, 20, 1) = image.at(20, 20, 2) = 255;
      if (k == 3)  // more changes than are worth a mask
        for (int y = 0; y < 30; ++y)
          for (int x = 0; x < 40; ++x) image.at(x, y, 1) = static_cast<std::uint8_t>(7 * x * y);
      const BandFrame frame = bands_of(image.view(), "scene");
      const Image<float> want = all.map(frame), got = changed.map(frame);
      for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 40; ++x)
          ASSERT_TRUE(want.at(x, y) == got.at(x, y) ||
                      (std::isnan(want.at(x, y)) && std::isnan(got.at(x, y))))
              << k << ' ' << x << ' ' << y;
      if (k == 1) {
        EXPECT_EQ(changed.mapper().report().pixels, 0);
      }
      if (k == 2 && changed.mapper().options().exec.device.kind == DeviceKind::kCpu) {
        EXPECT_LE(changed.mapper().report().pixels, 25);
      }
    }
  }
}

}  // namespace
}  // namespace fovea::emd
