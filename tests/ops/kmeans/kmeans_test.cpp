// Covers: kmeans_kernels, plus_plus
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/ops/kmeans.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "ops/kmeans/kmeans_math.h"
#include "reference/kmeans.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::ThrowsMessage;

class KmeansTest : public test::OnEveryPlace {
 protected:
  Exec exec(std::uint64_t seed = 1) const { return {.device = device(), .seed = seed}; }
};
FOVEA_ON_EVERY_PLACE(KmeansTest);

Image<float> blobs(int dimensions, int count, int centers, std::uint64_t seed) {
  Random random(seed);
  Image<float> middle(dimensions, centers), points(dimensions, count);
  for (int c = 0; c < centers; ++c)
    for (int i = 0; i < dimensions; ++i) middle.row(c)[i] = random.uniform(-10, 10);
  for (int p = 0; p < count; ++p)
    for (int i = 0; i < dimensions; ++i)
      points.row(p)[i] = middle.row(p % centers)[i] + random.normal();
  return points;
}

Image<float> all_equal(int dimensions, int count, float value) {
  Image<float> points(dimensions, count);
  for (int p = 0; p < count; ++p) std::fill_n(points.row(p), dimensions, value);
  return points;
}

// What holds for every result.
void expect_consistent(const Image<float>& points, const Kmeans& k) {
  EXPECT_EQ(k.labels, reference::nearest(points, k.centers));
  std::vector<std::int64_t> counts(k.counts.size());
  double inertia = 0;
  for (std::size_t p = 0; p < k.labels.size(); ++p) {
    const auto label = static_cast<std::size_t>(k.labels[p]);
    ++counts[label];
    const float* center = k.centers.row(k.labels[p]);
    const std::vector<double> wide(center, center + points.width());
    inertia +=
        reference::squared_distance(points.row(static_cast<int>(p)), wide.data(), points.width());
  }
  EXPECT_EQ(k.counts, counts);
  EXPECT_NEAR(k.inertia, inertia, 1e-5 * inertia + 1e-9);
}

void expect_equal(const Kmeans& a, const Kmeans& b) {
  EXPECT_TRUE(test::images_equal(a.centers, b.centers));
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.counts, b.counts);
  EXPECT_EQ(a.inertia, b.inertia);
  EXPECT_EQ(a.converged, b.converged);
  ASSERT_EQ(a.iterations.size(), b.iterations.size());
  for (std::size_t i = 0; i < a.iterations.size(); ++i) {
    EXPECT_EQ(a.iterations[i].inertia, b.iterations[i].inertia) << i;
    EXPECT_EQ(a.iterations[i].changed, b.iterations[i].changed) << i;
    EXPECT_EQ(a.iterations[i].refilled, b.iterations[i].refilled) << i;
    EXPECT_EQ(a.iterations[i].shift, b.iterations[i].shift) << i;
  }
}

TEST_P(KmeansTest, TwoClustersOnALine) {
  const float numbers[] = {0, 1, 2, 10, 11, 15};
  const auto k = kmeans(packed_view(numbers, 1, 6),
                        {.clusters = 2, .start = KmeansStart::kSpread, .exec = exec()});
  EXPECT_THAT(k.labels, testing::ElementsAre(0, 0, 0, 1, 1, 1));
  EXPECT_EQ(k.centers.at(0, 0), 1);
  EXPECT_EQ(k.centers.at(0, 1), 12);
  EXPECT_THAT(k.counts, Each(3));
  EXPECT_EQ(k.inertia, 2 + 4 + 1 + 9);
  EXPECT_TRUE(k.converged);
  ASSERT_EQ(k.iterations.size(), 2U);
  EXPECT_EQ(k.iterations[0].inertia, 0 + 1 + 4 + 0 + 1 + 25);
  EXPECT_EQ(k.iterations[0].changed, 6);
  EXPECT_EQ(k.iterations[0].shift, 2);
  EXPECT_EQ(k.iterations[1].changed, 0);
  EXPECT_EQ(k.iterations[1].shift, 0);
}

TEST_P(KmeansTest, AgreesWithTheTextbook) {
  for (const int dimensions : {1, 2, 5, 32, 33}) {
    const auto points = blobs(dimensions, 1013, 9, static_cast<std::uint64_t>(dimensions));
    const auto expected = reference::kmeans(points, 9);
    const auto k = kmeans(points, {.clusters = 9, .start = KmeansStart::kSpread, .exec = exec()});
    EXPECT_EQ(k.labels, expected.labels) << dimensions;
    EXPECT_NEAR(k.inertia, expected.inertia, 1e-5 * expected.inertia);
    EXPECT_EQ(static_cast<int>(k.iterations.size()), expected.iterations);
    for (int c = 0; c < 9; ++c)
      for (int i = 0; i < dimensions; ++i)
        EXPECT_NEAR(k.centers.at(i, c),
                    expected.centers[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)],
                    2e-6);
  }
}

