// Covers: track_target, track_target_explain
#include <fovea/core/error.h>
#include <fovea/emd/track.h>
#include <gmock/gmock.h>

#include <cmath>

#include "emd/track_scene.h"
#include "support/device_rule.h"
#include "support/devices.h"

namespace fovea::emd {
namespace {

using testing::HasSubstr;

constexpr int kWidth = 120, kHeight = 90;
constexpr Rgb kRed{200, 40, 40}, kBlue{40, 60, 200}, kYellow{220, 200, 40}, kGray{128, 128, 128};

class EmdTrack : public test::OnEveryPlace {
 protected:
  TrackOptions options() const {
    TrackOptions options;
    options.exec.device = device();
    return options;
  }
};
FOVEA_ON_EVERY_PLACE(EmdTrack);

Square square_at(double x, double y, Rgb left = kRed, Rgb right = kBlue, double side = 20) {
  return {{x, y, side, side}, left, right};
}

Track start(Tracker& tracker, const Image<std::uint8_t>& frame, const Rect<double>& box) {
  return tracker.add(frame, std::vector<Rect<double>>{box}).front();
}

TEST_P(EmdTrack, FollowsAColoredSquareOverNoise) {
  for (const TrackSearch search : {TrackSearch::kExhaustive, TrackSearch::kMeanShift}) {
    TrackOptions with = options();
    with.search = search;
    Tracker tracker(with);
    Square square = square_at(20, 30);
    const Track first = start(tracker, track_scene(kWidth, kHeight, 0, {square}), square.box);
    EXPECT_EQ(first.id, 1);
    EXPECT_EQ(first.box, square.box);
    EXPECT_EQ(first.confidence, 1);
    for (int i = 1; i < 15; ++i) {
      square.box.x += 4;
      square.box.y += i % 2 == 0 ? 2 : -1;
      const auto tracks = tracker.track(track_scene(kWidth, kHeight, i, {square}));
      ASSERT_EQ(tracks.size(), 1U);
      EXPECT_GT(overlap(tracks[0].box, square.box), 0.7) << "frame " << i;
      EXPECT_FALSE(tracks[0].lost);
      EXPECT_GT(tracks[0].confidence, 0.7);
    }
  }
}

TEST_P(EmdTrack, BeginsWithAFrameAndItsBoxes) {
  const Square red = square_at(20, 30), blue = square_at(90, 60, kBlue, kRed);
  const auto first = track_scene(kWidth, kHeight, 0, {red, blue});
  const auto second = track_scene(kWidth, kHeight, 1, {red, blue});
  Tracker one(first, red.box, options());
  ASSERT_EQ(one.tracks().size(), 1U);
  EXPECT_EQ(one.tracks()[0].box, red.box);
  Tracker added(options());
  start(added, first, red.box);
  const auto tracks = one.track(second);
  EXPECT_EQ(tracks, added.track(second));
  EXPECT_EQ(one.tracks(), tracks);
  Tracker two(first, std::vector<Rect<double>>{red.box, blue.box}, options());
  ASSERT_EQ(two.track(second).size(), 2U);
  EXPECT_EQ(two.tracks()[1].id, 2);
}

TEST_P(EmdTrack, FindsATargetAgainThatWasHidden) {
  TrackOptions with = options();
  with.lost_frames = 2;
  Tracker tracker(with);
  const Square before = square_at(20, 30), after = square_at(85, 50);
  start(tracker, track_scene(kWidth, kHeight, 0, {before}), before.box);
  EXPECT_FALSE(tracker.track(track_scene(kWidth, kHeight, 1, {before}))[0].lost);
  EXPECT_FALSE(tracker.track(track_scene(kWidth, kHeight, 2, {}))[0].lost);
  Track hidden;
  for (int i = 3; i < 6; ++i) hidden = tracker.track(track_scene(kWidth, kHeight, i, {}))[0];
  EXPECT_TRUE(hidden.lost);
  EXPECT_LT(hidden.confidence, 0.2);
  const Track found = tracker.track(track_scene(kWidth, kHeight, 6, {after}))[0];
  EXPECT_FALSE(found.lost);
  EXPECT_GT(overlap(found.box, after.box), 0.7);
}

TEST_P(EmdTrack, WithoutRedetectionALostTargetStaysWhereItWasSeen) {
  TrackOptions with = options();
  with.lost_frames = 1;
  with.redetect = false;
  Tracker tracker(with);
  const Square square = square_at(20, 30);
  start(tracker, track_scene(kWidth, kHeight, 0, {square}), square.box);
  tracker.track(track_scene(kWidth, kHeight, 1, {}));
  const Track lost = tracker.track(track_scene(kWidth, kHeight, 2, {square_at(90, 60)}))[0];
  EXPECT_TRUE(lost.lost);
  EXPECT_EQ(lost.box, square.box);
}

TEST_P(EmdTrack, FollowsSeveralTargetsThatPassEachOther) {
  Tracker tracker(options());
  Square red = square_at(10, 20, kRed, kYellow), blue = square_at(90, 45, kBlue, kGray);
  const auto added = tracker.add(track_scene(kWidth, kHeight, 0, {red, blue}),
                                 std::vector<Rect<double>>{red.box, blue.box});
  ASSERT_EQ(added.size(), 2U);
  EXPECT_EQ(added[1].id, 2);
  for (int i = 1; i < 12; ++i) {
    red.box.x += 5;
    blue.box.x -= 5;
    const auto tracks = tracker.track(track_scene(kWidth, kHeight, i, {red, blue}));
    ASSERT_EQ(tracks.size(), 2U);
    EXPECT_GT(overlap(tracks[0].box, red.box), 0.6) << i;
    EXPECT_GT(overlap(tracks[1].box, blue.box), 0.6) << i;
  }
}

TEST_P(EmdTrack, ScaleFollowsATargetThatGrows) {
  TrackOptions with = options();
  with.scale = true;
  Tracker tracker(with);
  Square square = square_at(50, 35);
  start(tracker, track_scene(kWidth, kHeight, 0, {square}), square.box);
  Track last;
  for (int i = 1; i < 16; ++i) {
    square.box = {50 - i / 2.0, 35 - i / 2.0, 20.0 + i, 20.0 + i};
    square.box.x = std::floor(square.box.x);
    square.box.y = std::floor(square.box.y);
    last = tracker.track(track_scene(kWidth, kHeight, i, {square}))[0];
  }
  EXPECT_GT(last.box.width, 28);
  EXPECT_GT(overlap(last.box, square.box), 0.7);
}

TEST_P(EmdTrack, AdaptingFollowsASlowChangeOfColor) {
  TrackOptions with = options();
  with.adapt = 0.2;
  Tracker tracker(with);
  Square square = square_at(30, 30);
  start(tracker, track_scene(kWidth, kHeight, 0, {square}), square.box);
  for (int i = 1; i < 10; ++i) {
    square.box.x += 3;
    square.left[1] += 8;
    const Track track = tracker.track(track_scene(kWidth, kHeight, i, {square}))[0];
    EXPECT_GT(overlap(track.box, square.box), 0.7);
  }
}

TEST_P(EmdTrack, GrayTargetsAreComparedPartByPart) {
  Tracker tracker(options());
  Square square = square_at(40, 30, {30, 30, 30}, {230, 230, 230});
  // The same grays, turned around.
  Square other = square_at(40, 62, {230, 230, 230}, {30, 30, 30});
  start(tracker, track_scene(kWidth, kHeight, 0, {square, other}, 1), square.box);
  EXPECT_TRUE(tracker.uses_parts(1));
  for (int i = 1; i < 12; ++i) {
    square.box.x += 2;
    other.box.y -= 2;
    const Track track = tracker.track(track_scene(kWidth, kHeight, i, {other, square}, 1))[0];
    EXPECT_GT(overlap(track.box, square.box), 0.6) << i;
  }
}

TEST_P(EmdTrack, PartsAreAsAskedForOrDecided) {
  const Square square = square_at(40, 30);
  const auto uses = [&](TrackParts parts, int channels) {
    TrackOptions with = options();
    with.parts = parts;
    Tracker tracker(with);
    start(tracker, track_scene(kWidth, kHeight, 0, {square}, channels), square.box);
    return tracker.uses_parts(1);
  };
  EXPECT_FALSE(uses(TrackParts::kAuto, 3));
  EXPECT_TRUE(uses(TrackParts::kAuto, 1));
  EXPECT_TRUE(uses(TrackParts::kOn, 3));
  EXPECT_FALSE(uses(TrackParts::kOff, 1));
}

TEST_P(EmdTrack, FindsAnExampleInAFrame) {
  const Square square = square_at(70, 40), there = square_at(0, 0);
  const Image<std::uint8_t> example = track_scene(20, 20, 5, {there});
  Tracker tracker(options());
  const Track found =
      tracker.add_example(track_scene(kWidth, kHeight, 0, {square}), example.view());
  EXPECT_FALSE(found.lost);
  EXPECT_GT(overlap(found.box, square.box), 0.6);
  Tracker without(options());
  EXPECT_TRUE(without.add_example(track_scene(kWidth, kHeight, 0, {}), example.view()).lost);
  EXPECT_FALSE(without.track(track_scene(kWidth, kHeight, 1, {square}))[0].lost);
}

// The same grays on the other side: only where they lie tells the target from its double.
constexpr Rgb kDark{30, 30, 30}, kBright{230, 230, 230};

TEST_P(EmdTrack, PartsTellWhichOneIsFoundAgain) {
  const Square before = square_at(20, 30, kDark, kBright);
  const Square after = square_at(85, 55, kDark, kBright);
  const Square twin = square_at(50, 8, kBright, kDark);
  const auto run = [&](TrackParts parts) {
    TrackOptions with = options();
    with.lost_frames = 1;
    with.parts = parts;
    with.layout = 0;
    with.filter = TrackFilter::kOff;  // which would see the double's edges
    Tracker tracker(with);
    start(tracker, track_scene(kWidth, kHeight, 0, {before}, 1), before.box);
    tracker.track(track_scene(kWidth, kHeight, 1, {}, 1));
    // The double alone is not the target, and beside the target it is not taken for it.
    std::vector<Track> tracks{tracker.track(track_scene(kWidth, kHeight, 2, {twin}, 1))[0]};
    tracks.push_back(tracker.track(track_scene(kWidth, kHeight, 3, {twin, after}, 1))[0]);
    return tracks;
  };
  const auto with = run(TrackParts::kOn), without = run(TrackParts::kOff);
  EXPECT_TRUE(with[0].lost);
  EXPECT_FALSE(with[1].lost);
  EXPECT_GT(overlap(with[1].box, after.box), 0.7);
  EXPECT_FALSE(without[0].lost);
  EXPECT_GT(overlap(without[0].box, twin.box), 0.7);
}

TEST_P(EmdTrack, PartsTellWhereAnExampleIs) {
  const Square square = square_at(85, 55, kDark, kBright), twin = square_at(30, 20, kBright, kDark);
  const Image<std::uint8_t> example = track_scene(20, 20, 5, {square_at(0, 0, kDark, kBright)}, 1);
  Tracker tracker(options());
  const Track found =
      tracker.add_example(track_scene(kWidth, kHeight, 0, {twin, square}, 1), example.view());
  EXPECT_TRUE(tracker.uses_parts(1));  // it is gray
  EXPECT_FALSE(found.lost);
  EXPECT_GT(overlap(found.box, square.box), 0.6);
  Tracker fooled(options());
  EXPECT_TRUE(fooled.add_example(track_scene(kWidth, kHeight, 0, {twin}, 1), example.view()).lost);
  EXPECT_FALSE(fooled.track(track_scene(kWidth, kHeight, 1, {square}, 1))[0].lost);
  TrackOptions off = options();
  off.parts = TrackParts::kOff;
  Tracker without(off);
  EXPECT_FALSE(
      without.add_example(track_scene(kWidth, kHeight, 0, {twin}, 1), example.view()).lost);
  EXPECT_FALSE(without.uses_parts(1));
}

TEST_P(EmdTrack, BhattacharyyasDistanceFollowsToo) {
  TrackOptions with = options();
  with.distance = TrackDistance::kBhattacharyya;
  Tracker tracker(with);
  Square square = square_at(20, 30);
  start(tracker, track_scene(kWidth, kHeight, 0, {square}), square.box);
  square.box.x += 6;
  EXPECT_GT(overlap(tracker.track(track_scene(kWidth, kHeight, 1, {square}))[0].box, square.box),
            0.7);
  EXPECT_EQ(tracker.report().pixels, 0);
}

TEST_P(EmdTrack, LikelihoodIsHighOnTheTargetAndLowBeside) {
  TrackOptions with = options();
  with.whole_map = true;
  Tracker tracker(with);
  const Square square = square_at(40, 30);
  start(tracker, track_scene(kWidth, kHeight, 0, {square}), square.box);
  tracker.track(track_scene(kWidth, kHeight, 1, {square}));
  const Image<float> map = tracker.likelihood(1);
  ASSERT_EQ(map.width(), kWidth);
  EXPECT_GT(map.at(50, 40), 0.6F);
  EXPECT_LT(map.at(5, 5), 0.4F);
  EXPECT_EQ(tracker.report().pixels, 2 * 2 * kWidth * kHeight);
  EXPECT_THROW(tracker.likelihood(2), InvalidArgument);
}

TEST_P(EmdTrack, MemoryFollowsWhatIsMapped) {
  const auto run = [&](std::uint64_t cache_bytes) {
    TrackOptions with = options();
    with.cache_bytes = cache_bytes;
    with.whole_map = true;
    with.redetect = false;
    Tracker tracker(with);
    const Square square = square_at(40, 30);
    start(tracker, track_scene(kWidth, kHeight, 0, {square}), square.box);
    for (int i = 1; i < 5; ++i) tracker.track(track_scene(kWidth, kHeight, i, {square}));
    return tracker.report();
  };
  const MapReport free = run(std::uint64_t{1} << 30);
  EXPECT_GT(free.cached, 0);
  EXPECT_GT(free.entries, 0);
  EXPECT_LE(free.cache_bytes, 2U * 32 * 16 * kWidth * kHeight);
  EXPECT_LE(run(1 << 20).cache_bytes, 1U << 20);
  EXPECT_EQ(run(0).cached, 0);
}

// Whatever the place and the number of threads: the tracks of one thread of the CPU.
TEST_P(EmdTrack, TracksAreTheSameEverywhere) {
  const auto run = [&](Device device, int threads) {
    TrackOptions with;
    with.exec.device = device;
    with.exec.threads = threads;
    with.parts = TrackParts::kOn;
    Tracker tracker(with);
    Square square = square_at(20, 30);
    std::vector<Track> tracks{
        start(tracker, track_scene(kWidth, kHeight, 0, {square}), square.box)};
    for (int i = 1; i < 8; ++i) {
      square.box.x += 5;
      if (i == 4) square.left = kGray;
      tracks.push_back(tracker.track(track_scene(kWidth, kHeight, i, {square}))[0]);
    }
    return tracks;
  };
  const auto expected = run(Device::cpu(), 1);
  EXPECT_EQ(run(device(), 0), expected);
  EXPECT_EQ(run(device(), 3), expected);
}

// Frames in the host's memory and the device's, gray and in color, in turn: of targets with three
// palettes, one of which is lost and found, so that maps change their size.
TEST_P(EmdTrack, FramesMayLieAnywhere) {
  const auto run = [&](Device device, bool move) {
    TrackOptions with;
    with.exec.device = device;
    with.lost_frames = 1;
    Tracker tracker(with);
    Square red = square_at(10, 20, kRed, kYellow), blue = square_at(80, 60, kBlue, kGray);
    std::vector<Track> tracks;
    for (int i = 0; i < 9; ++i) {
      red.box.x += 4;
      blue.box.y -= 3;
      std::vector<Square> squares{red};
      if (i < 3 || i > 5) squares.push_back(blue);
      auto frame =
          track_scene(kWidth, kHeight, static_cast<std::uint64_t>(i), squares, i == 4 ? 1 : 3);
      if (move && i % 2 == 1) frame = clone(frame.view(), Memory::kCuda);
      if (i == 0) {
        tracks.push_back(start(tracker, frame, red.box));
        tracks.push_back(start(tracker, frame, blue.box));
        tracks.push_back(tracker.add_example(
            frame, track_scene(20, 20, 30, {square_at(0, 0, kRed, kYellow)}).view()));
      } else {
        const auto found = tracker.track(frame);
        tracks.insert(tracks.end(), found.begin(), found.end());
      }
    }
    return tracks;
  };
  EXPECT_EQ(run(device(), device().kind == DeviceKind::kCuda), run(Device::cpu(), false));
}

// Nothing that was given up stands in the way: every frame says that it was stopped.
TEST_P(EmdTrack, StopsWhenAskedFrameAfterFrame) {
  std::stop_source stop;
  TrackOptions with = options();
  with.exec.stop = stop.get_token();
  Tracker stopped(with);
  const Square square = square_at(20, 30), next = square_at(24, 31);
  start(stopped, track_scene(kWidth, kHeight, 0, {square}), square.box);
  Tracker other = std::move(stopped);
  EXPECT_FALSE(other.track(track_scene(kWidth, kHeight, 1, {next}))[0].lost);
  stop.request_stop();
  for (int i = 0; i < 5; ++i)
    EXPECT_THROW(other.track(track_scene(kWidth, kHeight, 2, {next})), Cancelled);
}

TEST(EmdTrackThreads, RedetectionIsTheSameForAnyNumberOfThem) {
  const auto run = [](int threads, TrackParts parts) {
    TrackOptions with;
    with.parts = parts;
    with.exec = {.device = Device::cpu(), .threads = threads};
    with.lost_frames = 1;
    Tracker tracker(with);
    const Square before = square_at(20, 30), after = square_at(85, 50);
    std::vector<Track> tracks{
        start(tracker, track_scene(kWidth, kHeight, 0, {before}), before.box)};
    for (int i = 1; i < 6; ++i) {
      const std::vector<Square> squares = i < 4 ? std::vector<Square>{} : std::vector{after};
      tracks.push_back(tracker.track(track_scene(kWidth, kHeight, i, squares))[0]);
    }
    return tracks;
  };
  for (const TrackParts parts : {TrackParts::kOff, TrackParts::kOn}) {
    const auto expected = run(1, parts);
    EXPECT_TRUE(expected[3].lost);
    EXPECT_FALSE(expected[5].lost);
    EXPECT_EQ(run(parts == TrackParts::kOff ? 2 : 7, parts), expected);
  }
}

TEST(EmdTrackRefusals, NameTheBoxThatDoesNotFit) {
  Tracker tracker({.exec = {.device = Device::cpu()}});
  const auto frame = track_scene(kWidth, kHeight, 0, {});
  const auto refusal = [&](const Rect<double>& box) {
    try {
      tracker.add(frame, std::vector<Rect<double>>{box});
    } catch (const InvalidArgument& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal({200, 10, 20, 20}),
            "target 200,10,20,20 has 0x0 pixels within the frame of 120x90; at least 4x4 are "
            "needed");
  EXPECT_THAT(refusal({10, 10, 3, 20}), HasSubstr("has 3x20 pixels"));
  EXPECT_THAT(refusal({0, 0, -5, 20}), HasSubstr("has 0x0 pixels"));
  EXPECT_THAT(refusal({0, 0, kWidth, kHeight}), HasSubstr("is the whole frame"));
  EXPECT_THAT(refusal({NAN, 0, 10, 10}), HasSubstr("is not a box"));
  EXPECT_THAT(refusal({0, 0, 1e30, 10}), HasSubstr("is not a box"));
  EXPECT_EQ(tracker.targets(), 0);
  EXPECT_EQ(refusal({-10, 10, 20, 20}), "none");  // half of it is there
}

TEST(EmdTrackRefusals, FramesHaveOneSizeAndGrayOrColor) {
  Tracker tracker({.exec = {.device = Device::cpu()}});
  tracker.add(track_scene(kWidth, kHeight, 0, {}), std::vector<Rect<double>>{{10, 10, 20, 20}});
  EXPECT_THROW(tracker.track(track_scene(kWidth, kHeight - 1, 0, {})), InvalidArgument);
  EXPECT_THROW(tracker.track(Image<std::uint8_t>(kWidth, kHeight, 4)), InvalidArgument);
  EXPECT_THROW(tracker.track(ImageView<const std::uint8_t>{}), InvalidArgument);
  EXPECT_THROW(tracker.add_example(track_scene(kWidth, kHeight, 0, {}),
                                   Image<std::uint8_t>(3, 30, 3).view()),
               InvalidArgument);
  TrackOptions options;
  options.window = 4;
  EXPECT_THROW(Tracker{options}, InvalidArgument);
  options.window = 5;
  options.colors = 1;
  EXPECT_THROW(Tracker{options}, InvalidArgument);
  options.colors = 16;
  options.parts = TrackParts::kOn;
  options.search = TrackSearch::kMeanShift;
  EXPECT_THROW(Tracker{options}, InvalidArgument);
}

void begin_on(ImageView<const std::uint8_t> frame, Device device) {
  TrackOptions options;
  options.exec.device = device;
  Tracker(frame, {10, 10, 20, 20}, options);
}

TEST(EmdTrackRefusals, FramesOnAGpuIfTheCpuWasAskedFor) {
  const Image<std::uint8_t> frame = track_scene(kWidth, kHeight, 0, {});
  test::expect_refused_on_the_cpu(frame, begin_on);
  TrackOptions options;
  options.exec.device = Device::cpu();
  Tracker tracker(frame, {10, 10, 20, 20}, options);
  const auto track = [&](ImageView<const std::uint8_t> view, Device) { tracker.track(view); };
  const auto find = [&](ImageView<const std::uint8_t> view, Device) {
    tracker.add_example(frame, view);
  };
  test::expect_refused_on_the_cpu(frame, track);
  test::expect_refused_on_the_cpu(frame, find);
  EXPECT_EQ(tracker.track(frame).size(), 1U);  // as if nothing had been refused
}

TEST(EmdTrackRefusals, FramesOnAnotherGpu) {
  FOVEA_SKIP_WITHOUT_CUDA();
  test::expect_refused_on_another_gpu(track_scene(kWidth, kHeight, 0, {}), begin_on);
}

TEST(EmdTrackRefusals, ATargetOfOneColorIsNoTrouble) {
  Image<std::uint8_t> flat(60, 40, 3);
  for (int y = 0; y < 40; ++y) std::fill_n(flat.row(y), 180, std::uint8_t{77});
  Tracker tracker({.exec = {.device = Device::cpu()}});
  tracker.add(flat, std::vector<Rect<double>>{{10, 10, 20, 20}});
  const Track track = tracker.track(flat)[0];
  EXPECT_TRUE(std::isfinite(track.score));
  EXPECT_EQ(track.box, (Rect<double>{10, 10, 20, 20}));
}

}  // namespace
}  // namespace fovea::emd
