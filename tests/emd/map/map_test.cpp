// Covers: map_histograms, map_windows
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/emd/map.h>
#include <gmock/gmock.h>

#include <numeric>

#include "emd/map/mapper_on.h"
#include "reference/emd_map.h"
#include "support/device_rule.h"
#include "support/devices.h"
#include "support/images.h"
#include "support/labels.h"

namespace fovea::emd {
namespace {

using test::images_equal;
using test::patchy_labels;

class EmdMap : public test::OnEveryPlace {
 protected:
  MapOptions options(int window = 11) const {
    return {.window = window, .exec = {.device = device()}};
  }
};
FOVEA_ON_EVERY_PLACE(EmdMap);

std::vector<double> random_target(Random& random, int bins) {
  std::vector<double> target;
  for (int i = 0; i < bins; ++i) target.push_back(random.below(3) == 0 ? 0 : random.below(40));
  target[random.below(static_cast<std::uint32_t>(bins))] += 1;
  return target;
}

void expect_sums_up(const MapReport& report, std::int64_t pixels) {
  EXPECT_EQ(report.pixels, pixels);
  EXPECT_EQ(report.cached + report.duplicate + report.skipped + report.solved, pixels);
  const auto& solvers = report.solved_by.counts;
  EXPECT_EQ(std::accumulate(solvers.begin(), solvers.end(), std::int64_t{0}), report.solved);
  EXPECT_EQ(report.unproved, 0);
}

TEST_P(EmdMap, IsTheDistanceOfBinsWhereAllIsOneBin) {
  Image<std::uint8_t> labels(40, 30);
  for (int y = 0; y < 30; ++y) std::fill_n(labels.row(y), 40, std::uint8_t{2});
  Mapper mapper =
      mapper_on(GroundDistance::l1(6), std::vector<double>{0, 0, 0, 0, 0, 9}, options());
  const Image<float> map = mapper.map(labels);
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 40; ++x) ASSERT_EQ(map.at(x, y), 3.0F);
  EXPECT_EQ(mapper.report().solved, 1);
  EXPECT_EQ(mapper.report().duplicate, 40 * 30 - 1);
  EXPECT_EQ(mapper.report().entries, 1);
}

TEST_P(EmdMap, EqualsTextbook) {
  Random random(1);
  for (int round = 0; round < 12; ++round) {
    const auto [width, height] = test::random_size(random, 28);
    const int bins = 1 + static_cast<int>(random.below(round % 3 == 0 ? 24 : 12));
    MapOptions wanted = options(1 + 2 * static_cast<int>(random.below(7)));
    wanted.border = static_cast<WindowBorder>(round % 2);
    const auto labels = patchy_labels(random, width, height, bins, round % 4 == 0 ? 5 : 0);
    Mapper mapper =
        mapper_on(GroundDistance::thresholded(bins, 3), random_target(random, bins), wanted);
    ASSERT_TRUE(images_equal(mapper.map(labels), reference::distance_map(labels, mapper)))
        << width << "x" << height << ", " << bins << " bins, window " << wanted.window;
    expect_sums_up(mapper.report(), std::int64_t{width} * height);
  }
}

TEST_P(EmdMap, ThePaperSolverMapsTheSame) {
  Random random(21);
  const auto labels = patchy_labels(random, 70, 50, 11);
  const auto target = random_target(random, 11);
  const GroundDistance ground = GroundDistance::thresholded(11, 3);
  Mapper greedy = mapper_on(ground, target, options());
  MapOptions paper = options();
  paper.solver.start = SimplexStart::kAuxiliary;
  Mapper mapper = mapper_on(ground, target, paper);
  EXPECT_TRUE(images_equal(mapper.map(labels), greedy.map(labels)));
  expect_sums_up(mapper.report(), 70 * 50);
  EXPECT_GT(mapper.report().solved, 100);
  EXPECT_EQ(mapper.report().solved_by[SolvedBy::kTableau], mapper.report().solved);
  EXPECT_EQ(greedy.report().solved_by[SolvedBy::kTableau], 0);
}

TEST_P(EmdMap, CountsWindowsThatNeedSixteenBits) {
  Random random(2);
  for (const int window : {17, 41, 255}) {
    const auto labels = patchy_labels(random, 17, 11, 5);
    Mapper mapper =
        mapper_on(GroundDistance::thresholded(5, 2), random_target(random, 5), options(window));
    ASSERT_TRUE(images_equal(mapper.map(labels), reference::distance_map(labels, mapper)));
  }
}

TEST_P(EmdMap, TakesImagesSmallerThanTheWindow) {
  Random random(3);
  for (const auto& [width, height] : {test::Size{1, 1}, {1, 9}, {7, 1}, {3, 2}}) {
    const auto labels = patchy_labels(random, width, height, 7);
    Mapper mapper =
        mapper_on(GroundDistance::thresholded(7, 2), random_target(random, 7), options(11));
    ASSERT_TRUE(images_equal(mapper.map(labels), reference::distance_map(labels, mapper)));
  }
  Mapper mapper = mapper_on(GroundDistance::l1(3), std::vector<double>{1, 0, 0}, options());
  EXPECT_TRUE(mapper.map(Image<std::uint8_t>()).empty());
  EXPECT_EQ(mapper.report().pixels, 0);
}

TEST_P(EmdMap, LeavesOutWhatHasNoBin) {
  Image<std::uint8_t> labels(30, 12);
  for (int y = 0; y < 12; ++y)
    for (int x = 0; x < 30; ++x) labels.at(x, y) = x < 15 ? 255 : 1;
  Mapper mapper = mapper_on(GroundDistance::l1(4), std::vector<double>{0, 1, 0, 0}, options(5));
  const Image<float> map = mapper.map(labels);
  EXPECT_EQ(map.at(2, 5), 3.0F);   // nothing in the window: the greatest cost
  EXPECT_EQ(map.at(14, 5), 0.0F);  // half of the window, all of it in the target's bin
  EXPECT_EQ(map.at(25, 5), 0.0F);
}

TEST_P(EmdMap, HasOneResultWhateverIsKnown) {
  Random random(4);
  constexpr int kBins = 11;
  const auto target = random_target(random, kBins);
  const auto ground = GroundDistance::thresholded(kBins, 3);
  MapOptions none = options(), small = options(), large = options();
  none.cache_bytes = 0;
  small.cache_bytes = 40000;
  Mapper without = mapper_on(ground, target, none), with_little = mapper_on(ground, target, small),
         with = mapper_on(ground, target, large);
  for (int frame = 0; frame < 6; ++frame) {
    const auto labels = patchy_labels(random, 90, 50, kBins);
    const Image<float> expected = without.map(labels);
    ASSERT_TRUE(images_equal(with_little.map(labels), expected));
    ASSERT_TRUE(images_equal(with.map(labels), expected));
    ASSERT_TRUE(images_equal(with.map(labels), expected));
    EXPECT_EQ(with.report().cached, 90 * 50);
    EXPECT_EQ(without.report().cached, 0);
    expect_sums_up(with_little.report(), 90 * 50);
    EXPECT_LE(with_little.report().cache_bytes, 40000U);
  }
}

TEST_P(EmdMap, KeepsWholeHistogramsWhereNoRankIsLongEnough) {
  Random random(5);
  for (const int bins : {15, 16, 24, 64}) {
    const auto labels = patchy_labels(random, 13, 9, bins, 30);
    Mapper mapper =
        mapper_on(GroundDistance::thresholded(bins, 4), random_target(random, bins), options());
    const Image<float> first = mapper.map(labels);
    const MapReport cold = mapper.report();
    ASSERT_TRUE(images_equal(first, reference::distance_map(labels, mapper))) << bins;
    ASSERT_TRUE(images_equal(mapper.map(labels), first)) << bins;
    if (bins > 15) {
      EXPECT_EQ(mapper.report().cached, 13 * 9) << bins;
    }
    EXPECT_EQ(cold.solved, mapper.report().entries + (bins == 15 ? mapper.report().solved : 0));
  }
}

TEST_P(EmdMap, StaysInsideItsBoundOnAnEndlessStream) {
  Random random(6);
  for (const int bins : {6, 40}) {  // ranks, whole histograms
    MapOptions wanted = options(bins == 6 ? 5 : 11);
    wanted.cache_bytes = 1 << 20;
    Mapper mapper = mapper_on(GroundDistance::l1(bins), random_target(random, bins), wanted);
    MapReport total;
    for (int frame = 0; frame < (bins == 6 ? 90 : 25); ++frame) {
      const auto labels = test::random_image<std::uint8_t>(random, 120, 80);
      Image<std::uint8_t> bin(120, 80);
      quantize(labels, bin, {.levels = bins, .exec = {.device = Device::cpu()}});
      mapper.map(bin);
      total += mapper.report();
      ASSERT_LE(mapper.report().cache_bytes, wanted.cache_bytes);
    }
    EXPECT_GE(total.resets, 2) << bins;
    EXPECT_EQ(total.pixels, total.cached + total.duplicate + total.solved);
  }
}

TEST_P(EmdMap, MemoryFollowsTheFrames) {
  Random random(15);
  constexpr int kWidth = 160, kHeight = 110;
  const auto most_of = [&](int bins, std::uint64_t cache_bytes, int frames) {
    MapOptions wanted = options(bins == 6 ? 5 : 11);
    wanted.cache_bytes = cache_bytes;
    Mapper mapper = mapper_on(GroundDistance::l1(bins), random_target(random, bins), wanted);
    std::uint64_t most = 0;
    for (int frame = 0; frame < frames; ++frame) {
      Image<std::uint8_t> labels(kWidth, kHeight);
      for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x)
          labels.at(x, y) =
              static_cast<std::uint8_t>(random.below(static_cast<std::uint32_t>(bins)));
      mapper.map(labels);
      most = std::max(most, mapper.report().cache_bytes);
    }
    return most;
  };
  constexpr std::uint64_t kPixels = kWidth * kHeight, kSlot = 16, kPlenty = std::uint64_t{1} << 30;
  // Ranks: 16 bytes a slot; whole histograms of 40 bins: 60 more.
  EXPECT_LE(most_of(6, kPlenty, 30), 32 * kPixels * kSlot);
  EXPECT_LE(most_of(40, kPlenty, 12), 32 * kPixels * (kSlot + 60));
  // Nothing is kept: slots of one frame, however long the histograms.
  EXPECT_LE(most_of(6, 0, 2), 4 * kPixels * kSlot);
  EXPECT_LE(most_of(64, 0, 2), 4 * kPixels * kSlot);
}

