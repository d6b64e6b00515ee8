// Covers: fusion_math, fusion_cpu
#include "emd/scene/fusion.h"

#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/emd/detect.h>
#include <fovea/emd/scene.h>

#include <cmath>
#include <limits>

#include "support/files.h"
#include "support/images.h"

namespace fovea::emd {
namespace {

using test::message_of;
using testing::HasSubstr;

constexpr int kFusedWidth = 45, kFusedHeight = 31, kFusedBands = 40;
constexpr Rect<int> kShown{12, 9, 3, 3};

// A slope of light over two materials with noise; targets of a third material, some of them mixed
// with what lies below, stand in four places.
BandFrame fused_scene(std::uint64_t seed) {
  Random random(seed);
  BandFrame frame{Stack<float>(kFusedWidth, kFusedHeight, kFusedBands), "drawn", 0};
  for (int y = 0; y < kFusedHeight; ++y)
    for (int x = 0; x < kFusedWidth; ++x) {
      const double light = random.uniform(0.7F, 1.0F) + x / 50.0, share = random.uniform(0, 1);
      const bool target = (x / 3 == 4 || x / 3 == 9) && (y / 3 == 3 || y / 3 == 7);
      const double mixed = target ? (x / 3 == 4 ? 0.9 : 0.6) : 0;
      for (int b = 0; b < kFusedBands; ++b) {
        const double ground = share * (200 + 3 * b) + (1 - share) * (350 - 4 * b);
        const double shown = 260 + 60 * std::sin(b / 5.0);
        frame.bands.plane(b).at(x, y) = static_cast<float>(
            std::round(light * ((1 - mixed) * ground + mixed * shown) + random.uniform(-4, 4)));
      }
    }
  return frame;
}
Image<std::uint8_t> fused_truth() {
  Image<std::uint8_t> truth(kFusedWidth, kFusedHeight);
  for (int y = 0; y < kFusedHeight; ++y)
    for (int x = 0; x < kFusedWidth; ++x)
      truth.at(x, y) = (x / 3 == 4 || x / 3 == 9) && (y / 3 == 3 || y / 3 == 7) ? 1 : 0;
  return truth;
}
SceneMapOptions fused_options(int threads = 2) {
  SceneMapOptions options;
  options.signature = SceneSignature::kContrast;
  options.score = SceneScore::kFused;
  options.exec = {.device = Device::cpu(), .threads = threads};
  return options;
}

TEST(Fusion, LevelsLieBetweenKnots) {
  const float distances[] = {1, 2, 4};
  const double levels[] = {3, 2, 0};
  const detail::LevelTable table{3, distances, levels};
  EXPECT_EQ(detail::level_of(table, 0), 3);
  EXPECT_EQ(detail::level_of(table, 1), 3);
  EXPECT_EQ(detail::level_of(table, 1.5F), 2.5);
  EXPECT_EQ(detail::level_of(table, 2), 2);
  EXPECT_EQ(detail::level_of(table, 3), 1);
  EXPECT_EQ(detail::level_of(table, 9), 0);
}

TEST(Fusion, TheLevelOfAScoreIsARootMeanSquare) {
  const float distances[] = {0, 1};
  const double levels[] = {std::log(100.0), 0};
  const detail::LevelTable tables[] = {
      {2, distances, levels}, {2, distances, levels}, {2, distances, levels}};
  const float near[] = {0, 0}, mixed[] = {1, 0};
  EXPECT_NEAR(detail::fused_score(tables, 0, near), 0.01, 1e-7);
  EXPECT_NEAR(detail::fused_score(tables, 1, mixed), std::pow(0.01, std::sqrt(3.0 / 7)), 1e-7);
  EXPECT_TRUE(std::isnan(detail::fused_score(tables, std::nanf(""), near)));
}

TEST(Fusion, AnglesAreThoseOfTheTextbook) {
  BandFrame frame = fused_scene(1);
  frame.bands.plane(3).at(5, 6) = std::numeric_limits<float>::infinity();
  const std::vector<float> target = mean_spectrum(frame.bands, kShown);
  const Fusion fusion(frame.bands, target, {.threads = 1});
  Image<float> angles(kFusedWidth, kFusedHeight, 2);
  fusion.angles(frame.bands, angles, {.device = Device::cpu(), .threads = 2});
  const Image<float> expected = spectral_angle(frame.bands, target);
  for (int y = 0; y < kFusedHeight; ++y)
    for (int x = 0; x < kFusedWidth; ++x) {
      if (x == 5 && y == 6) continue;
      const double sine = std::sin(static_cast<double>(expected.at(x, y)));
      EXPECT_NEAR(angles.at(x, y, 0), sine * sine, 1e-6);
      EXPECT_GE(angles.at(x, y, 1), 0);
      EXPECT_LE(angles.at(x, y, 1), 2);
    }
  EXPECT_EQ(angles.at(5, 6, 0), 2);
  EXPECT_EQ(angles.at(5, 6, 1), 2);
}

TEST(Fusion, AMapSeparatesTheTargetBetterThanItsParts) {
  const BandFrame frame = fused_scene(2);
  SceneMapper fused(frame, kShown, fused_options());
  SceneMapOptions plain = fused_options();
  plain.score = SceneScore::kDistance;
  SceneMapper distance(frame, kShown, plain);
  const Image<std::uint8_t> truth = fused_truth();
  const Image<float> map = fused.map(frame);
  const double area = roc(map, truth).area;
  EXPECT_GT(area, 0.99);
  EXPECT_GE(area, roc(distance.map(frame), truth).area);
  EXPECT_GE(area, roc(spectral_angle(frame.bands, fused.spectrum()), truth).area);
  for (int y = 0; y < kFusedHeight; ++y)
    for (int x = 0; x < kFusedWidth; ++x) {
      EXPECT_GT(map.at(x, y), 0);
      EXPECT_LE(map.at(x, y), 1);
    }
}

TEST(Fusion, ThreadsDoNotChangeFusedMapsAndMasksOnlyLeaveOut) {
  const BandFrame frame = fused_scene(3), later = fused_scene(4);
  SceneMapper one(frame, kShown, fused_options(1)), many(frame, kShown, fused_options(3));
  const Image<float> expected = one.map(later);
  EXPECT_TRUE(test::images_equal(many.map(later), expected));
  SceneMapOptions options = fused_options();
  options.roi = Rect<int>{4, 5, 20, 17};
  SceneMapper part(frame, kShown, options);
  const Image<float> found = part.map(later);
  for (int y = 0; y < kFusedHeight; ++y)
    for (int x = 0; x < kFusedWidth; ++x) {
      const bool inside = x >= 4 && x < 24 && y >= 5 && y < 22;
      if (inside) EXPECT_EQ(found.at(x, y), expected.at(x, y));
      else EXPECT_TRUE(std::isnan(found.at(x, y)));
    }
}

TEST(Fusion, APixelWithAMissingValueIsTheLeastLikely) {
  BandFrame frame = fused_scene(5);
  frame.bands.plane(7).at(30, 2) = std::numeric_limits<float>::quiet_NaN();
  SceneMapper mapper(frame, kShown, fused_options());
  const Image<float> map = mapper.map(frame);
  for (int y = 0; y < kFusedHeight; ++y)
    for (int x = 0; x < kFusedWidth; ++x) EXPECT_LE(map.at(x, y), map.at(30, 2));
}

TEST(Fusion, RefusesWhatCannotBeFused) {
  const BandFrame frame = fused_scene(1);
  const auto message = [&](const SceneMapOptions& options) {
    return message_of<InvalidArgument>([&] { SceneMapper(frame, kShown, options); });
  };
  SceneMapOptions options = fused_options();
  options.signature = SceneSignature::kLevels;
  EXPECT_THAT(message(options), HasSubstr("take the signature contrast or bands"));
  options = fused_options();
  options.window = 3;
  EXPECT_THAT(message(options), HasSubstr("window is 3"));
  options = fused_options();
  options.threshold = 0.5F;
  EXPECT_THAT(message(options), HasSubstr("threshold is 0.5"));
}

}  // namespace
}  // namespace fovea::emd
