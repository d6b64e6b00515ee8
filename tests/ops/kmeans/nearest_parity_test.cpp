// Nearest centers on CUDA against the CPU: every label, also where scores tie or nearly do.
#include <fovea/ops/kmeans.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "support/clusters.h"
#include "support/devices.h"

namespace fovea {
namespace {

using test::Points;
using test::random_points;

void expect_equal(const Image<float>& centers, const Image<float>& points) {
  SCOPED_TRACE(testing::Message() << points.height() << " points, " << centers.height()
                                  << " centers of " << centers.width());
  NearestCenter on_cpu(centers, {.device = Device::cpu()});
  NearestCenter on_gpu(centers, {.device = Device::cuda()});
  const std::vector<std::int32_t> expected = on_cpu.find(points);
  ASSERT_EQ(on_gpu.find(points), expected);
  const Image<float> there = clone(points, Memory::kCuda);
  ASSERT_EQ(on_gpu.find(there), expected);
}

TEST(NearestParity, AnySizes) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    const int dimensions = 1 + static_cast<int>(random.below(round % 6 == 0 ? 200 : 70));
    const int count = 1 + static_cast<int>(random.below(round % 5 == 0 ? 2000 : 90));
    const auto kind = static_cast<Points>(round % test::kPointKinds);
    const auto centers = random_points(random, kind, dimensions, count);
    expect_equal(centers,
                 random_points(random, kind, dimensions, 1 + static_cast<int>(random.below(900))));
  }
}

TEST(NearestParity, EveryNumberOfSteps) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(6);
  for (int dimensions = 8; dimensions <= 144; dimensions += 8)
    for (const Points kind : {Points::kEven, Points::kWhole})
      expect_equal(random_points(random, kind, dimensions, 130),
                   random_points(random, kind, dimensions, 400));
}

// Every point as far from two centers or more: single precision decides, by the last bit.
TEST(NearestParity, MidPoints) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(7);
  for (const int dimensions : {1, 3, 16, 32, 50, 128, 150}) {
    const auto centers = random_points(random, Points::kEven, dimensions, 60);
    Image<float> points(dimensions, 60 * 30);
    for (int p = 0; p < points.height(); ++p)
      for (int i = 0; i < dimensions; ++i)
        points.row(p)[i] = (centers.row(p / 30)[i] + centers.row(p % 30)[i]) / 2;
    expect_equal(centers, points);
  }
}

TEST(NearestParity, EqualCenters) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(8);
  Image<float> centers(20, 3000);
  for (int c = 0; c < centers.height(); ++c)
    for (int i = 0; i < 20; ++i) centers.row(c)[i] = static_cast<float>(c % 3);
  expect_equal(centers, random_points(random, Points::kWhole, 20, 600));
}

// From 65 numbers on, two warps share their points: one searches centers 0 to 15 and 32 to 47, the
// other one those between. The two nearest centers of a point are any two: found by one warp or by
// both, almost equally far away or not, and equal ones of both warps among them.
TEST(NearestParity, CentersSharedByTwoWarps) {
  FOVEA_SKIP_WITHOUT_CUDA();
  constexpr std::array<std::array<int, 2>, 5> kEqual{
      {{0, 7}, {3, 12}, {5, 16}, {17, 31}, {20, 32}}};
  Random random(14);
  for (const int dimensions : {65, 96, 128})
    for (const int count : {1, 8, 16, 17, 32, 33})
      for (const bool equal : {false, true}) {
        auto centers = random_points(random, Points::kEven, dimensions, count);
        for (const auto& [first, second] : kEqual)
          if (equal && second < count)
            std::copy_n(centers.row(first), dimensions, centers.row(second));
        Image<float> points(dimensions, 2 * count * count);
        for (int p = 0; p < points.height(); ++p) {
          const float* one = centers.row(p / 2 / count);
          const float* other = centers.row(p / 2 % count);
          const float share = p % 2 == 0 ? 0.5F : 0.625F;
          for (int i = 0; i < dimensions; ++i)
            points.row(p)[i] = share * one[i] + (1 - share) * other[i];
        }
        ASSERT_NO_FATAL_FAILURE(expect_equal(centers, points));
      }
}

