// Covers: track_bands_cpu, track_group
#include "emd/track/track_bands.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "emd/track/backend.h"
#include "emd/track/track_bands_math.h"
#include "support/devices.h"

namespace fovea::emd {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinite = std::numeric_limits<float>::infinity();

// Noise around a few spectra.
Stack<float> drawn_frame(int width, int height, int bands, std::uint64_t seed) {
  Stack<float> frame(width, height, bands);
  Random random(seed);
  for (int b = 0; b < bands; ++b)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const int material = (x / 5 + y / 4) % 3;
        frame.plane(b).at(x, y) = 100.0F +
                                  40.0F * std::sin(0.7F * static_cast<float>(b * material)) +
                                  random.uniform(-5, 5);
      }
  return frame;
}

BandTable table_of(const Stack<float>& frame, int colors, bool shape = false) {
  Random random(3, 1);
  const Rect<int> all{0, 0, frame.width(), frame.height()};
  return learn_bands(draw_band_samples({{frame, all, frame, all}}, 400, random),
                     {.colors = colors, .shape = shape, .seed = 5});
}

// The nearest color by the definition, in the order of the bands.
std::uint8_t nearest_color(const Stack<float>& frame, const BandTable& table, int x, int y) {
  float squares = 0;
  int measured = 0, used = 0;
  for (int b = 0; b < frame.count(); ++b) {
    const float sample = frame.plane(b).at(x, y);
    if (!std::isfinite(sample)) continue;
    squares += sample * sample;
    ++measured;
    used += table.scale[static_cast<std::size_t>(b)] > 0 ? 1 : 0;
  }
  if (used == 0) return kNoLabel;
  const float inverse = !table.shape  ? 1.0F
                        : squares > 0 ? 1.0F / std::sqrt(squares / static_cast<float>(measured))
                                      : 0.0F;
  int best = 0;
  float least = kInfinite;
  for (int k = 0; k < table.colors; ++k) {
    float sum = 0;
    for (int b = 0; b < frame.count(); ++b) {
      const auto i = static_cast<std::size_t>(b);
      const float sample = frame.plane(b).at(x, y);
      if (!std::isfinite(sample) || !(table.scale[i] > 0)) continue;
      const float step = (sample * inverse - table.offset[i]) * table.scale[i] - table.center(b, k);
      sum += step * step;
    }
    if (sum < least) {
      least = sum;
      best = k;
    }
  }
  return static_cast<std::uint8_t>(best);
}

class EmdTrackBands : public test::OnEveryPlace {
 protected:
  Image<std::uint8_t> labels(const Stack<float>& frame, const BandTable& table,
                             int threads = 0) const {
    Image<std::uint8_t> result(frame.width(), frame.height());
    const Exec exec{.device = device(), .threads = threads};
    const bool there = device().kind == DeviceKind::kCuda;
    (there ? cuda::label_bands : cpu::label_bands)(frame, table, result, exec);
    return result;
  }
};
FOVEA_ON_EVERY_PLACE(EmdTrackBands);

TEST_P(EmdTrackBands, LabelsAreThoseOfTheDefinition) {
  for (const int bands : {1, 2, 4, 11, 70})
    for (const int colors : {2, 9, 16, 33, 64})
      for (const bool shape : {false, true}) {
        if (shape && bands == 1) continue;
        Stack<float> frame = drawn_frame(67, 9, bands, 11);
        const BandTable table = table_of(frame, colors, shape);
        frame.plane(0).at(3, 2) = kNaN;
        frame.plane(bands - 1).at(66, 8) = kInfinite;
        for (int b = 0; b < bands; ++b) frame.plane(b).at(20, 5) = b % 2 == 0 ? kNaN : -kInfinite;
        const auto found = labels(frame, table);
        EXPECT_EQ(found.at(20, 5), kNoLabel);
        for (int y = 0; y < frame.height(); ++y)
          for (int x = 0; x < frame.width(); ++x)
            ASSERT_EQ(found.at(x, y), nearest_color(frame, table, x, y))
                << x << " " << y << " " << bands << " bands, " << colors << " colors";
      }
}

TEST_P(EmdTrackBands, LabelsAreTheSameForEveryNumberOfThreads) {
  const Stack<float> frame = drawn_frame(130, 40, 12, 4);
  const BandTable table = table_of(frame, 16);
  const auto one = labels(frame, table, 1), three = labels(frame, table, 3);
  for (int y = 0; y < frame.height(); ++y)
    for (int x = 0; x < frame.width(); ++x) ASSERT_EQ(one.at(x, y), three.at(x, y));
}