TEST_P(EmdMap, ForgetsAnotherTarget) {
  Random random(7);
  const auto labels = patchy_labels(random, 50, 40, 8);
  Mapper mapper = mapper_on(GroundDistance::thresholded(8, 3), random_target(random, 8), options());
  mapper.map(labels);
  mapper.set_target(random_target(random, 8));
  ASSERT_TRUE(images_equal(mapper.map(labels), reference::distance_map(labels, mapper)));
  EXPECT_EQ(mapper.report().cached, 0);
  mapper.forget();
  mapper.map(labels);
  EXPECT_EQ(mapper.report().cached, 0);
}

TEST_P(EmdMap, ThresholdChangesNothingBelowIt) {
  Random random(8);
  std::int64_t skipped = 0;
  for (int round = 0; round < 8; ++round) {
    const int bins = 4 + static_cast<int>(random.below(12));
    const auto labels = patchy_labels(random, 60, 40, bins, round % 2 == 0 ? 9 : 0);
    const auto target = random_target(random, bins);
    const auto ground = round % 3 == 0 ? GroundDistance::circular(bins)
                                       : GroundDistance::thresholded(bins, 1 + round % 4);
    MapOptions exact = options(), detector = options();
    detector.threshold = 0.4F + 0.2F * static_cast<float>(round % 4);
    Mapper every = mapper_on(ground, target, exact), some = mapper_on(ground, target, detector);
    const Image<float> expected = every.map(labels), got = some.map(labels);
    skipped += some.report().skipped;
    expect_sums_up(some.report(), 60 * 40);
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 60; ++x) {
        ASSERT_LE(got.at(x, y), expected.at(x, y));
        if (expected.at(x, y) > detector.threshold) {
          ASSERT_GT(got.at(x, y), detector.threshold);
        } else {
          ASSERT_EQ(got.at(x, y), expected.at(x, y));
        }
      }
    ASSERT_TRUE(images_equal(some.map(labels), got));  // known bounds are the same bounds
  }
  EXPECT_GT(skipped, 100);
}