// Hundreds of centers in a crowd, which only the last bits of the chain tell apart: for the points
// near it, the search lists more candidates than there is room for. Of the other centers there are
// none or some.
TEST(NearestParity, MoreCandidatesThanTheirListHolds) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(15);
  for (const int dimensions : {20, 65, 96, 128})
    for (const int others : {0, 40}) {
      const auto crowd = random_points(random, Points::kEven, dimensions, 1);
      auto centers = random_points(random, Points::kEven, dimensions, 400);
      for (int c = others; c < centers.height(); ++c)
        for (int i = 0; i < dimensions; ++i)
          centers.row(c)[i] = crowd.row(0)[i] + 1e-6F * centers.row(c)[i];
      auto points = random_points(random, Points::kEven, dimensions, 300);
      for (int p = 0; p < points.height(); ++p) {
        const float* near = p % 3 == 0 ? centers.row(p) : crowd.row(0);
        const float spread = p % 2 == 0 ? 1e-6F : 0.1F;
        for (int i = 0; i < dimensions; ++i) points.row(p)[i] = near[i] + spread * points.row(p)[i];
      }
      ASSERT_NO_FATAL_FAILURE(expect_equal(centers, points));
    }
}

TEST(NearestParity, LargeAndSmallNumbers) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(9);
  for (const float scale : {1e-30F, 1e-15F, 1e15F, 1e18F}) {
    auto centers = random_points(random, Points::kEven, 24, 90);
    auto points = random_points(random, Points::kEven, 24, 300);
    for (auto* image : {&centers, &points})
      for (int y = 0; y < image->height(); ++y)
        for (int i = 0; i < 24; ++i) image->row(y)[i] *= scale;
    expect_equal(centers, points);
  }
}

// Points so far from all centers that their numbers have no float16 any more, and centers so close
// together that it hardly tells them apart.
TEST(NearestParity, PointsFarFromAllCenters) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(12);
  for (const int dimensions : {5, 32, 96})
    for (const float scale : {1e2F, 1e3F, 1e4F, 1e5F, 1e10F, 1e25F}) {
      const auto centers = random_points(random, Points::kEven, dimensions, 120);
      auto points = random_points(random, Points::kEven, dimensions, 300);
      for (int p = 0; p < points.height(); p += 2)
        for (int i = 0; i < dimensions; ++i) points.row(p)[i] *= scale;
      expect_equal(centers, points);
    }
}

// The scale follows some of the centers; here it does not suit one of the others.
TEST(NearestParity, OneCenterFarFromTheOthers) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(13);
  for (const float scale : {1e-6F, 1e2F, 1e4F, 1e6F, 1e15F, 1e25F}) {
    auto centers = random_points(random, Points::kEven, 40, 300);
    auto points = random_points(random, Points::kEven, 40, 500);
    for (int i = 0; i < 40; ++i) {
      centers.row(1)[i] *= scale;
      for (int p = 0; p < points.height(); p += 7) points.row(p)[i] *= scale;
    }
    expect_equal(centers, points);
  }
}

TEST(NearestParity, ManyPoints) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(10);
  const auto centers = random_points(random, Points::kClusters, 32, 500);
  expect_equal(centers, random_points(random, Points::kClusters, 32, 40000));
}

// Rows farther apart than they are long.
TEST(NearestParity, PartsOfAnImage) {
  FOVEA_SKIP_WITHOUT_CUDA();
  Random random(11);
  const auto all = random_points(random, Points::kEven, 61, 500);
  const auto centers = random_points(random, Points::kEven, 33, 77);
  const ImageView<const float> part = all.view().crop(5, 3, 33, 450);
  const Image<float> there = clone(all, Memory::kCuda);
  NearestCenter on_cpu(centers, {.device = Device::cpu()});
  NearestCenter on_gpu(centers, {.device = Device::cuda()});
  EXPECT_EQ(on_gpu.find(part), on_cpu.find(part));
  EXPECT_EQ(on_gpu.find(there.view().crop(5, 3, 33, 450)), on_cpu.find(part));
}

}  // namespace
}  // namespace fovea
