#include <fovea/core/error.h>
#include <fovea/mesh/shape_diameter.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "mesh/shapes.h"
#include "support/files.h"

namespace fovea::mesh {
namespace {

TEST(ShapeDiameter, OneRayCrossesACube) {
  const std::vector<float> found = shape_diameters(test::cube(), {.rays = 1, .smoothing = 0});
  ASSERT_EQ(found.size(), 12U);
  for (const float diameter : found) EXPECT_NEAR(diameter, 1, 1e-6);
}

// In a ball of radius 1 a ray at an angle t to the middle is 2 cos t long. Beyond 45 degrees it
// meets a normal that looks the same way as its own, and does not count. The rays fill the cone
// evenly, those within a deviation of the median count, and their weights are 1 / t.
TEST(ShapeDiameter, IsTheRobustMeanOfChordsInABall) {
  constexpr int kRays = 100;
  std::vector<double> angles, lengths;
  for (int i = 0; i < kRays; ++i) {
    const double t = std::acos(1 - (i + 0.5) / kRays * 0.5);
    if (t >= std::numbers::pi / 4) continue;
    angles.push_back(t);
    lengths.push_back(2 * std::cos(t));
  }
  const auto count = static_cast<double>(lengths.size());
  const double mean = std::accumulate(lengths.begin(), lengths.end(), 0.0) / count;
  double square = 0;
  for (const double length : lengths) square += (length - mean) * (length - mean);
  std::vector<double> sorted = lengths;
  std::sort(sorted.begin(), sorted.end());
  const double median = (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
  double sum = 0, weights = 0;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    if (std::abs(lengths[i] - median) > std::sqrt(square / count)) continue;
    sum += lengths[i] / angles[i];
    weights += 1 / angles[i];
  }
  const std::vector<float> found =
      shape_diameters(test::sphere(2), {.rays = kRays, .smoothing = 0});
  for (const float diameter : found) EXPECT_NEAR(diameter, sum / weights, 0.07);
}

TEST(ShapeDiameter, TellsThinPartsFromThickOnes) {
  const io::TriangleMesh mesh = test::dumbbell(40, 16);
  const std::vector<float> found = shape_diameters(mesh);
  for (std::size_t face = 0; face < found.size(); ++face) {
    float z = 0;
    for (const std::int32_t corner : mesh.faces[face])
      z += mesh.vertices[static_cast<std::size_t>(corner)][2] / 3;
    if (std::abs(z) < 0.3F) {
      EXPECT_LT(found[face], 0.9F) << z;
    }
    if (std::abs(std::abs(z) - 1.5F) < 0.3F) {
      EXPECT_GT(found[face], 1.2F) << z;
    }
  }
}

TEST(ShapeDiameter, AnOpenSheetHasNone) {
  for (const float diameter : shape_diameters(test::sheet(3))) EXPECT_EQ(diameter, 0);
}

TEST(ShapeDiameter, IsTheSameForAnyNumberOfThreadsAndScales) {
  io::TriangleMesh mesh = test::bumpy(2);
  ShapeDiameterOptions options;
  options.exec.threads = 1;
  const std::vector<float> one = shape_diameters(mesh, options);
  options.exec.threads = 3;
  EXPECT_EQ(shape_diameters(mesh, options), one);
  for (io::Vertex& vertex : mesh.vertices)
    for (float& x : vertex) x *= 1024;
  const std::vector<float> larger = shape_diameters(mesh, options);
  for (std::size_t face = 0; face < one.size(); ++face)
    EXPECT_NEAR(larger[face], 1024 * one[face], 0.01 * 1024 * one[face]);
}

TEST(ShapeDiameter, OptionsAreChecked) {
  EXPECT_THROW(shape_diameters(test::cube(), {.rays = 0}), InvalidArgument);
  EXPECT_THROW(shape_diameters(test::cube(), {.cone = 180}), InvalidArgument);
}

TEST(ShapeDiameter, NormalizedFromThinToThick) {
  const std::vector<float> found = normalized_diameters(std::vector<float>{2, 3, 6});
  EXPECT_FLOAT_EQ(found[0], 0);
  EXPECT_FLOAT_EQ(found[1], static_cast<float>(std::log(2.0) / std::log(5.0)));
  EXPECT_FLOAT_EQ(found[2], 1);
  EXPECT_EQ(normalized_diameters(std::vector<float>{4, 4}), (std::vector<float>{0, 0}));
  EXPECT_TRUE(normalized_diameters({}).empty());
}

}  // namespace
}  // namespace fovea::mesh
