// Covers: appearance, signature
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/people/track.h>
#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "support/devices.h"
#include "support/messages.h"

namespace fovea::people {
namespace {

using testing::HasSubstr;

constexpr int kWidth = 320, kHeight = 160;

struct Figure {
  double x = 0;
  std::array<std::uint8_t, 3> coat{}, legs{};
  float score = 1;
  double y = 40;
};
constexpr std::array<std::uint8_t, 3> kRed{190, 40, 40}, kBlue{40, 60, 180}, kGreen{50, 140, 60},
    kDark{40, 40, 44};

Detection detection_of(const Figure& figure) {
  const Rect<float> box{static_cast<float>(figure.x), static_cast<float>(figure.y), 33, 80};
  return {box, box, figure.score, 1};
}

Image<std::uint8_t> frame_of(const std::vector<Figure>& figures) {
  Image<std::uint8_t> frame(kWidth, kHeight, 3);
  for (int y = 0; y < kHeight; ++y)
    for (int i = 0; i < kWidth * 3; ++i) frame.row(y)[i] = 150;
  for (const Figure& figure : figures) {
    for (int y = 0; y < 80; ++y) {
      for (int x = 6; x < 27; ++x) {
        const int px = static_cast<int>(figure.x) + x, py = static_cast<int>(figure.y) + y;
        if (px < 0 || px >= kWidth || py < 0 || py >= kHeight) continue;
        for (int c = 0; c < 3; ++c)
          frame.at(px, py, c) = (y < 40 ? figure.coat : figure.legs)[static_cast<std::size_t>(c)];
      }
    }
  }
  return frame;
}

std::vector<Track> step(Tracker& tracker, const std::vector<Figure>& figures) {
  std::vector<Detection> detections;
  for (const Figure& figure : figures) detections.push_back(detection_of(figure));
  return tracker.track(frame_of(figures), detections);
}

int id_at(const std::vector<Track>& tracks, double x) {
  for (const Track& track : tracks)
    if (std::abs(track.box.x - x) < 12) return track.id;
  return 0;
}

TEST(PeopleTracker, APersonIsBornAfterSomeDetections) {
  Tracker tracker({.confirm = 3});
  EXPECT_TRUE(step(tracker, {{20, kRed, kDark}}).empty());
  EXPECT_TRUE(step(tracker, {{23, kRed, kDark}}).empty());
  const auto tracks = step(tracker, {{26, kRed, kDark}});
  ASSERT_EQ(tracks.size(), 1U);
  EXPECT_EQ(tracks[0].id, 1);
  EXPECT_EQ(tracks[0].detection, 0);
  EXPECT_EQ(tracks[0].age, 2);
  EXPECT_NEAR(tracks[0].box.x, 26, 3);
  EXPECT_NEAR(tracks[0].box.height, 80, 1);
}

TEST(PeopleTracker, VelocityIsLearned) {
  Tracker tracker;
  std::vector<Track> tracks;
  for (int i = 0; i < 40; ++i) tracks = step(tracker, {{10 + 4.0 * i, kRed, kDark}});
  ASSERT_EQ(tracks.size(), 1U);
  EXPECT_NEAR(tracks[0].velocity_x, 4, 0.2);
  EXPECT_NEAR(tracks[0].velocity_y, 0, 0.1);
  EXPECT_NEAR(tracks[0].box.x, 10 + 4.0 * 39, 1.5);
}

TEST(PeopleTracker, PeopleWhoCrossKeepTheirIds) {
  for (const bool appearance : {false, true}) {
    Tracker tracker({.appearance = appearance});
    std::vector<Track> tracks;
    int left = 0, right = 0;
    for (int i = 0; i < 70; ++i) {
      const double a = 10 + 4.0 * i, b = 293 - 4.0 * i;
      tracks = step(tracker, {{a, kRed, kDark}, {b, kBlue, kDark}});
      if (i == 20) left = id_at(tracks, a), right = id_at(tracks, b);
    }
    EXPECT_NE(left, right);
    EXPECT_EQ(id_at(tracks, 10 + 4.0 * 69), left) << appearance;
    EXPECT_EQ(id_at(tracks, 293 - 4.0 * 69), right) << appearance;
    EXPECT_EQ(tracker.identities(), 2);
  }
}

TEST(PeopleTracker, AHiddenPersonIsPredictedAndKept) {
  Tracker tracker({.coast = 3});
  std::vector<std::size_t> counts;
  for (int i = 0; i < 50; ++i) {
    const bool hidden = i >= 20 && i < 32;
    const auto tracks = hidden ? step(tracker, {}) : step(tracker, {{10 + 4.0 * i, kRed, kDark}});
    if (hidden && i < 23) {
      ASSERT_EQ(tracks.size(), 1U);
      EXPECT_EQ(tracks[0].detection, -1);
      EXPECT_EQ(tracks[0].missed, i - 19);
      EXPECT_NEAR(tracks[0].box.x, 10 + 4.0 * i, 4);
    }
    if (i >= 23 && hidden) {
      EXPECT_TRUE(tracks.empty());
    }
    if (i >= 32) {
      EXPECT_EQ(id_at(tracks, 10 + 4.0 * i), 1) << i;
    }
  }
  EXPECT_EQ(tracker.identities(), 1);
}

TEST(PeopleTracker, WhoComesBackIsKnownByColors) {
  for (const bool appearance : {true, false}) {
    Tracker tracker({.appearance = appearance, .keep = 5, .refind = 200, .refind_speed = 1});
    std::vector<Track> tracks;
    for (int i = 0; i < 20; ++i) tracks = step(tracker, {{20, kRed, kDark}, {120, kBlue, kGreen}});
    for (int i = 0; i < 60; ++i) tracks = step(tracker, {});
    EXPECT_EQ(tracker.people().size(), appearance ? 2U : 0U);
    bool refound = false;
    // They come back elsewhere and with their places exchanged.
    for (int i = 0; i < 10; ++i) {
      tracks = step(tracker, {{220, kRed, kDark}, {70, kBlue, kGreen}, {150, kGreen, kRed}});
      for (const Track& track : tracks) refound = refound || track.refound;
    }
    EXPECT_EQ(refound, appearance);
    EXPECT_EQ(id_at(tracks, 220), appearance ? 1 : 3);
    EXPECT_EQ(id_at(tracks, 70), appearance ? 2 : 4);
    EXPECT_EQ(tracker.identities(), appearance ? 3 : 5);
  }
}

TEST(PeopleTracker, NobodyIsFoundAgainBeyondReach) {
  Tracker tracker({.keep = 5, .refind = 200, .refind_speed = 0.01});
  std::vector<Track> tracks;
  for (int i = 0; i < 20; ++i) tracks = step(tracker, {{10, kRed, kDark}});
  for (int i = 0; i < 20; ++i) tracks = step(tracker, {});
  for (int i = 0; i < 5; ++i) tracks = step(tracker, {{250, kRed, kDark}});
  EXPECT_EQ(id_at(tracks, 250), 2);
}

TEST(PeopleTracker, UncertainDetectionsContinueButDoNotBegin) {
  Tracker tracker({.certain = 0.5});
  std::vector<Track> tracks;
  for (int i = 0; i < 10; ++i) tracks = step(tracker, {{20, kRed, kDark, 0.2F}});
  EXPECT_TRUE(tracks.empty());
  for (int i = 0; i < 5; ++i) tracks = step(tracker, {{20, kRed, kDark, 0.9F}});
  for (int i = 0; i < 5; ++i) tracks = step(tracker, {{20, kRed, kDark, 0.2F}});
  ASSERT_EQ(tracks.size(), 1U);
  EXPECT_EQ(tracks[0].detection, 0);
  EXPECT_FLOAT_EQ(tracks[0].score, 0.2F);
}

TEST(PeopleTracker, FramesWithoutDetectionsOrWithoutPixelsAreFine) {
  Tracker tracker;
  EXPECT_TRUE(tracker.track({}).empty());
  std::vector<Track> tracks;
  const Detection someone = detection_of({.x = 20});
  for (int i = 0; i < 5; ++i) tracks = tracker.track(std::span(&someone, 1));
  EXPECT_EQ(tracks.size(), 1U);
  EXPECT_EQ(tracker.frames(), 6);
}

// A crowd of random walkers, with misses and wrong boxes.
std::vector<std::vector<Track>> follow_crowd(const TrackOptions& options, Memory memory) {
  Tracker tracker(options);
  Random random(5);
  std::vector<std::vector<Track>> all;
  for (int i = 0; i < 60; ++i) {
    std::vector<Figure> figures;
    for (int k = 0; k < 12; ++k) {
      const double x = 20.0 * k + (k % 2 == 0 ? 2.0 : -2.0) * i;
      if (random.uniform() < 0.1F) continue;
      figures.push_back({x + 2.0 * random.normal(),
                         k % 3 == 0   ? kRed
                         : k % 3 == 1 ? kBlue
                                      : kGreen,
                         kDark, random.uniform(), 40.0 + 3 * (k % 5)});
    }
    std::vector<Detection> detections;
    for (const Figure& figure : figures) detections.push_back(detection_of(figure));
    const Image<std::uint8_t> frame = clone(frame_of(figures).view(), memory);
    all.push_back(tracker.track(frame, detections));
  }
  return all;
}

TEST(PeopleTracker, ThreadsDoNotChangeResults) {
  const auto one = follow_crowd({.certain = 0.4, .exec = {.threads = 1}}, Memory::kHost);
  EXPECT_EQ(follow_crowd({.certain = 0.4, .exec = {.threads = 4}}, Memory::kHost), one);
  std::set<int> ids;
  for (const auto& tracks : one)
    for (const Track& track : tracks) ids.insert(track.id);
  EXPECT_GT(ids.size(), 6U);
}

TEST(PeopleTracker, FramesOnAGpuGiveTheSameTracks) {
  FOVEA_SKIP_WITHOUT_CUDA();
  EXPECT_EQ(follow_crowd({.certain = 0.4}, Memory::kCuda),
            follow_crowd({.certain = 0.4}, Memory::kHost));
}

TEST(PeopleTracker, ABadDetectionLeavesTheTrackerAsItWas) {
  Tracker tracker;
  for (int i = 0; i < 5; ++i) step(tracker, {{20, kRed, kDark}});
  Detection bad = detection_of({.x = 20});
  bad.box.width = std::nanf("");
  EXPECT_THAT(test::message_of([&] { tracker.track(std::span(&bad, 1)); }),
              HasSubstr("track: detection 0 has the box"));
  const Image<std::uint8_t> other(64, 64, 3);
  EXPECT_THAT(test::message_of([&] { tracker.track(other, {}); }),
              HasSubstr("the frame is 64x64, but those before were 320x160"));
  EXPECT_EQ(tracker.frames(), 5);
  EXPECT_EQ(id_at(step(tracker, {{20, kRed, kDark}}), 20), 1);
  EXPECT_THROW(Tracker({.confirm = 0}), InvalidArgument);
}

}  // namespace
}  // namespace fovea::people
