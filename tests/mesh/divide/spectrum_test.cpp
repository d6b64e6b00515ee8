#include "mesh/divide/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace fovea::mesh {
namespace {

// A closed ring of n nodes has values 2 - 2 cos(2 pi j / n), each but the first twice.
TEST(SlowestModes, OfARing) {
  Network ring;
  const int n = 50;
  for (int i = 0; i + 1 < n; ++i) ring.links.push_back({i, i + 1, 1});
  ring.links.push_back({0, n - 1, 1});
  ring.masses.assign(n, 1);
  const Spectrum spectrum = slowest_modes(ring, 7);
  ASSERT_EQ(spectrum.values.size(), 7U);
  for (std::size_t mode = 0; mode < 7; ++mode) {
    const double wave = 2 * std::numbers::pi * static_cast<double>((mode + 1) / 2) / n;
    EXPECT_NEAR(spectrum.values[mode], 2 - 2 * std::cos(wave), 1e-7);
  }
  for (std::size_t node = 1; node < n; ++node)
    EXPECT_NEAR(spectrum.at(node, 0), spectrum.at(0, 0), 1e-6);
}

TEST(SlowestModes, SolveTheEquationAndAreOrthonormal) {
  Network network;
  for (int y = 0; y < 9; ++y) {
    for (int x = 0; x < 14; ++x) {
      if (x + 1 < 14) network.links.push_back({y * 14 + x, y * 14 + x + 1, 1.0 + 0.1 * x});
      if (y + 1 < 9) network.links.push_back({y * 14 + x, y * 14 + x + 14, 2.0 + 0.3 * y});
      network.masses.push_back(0.5 + 0.1 * ((x + y) % 5));
    }
  }
  const Spectrum spectrum = slowest_modes(network, 6);
  const std::size_t nodes = network.masses.size();
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::size_t node = 0; node < nodes; ++node)
        product += spectrum.at(node, i) * network.masses[node] * spectrum.at(node, j);
      EXPECT_NEAR(product, i == j ? 1 : 0, 1e-6);
    }
    std::vector<double> left(nodes, 0);
    for (const Conductance& link : network.links) {
      const auto a = static_cast<std::size_t>(link.a);
      const auto b = static_cast<std::size_t>(link.b);
      const double current = link.value * (spectrum.at(a, i) - spectrum.at(b, i));
      left[a] += current;
      left[b] -= current;
    }
    for (std::size_t node = 0; node < nodes; ++node)
      EXPECT_NEAR(left[node], spectrum.values[i] * network.masses[node] * spectrum.at(node, i),
                  1e-3 * (spectrum.values[i] + 1e-3));
  }
}

// Values converge sooner than vectors.
TEST(SlowestModes, HaveGoodValuesWithALooseTolerance) {
  Network grid;
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 20; ++x) {
      if (x + 1 < 20) grid.links.push_back({y * 20 + x, y * 20 + x + 1, 1.0 + 0.1 * (x % 7)});
      if (y + 1 < 20) grid.links.push_back({y * 20 + x, y * 20 + x + 20, 1.5});
      grid.masses.push_back(1);
    }
  }
  const Spectrum exact = slowest_modes(grid, 20, 1e-9);
  const Spectrum loose = slowest_modes(grid, 20, 0.02);
  for (std::size_t mode = 1; mode < 20; ++mode)
    EXPECT_NEAR(loose.values[mode] / exact.values[mode], 1, 2e-3) << mode;
}

TEST(SlowestModes, AreAsManyAsNodesAtMost) {
  Network two;
  two.links = {{0, 1, 3}};
  two.masses = {1, 1};
  const Spectrum spectrum = slowest_modes(two, 9);
  ASSERT_EQ(spectrum.values.size(), 2U);
  EXPECT_NEAR(spectrum.values[1], 6, 1e-5);
}

// Conductances many powers of ten apart are looked at a few times, not once per dozen vectors.
TEST(SlowestModes, ANetworkWithoutMeasureEndsWithSoundModes) {
  Network ring;
  const int n = 400;
  for (int i = 0; i < n; ++i) {
    ring.links.push_back({std::min(i, (i + 1) % n), std::max(i, (i + 1) % n),
                          std::pow(10.0, 15 * std::sin(1.7 * i * i))});
    ring.masses.push_back(std::pow(10.0, 4 * std::cos(2.3 * i * i)));
  }
  const Spectrum spectrum = slowest_modes(ring, 12);
  ASSERT_EQ(spectrum.values.size(), 12U);
  for (std::size_t mode = 0; mode < 12; ++mode) {
    EXPECT_TRUE(std::isfinite(spectrum.values[mode]) && spectrum.values[mode] >= 0) << mode;
    for (std::size_t node = 0; node < n; ++node)
      ASSERT_TRUE(std::isfinite(spectrum.at(node, mode))) << node;
  }
}

}  // namespace
}  // namespace fovea::mesh
