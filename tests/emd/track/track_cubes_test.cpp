// The tracker on frames with bands. Covers: track_target, track_group
#include <fovea/core/error.h>
#include <fovea/emd/scene.h>
#include <fovea/emd/track.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "emd/track_scene.h"
#include "support/devices.h"

namespace fovea::emd {
namespace {

using testing::HasSubstr;

constexpr int kWide = 96, kHigh = 72, kBands = 9;

// A square whose spectrum has the same mean as the ground's, and differs from band to band.
Stack<float> cube_with(const Rect<double>& box, std::uint64_t frame, float light = 1) {
  Stack<float> cube(kWide, kHigh, kBands);
  Random random(5, frame);
  for (int b = 0; b < kBands; ++b)
    for (int y = 0; y < kHigh; ++y)
      for (int x = 0; x < kWide; ++x) {
        const bool inside = x >= box.x && y >= box.y && x < box.right() && y < box.bottom();
        const float wave = inside ? 60.0F * (b % 2 == 0 ? 0.8F : -1.0F) : 10.0F * (x / 9 % 2 == 0);
        cube.plane(b).at(x, y) = light * (200 + wave + random.uniform(-15, 15));
      }
  return cube;
}

class EmdTrackCubes : public test::OnEveryPlace {
 protected:
  TrackOptions options() const {
    TrackOptions options;
    options.exec.device = device();
    return options;
  }
};
FOVEA_ON_EVERY_PLACE(EmdTrackCubes);

Rect<double> square(int i) { return {10.0 + 4 * i, 20.0 + i, 14, 12}; }

std::vector<Track> follow(const TrackOptions& options, int frames, float fading = 0) {
  Tracker tracker(cube_with(square(0), 0), square(0), options);
  std::vector<Track> tracks = tracker.tracks();
  for (int i = 1; i < frames; ++i)
    tracks.push_back(tracker
                         .track(cube_with(square(i), static_cast<std::uint64_t>(i),
                                          1 - fading * static_cast<float>(i)))
                         .front());
  return tracks;
}

TEST_P(EmdTrackCubes, FollowsASpectrumWhoseBrightnessIsThatOfTheGround) {
  for (const TrackSpectra spectra : {TrackSpectra::kValues, TrackSpectra::kShape}) {
    TrackOptions with = options();
    with.spectra = spectra;
    const auto tracks = follow(with, 10);
    for (int i = 0; i < 10; ++i) {
      EXPECT_GT(overlap(tracks[static_cast<std::size_t>(i)].box, square(i)), 0.7) << i;
      EXPECT_FALSE(tracks[static_cast<std::size_t>(i)].lost);
    }
  }
}

TEST_P(EmdTrackCubes, ShapeFollowsThroughFadingLight) {
  const auto tracks = follow(options(), 10, 0.07F);
  for (int i = 0; i < 10; ++i)
    EXPECT_GT(overlap(tracks[static_cast<std::size_t>(i)].box, square(i)), 0.7) << i;
}

TEST_P(EmdTrackCubes, ResultsDoNotDependOnThreadsOrDevice) {
  TrackOptions one = options(), cpu = options();
  one.exec.threads = 1;
  cpu.exec.device = Device::cpu();
  cpu.exec.threads = 3;
  EXPECT_EQ(follow(one, 8), follow(cpu, 8));
}

// Only what lies within reach is labeled; whole frames give the same tracks.
TEST_P(EmdTrackCubes, LabelsWithinReachAreEnough) {
  for (const TrackParts parts : {TrackParts::kOff, TrackParts::kOn}) {
    TrackOptions near = options(), all = options();
    near.parts = all.parts = parts;
    near.scale = all.scale = true;
    near.adapt = all.adapt = 0.1;
    all.whole_map = true;
    EXPECT_EQ(follow(near, 8), follow(all, 8));
  }
}

TEST_P(EmdTrackCubes, FindsAHiddenTargetAgain) {
  TrackOptions with = options();
  with.lost_frames = 2;
  Tracker tracker(cube_with(square(0), 0), square(0), with);
  Track last;
  for (std::uint64_t i = 1; i < 5; ++i) last = tracker.track(cube_with({}, i)).front();
  EXPECT_TRUE(last.lost);
  const Rect<double> after{70, 50, 14, 12};
  last = tracker.track(cube_with(after, 9)).front();
  EXPECT_FALSE(last.lost);
  EXPECT_GT(overlap(last.box, after), 0.7);
}

TEST_P(EmdTrackCubes, FindsAnExampleOfBands) {
  const Rect<double> box = square(3);
  const Stack<float> frame = cube_with(box, 1);
  Stack<float> example(14, 12, kBands);
  for (int b = 0; b < kBands; ++b) copy(frame.plane(b).crop(22, 23, 14, 12), example.plane(b));
  Tracker tracker(options());
  const Track found = tracker.add_example(cube_with(box, 2), example);
  EXPECT_FALSE(found.lost);
  EXPECT_GT(overlap(found.box, box), 0.6);
  EXPECT_GT(overlap(tracker.track(cube_with(square(4), 3)).front().box, square(4)), 0.6);
}

// Missing samples: a dead band, and dead pixels in all bands.
TEST_P(EmdTrackCubes, FollowsThroughMissingSamples) {
  const float missing = std::numeric_limits<float>::quiet_NaN();
  Tracker tracker(cube_with(square(0), 0), square(0), options());
  for (int i = 1; i < 8; ++i) {
    Stack<float> cube = cube_with(square(i), static_cast<std::uint64_t>(i));
    for (int y = 0; y < kHigh; ++y) std::fill_n(cube.plane(i).row(y), kWide, missing);
    for (int b = 0; b < kBands; ++b)
      for (int y = 0; y < kHigh; ++y) cube.plane(b).at(40, y) = missing;
    const Track track = tracker.track(cube).front();
    EXPECT_TRUE(std::isfinite(track.score));
    EXPECT_GT(overlap(track.box, square(i)), 0.6) << i;
  }
}

TEST_P(EmdTrackCubes, TakesSamplesOfAnyType) {
  const auto image = track_scene(80, 60, 0, {{{20, 20, 16, 16}, {200, 40, 40}, {40, 60, 200}}});
  const auto next = track_scene(80, 60, 1, {{{24, 21, 16, 16}, {200, 40, 40}, {40, 60, 200}}});
  const BandFrame first = bands_of(image.view(), "0"), second = bands_of(next.view(), "1");
  Tracker tracker(first.bands, Rect<double>{20, 20, 16, 16}, options());
  EXPECT_GT(overlap(tracker.track(second.bands).front().box, Rect<double>{24, 21, 16, 16}), 0.6);
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(EmdTrackCubeFaults, FramesThatDifferAreRefusedInOneLine) {
  Tracker tracker(cube_with(square(0), 0), square(0));
  EXPECT_THAT(refusal([&] { tracker.track(Stack<float>(kWide, kHigh, 4)); }),
              HasSubstr("a frame has 4 bands, but the first frame has 9 bands"));
  EXPECT_THAT(refusal([&] { tracker.track(Stack<float>(kWide, 50, kBands)); }),
              HasSubstr("a frame of 96x50 follows frames of 96x72"));
  EXPECT_THAT(refusal([&] { tracker.track(Image<std::uint8_t>(kWide, kHigh, 3)); }),
              HasSubstr("a frame has colors of 8 bits, but the first frame has 9 bands"));
  EXPECT_THAT(refusal([&] { tracker.track(Image<std::uint8_t>(kWide, kHigh, 4)); }),
              HasSubstr("with 4 channels; expected gray or RGB pixels, or bands"));
  EXPECT_THAT(refusal([&] { tracker.track(StackView<const float>{}); }), HasSubstr("0 bands"));
  EXPECT_EQ(tracker.track(cube_with(square(1), 1)).size(), 1U);  // it goes on
}

TEST(EmdTrackCubeFaults, TargetsThatCannotBeLearnedAreRefused) {
  Stack<float> cube = cube_with(square(0), 0);
  EXPECT_THAT(refusal([&] {
                Tracker(cube, Rect<double>{200, 10, 9, 9});
              }),
              HasSubstr("target 200,10,9,9 has 0x0 pixels within the frame of 96x72"));
  TrackOptions shape;
  shape.spectra = TrackSpectra::kShape;
  EXPECT_THAT(refusal([&] {
                Tracker(Stack<float>(20, 20, 1), Rect<double>{2, 2, 9, 9}, shape);
              }),
              HasSubstr("one band, which has no shape"));
  const float missing = std::numeric_limits<float>::quiet_NaN();
  for (int b = 0; b < kBands; ++b)
    for (int y = 20; y < 32; ++y) std::fill_n(cube.plane(b).row(y) + 10, 14, missing);
  EXPECT_THAT(refusal([&] { Tracker(cube, square(0)); }),
              HasSubstr("target 10,20,14,12: all samples of the target are NaN or infinite"));
  for (int b = 0; b < kBands; ++b)
    for (int y = 0; y < kHigh; ++y) std::fill_n(cube.plane(b).row(y), kWide, missing);
  EXPECT_THAT(refusal([&] { Tracker(cube, square(0)); }), HasSubstr("are NaN or infinite"));
}

// Data on the device stays there.
TEST(EmdTrackCubesOnDevice, TakesBandsInDeviceMemory) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto there = [](const Stack<float>& cube) {
    Stack<float> copied(cube.width(), cube.height(), cube.count(), 1, Memory::kCuda);
    copy(cube.view(), copied.view());
    return copied;
  };
  Tracker device(there(cube_with(square(0), 0)), square(0));
  Tracker host(cube_with(square(0), 0), square(0), {.exec = {.device = Device::cpu()}});
  for (int i = 1; i < 6; ++i) {
    const Stack<float> cube = cube_with(square(i), static_cast<std::uint64_t>(i));
    EXPECT_EQ(device.track(there(cube)), host.track(cube)) << i;
  }
}

}  // namespace
}  // namespace fovea::emd