template <class Mass>
void expect_signatures_equal_textbook(const MapOptions& options, int bands) {
  Random random(9);
  Image<Mass> masses(17, 8, bands);
  for (int y = 0; y < 8; ++y)
    for (int i = 0; i < 17 * bands; ++i)
      masses.row(y)[i] = static_cast<Mass>(random.below(2) == 0 ? 0 : random.below(4) * 83);
  std::fill_n(masses.row(3), 2 * bands, Mass{0});
  std::fill_n(masses.row(4), 2 * bands, static_cast<Mass>(~Mass{0}));
  Mapper mapper =
      mapper_on(GroundDistance::thresholded(bands, 2), random_target(random, bands), options);
  const Image<float> map = mapper.map_histograms(masses);
  SolverOptions solver = mapper.options().solver;
  solver.exec = {.device = Device::cpu(), .threads = 1};
  const std::vector<double> target(mapper.target().begin(), mapper.target().end());
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 17; ++x) {
      const Mass* of = &masses.at(x, y);
      const std::vector<double> first(of, of + bands);
      ASSERT_EQ(map.at(x, y),
                static_cast<float>(distance(mapper.ground(), first, target, solver).distance));
    }
  ASSERT_TRUE(images_equal(mapper.map_histograms(masses), map));
  EXPECT_GE(mapper.report().cached, 17 * 8 - 2);
}
TEST_P(EmdMap, MapsSignaturesOfBands) {
  for (const int bands : {1, 4, 8, 9, 31}) {
    expect_signatures_equal_textbook<std::uint8_t>(options(), bands);
    expect_signatures_equal_textbook<std::uint16_t>(options(), bands);
  }
}

