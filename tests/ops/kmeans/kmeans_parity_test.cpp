// k-means on CUDA against the CPU: centers, labels, counts and every iteration's numbers to the
// bit.
#include <fovea/ops/kmeans.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "ops/kmeans/backend.h"
#include "support/clusters.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

using test::Points;
using test::random_points;

void expect_equal(const Kmeans& cpu, const Kmeans& gpu) {
  ASSERT_EQ(cpu.iterations.size(), gpu.iterations.size());
  for (std::size_t i = 0; i < cpu.iterations.size(); ++i) {
    ASSERT_EQ(cpu.iterations[i].inertia, gpu.iterations[i].inertia) << "iteration " << i;
    ASSERT_EQ(cpu.iterations[i].changed, gpu.iterations[i].changed) << "iteration " << i;
    ASSERT_EQ(cpu.iterations[i].refilled, gpu.iterations[i].refilled) << "iteration " << i;
    ASSERT_EQ(cpu.iterations[i].shift, gpu.iterations[i].shift) << "iteration " << i;
  }
  ASSERT_TRUE(test::images_equal(cpu.centers, gpu.centers));
  ASSERT_EQ(cpu.labels, gpu.labels);
  ASSERT_EQ(cpu.counts, gpu.counts);
  ASSERT_EQ(cpu.inertia, gpu.inertia);
  ASSERT_EQ(cpu.converged, gpu.converged);
}

void expect_equal(const Image<float>& points, KmeansOptions options) {
  SCOPED_TRACE(testing::Message() << points.height() << " points of " << points.width() << ", "
                                  << options.clusters << " clusters, start "
                                  << static_cast<int>(options.start) << ", batch "
                                  << options.batch);
  options.exec.device = Device::cpu();
  const Kmeans expected = kmeans(points, options);
  options.exec.device = Device::cuda();
  ASSERT_NO_FATAL_FAILURE(expect_equal(expected, kmeans(points, options)));
  ASSERT_NO_FATAL_FAILURE(expect_equal(expected, kmeans(clone(points, Memory::kCuda), options)))
      << "on the device";
}

TEST(KmeansParity, EveryStartAndKindOfPoints) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(21);
  for (int round = 0; round < 45; ++round) {
    const int dimensions = 1 + static_cast<int>(random.below(round % 8 == 0 ? 180 : 40));
    const int count = 1 + static_cast<int>(random.below(round % 4 == 0 ? 3000 : 300));
    const auto points =
        random_points(random, static_cast<Points>(round % test::kPointKinds), dimensions, count);
    expect_equal(points, {.clusters = 1 + static_cast<int>(random.below(
                                              static_cast<std::uint32_t>(std::min(count, 120)))),
                          .start = static_cast<KmeansStart>(round % 3),
                          .max_iterations = 12,
                          .exec = {.seed = static_cast<std::uint64_t>(round)}});
  }
}

TEST(KmeansParity, AsManyClustersAsPoints) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(22);
  for (const Points kind : {Points::kEven, Points::kRepeated})
    for (const KmeansStart start : {KmeansStart::kPlusPlus, KmeansStart::kSpread})
      expect_equal(random_points(random, kind, 5, 300),
                   {.clusters = 300, .start = start, .max_iterations = 5});
}

// Clusters run empty and are begun anew.
TEST(KmeansParity, Refills) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(23);
  int refilled = 0;
  for (int round = 0; round < 10; ++round) {
    const auto points = random_points(random, Points::kWhole, 2 + round % 4, 400);
    const KmeansOptions options{
        .clusters = 60, .start = KmeansStart::kRandom, .max_iterations = 20};
    expect_equal(points, options);
    for (const KmeansIteration& i : kmeans(points, options).iterations) refilled += i.refilled;
  }
  EXPECT_GT(refilled, 0);
}

TEST(KmeansParity, BatchesToleranceAndRestarts) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(24);
  for (const int dimensions : {3, 32, 140}) {
    const auto points = random_points(random, Points::kClusters, dimensions, 2000);
    expect_equal(points, {.clusters = 20, .max_iterations = 15, .batch = 300});
    expect_equal(points, {.clusters = 20, .max_iterations = 4, .batch = 1999});
    expect_equal(points, {.clusters = 20, .max_iterations = 50, .tolerance = 0.01});
    expect_equal(points, {.clusters = 20, .restarts = 3, .max_iterations = 5});
  }
}

TEST(KmeansParity, ManyPointsAndClusters) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(25);
  expect_equal(random_points(random, Points::kClusters, 32, 30000),
               {.clusters = 500, .max_iterations = 6});
  expect_equal(random_points(random, Points::kEven, 20, 8000),
               {.clusters = 2000, .max_iterations = 3});
  expect_equal(random_points(random, Points::kEven, 32, 20000), {.clusters = 3});
}

// The first point that is not to be taken, or the largest numbers.
TEST(KmeansParity, Survey) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(26);
  for (const int offending : {-1, 0, 1, 500, 999}) {
    auto points = random_points(random, Points::kUneven, 37, 1000);
    if (offending >= 0) {
      points.row(offending)[offending % 37] = std::numeric_limits<float>::quiet_NaN();
      points.row(999)[36] = std::numeric_limits<float>::infinity();
      points.row(999)[0] = -2e15F;
    }
    const auto cpu = cpu::make_kmeans_engine(points, {.device = Device::cpu()})->survey();
    const auto gpu = cuda::make_kmeans_engine(points, {.device = Device::cuda()})->survey();
    EXPECT_EQ(cpu.offending, offending);
    EXPECT_EQ(gpu.offending, offending);
    if (offending < 0) {
      EXPECT_EQ(cpu.largest, gpu.largest);
    }
  }
}

}  // namespace
}  // namespace fovea
