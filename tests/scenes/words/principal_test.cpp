#include "scenes/words/principal.h"

#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/images.h"

namespace fovea::scenes {
namespace {

// Deviations 3 along (0.6, 0.8, 0), 1 along (-0.8, 0.6, 0), and nothing along the third number.
TEST(PrincipalAxes, OfPointsInAPlane) {
  Image<float> points(3, 4);
  const double along[4] = {3, -3, 0, 0}, across[4] = {0, 0, 1, -1};
  for (int y = 0; y < 4; ++y) {
    points.at(0, y) = static_cast<float>(5 + 0.6 * along[y] - 0.8 * across[y]);
    points.at(1, y) = static_cast<float>(0.8 * along[y] + 0.6 * across[y]);
    points.at(2, y) = 7;
  }
  const PrincipalAxes axes = principal_axes(points, {});
  EXPECT_NEAR(axes.mean[0], 5, 1e-6);
  EXPECT_NEAR(axes.variances[0], 4.5, 1e-5);
  EXPECT_NEAR(axes.variances[1], 0.5, 1e-5);
  EXPECT_NEAR(axes.variances[2], 0, 1e-9);
  EXPECT_NEAR(axes.axes.at(0, 0), 0.6, 1e-5);
  EXPECT_NEAR(axes.axes.at(1, 0), 0.8, 1e-5);
  EXPECT_NEAR(axes.axes.at(0, 1), 0.8, 1e-5);  // the greatest number is positive
  EXPECT_NEAR(axes.axes.at(2, 2), 1, 1e-9);
}

TEST(PrincipalAxes, AreOrthonormalAndTheSameForAnyNumberOfThreads) {
  Random random(4);
  Image<float> points(40, 300);
  for (int y = 0; y < points.height(); ++y)
    for (int x = 0; x < points.width(); ++x)
      points.at(x, y) = random.uniform() * static_cast<float>(1 + x % 5) +
                        (x > 0 ? 0.5F * points.at(x - 1, y) : 0.0F);
  const PrincipalAxes axes = principal_axes(points, {.threads = 1});
  double all = 0, sum = 0;
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 40; ++k) {
      double product = 0;
      for (int x = 0; x < 40; ++x) product += axes.axes.at(x, i) * axes.axes.at(x, k);
      ASSERT_NEAR(product, i == k ? 1 : 0, 1e-9);
    }
    for (int y = 0; y < 300; ++y)
      all += std::pow(points.at(i, y) - axes.mean[static_cast<std::size_t>(i)], 2) / 300;
    sum += axes.variances[static_cast<std::size_t>(i)];
    if (i > 0) {
      EXPECT_LE(axes.variances[static_cast<std::size_t>(i)],
                axes.variances[static_cast<std::size_t>(i - 1)]);
    }
  }
  EXPECT_NEAR(sum / all, 1, 1e-9);
  const PrincipalAxes again = principal_axes(points, {.threads = 3});
  EXPECT_EQ(again.variances, axes.variances);
  EXPECT_TRUE(test::images_equal(again.axes, axes.axes));
}

TEST(PrincipalAxes, OfEqualPoints) {
  Image<float> points(2, 3);
  for (int y = 0; y < 3; ++y) points.at(0, y) = points.at(1, y) = 2;
  EXPECT_EQ(principal_axes(points, {}).variances, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace fovea::scenes