TEST_P(EmdMap, TakesWindowsAndSignaturesInTurn) {
  Random random(10);
  const auto labels = patchy_labels(random, 30, 20, 4);
  const auto masses = test::random_image<std::uint8_t>(random, 30, 20, 4);
  Mapper mapper =
      mapper_on(GroundDistance::thresholded(4, 2), std::vector<double>{5, 0, 3, 1}, options());
  const Image<float> windows = mapper.map(labels), signatures = mapper.map_histograms(masses);
  ASSERT_TRUE(images_equal(mapper.map(labels), windows));
  ASSERT_TRUE(images_equal(mapper.map_histograms(masses), signatures));
}

TEST_P(EmdMap, FramesInFlightEqualFramesAlone) {
  Random random(11);
  const auto target = random_target(random, 9);
  Mapper alone = mapper_on(GroundDistance::thresholded(9, 3), target, options());
  Mapper flying = mapper_on(GroundDistance::thresholded(9, 3), target, options());
  std::vector<Image<std::uint8_t>> frames;
  std::vector<Image<float>> maps;
  for (int i = 0; i < 7; ++i) {
    frames.push_back(patchy_labels(random, 40 + i, 30, 9));
    maps.emplace_back(40 + i, 30);
  }
  std::vector<MapReport> report;
  const auto keep = [&](std::span<const MappedFrame> ready) {
    for (const MappedFrame& mapped : ready) {
      const auto at = report.size();
      EXPECT_EQ(mapped.frame, static_cast<std::int64_t>(at));
      EXPECT_EQ(mapped.distances.data, maps[at].view().data);
      report.push_back(mapped.report);
    }
  };
  for (std::size_t i = 0; i < frames.size(); ++i) {
    keep(flying.push(frames[i], maps[i]));
    EXPECT_EQ(report.size() + static_cast<std::size_t>(flying.latency()),
              std::max(i + 1, static_cast<std::size_t>(flying.latency())));
  }
  keep(flying.finish());
  ASSERT_EQ(report.size(), frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    ASSERT_TRUE(images_equal(maps[i], alone.map(frames[i])));
    EXPECT_EQ(report[i].solved, alone.report().solved);
    EXPECT_EQ(report[i].cached, alone.report().cached);
    EXPECT_EQ(report[i].duplicate, alone.report().duplicate);
  }
  EXPECT_TRUE(flying.finish().empty());
  EXPECT_THROW(flying.push(frames[0], maps[1]), InvalidArgument);
  flying.push(frames[0], maps[0]);
  if (flying.latency() > 0) {
    EXPECT_THROW(flying.map(frames[0]), InvalidArgument);
  }
  flying.finish();
  EXPECT_TRUE(images_equal(flying.map(frames[0]), maps[0]));
}