TEST_P(KmeansTest, EveryStartEndsConsistent) {
  const auto points = blobs(6, 2500, 40, 3);
  for (const auto start : {KmeansStart::kPlusPlus, KmeansStart::kRandom, KmeansStart::kSpread})
    for (const int iterations : {1, 3, 300}) {
      const auto k = kmeans(
          points, {.clusters = 40, .start = start, .max_iterations = iterations, .exec = exec()});
      expect_consistent(points, k);
      EXPECT_THAT(k.counts, Each(testing::Gt(0)));
      EXPECT_EQ(k.converged, iterations == 300);
      for (std::size_t i = 1; i < k.iterations.size(); ++i)
        EXPECT_LE(k.iterations[i].inertia, k.iterations[i - 1].inertia * (1 + 1e-6));
    }
}

TEST_P(KmeansTest, TheSameForAnyNumberOfThreadsAndOnTheCpu) {
  const auto points = blobs(7, 6007, 30, 4);
  for (const auto start : {KmeansStart::kPlusPlus, KmeansStart::kRandom})
    for (const int batch : {0, 1700}) {
      KmeansOptions options{.clusters = 50,
                            .start = start,
                            .restarts = 2,
                            .max_iterations = 25,
                            .batch = batch,
                            .exec = {.threads = 1, .seed = 9}};
      options.exec.device = {.kind = DeviceKind::kCpu};
      const auto one = kmeans(points, options);
      options.exec.device = device();
      for (const int threads : {1, 2, 7}) {
        options.exec.threads = threads;
        expect_equal(one, kmeans(points, options));
      }
    }
}

TEST_P(KmeansTest, PlusPlusFindsWellSeparatedBlobs) {
  Image<float> points(2, 400);
  for (int p = 0; p < 400; ++p) {
    points.row(p)[0] = static_cast<float>(p % 20) * 1000;
    points.row(p)[1] = static_cast<float>(p / 20 % 2);
  }
  const auto k = kmeans(points, {.clusters = 20, .restarts = 3, .exec = exec()});
  EXPECT_THAT(k.counts, Each(20));
  EXPECT_EQ(k.inertia, 100);
}

TEST_P(KmeansTest, AsManyClustersAsPoints) {
  const auto points = blobs(3, 61, 61, 5);
  for (const auto start : {KmeansStart::kPlusPlus, KmeansStart::kRandom, KmeansStart::kSpread}) {
    const auto k = kmeans(points, {.clusters = 61, .start = start, .exec = exec()});
    EXPECT_THAT(k.counts, Each(1));
    EXPECT_NEAR(k.inertia, 0, 1e-9);
    EXPECT_TRUE(k.converged);
  }
}

TEST_P(KmeansTest, EqualPointsNeedOneClusterOnly) {
  for (const float value : {0.F, 0.1F, -3e7F, 1e-20F}) {
    const auto points = all_equal(3, 100, value);
    for (const auto start : {KmeansStart::kPlusPlus, KmeansStart::kRandom}) {
      const auto k = kmeans(points, {.clusters = 4, .start = start, .exec = exec()});
      EXPECT_THAT(k.labels, Each(0));
      EXPECT_EQ(k.counts[0], 100);
      EXPECT_EQ(k.inertia, 0);
      EXPECT_TRUE(k.converged);
      EXPECT_LE(k.iterations.size(), 2U);
      for (int c = 0; c < 4; ++c) EXPECT_EQ(k.centers.at(1, c), value);
    }
  }
}

TEST_P(KmeansTest, RefillsEmptyClustersWithTheFarthestPoints) {
  // Every 5th point is 0, so that spread centers begin at one place; all but the first run empty.
  Image<float> points(1, 20);
  for (int p = 0; p < 20; ++p) points.row(p)[0] = p % 5 == 0 ? 0 : static_cast<float>(p % 5 + p);
  const auto k = kmeans(points, {.clusters = 4, .start = KmeansStart::kSpread, .exec = exec()});
  EXPECT_EQ(k.iterations.front().refilled, 3);
  EXPECT_THAT(k.counts, Each(testing::Gt(0)));
  EXPECT_TRUE(k.converged);
  expect_consistent(points, k);
}

TEST_P(KmeansTest, FewerDifferentPointsThanClusters) {
  Random random(6);
  Image<float> points(2, 200);
  for (int p = 0; p < 200; ++p) {
    points.row(p)[0] = 0.1F * static_cast<float>(random.below(3));
    points.row(p)[1] = 1e5F;
  }
  const auto k = kmeans(points, {.clusters = 8, .start = KmeansStart::kRandom, .exec = exec()});
  EXPECT_TRUE(k.converged);
  EXPECT_LT(k.iterations.size(), 20U);
  EXPECT_EQ(k.labels, reference::nearest(points, k.centers));
}

