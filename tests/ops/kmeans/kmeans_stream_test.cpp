// Batches against means written out, against k-means over all points at once, and over threads.
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/ops/kmeans.h>
#include <fovea/ops/kmeans_stream.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

Exec on_cpu(int threads = 1) { return {.device = Device::cpu(), .threads = threads}; }

Image<float> column(std::vector<float> numbers) {
  Image<float> points(1, static_cast<int>(numbers.size()));
  for (int y = 0; y < points.height(); ++y) points.at(0, y) = numbers[static_cast<std::size_t>(y)];
  return points;
}

// Points around `centers` places, in a random order.
Image<float> stream_blobs(int count, int centers, std::uint64_t seed) {
  constexpr int kNumbers = 6;
  Random random(seed);
  Image<float> middles(kNumbers, centers), points(kNumbers, count);
  for (int c = 0; c < centers; ++c)
    for (int i = 0; i < kNumbers; ++i) middles.at(i, c) = random.uniform(-4, 4);
  for (int p = 0; p < count; ++p) {
    const auto c = static_cast<int>(random.below(static_cast<std::uint32_t>(centers)));
    for (int i = 0; i < kNumbers; ++i) points.at(i, p) = middles.at(i, c) + random.normal();
  }
  return points;
}

// The centers after all points, in batches of so many.
Image<float> stream_all(const Image<float>& points, const Image<float>& start, int batch,
                        const Exec& exec) {
  KmeansStream stream(start.view(), {}, exec);
  for (int first = 0; first < points.height(); first += batch)
    stream.push(
        points.view().crop(0, first, points.width(), std::min(batch, points.height() - first)));
  return clone(stream.centers());
}

// The sum of the squared distances of the points from their nearest centers, in double precision.
double inertia_of(const Image<float>& points, const Image<float>& centers) {
  double sum = 0;
  for (int p = 0; p < points.height(); ++p) {
    double least = std::numeric_limits<double>::infinity();
    for (int c = 0; c < centers.height(); ++c) {
      double squared = 0;
      for (int i = 0; i < points.width(); ++i) {
        const double apart = static_cast<double>(points.at(i, p)) - centers.at(i, c);
        squared += apart * apart;
      }
      least = std::min(least, squared);
    }
    sum += least;
  }
  return sum;
}

TEST(KmeansStream, CentersAreTheMeansOfWhatCame) {
  KmeansStream stream(column({0, 10}).view(), {}, on_cpu());
  const KmeansBatch first = stream.push(column({1, 3, 11}).view());
  EXPECT_EQ(first.inertia, 1 + 9 + 1);
  EXPECT_EQ(first.shift, 2);
  EXPECT_EQ(stream.centers().row(0)[0], 2);
  EXPECT_EQ(stream.centers().row(1)[0], 11);
  stream.push(column({5, 5}).view());  // the mean of 1, 3, 5 and 5
  EXPECT_EQ(stream.centers().row(0)[0], 3.5F);
  EXPECT_THAT(stream.counts(), ElementsAre(4, 1));
}

TEST(KmeansStream, CountsSayHowMuchACenterStandsFor) {
  const std::vector<std::int64_t> counts{3, 0};
  KmeansStream stream(column({2, 50}).view(), counts, on_cpu());
  stream.push(column({6, 40}).view());
  EXPECT_EQ(stream.centers().row(0)[0], 3);  // (3 * 2 + 6) / 4
  EXPECT_EQ(stream.centers().row(1)[0], 40);
  stream.set_counts(counts);
  EXPECT_THAT(stream.counts(), ElementsAre(3, 0));
}

TEST(KmeansStream, EndsNearLloyd) {
  const Image<float> points = stream_blobs(6000, 20, 1);
  const KmeansOptions options{.clusters = 20, .exec = on_cpu()};
  const Kmeans whole = kmeans(points.view(), options);
  const Kmeans sample = kmeans(points.view().crop(0, 0, points.width(), 600), options);
  const Image<float> found = stream_all(points, sample.centers, 500, on_cpu());
  EXPECT_LT(inertia_of(points, found), inertia_of(points, sample.centers));
  EXPECT_LT(inertia_of(points, found), 1.03 * whole.inertia);
}

TEST(KmeansStream, ThreadsAndRunsGiveTheSameBits) {
  const Image<float> points = stream_blobs(9000, 30, 2);
  const Image<float> start = clone(points.view().crop(0, 0, points.width(), 30));
  const Image<float> one = stream_all(points, start, 5000, on_cpu(1));
  for (const int threads : {2, 5})
    EXPECT_TRUE(test::images_equal(one, stream_all(points, start, 5000, on_cpu(threads))));
}

TEST(KmeansStream, GpuGivesTheSameBits) {
  FOVEA_SKIP_WITHOUT_CUDA();
  const Image<float> points = stream_blobs(9000, 30, 3);
  const Image<float> start = clone(points.view().crop(0, 0, points.width(), 30));
  EXPECT_TRUE(test::images_equal(stream_all(points, start, 4000, on_cpu(2)),
                                 stream_all(points, start, 4000, {.device = Device::cuda()})));
}

TEST(KmeansStream, NothingToAddChangesNothing) {
  KmeansStream stream(column({1, 2}).view(), {}, on_cpu());
  EXPECT_EQ(stream.push(Image<float>(1, 0).view()).shift, 0);
  EXPECT_EQ(stream.centers().row(1)[0], 2);
}

TEST(KmeansStream, RefusesWhatItCannotUse) {
  const Image<float> centers = column({1, 2});
  const auto with_counts = [&](std::vector<std::int64_t> counts) {
    KmeansStream(centers.view(), counts, on_cpu());
  };
  EXPECT_THAT([&] { with_counts({1}); },
              ThrowsMessage<InvalidArgument>(HasSubstr("1 counts for 2 centers")));
  EXPECT_THAT(
      [&] {
        with_counts({1, -4});
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("center 1 stands for -4 points")));
  KmeansStream stream(centers.view(), {}, on_cpu());
  EXPECT_THROW(stream.push(Image<float>(2, 1).view()), InvalidArgument);
  EXPECT_THAT(
      [&] {
        stream.push(column({0, std::numeric_limits<float>::infinity()}).view());
      },
      ThrowsMessage<InvalidArgument>(HasSubstr("number 0 of point 1 is inf")));
  EXPECT_EQ(stream.centers().row(0)[0], 1);
  EXPECT_THROW(KmeansStream(column({1, std::numeric_limits<float>::quiet_NaN()}).view()),
               InvalidArgument);
}

}  // namespace
}  // namespace fovea