TEST_P(EmdMap, AStreamHasPlacesForItsMaps) {
  Random random(17);
  const auto target = random_target(random, 9);
  Mapper alone = mapper_on(GroundDistance::thresholded(9, 3), target, options());
  Mapper stream = mapper_on(GroundDistance::thresholded(9, 3), target, options());
  std::vector<Image<std::uint8_t>> frames;
  for (int i = 0; i < 9; ++i) frames.push_back(patchy_labels(random, 40 + i / 6, 30, 9));
  std::size_t returned = 0;
  const auto compare = [&](std::span<const MappedFrame> ready) {
    for (const MappedFrame& mapped : ready) {
      ASSERT_EQ(mapped.frame, static_cast<std::int64_t>(returned));
      ASSERT_TRUE(images_equal(clone(mapped.distances), alone.map(frames[returned++])));
    }
  };
  for (const auto& frame : frames) compare(stream.push(frame));
  compare(stream.finish());
  EXPECT_EQ(returned, frames.size());
}

TEST_P(EmdMap, HoldsToOtherMassPolicies) {
  Random random(12);
  const auto labels = patchy_labels(random, 30, 20, 6);
  for (const MassPolicy policy : {MassPolicy::kPartial, MassPolicy::kPenalty}) {
    MapOptions wanted = options(5);
    wanted.solver.mass = policy;
    Mapper mapper = mapper_on(GroundDistance::thresholded(6, 2),
                              std::vector<double>{9, 0, 20, 3, 0, 1}, wanted);
    ASSERT_TRUE(images_equal(mapper.map(labels), reference::distance_map(labels, mapper)));
  }
}

TEST(EmdMapper, DoesNotDependOnThreads) {
  Random random(13);
  const auto labels = patchy_labels(random, 200, 150, 11, 50);
  const auto target = random_target(random, 11);
  MapOptions one{.exec = {.device = Device::cpu(), .threads = 1}}, many = one;
  many.exec.threads = 4;
  Mapper a = mapper_on(GroundDistance::thresholded(11, 3), target, one);
  Mapper b = mapper_on(GroundDistance::thresholded(11, 3), target, many);
  ASSERT_TRUE(images_equal(a.map(labels), b.map(labels)));
  EXPECT_EQ(a.report().solved, b.report().solved);
  EXPECT_EQ(a.report().pivots, b.report().pivots);
}

TEST(EmdMapper, ScalesTargetsThatDoNotFit) {
  const MapOptions options{.exec = {.device = Device::cpu()}};
  const Mapper whole = mapper_on(GroundDistance::l1(3), std::vector<double>{1, 0, 65535}, options);
  EXPECT_THAT(whole.target(), testing::ElementsAre(1, 0, 65535));
  const Mapper large =
      mapper_on(GroundDistance::l1(3), std::vector<double>{100000, 50000, 0}, options);
  EXPECT_THAT(large.target(), testing::ElementsAre(65535, 32768, 0));
  const Mapper real = mapper_on(GroundDistance::l1(2), std::vector<double>{0.25, 0.5}, options);
  EXPECT_THAT(real.target(), testing::ElementsAre(32768, 65535));
}

testing::AssertionResult says(const std::function<void()>& call, const std::string& part) {
  try {
    call();
  } catch (const InvalidArgument& error) {
    if (std::string(error.what()).find(part) != std::string::npos)
      return testing::AssertionSuccess();
    return testing::AssertionFailure() << error.what();
  }
  return testing::AssertionFailure() << "nothing was thrown";
}

