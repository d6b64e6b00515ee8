// Covers: assign, nearest_centers
#include "ops/kmeans/nearest.h"

#include <fovea/core/error.h>
#include <fovea/ops/kmeans.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>

#include "reference/kmeans.h"
#include "support/devices.h"
#include "support/images.h"
#include "support/messages.h"

namespace fovea {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class Nearest : public test::OnEveryPlace {
 protected:
  Exec exec() const { return {.device = device()}; }
};
FOVEA_ON_EVERY_PLACE(Nearest);

// Quarters up to 2: products and sums are exact, so that ties are ties on every machine.
Image<float> quarters(Random& random, int width, int height) {
  Image<float> image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) image.row(y)[x] = static_cast<float>(random.below(17)) / 4 - 2;
  return image;
}

TEST_P(Nearest, EqualsTextbookForAnyCounts) {
  Random random(1);
  for (int round = 0; round < 60; ++round) {
    const int dimensions = 1 + static_cast<int>(random.below(round % 4 == 0 ? 130 : 9));
    const int centers = 1 + static_cast<int>(random.below(round % 3 == 0 ? 300 : 20));
    const auto c = quarters(random, dimensions, centers);
    const auto points =
        quarters(random, dimensions, 1 + static_cast<int>(random.below(round % 5 == 0 ? 900 : 70)));
    NearestCenter nearest(c, exec());
    ASSERT_EQ(nearest.find(points), reference::nearest(points, c))
        << points.height() << " points, " << centers << " centers of " << dimensions;
  }
}

// Groups of near centers and runs of like points: what shortcuts are made for.
TEST_P(Nearest, EqualsTextbookForClusteredPoints) {
  Random random(2);
  for (const int dimensions : {2, 7, 32}) {
    Image<float> centers(dimensions, 400), points(dimensions, 3000);
    for (int c = 0; c < centers.height(); ++c)
      for (int i = 0; i < dimensions; ++i)
        centers.row(c)[i] =
            static_cast<float>((c % 20 * 7 + i) % 11) * 2 + static_cast<float>(random.below(9)) / 8;
    for (int p = 0; p < points.height(); ++p)
      for (int i = 0; i < dimensions; ++i)
        points.row(p)[i] = centers.row(p / 8 % 400)[i] + static_cast<float>(random.below(5)) / 8;
    NearestCenter nearest(centers, exec());
    ASSERT_EQ(nearest.find(points), reference::nearest(points, centers)) << dimensions;
  }
}

TEST_P(Nearest, TakesTheFirstAmongEquals) {
  Random random(3);
  const auto once = quarters(random, 5, 40);
  Image<float> twice(5, 120);
  for (int c = 0; c < 120; ++c) std::copy_n(once.row(c % 40), 5, twice.row(c));
  NearestCenter nearest(twice, exec());
  const auto labels = nearest.find(twice);
  const auto expected = reference::nearest(once, once);
  for (std::size_t p = 0; p < labels.size(); ++p) ASSERT_EQ(labels[p], expected[p % 40]);
}

TEST_P(Nearest, PlanesAndRowsAgree) {
  if (device().kind == DeviceKind::kCuda) GTEST_SKIP() << "planes are for the CPU alone";
  Random random(4);
  for (const int count : {1, 3, 24, 25, 95, 96, 97, 1000}) {
    const auto centers = quarters(random, 13, 77);
    const auto points = quarters(random, 13, count);
    const std::ptrdiff_t stride = count + 5;
    std::vector<float> planes(13 * static_cast<std::size_t>(stride),
                              std::numeric_limits<float>::quiet_NaN());
    for (int p = 0; p < count; ++p)
      for (int i = 0; i < 13; ++i)
        planes[static_cast<std::size_t>(i * stride + p)] = points.row(p)[i];
    std::vector<std::int32_t> labels(static_cast<std::size_t>(count) + 1, -7);
    cpu::nearest_centers(cpu::prepare_centers(centers), {planes.data(), stride, count},
                         labels.data());
    EXPECT_EQ(labels.back(), -7);
    labels.pop_back();
    EXPECT_EQ(labels, reference::nearest(points, centers)) << count;
  }
}

TEST_P(Nearest, PointsOnTheDeviceGiveLabelsThere) {
  Random random(5);
  const auto centers = quarters(random, 32, 50), points = quarters(random, 32, 333);
  const Memory memory = device().kind == DeviceKind::kCuda ? Memory::kCuda : Memory::kHost;
  NearestCenter nearest(clone(centers, memory), exec());
  EXPECT_EQ(nearest.centers(), 50);
  EXPECT_EQ(nearest.dimensions(), 32);
  EXPECT_EQ(nearest.find(clone(points, memory)), reference::nearest(points, centers));
}

TEST_P(Nearest, RefusesWhatDoesNotFit) {
  Image<float> centers(3, 2);
  for (int c = 0; c < 2; ++c) std::fill_n(centers.row(c), 3, 1.F);
  NearestCenter nearest(centers, exec());
  const Image<float> other(4, 5);
  EXPECT_THAT([&] { nearest.find(other); },
              ThrowsMessage<InvalidArgument>(test::says("4x5x1", "3x5x1")));
  std::vector<std::int32_t> labels(4);
  EXPECT_THAT([&] { nearest.find(Image<float>(3, 5), labels); },
              ThrowsMessage<InvalidArgument>(HasSubstr("4 labels for 5 points")));
  EXPECT_TRUE(nearest.find(Image<float>(3, 0)).empty());
  EXPECT_THAT([&] { NearestCenter(Image<float>(3, 0), exec()); },
              ThrowsMessage<InvalidArgument>(HasSubstr("0 centers")));
  centers.row(1)[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT([&] { NearestCenter(centers, exec()); },
              ThrowsMessage<InvalidArgument>(HasSubstr("number 2 of center 1 is nan")));
}

}  // namespace
}  // namespace fovea
