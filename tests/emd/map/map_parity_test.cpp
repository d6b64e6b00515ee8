// The twins of the map on frames large enough to fill a GPU: equal to the bit, and equally counted.
#include <fovea/emd/map.h>

#include "emd/map/mapper_on.h"
#include "support/devices.h"
#include "support/images.h"
#include "support/labels.h"

namespace fovea::emd {
namespace {

constexpr int kWidth = 701, kHeight = 403;

struct MapCase {
  int bins, window;
  float threshold;
  std::uint64_t cache_bytes;
  WindowBorder border;
};

class EmdMapParity : public testing::TestWithParam<MapCase> {};

TEST_P(EmdMapParity, EqualToTheBitOverFrames) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const MapCase& wanted = GetParam();
  MapOptions options{.window = wanted.window,
                     .border = wanted.border,
                     .threshold = wanted.threshold,
                     .cache_bytes = wanted.cache_bytes};
  Random random(static_cast<std::uint64_t>(wanted.bins));
  std::vector<double> target;
  for (int i = 0; i < wanted.bins; ++i)
    target.push_back(random.below(3) == 0 ? 0 : random.below(90));
  target[0] += 7;
  const GroundDistance ground = GroundDistance::thresholded(wanted.bins, 3);
  options.exec.device = Device::cpu();
  Mapper host = mapper_on(ground, target, options);
  options.exec.device = Device::cuda();
  Mapper device = mapper_on(ground, target, options);
  for (int frame = 0; frame < 3; ++frame) {
    const auto labels = test::patchy_labels(random, kWidth, kHeight, wanted.bins, frame * 40);
    const Image<float> expected = host.map(labels);
    ASSERT_TRUE(test::images_equal(device.map(labels), expected)) << frame;
    EXPECT_EQ(device.report().cached, host.report().cached);
    EXPECT_EQ(device.report().duplicate, host.report().duplicate);
    EXPECT_EQ(device.report().skipped, host.report().skipped);
    EXPECT_EQ(device.report().solved, host.report().solved);
    EXPECT_EQ(device.report().resets, host.report().resets);
    EXPECT_EQ(device.report().entries, host.report().entries);
    EXPECT_EQ(device.report().unproved, 0);
    const Image<std::uint8_t> there = clone(labels, Memory::kCuda);
    const Image<float> map = device.map(there);
    ASSERT_TRUE(test::images_equal(clone(map), expected)) << frame;
  }
}
INSTANTIATE_TEST_SUITE_P(Maps, EmdMapParity,
                         testing::Values(MapCase{2, 11, 0, 1 << 28, WindowBorder::kRepeat},
                                         MapCase{5, 11, 0, 1 << 28, WindowBorder::kRepeat},
                                         MapCase{11, 11, 0, 1 << 28, WindowBorder::kRepeat},
                                         MapCase{11, 11, 0.5F, 1 << 28, WindowBorder::kRepeat},
                                         MapCase{11, 11, 0, 0, WindowBorder::kRepeat},
                                         MapCase{11, 11, 0, 1 << 20, WindowBorder::kClip},
                                         MapCase{13, 15, 0, 1 << 28, WindowBorder::kClip},
                                         MapCase{15, 11, 0, 1 << 28, WindowBorder::kClip},
                                         MapCase{16, 11, 0, 1 << 28, WindowBorder::kRepeat},
                                         MapCase{16, 11, 0.4F, 1 << 22, WindowBorder::kRepeat},
                                         MapCase{16, 5, 0, 1 << 28, WindowBorder::kRepeat},
                                         MapCase{30, 3, 0, 1 << 28, WindowBorder::kClip},
                                         MapCase{40, 3, 0, 1 << 28, WindowBorder::kClip},
                                         MapCase{7, 31, 0, 1 << 28, WindowBorder::kRepeat}));

// Windows of 11x11 pixels and a target of another total: the tableau of 32-bit masses takes all
// new histograms, and the wide one those of large windows and targets.
TEST(EmdMapParity, ThePaperSolverTakesTheSameProblems) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(5);
  struct Paper {
    int window;
    double mass;
    SolvedBy solver;
  };
  for (const auto& [window, mass, solver] :
       {Paper{11, 6349, SolvedBy::kTableau}, Paper{61, 65521, SolvedBy::kWideTableau}}) {
    const std::vector<double> target(11, mass);
    MapOptions options{.window = window};
    options.solver.start = SimplexStart::kAuxiliary;
    const GroundDistance ground = GroundDistance::thresholded(11, 3);
    options.exec.device = Device::cpu();
    Mapper host = mapper_on(ground, target, options);
    options.exec.device = Device::cuda();
    Mapper device = mapper_on(ground, target, options);
    for (int frame = 0; frame < 2; ++frame) {
      const auto labels = test::patchy_labels(random, 240, 160, 11, frame * 40);
      const Image<float> expected = host.map(labels);
      ASSERT_TRUE(test::images_equal(device.map(labels), expected)) << frame;
      EXPECT_EQ(device.report().solved_by, host.report().solved_by);
      EXPECT_EQ(device.report().solved_by[solver], device.report().solved);
      EXPECT_GT(device.report().solved_by[solver], 0);
    }
  }
}

// With the greedy start, the kernel that proves starts takes normalized counts too: none of them
// has a pivot more than on equal masses.
TEST(EmdMapParity, StartsOfNormalizedWindowsAreProved) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(6);
  Mapper device = mapper_on(GroundDistance::thresholded(11, 3), std::vector<double>(11, 6349),
                            {.exec = {.device = Device::cuda()}});
  device.map(test::patchy_labels(random, 240, 160, 11, 0));
  const MapReport report = device.report();
  EXPECT_GT(report.solved_by[SolvedBy::kGreedyStart], 0);
  EXPECT_EQ(report.solved_by[SolvedBy::kGreedyStart] + report.solved_by[SolvedBy::kGreedySimplex],
            report.solved);
}

TEST(EmdSignatureParity, AreEqualToTheBit) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(3);
  for (const int bands : {3, 8, 24}) {
    Image<std::uint16_t> masses(300, 200, bands);
    for (int y = 0; y < 200; ++y)
      for (int i = 0; i < 300 * bands; ++i)
        masses.row(y)[i] = static_cast<std::uint16_t>(random.below(3) * 700);
    std::vector<double> target(static_cast<std::size_t>(bands), 2.0);
    target[1] = 700;
    const GroundDistance ground = GroundDistance::thresholded(bands, 4);
    Mapper host = mapper_on(ground, target, {.exec = {.device = Device::cpu()}});
    Mapper device = mapper_on(ground, target, {.exec = {.device = Device::cuda()}});
    const Image<float> expected = host.map_histograms(masses);
    ASSERT_TRUE(test::images_equal(device.map_histograms(masses), expected));
    ASSERT_TRUE(test::images_equal(device.map_histograms(masses), expected));
    EXPECT_EQ(device.report().cached, 300 * 200);
  }
}

}  // namespace
}  // namespace fovea::emd