TEST(EmdMapper, NamesWhatIsWrong) {
  const Exec cpu{.device = Device::cpu()};
  const auto make = [&](std::vector<double> target, const MapOptions& options) {
    return [=] { mapper_on(GroundDistance::l1(3), target, options); };
  };
  EXPECT_TRUE(says(make({1, 2}, {.exec = cpu}), "2 bins"));
  EXPECT_TRUE(says(make({1, -2, 0}, {.exec = cpu}), "mass 1 of the target is -2"));
  EXPECT_TRUE(says(make({0, 0, 0}, {.exec = cpu}), "no mass"));
  EXPECT_TRUE(says(make({1, 0, 0}, {.window = 4, .exec = cpu}), "4x4"));
  EXPECT_TRUE(says(make({1, 0, 0}, {.window = 257, .exec = cpu}), "257"));
  EXPECT_TRUE(says(make({1, 0, 0}, {.threshold = -1, .exec = cpu}), "-1"));
  MapOptions partial{.exec = cpu};
  partial.solver.mass = MassPolicy::kPartial;
  EXPECT_TRUE(says(make({1.5, 0, 0}, partial), "1.5"));
  partial.threshold = 1;
  EXPECT_TRUE(says(make({1, 0, 0}, partial), "threshold of 1"));
  Mapper mapper = mapper_on(GroundDistance::l1(3), std::vector<double>{1, 0, 0}, {.exec = cpu});
  EXPECT_TRUE(says([&] { mapper.map(Image<std::uint8_t>(4, 4, 2)); }, "4x4x2"));
  EXPECT_TRUE(says([&] { mapper.map_histograms(Image<std::uint8_t>(4, 4, 2)); }, "4x4x2"));
  Image<float> wrong(3, 4);
  const Image<std::uint8_t> labels(4, 4);
  EXPECT_TRUE(says([&] { mapper.map(labels, wrong); }, "3x4x1"));
}

TEST(EmdMapper, LabelsOnAGpuAreRefusedOnTheCpu) {
  const Image<std::uint8_t> labels(4, 4);
  test::expect_refused_on_the_cpu(labels, [](ImageView<const std::uint8_t> view, Device device) {
    Mapper mapper = mapper_on(GroundDistance::l1(3), std::vector<double>{1, 0, 0},
                              {.exec = {.device = device}});
    Image<float> distances(4, 4);
    mapper.map(view, distances);
  });
  EXPECT_TRUE(
      says([&] { label_histogram(test::said_to_lie_on_a_gpu(labels), 3); },
           "label_histogram: the image of labels lies in GPU memory, expected host memory"));
}

TEST(EmdMapper, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  Random random(14);
  const auto labels = patchy_labels(random, 40, 40, 5);
  Mapper mapper = mapper_on(GroundDistance::thresholded(5, 2), std::vector<double>{1, 0, 0, 0, 2},
                            {.exec = {.device = Device::cpu(), .stop = stop.get_token()}});
  EXPECT_THROW(mapper.map(labels), Cancelled);
}

TEST(EmdMapper, TakesTheGroundDistanceByName) {
  Random random(15);
  const auto labels = patchy_labels(random, 30, 20, 11);
  const auto target = random_target(random, 11);
  const Exec cpu{.device = Device::cpu()};
  Mapper plain(target, {.exec = cpu});
  EXPECT_EQ(plain.ground(), GroundDistance::thresholded(11, 3));
  Mapper named(target, {.ground = "squared", .exec = cpu});
  Mapper given(target, {.ground = GroundDistance::squared(11), .exec = cpu});
  EXPECT_TRUE(images_equal(named.map(labels), given.map(labels)));
  EXPECT_TRUE(says([&] { Mapper(target, {.ground = "silly", .exec = cpu}); }, "silly"));
  std::string names;
  MapOptions options;
  for_each_option(options, [&](const OptionField& field) { names += field.name + " "; });
  EXPECT_THAT(names, testing::StartsWith("ground window border threshold cache-bytes solver "));
}

TEST(LabelHistogram, CountsABox) {
  Image<std::uint8_t> labels(4, 3);
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 4; ++x) labels.at(x, y) = static_cast<std::uint8_t>(x == 3 ? 255 : x);
  EXPECT_THAT(label_histogram(labels.view().crop(1, 0, 3, 2), 4), testing::ElementsAre(0, 2, 2, 0));
}

}  // namespace
}  // namespace fovea::emd
