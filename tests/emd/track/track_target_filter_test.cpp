// Covers: track_target_filter
#include <fovea/core/error.h>
#include <fovea/emd/track.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "emd/track_scene.h"
#include "support/devices.h"

namespace fovea::emd {
namespace {

using testing::HasSubstr;

class EmdTrackFiltered : public test::OnEveryPlace {
 protected:
  TrackOptions options(TrackFilter filter) const {
    TrackOptions options;
    options.exec.device = device();
    options.filter = filter;
    return options;
  }
};
FOVEA_ON_EVERY_PLACE(EmdTrackFiltered);

// A gray pattern whose grays are those of its surroundings, under light of this gain.
Image<std::uint8_t> patterned(double x, double y, double half, double gain) {
  Image<std::uint8_t> image(120, 90);
  for (int j = 0; j < 90; ++j) {
    for (int i = 0; i < 120; ++i) {
      const double dx = (i + 0.5 - x) / half, dy = (j + 0.5 - y) / half;
      const bool inside = std::max(std::abs(dx), std::abs(dy)) <= 1;
      const double wave = inside ? std::sin(5 * dx + 2 * dy * dy) * std::cos(4 * dy)
                                 : std::sin(0.15 * i + 0.02 * j * j);
      image.at(i, j) = static_cast<std::uint8_t>(gain * (110 + 60 * wave));
    }
  }
  return image;
}

double mean_overlap(const TrackOptions& options, bool grows) {
  std::vector<Rect<double>> truth, found;
  const auto box = [](double x, double y, double half) {
    return Rect<double>{x - half, y - half, 2 * half, 2 * half};
  };
  Tracker tracker(patterned(40, 45, 12, 1), box(40, 45, 12), options);
  for (int i = 1; i < 20; ++i) {
    const double x = 40 + 2 * i, y = 45 + 4 * std::sin(0.5 * i), half = grows ? 12 + 0.25 * i : 12;
    truth.push_back(box(x, y, half));
    found.push_back(tracker.track(patterned(x, y, half, 1 + 0.015 * i))[0].box);
  }
  return evaluate_track(found, truth).mean_overlap;
}

TEST_P(EmdTrackFiltered, FollowsEdgesWhereColorsSayNothing) {
  EXPECT_GT(mean_overlap(options(TrackFilter::kAuto), false), 0.8);
  EXPECT_LT(mean_overlap(options(TrackFilter::kOff), false), 0.8);
}

TEST_P(EmdTrackFiltered, BoxesGrowWithTheTargetUnlessToldOtherwise) {
  TrackOptions with = options(TrackFilter::kOn);
  const double grown = mean_overlap(with, true);
  with.filter_scale = false;
  EXPECT_GT(grown, mean_overlap(with, true) + 0.05);
}

TEST_P(EmdTrackFiltered, TracksAreTheSameForEveryDeviceAndNumberOfThreads) {
  const auto run = [](TrackOptions with, int threads) {
    with.exec.threads = threads;
    Tracker tracker(patterned(40, 45, 12, 1), {28, 33, 24, 24}, with);
    std::vector<Track> tracks;
    for (int i = 1; i < 6; ++i)
      tracks.push_back(tracker.track(patterned(40 + 3 * i, 45, 12 + 0.3 * i, 1))[0]);
    return tracks;
  };
  TrackOptions plain = options(TrackFilter::kOn);
  plain.exec.device = Device::cpu();
  const auto expected = run(plain, 1);
  EXPECT_EQ(run(options(TrackFilter::kOn), 1), expected);
  EXPECT_EQ(run(options(TrackFilter::kOn), 3), expected);
}

// Several targets of several sizes, found again, with every use of the filter, in frames on either
// side.
TEST(EmdTrackFilteredParity, TwinsAreEqualToTheBit) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const auto frame = [](int i, bool hidden) {
    auto image = patterned(40 + 3 * i, 45, 12 + 0.3 * i, 1);
    for (int y = 0; y < 90; ++y) {
      for (int x = 0; x < 30; ++x)
        image.at(x, y) = static_cast<std::uint8_t>(128 + 90 * std::sin(0.9 * (x - i) + 0.3 * y));
      for (int x = 0; hidden && x < 120; ++x) image.at(x, y) = 90;
    }
    return image;
  };
  const auto run = [&](TrackOptions with, Device device, bool there) {
    with.exec.device = device;
    const std::vector<Rect<double>> boxes{{28, 33, 24, 24}, {6, 10, 14, 30}};
    Tracker tracker(frame(0, false), boxes, with);
    std::vector<Track> tracks;
    for (int i = 1; i < 8; ++i) {
      auto image = frame(i, i == 3 || i == 4);
      if (there) image = clone(image.view(), Memory::kCuda);
      for (const Track& track : tracker.track(image)) tracks.push_back(track);
    }
    return tracks;
  };
  for (int variant = 0; variant < 5; ++variant) {
    TrackOptions with;
    with.filter = variant == 0 ? TrackFilter::kAuto : TrackFilter::kOn;
    with.filter_scale = variant != 1;
    with.filter_rate = variant == 2 ? 0 : 0.02;
    with.scale = variant == 3;
    with.filter_weight = variant == 4 ? 0 : 2;
    with.lost_frames = 2;
    const auto expected = run(with, Device::cpu(), false);
    EXPECT_EQ(run(with, Device::cuda(0), false), expected) << "variant " << variant;
    EXPECT_EQ(run(with, Device::cuda(0), true), expected) << "variant " << variant;
  }
}

// A lost target is found where the response near the place is high enough, not anywhere around it.
TEST_P(EmdTrackFiltered, ADoubleWithOtherEdgesIsNotFound) {
  constexpr Rgb kDark{30, 30, 30}, kBright{230, 230, 230};
  const Square before{{20, 30, 20, 20}, kDark, kBright}, twin{{50, 8, 20, 20}, kBright, kDark};
  const Square after{{85, 55, 20, 20}, kDark, kBright};
  TrackOptions with = options(TrackFilter::kOn);
  with.lost_frames = 1;
  with.parts = TrackParts::kOff;
  with.layout = 0;
  Tracker tracker(track_scene(120, 90, 0, {before}, 1), before.box, with);
  EXPECT_TRUE(tracker.track(track_scene(120, 90, 1, {}, 1))[0].lost);
  EXPECT_TRUE(tracker.track(track_scene(120, 90, 2, {twin}, 1))[0].lost);
  const Track found = tracker.track(track_scene(120, 90, 3, {after}, 1))[0];
  EXPECT_FALSE(found.lost);
  EXPECT_GT(overlap(found.box, after.box), 0.7);
}

// A filter that neither counts nor chooses sizes is none, and must not say which frames are sure.
TEST_P(EmdTrackFiltered, WithoutWeightAndSizesIsOff) {
  TrackOptions off = options(TrackFilter::kOff), weightless = options(TrackFilter::kOn);
  weightless.filter_weight = 0;
  weightless.filter_scale = false;
  const auto run = [](const TrackOptions& with) {
    Square square{{20, 30, 20, 20}, {200, 40, 40}, {40, 60, 200}};
    Tracker tracker(track_scene(120, 90, 0, {square}), square.box, with);
    std::vector<Track> tracks;
    for (int i = 1; i < 6; ++i) {
      square.box.x += 4;
      tracks.push_back(
          tracker.track(track_scene(120, 90, static_cast<std::uint64_t>(i), {square}))[0]);
    }
    return tracks;
  };
  EXPECT_EQ(run(off), run(weightless));
}

TEST(EmdTrackFilterRefusals, SayWhereThereIsNoFilter) {
  TrackOptions with;
  with.filter = TrackFilter::kOn;
  const Stack<float> bands(20, 20, 3);
  const auto message = [](auto&& call) -> std::string {
    try {
      call();
    } catch (const InvalidArgument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message([&] {
                Tracker(StackView<const float>(bands), {4, 4, 8, 8}, with);
              }),
              HasSubstr("which have no filter"));
  with.search = TrackSearch::kMeanShift;
  EXPECT_THAT(message([&] { Tracker{with}; }), HasSubstr("meanshift has no filter"));
}

// The edges of the ground would hold the box where it is.
TEST_P(EmdTrackFiltered, ATargetOfOneColorIsFollowedByItsColor) {
  const auto frame = [](int i) {
    Image<std::uint8_t> image(96, 72, 3);
    for (int y = 0; y < 72; ++y)
      for (int x = 0; x < 96; ++x) {
        const bool target = x >= 15 + 3 * i && x < 31 + 3 * i && y >= 20 + i && y < 40 + i;
        for (int k = 0; k < 3; ++k)
          image.at(x, y, k) = static_cast<std::uint8_t>(
              target ? (k == 0 ? 200 : 35) : 70 + (x * 37 + y * 59 + x * y * 11 + k * 13) % 40);
      }
    return image;
  };
  Tracker tracker(frame(0), {15, 20, 16, 20}, options(TrackFilter::kAuto));
  for (int i = 1; i < 6; ++i) {
    const Rect<double> box = tracker.track(frame(i))[0].box;
    EXPECT_NEAR(box.x, 15 + 3 * i, 1);
    EXPECT_NEAR(box.y, 20 + i, 1);
  }
}

}  // namespace
}  // namespace fovea::emd
