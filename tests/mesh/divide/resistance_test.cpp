#include "mesh/divide/resistance.h"

#include "mesh/shapes.h"

namespace fovea::mesh {
namespace {

TEST(RoundsByLength, GrowWithTheFaces) {
  const DualGraph coarse = dual_graph(test::sphere(3));
  const DualGraph fine = dual_graph(test::sphere(4));
  EXPECT_NEAR(rounds_by_length(fine, 4) / rounds_by_length(coarse, 4), 4, 0.05);
  EXPECT_NEAR(rounds_by_length(fine, 4), 4 * 5120 / 10000.0, 0.05);
}

TEST(SpectralPoints, AreDividedByAPowerOfTheValues) {
  Spectrum spectrum;
  spectrum.values = {0, 1, 4};
  spectrum.vectors = {1, 0.5, 0.25, 1, -0.5, 2};
  const Points points = spectral_points(spectrum, {1, 2}, 3, 0.5);
  EXPECT_EQ(points.dimensions, 2);
  EXPECT_EQ(points.numbers, (std::vector<double>{0.5, 0.125, -0.5, 1}));
}

// Four slow modes after the constant one, then values that grow as those of a plain surface.
TEST(ChooseCount, IsWhereTheValuesLeap) {
  Spectrum spectrum;
  spectrum.values = {0, 0.08, 0.09, 0.1, 0.11};
  for (int mode = 5; mode < 25; ++mode) spectrum.values.push_back(mode / 24.0 + 0.2);
  EXPECT_EQ(choose_count(spectrum, 20, 1), 5);
  EXPECT_LE(choose_count(spectrum, 3, 1), 3);
  for (double& value : spectrum.values) value *= 1000;  // the unit does not matter
  EXPECT_EQ(choose_count(spectrum, 20, 1), 5);
}

// The slowest mode of a body without necks is not much slower than the others.
TEST(ChooseCount, ABodyWithoutNecksIsWhole) {
  Spectrum spectrum;
  spectrum.values = {0};
  for (int mode = 1; mode < 25; ++mode) spectrum.values.push_back(0.2 + mode / 30.0);
  EXPECT_EQ(choose_count(spectrum, 20, 0.125), 1);
  EXPECT_GT(choose_count(spectrum, 20, 1), 1);
  spectrum.values[1] = 0.1;
  EXPECT_GT(choose_count(spectrum, 20, 0.125), 1);
}

// Nothing tells parts of a convex solid apart.
TEST(ChooseCount, AConvexSolidIsOnePart) {
  EXPECT_EQ(segment(test::sphere(3)).count, 1);
  EXPECT_EQ(segment(test::cube()).count, 1);
}

}  // namespace
}  // namespace fovea::mesh
