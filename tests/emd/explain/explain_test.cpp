// Covers: explain_map, explain_scene, present_map, present_track, insides
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/emd/explain.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "emd/track_scene.h"
#include "support/devices.h"
#include "support/messages.h"

namespace fovea::emd {
namespace {

using testing::HasSubstr;

constexpr int kDrawnWidth = 40, kDrawnHeight = 30;

Image<std::uint8_t> random_labels(int bins) {
  Image<std::uint8_t> labels(kDrawnWidth, kDrawnHeight);
  Random random(3, 0);
  for (int y = 0; y < kDrawnHeight; ++y)
    for (int x = 0; x < kDrawnWidth; ++x)
      labels.at(x, y) = static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(bins)));
  return labels;
}

BandFrame random_frame(int bands, float white) {
  BandFrame frame{Stack<float>(kDrawnWidth, kDrawnHeight, bands), "it", white};
  Random random(5, 0);
  for (int b = 0; b < bands; ++b)
    for (int y = 0; y < kDrawnHeight; ++y)
      for (int x = 0; x < kDrawnWidth; ++x)
        frame.bands.plane(b).at(x, y) = static_cast<float>(random.below(200) + (x > 20 ? 50 : 0));
  return frame;
}

void expect_adds_up(const MapExplanation& e) {
  double values = e.surplus;
  for (const BinMove& move : e.moves) values += move.value;
  EXPECT_NEAR(values, e.distance, 1e-9 * (1 + e.distance));
  EXPECT_NEAR(std::accumulate(e.cost_from.begin(), e.cost_from.end(), e.surplus), e.distance, 1e-9);
  EXPECT_NEAR(std::accumulate(e.cost_to.begin(), e.cost_to.end(), e.surplus), e.distance, 1e-9);
  if (!e.heat.empty()) {
    double heat = 0;
    for (int y = 0; y < e.heat.height(); ++y)
      for (int x = 0; x < e.heat.width(); ++x) heat += static_cast<double>(e.heat.at(x, y));
    EXPECT_NEAR(heat + e.surplus, e.distance, 1e-6 * (1 + e.distance));
  }
  const report::Explanation shown = present(e);
  double reasons = shown.rest;
  for (const report::Reason& reason : shown.reasons) reasons += reason.value;
  EXPECT_NEAR(reasons, shown.total, 1e-9 * (1 + e.distance));
}

TEST(ExplainMap, MovesAddUpToTheMapsDistance) {
  const Image<std::uint8_t> labels = random_labels(6);
  const std::vector<double> target{3, 0, 9, 1, 0, 4};
  for (const WindowBorder border : {WindowBorder::kRepeat, WindowBorder::kClip})
    for (const char* ground : {"threshold:3", "l1", "discrete"}) {
      MapOptions options;
      options.window = 7;
      options.border = border;
      options.ground = ground;
      options.exec.device = Device::cpu();
      Mapper mapper(target, options);
      const Image<float> map = mapper.map(labels);
      for (const auto& [x, y] : {std::pair(20, 15), std::pair(0, 0), std::pair(39, 3)}) {
        const MapExplanation e = explain(mapper, labels, x, y);
        EXPECT_EQ(static_cast<float>(e.distance), map.at(x, y));
        expect_adds_up(e);
      }
    }
}

TEST(ExplainMap, UnequalMassesAreCharged) {
  const Image<std::uint8_t> labels = random_labels(4);
  for (const MassPolicy mass : {MassPolicy::kPartial, MassPolicy::kPenalty}) {
    MapOptions options;
    options.window = 3;
    options.solver.mass = mass;
    options.exec.device = Device::cpu();
    Mapper mapper(std::vector<double>{20, 1, 0, 3}, options);
    const Image<float> map = mapper.map(labels);
    const MapExplanation e = explain(mapper, labels, 11, 12);
    EXPECT_EQ(static_cast<float>(e.distance), map.at(11, 12));
    EXPECT_EQ(e.surplus > 0, mass == MassPolicy::kPenalty);
    expect_adds_up(e);
  }
}

// All mass moves from one bin to the next: the distance is the cost of that.
TEST(ExplainMap, ClosedForm) {
  Image<std::uint8_t> labels(5, 5);
  for (int y = 0; y < 5; ++y) std::fill_n(labels.row(y), 5, std::uint8_t{1});
  MapOptions options;
  options.window = 5;
  options.ground = "l1";
  options.exec.device = Device::cpu();
  const Mapper mapper(std::vector<double>{0, 0, 0, 7}, options);
  const MapExplanation e = explain(mapper, labels, 2, 2);
  ASSERT_EQ(e.moves.size(), 1U);
  EXPECT_EQ(e.moves[0].from, 1);
  EXPECT_EQ(e.moves[0].to, 3);
  EXPECT_EQ(e.moves[0].mass, 1);
  EXPECT_EQ(e.distance, 2);
  const Image<std::uint8_t> picture = draw_moves(e, 200);
  EXPECT_EQ(picture.width(), 200);
  EXPECT_THROW((void)draw_moves(e, 10), InvalidArgument);
}

