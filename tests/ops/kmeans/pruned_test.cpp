#include "ops/kmeans/pruned.h"

#include <fovea/core/exec.h>
#include <fovea/core/random.h>

#include <algorithm>
#include <numeric>

#include "ops/kmeans/backend.h"
#include "ops/kmeans/distances.h"
#include "support/devices.h"
#include "support/images.h"

namespace fovea {
namespace {

class Pruned : public test::OnEveryPlace {
 protected:
  void SetUp() override {
    test::OnEveryPlace::SetUp();
    if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "a means of the CPU";
  }
};
FOVEA_ON_EVERY_PLACE(Pruned);

struct Data {
  Image<float> points, centers;
};

// Points around some of the centers; many are equally far from two where numbers are coarse.
Data clustered(Random& random, int dimensions, float unit, float offset) {
  Data data{Image<float>(dimensions, 700), Image<float>(dimensions, 60)};
  for (int c = 0; c < 60; ++c)
    for (int i = 0; i < dimensions; ++i)
      data.centers.row(c)[i] = offset + unit * static_cast<float>(random.below(12));
  for (int p = 0; p < 700; ++p)
    for (int i = 0; i < dimensions; ++i)
      data.points.row(p)[i] =
          data.centers.row(p % 50)[i] + unit * (static_cast<float>(random.below(3)) - 1) / 2;
  return data;
}

std::vector<std::int32_t> plain(const Data& data) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(data.points.height()));
  cpu::nearest_of_rows(cpu::prepare_centers(data.centers), data.points, labels.data());
  return labels;
}

// The nearest centers by way of guesses.
std::vector<std::int32_t> by_guesses(const Data& data, const std::vector<std::int32_t>& guesses) {
  const auto prepared = cpu::prepare_centers(data.centers);
  const cpu::PrunedSearch search(data.points, data.centers, prepared);
  std::vector<float> distances(guesses.size());
  cpu::squared_distances(data.points, data.centers, guesses.data(), distances.data());
  std::vector<std::int32_t> labels(guesses.size(), -2);
  cpu::PrunedSearch::Scratch scratch;
  for (std::int32_t c = 0; c < data.centers.height(); ++c) {
    std::vector<std::int32_t> order;
    for (std::size_t p = 0; p < guesses.size(); ++p)
      if (guesses[p] == c) order.push_back(static_cast<std::int32_t>(p));
    if (order.empty()) continue;
    std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return distances[static_cast<std::size_t>(a)] < distances[static_cast<std::size_t>(b)];
    });
    std::vector<std::int32_t> found(order.size());
    search.find({c, order, distances.data()}, scratch, found.data());
    for (std::size_t i = 0; i < order.size(); ++i)
      labels[static_cast<std::size_t>(order[i])] = found[i];
  }
  return labels;
}

TEST_P(Pruned, FindsWhatTheWholeSearchFinds) {
  Random random(1);
  for (const int dimensions : {1, 2, 5, 32, 70})
    for (const float unit : {1.F, 0.3F, 1e-22F, 1e7F})
      for (const float offset : {0.F, 1.F, 5000.F}) {
        const Data data = clustered(random, dimensions, unit, offset * unit);
        const auto expected = plain(data);
        EXPECT_EQ(by_guesses(data, expected), expected) << dimensions << " " << unit;
        std::vector<std::int32_t> guesses(expected.size());
        for (auto& guess : guesses) guess = static_cast<std::int32_t>(random.below(60));
        EXPECT_EQ(by_guesses(data, guesses), expected) << dimensions << " " << unit;
      }
}

TEST_P(Pruned, EqualCentersGiveTheFirst) {
  Random random(2);
  Data data = clustered(random, 4, 1, 0);
  for (int c = 30; c < 60; ++c) std::copy_n(data.centers.row(c - 30), 4, data.centers.row(c));
  const auto expected = plain(data);
  EXPECT_LT(*std::max_element(expected.begin(), expected.end()), 30);
  std::vector<std::int32_t> guesses(expected);
  for (auto& guess : guesses) guess += 30;
  EXPECT_EQ(by_guesses(data, guesses), expected);
}

TEST_P(Pruned, LooksAtFewOfDistantClusters) {
  Data data{Image<float>(2, 6400), Image<float>(2, 100)};
  Random random(3);
  for (int c = 0; c < 100; ++c) {
    data.centers.row(c)[0] = static_cast<float>(c % 10) * 10;
    data.centers.row(c)[1] = static_cast<float>(c / 10) * 10;
  }
  std::vector<std::int32_t> order;
  for (int p = 0; p < 6400; ++p) {
    for (int i = 0; i < 2; ++i)
      data.points.row(p)[i] = data.centers.row(p % 100)[i] + random.uniform();
    if (p % 100 == 55) order.push_back(p);
  }
  std::vector<std::int32_t> guesses(6400), found(order.size());
  for (int p = 0; p < 6400; ++p) guesses[static_cast<std::size_t>(p)] = p % 100;
  std::vector<float> distances(6400);
  cpu::squared_distances(data.points, data.centers, guesses.data(), distances.data());
  const auto prepared = cpu::prepare_centers(data.centers);
  cpu::PrunedSearch::Scratch scratch;
  const auto scores = cpu::PrunedSearch(data.points, data.centers, prepared)
                          .find({55, order, distances.data()}, scratch, found.data());
  EXPECT_EQ(scores, static_cast<std::int64_t>(order.size()));
  EXPECT_THAT(found, testing::Each(55));
}

// The engine's own use of it, iteration after iteration.
TEST_P(Pruned, EveryIterationOfKmeansIsExact) {
  Random random(4);
  for (const int dimensions : {2, 9}) {
    Data data = clustered(random, dimensions, 0.25F, 1);
    Image<float> points(dimensions, 7000);
    for (int p = 0; p < 7000; ++p)
      for (int i = 0; i < dimensions; ++i)
        points.row(p)[i] = data.points.row(p % 700)[i] + 0.01F * static_cast<float>(p / 700);
    data.points = std::move(points);
    const auto engine = cpu::make_kmeans_engine(data.points, {.threads = 2});
    engine->set_scales({std::vector<double>(static_cast<std::size_t>(dimensions), 0x1p30), 0x1p30});
    std::vector<std::int32_t> start(60);
    std::iota(start.begin(), start.end(), 0);
    engine->start_at(start);
    for (int step = 0; step < 12; ++step) {
      engine->read_centers(data.centers);
      engine->step(true);
      const auto labels = engine->labels();
      ASSERT_EQ(std::vector(labels.begin(), labels.end()), plain(data)) << step;
      std::vector<std::int64_t> counts(60);
      for (const auto label : labels) ++counts[static_cast<std::size_t>(label)];
      const auto given = engine->counts();
      ASSERT_EQ(std::vector(given.begin(), given.end()), counts);
    }
  }
}

}  // namespace
}  // namespace fovea