TEST_P(KmeansTest, ToleranceEndsEarly) {
  const auto points = blobs(4, 3000, 5, 7);
  KmeansOptions options{.clusters = 60, .exec = exec()};
  const auto full = kmeans(points, options);
  options.tolerance = 0.05;
  const auto early = kmeans(points, options);
  EXPECT_TRUE(early.converged);
  EXPECT_LT(early.iterations.size(), full.iterations.size());
  expect_consistent(points, early);
  // In root mean squared distances from the mean.
  const auto one = kmeans(points, {.clusters = 1, .exec = exec()});
  const double unit = std::sqrt(one.inertia / 3000);
  EXPECT_LE(early.iterations.back().shift, 0.05 * unit * (1 + 1e-6));
  for (std::size_t i = 0; i + 1 < early.iterations.size(); ++i)
    EXPECT_GT(early.iterations[i].shift, 0.05 * unit * (1 - 1e-6));
}

TEST_P(KmeansTest, RestartsKeepTheBest) {
  const auto points = blobs(2, 600, 12, 8);
  KmeansOptions options{.clusters = 12, .start = KmeansStart::kRandom, .exec = exec(3)};
  const auto once = kmeans(points, options);
  options.restarts = 8;
  const auto best = kmeans(points, options);
  EXPECT_LE(best.inertia, once.inertia);
  expect_consistent(points, best);
}

TEST_P(KmeansTest, BatchesComeNear) {
  const auto points = blobs(4, 5000, 10, 9);
  KmeansOptions options{.clusters = 10, .restarts = 2, .exec = exec()};
  const auto full = kmeans(points, options);
  options.batch = 200;
  options.max_iterations = 100;
  const auto batch = kmeans(points, options);
  EXPECT_LT(batch.inertia, 1.2 * full.inertia);
  EXPECT_EQ(batch.iterations.size(), 100U);
  EXPECT_FALSE(batch.converged);
  expect_consistent(points, batch);
}

TEST_P(KmeansTest, RefusesBadInput) {
  auto points = blobs(3, 5000, 5, 10);
  const auto run = [&](int clusters) {
    return [&points, clusters, e = exec()] { kmeans(points, {.clusters = clusters, .exec = e}); };
  };
  EXPECT_THAT(run(5001), ThrowsMessage<InvalidArgument>(
                             HasSubstr("5000 points are fewer than 5001 clusters")));
  EXPECT_THAT(run(0), ThrowsMessage<InvalidArgument>(HasSubstr("clusters")));
  EXPECT_THAT([&] { kmeans(ImageView<const float>{}, {.clusters = 1, .exec = exec()}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("0 points")));
  points.row(4800)[0] = std::numeric_limits<float>::infinity();
  points.row(4321)[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(run(3), ThrowsMessage<InvalidArgument>(HasSubstr("number 2 of point 4321 is nan")));
  points.row(4321)[2] = 0;
  EXPECT_THAT(run(3), ThrowsMessage<InvalidArgument>(HasSubstr("number 0 of point 4800 is inf")));
  points.row(4800)[0] = -1e16F;
  EXPECT_THAT(run(3),
              ThrowsMessage<InvalidArgument>(HasSubstr("expected finite ones up to 1e+15")));
}

TEST(KmeansMath, SumsOfManyEqualNumbersLoseNothing) {
  // As many as faiss's users had in one cluster: 1e8, a power of two of scale and 62 bits of sum.
  const int bits = 62 - 27;
  for (const float value : {0.1F, 1.F, 0.3333F}) {
    const double scale = std::ldexp(1.0, bits - 1);
    const std::int64_t count = 100'000'000;
    EXPECT_EQ(detail::mean_of(detail::whole(value, scale) * count, count, scale), value);
  }
}

TEST(KmeansMath, DrawsEveryNumberBelow) {
  Random random(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 500; ++i) seen.insert(detail::draw_below(random, 11));
  EXPECT_EQ(seen.size(), 11U);
  EXPECT_EQ(*seen.rbegin(), 10U);
  EXPECT_EQ(detail::draw_below(random, 1), 0U);
  for (int i = 0; i < 50; ++i) EXPECT_LT(detail::draw_below(random, (1ULL << 62) + 1), 1ULL << 63);
}

TEST(Kmeans, ABatchOfMorePointsThanThereAreIsAllPoints) {
  const Image<float> points = blobs(4, 300, 5, 3);
  KmeansOptions options{.clusters = 5, .exec = {.device = Device::cpu()}};
  const Kmeans all = kmeans(points, options);
  EXPECT_TRUE(all.converged);
  for (const int batch : {300, 16777200}) {
    options.batch = batch;
    expect_equal(kmeans(points, options), all);
  }
}

TEST(Kmeans, ProgressEndsAtItsTotal) {
  const Image<float> points = blobs(4, 300, 5, 3);
  for (const int restarts : {1, 3}) {
    Progress last;
    int calls = 0;
    KmeansOptions options{.clusters = 5, .restarts = restarts, .max_iterations = 1000};
    options.exec = {.device = Device::cpu(), .progress = [&](const Progress& progress) {
                      EXPECT_GE(progress.done, last.done);
                      last = progress;
                      ++calls;
                    }};
    EXPECT_TRUE(kmeans(points, options).converged);
    EXPECT_EQ(last.total, 1000 * restarts);
    EXPECT_EQ(last.done, last.total);
    EXPECT_LT(calls, 300);
  }
}

}  // namespace
}  // namespace fovea