TEST(ExplainScene, EverySignatureAddsUp) {
  for (const SceneSignature signature : {SceneSignature::kLevels, SceneSignature::kColors,
                                         SceneSignature::kBands, SceneSignature::kContrast}) {
    SceneMapOptions options;
    options.signature = signature;
    options.exec.device = Device::cpu();
    const BandFrame frame = random_frame(options.spectral() ? 9 : 3, options.spectral() ? 0 : 255);
    SceneMapper mapper(frame, Rect<int>{4, 5, 6, 6}, options);
    const Image<float> map = mapper.map(frame);
    for (const auto& [x, y] : {std::pair(30, 10), std::pair(39, 29)}) {
      const MapExplanation e = explain(mapper, frame, x, y);
      EXPECT_EQ(static_cast<float>(e.distance), map.at(x, y));
      EXPECT_EQ(e.bins.size(), e.histogram.size());
      EXPECT_EQ(options.colors() || options.levels(), e.bins[0].color.has_value());
      expect_adds_up(e);
    }
  }
}

TEST(ExplainScene, FusedScoresAreTheMaps) {
  SceneMapOptions options;
  options.signature = SceneSignature::kContrast;
  options.score = SceneScore::kFused;
  options.exec.device = Device::cpu();
  const BandFrame frame = random_frame(9, 0);
  SceneMapper mapper(frame, Rect<int>{4, 5, 6, 6}, options);
  const Image<float> map = mapper.map(frame);
  const MapExplanation e = explain(mapper, frame, 17, 9);
  ASSERT_TRUE(e.fused);
  EXPECT_EQ(static_cast<float>(e.fused->score), map.at(17, 9));
}

TEST(ExplainScene, SaysWhatIsWrong) {
  SceneMapOptions options;
  options.exec.device = Device::cpu();
  options.roi = Rect<int>{0, 0, 20, 20};
  const BandFrame frame = random_frame(3, 255);
  const SceneMapper mapper(frame, Rect<int>{4, 5, 6, 6}, options);
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { (void)explain(mapper, frame, 40, 2); }),
              HasSubstr("40,2 lies outside of it of 40x30"));
  EXPECT_THAT(test::message_of<InvalidArgument>([&] { (void)explain(mapper, frame, 30, 2); }),
              HasSubstr("30,2 is not mapped"));
}

class ExplainTrack : public test::OnEveryPlace {};
FOVEA_ON_EVERY_PLACE(ExplainTrack);

TEST_P(ExplainTrack, DoesWhatTrackDoesAndAddsUp) {
  for (const TrackFilter filter : {TrackFilter::kOff, TrackFilter::kOn})
    for (const TrackParts parts : {TrackParts::kOff, TrackParts::kOn}) {
      TrackOptions options;
      options.exec.device = device();
      options.filter = filter;
      options.parts = parts;
      options.reach = 0.4;
      Square square{{20, 30, 16, 16}, {200, 40, 40}, {40, 60, 200}};
      const auto first = track_scene(90, 70, 0, {square});
      Tracker one(first, square.box, options), other(first, square.box, options);
      for (int i = 1; i < 4; ++i) {
        square.box.x += 3;
        const auto frame = track_scene(90, 70, i, {square});
        const TrackExplanation e = one.explain(frame);
        EXPECT_EQ(e.track, other.track(frame).front());
        const PlaceShares& place = e.place;
        EXPECT_NEAR(place.total, place.color - place.motion - place.parts - place.filter, 1e-12);
        EXPECT_GE(place.total, e.stayed.total);
        EXPECT_EQ(place.response.has_value(), filter == TrackFilter::kOn);
        EXPECT_EQ(e.landscape.parts.empty(), parts == TrackParts::kOff);
        // No place of the landscape is better than the one that was taken.
        const Image<float>& land = e.landscape.total;
        for (int y = 0; y < land.height(); ++y)
          for (int x = 0; x < land.width(); ++x)
            if (!std::isnan(land.at(x, y)) && parts == TrackParts::kOff) {
              EXPECT_LE(land.at(x, y), static_cast<float>(place.total) + 1e-6F);
            }
        const report::Explanation shown = present(e);
        double reasons = shown.rest;
        for (const report::Reason& reason : shown.reasons) reasons += reason.value;
        EXPECT_NEAR(reasons, shown.total, 1e-9);
      }
      EXPECT_THROW((void)one.explain(track_scene(90, 70, 9, {square}), 2), InvalidArgument);
    }
}

}  // namespace
}  // namespace fovea::emd