TEST_P(EmdTrackBands, TheShapeDoesNotChangeWithTheLight) {
  const Stack<float> frame = drawn_frame(40, 20, 8, 2);
  const BandTable table = table_of(frame, 8, true);
  Stack<float> dark(40, 20, 8);
  for (int b = 0; b < 8; ++b)
    for (int y = 0; y < 20; ++y)
      for (int x = 0; x < 40; ++x) dark.plane(b).at(x, y) = 0.25F * frame.plane(b).at(x, y);
  const auto bright = labels(frame, table), dim = labels(dark, table);
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 40; ++x) EXPECT_EQ(bright.at(x, y), dim.at(x, y)) << x << " " << y;
}

// Three spectra without noise: three colors, each in its place.
TEST(EmdTrackBandPalette, FindsTheSpectraThatAreThere) {
  Stack<float> frame(30, 10, 5);
  for (int b = 0; b < 5; ++b)
    for (int y = 0; y < 10; ++y)
      for (int x = 0; x < 30; ++x)
        frame.plane(b).at(x, y) =
            static_cast<float>((x / 10) * (b + 1) - (x / 10 == 1 ? b * b : 0));
  const BandTable table = table_of(frame, 16);
  EXPECT_EQ(table.colors, 3);
  EXPECT_EQ(table.bands, 5);
  const GroundDistance ground = band_distance(table, {});
  EXPECT_TRUE(ground.exact());
  EXPECT_TRUE(ground.metric());
  EXPECT_EQ(ground.cost(0, 0), 0);
  EXPECT_EQ(ground.greatest(), 1000);
}

TEST(EmdTrackBandPalette, ScalesBandsToOneVarianceAndNoiseToLess) {
  Stack<float> frame(64, 32, 3);
  Random random(8);
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 64; ++x) {
      const float step = x < 32 ? 0.0F : 1.0F;
      frame.plane(0).at(x, y) = 10 * step + random.uniform(-0.1F, 0.1F);
      frame.plane(1).at(x, y) = 5000 * step + random.uniform(-50, 50);
      frame.plane(2).at(x, y) = random.uniform(-3, 3);  // noise alone
    }
  const BandTable table = table_of(frame, 4);
  EXPECT_NEAR(table.scale[0] * 10, table.scale[1] * 5000, 0.02 * table.scale[0] * 10);
  EXPECT_LT(table.scale[2] * std::sqrt(3.0F), 0.3F * table.scale[0] * 5);  // standard deviations
}

// A band that is the same everywhere, or was never measured, has no say.
TEST(EmdTrackBandPalette, LeavesOutBandsWithoutInformation) {
  Stack<float> frame = drawn_frame(40, 20, 4, 6);
  for (int y = 0; y < 20; ++y)
    for (int x = 0; x < 40; ++x) {
      frame.plane(1).at(x, y) = 7;
      frame.plane(2).at(x, y) = kNaN;
    }
  const BandTable table = table_of(frame, 6);
  EXPECT_EQ(table.scale[1], 0);
  EXPECT_EQ(table.scale[2], 0);
  EXPECT_EQ(table.colors, 6);
  for (const float center : table.centers) EXPECT_TRUE(std::isfinite(center));
}

TEST(EmdTrackBandPalette, NothingMeasuredGivesNoColorsAndOneValueGivesOne) {
  Stack<float> frame(8, 8, 2);
  const auto fill = [&](float value) {
    for (int b = 0; b < 2; ++b)
      for (int y = 0; y < 8; ++y) std::fill_n(frame.plane(b).row(y), 8, value);
  };
  fill(kNaN);
  EXPECT_EQ(table_of(frame, 4).colors, 0);
  fill(3);
  const BandTable table = table_of(frame, 4);
  EXPECT_EQ(table.colors, 1);
  EXPECT_EQ(band_distance(table, {}).cost(0, 0), 0);
}

TEST(EmdTrackBandPalette, TauSaysWhereDistancesEnd) {
  const BandTable table = table_of(drawn_frame(40, 20, 6, 9), 5);
  const GroundDistance near = band_distance(table, 0.1), far = band_distance(table, 100.0);
  for (int i = 0; i < table.colors; ++i)
    for (int j = 0; j < table.colors; ++j) {
      EXPECT_EQ(near.cost(i, j), i == j ? 0 : 1000);
      EXPECT_LT(far.cost(i, j), 100);
    }
}

}  // namespace
}  // namespace fovea::emd
