// Covers: neighbors, distance_math
#include <fovea/core/error.h>
#include <fovea/core/random.h>
#include <fovea/scenes/trained_classifier.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "scenes/classify/backend.h"
#include "support/devices.h"
#include "support/files.h"
#include "support/images.h"

namespace fovea::scenes {
namespace {

using test::message_of;
using testing::HasSubstr;

constexpr Distance kDistances[] = {Distance::kChiSquared, Distance::kEuclidean, Distance::kCosine};

// The textbook sum, in double precision.
double textbook(Distance distance, const float* a, const float* b, int bins) {
  double chi = 0, squares = 0, product = 0, first = 0, second = 0;
  for (int i = 0; i < bins; ++i) {
    const double x = a[i], y = b[i];
    if (x + y > 0) chi += (x - y) * (x - y) / (x + y) / 2;
    squares += (x - y) * (x - y);
    product += x * y;
    first += x * x;
    second += y * y;
  }
  if (distance == Distance::kChiSquared) return chi;
  if (distance == Distance::kEuclidean) return std::sqrt(squares);
  return first > 0 && second > 0 ? 1 - product / std::sqrt(first * second) : 1;
}

class Distances : public test::OnEveryPlace {
 protected:
  Image<float> distances(Distance distance, const Image<float>& from, const Image<float>& to,
                         int threads = 0) const {
    Image<float> result(to.height(), from.height());
    histogram_distances(from, to, result,
                        {.distance = distance, .exec = {.device = device(), .threads = threads}});
    return result;
  }
};
FOVEA_ON_EVERY_PLACE(Distances);

TEST_P(Distances, AreTheSumsTheySay) {
  Random random(3);
  for (const Distance distance : kDistances)
    for (const int bins : {1, 3, 16, 17, 31, 500}) {
      Image<float> from = test::random_image<float>(random, bins, 9);
      Image<float> to = test::random_image<float>(random, bins, 13);
      from.at(0, 0) = to.at(0, 0) = 0;
      std::fill_n(to.row(5), bins, 0.F);  // an empty histogram
      const Image<float> found = distances(distance, from, to);
      for (int y = 0; y < 9; ++y)
        for (int x = 0; x < 13; ++x)
          ASSERT_NEAR(found.at(x, y), textbook(distance, from.row(y), to.row(x), bins),
                      1e-5 * (1 + bins / 50.0))
              << bins;
    }
}

TEST_P(Distances, InClosedForm) {
  Image<float> from(2, 1), to(2, 3);
  from.at(0, 0) = 1;
  from.at(1, 0) = 0;
  for (int y = 0; y < 3; ++y) to.at(0, y) = to.at(1, y) = 0;
  to.at(1, 0) = 1;  // apart
  to.at(0, 1) = 1;  // the same
  to.at(0, 2) = to.at(1, 2) = 0.5F;
  const Image<float> chi = distances(Distance::kChiSquared, from, to);
  EXPECT_EQ(chi.at(0, 0), 1);
  EXPECT_EQ(chi.at(1, 0), 0);
  EXPECT_FLOAT_EQ(chi.at(2, 0), 1.F / 3);
  const Image<float> euclidean = distances(Distance::kEuclidean, from, to);
  EXPECT_FLOAT_EQ(euclidean.at(0, 0), std::sqrt(2.F));
  EXPECT_EQ(euclidean.at(1, 0), 0);
  EXPECT_FLOAT_EQ(euclidean.at(2, 0), std::sqrt(0.5F));
  const Image<float> cosine = distances(Distance::kCosine, from, to);
  EXPECT_EQ(cosine.at(0, 0), 1);
  EXPECT_EQ(cosine.at(1, 0), 0);
  EXPECT_FLOAT_EQ(cosine.at(2, 0), 1 - std::sqrt(0.5F));
}

// 16 partial sums, halved again and again: the order that all devices keep.
TEST_P(Distances, AreTheSameToTheBitForAnyDeviceAndNumberOfThreads) {
  Random random(4);
  constexpr int kBins = 333, kRows = 37;
  const Image<float> rows = test::random_image<float>(random, kBins, kRows);
  const auto sum_of = [&](int a, int b, auto term) {
    float partial[16] = {};
    for (int i = 0; i < kBins; ++i) partial[i % 16] += term(rows.at(i, a), rows.at(i, b));
    for (int width = 8; width > 0; width /= 2)
      for (int k = 0; k < width; ++k) partial[k] += partial[k + width];
    return partial[0];
  };
  const auto product = [](float a, float b) { return a * b; };
  for (const Distance distance : kDistances) {
    const Image<float> one = distances(distance, rows, rows, 1);
    for (const int threads : {2, 7})
      EXPECT_TRUE(test::images_equal(one, distances(distance, rows, rows, threads)));
    for (int x = 0; x < kRows; ++x) {
      if (distance == Distance::kEuclidean) {
        ASSERT_EQ(one.at(x, 2),
                  std::sqrt(sum_of(2, x, [](float a, float b) { return (a - b) * (a - b); })));
      } else if (distance == Distance::kCosine) {
        const double first = sum_of(2, 2, product), second = sum_of(x, x, product);
        const double rest = 1 - sum_of(2, x, product) / std::sqrt(first * second);
        ASSERT_EQ(one.at(x, 2), static_cast<float>(std::max(rest, 0.0)));
      }
    }
    EXPECT_EQ(one.at(2, 2), 0);
  }
}

// Ties, more columns than a power of two, and as many neighbors as samples.
TEST_P(Distances, NeighborsAreSortedByDistanceAndNumber) {
  Random random(5);
  constexpr int kBins = 5, kSamples = 300, kRows = 21;
  Image<float> samples = test::random_image<float>(random, kBins, kSamples);
  for (int y = 0; y < kSamples; ++y)  // few values, so that many are equally far
    for (int x = 0; x < kBins; ++x) samples.at(x, y) = samples.at(x, y) < 0.5F ? 0.F : 1.F;
  const Image<float> rows = clone(samples.view().crop(0, 0, kBins, kRows));
  for (const Distance distance : kDistances) {
    const Image<float> far = distances(distance, rows, samples);
    const auto engine = make_neighbor_engine({samples, distance, {.device = device()}});
    for (const int count : {1, 2, 10, 50, kSamples}) {
      Image<std::int32_t> nearest(count, kRows);
      engine->find(rows, nearest);
      for (int y = 0; y < kRows; ++y) {
        std::vector<std::int32_t> order(kSamples);
        std::iota(order.begin(), order.end(), 0);
        std::ranges::stable_sort(order, {}, [&](std::int32_t i) { return far.at(i, y); });
        ASSERT_TRUE(std::equal(nearest.row(y), nearest.row(y) + count, order.begin())) << count;
      }
    }
  }
}

TEST_P(Distances, MayLieOnTheDevice) {
  if (device().kind != DeviceKind::kCuda) GTEST_SKIP() << "host memory is tested above";
  Random random(6);
  const Image<float> rows = test::random_image<float>(random, 100, 20);
  const Image<float> there = clone(rows, Memory::kCuda);
  Image<float> result(20, 20, 1, Memory::kCuda);
  for (const Distance distance : kDistances) {
    histogram_distances(there, there, result, {.distance = distance, .exec = {.device = device()}});
    EXPECT_TRUE(test::images_equal(clone(result), distances(distance, rows, rows)));
  }
}

TEST(HistogramDistances, SayWhatIsWrong) {
  Image<float> rows(4, 3), others(5, 3), distances(3, 3);
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { histogram_distances(rows, others, distances.view()); }),
      HasSubstr("histograms of 4 and of 5 bins"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { histogram_distances(rows, rows, others.view()); }),
              HasSubstr("distances is 5x3x1"));
  Image<float> colored(4, 3, 2);
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { histogram_distances(colored, rows, distances.view()); }),
      HasSubstr("2 channels"));
}

}  // namespace
}  // namespace fovea::scenes
