// Random ground distances and histograms of every kind that is difficult for solvers, for
// comparison with other solvers.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/random.h>
#include <fovea/emd/ground.h>

#include <cstdint>
#include <vector>

namespace fovea::emd::random_problems {

inline int between(Random& random, int least, int most) {
  return least + static_cast<int>(random.below(static_cast<std::uint32_t>(most - least + 1)));
}

// Returns a random ground distance: metric or not, and with or without many equal costs.
inline GroundDistance random_ground(Random& random, int rows, int columns) {
  const int kind = between(random, 0, 8);
  if (rows == columns && kind < 6) {
    switch (kind) {
      case 0: return GroundDistance::l1(rows);
      case 1: return GroundDistance::thresholded(rows, between(random, 1, rows));
      case 2: return GroundDistance::squared(rows);
      case 3: return GroundDistance::circular(rows);
      case 4: return GroundDistance::discrete(rows);
      default: break;
    }
    std::vector<float> points(3 * static_cast<std::size_t>(rows));
    for (float& coordinate : points) coordinate = random.uniform(0, 100);
    return GroundDistance::between(points, points, 3, 60);
  }
  const int most = kind == 6 ? 3 : kind == 7 ? 1000 : 1000000;
  std::vector<double> costs(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  for (double& cost : costs) cost = between(random, 0, most);
  return {rows, columns, costs};
}

// Distributes `mass` units over some of the bins, in lumps if `lump` > 1.
template <class Mass>
void random_histogram(Random& random, Mass* to, int bins, int mass, int lump) {
  const int used = between(random, 1, bins), first = between(random, 0, bins - 1);
  for (int i = 0; i < bins; ++i) to[i] = 0;
  while (mass > 0) {
    const int more = mass < lump ? mass : lump;
    auto& bin = to[(first + between(random, 0, used - 1) * 7) % bins];
    bin = static_cast<Mass>(bin + static_cast<Mass>(more));
    mass -= more;
  }
}

// Pairs of one shape: with equal masses, with unequal masses, degenerate, or with empty bins.
template <class Mass>
struct Pairs {
  Image<Mass> first, second;
};
template <class Mass>
Pairs<Mass> random_pairs(Random& random, const GroundDistance& ground, int count) {
  Pairs<Mass> pairs{Image<Mass>(ground.rows(), count), Image<Mass>(ground.columns(), count)};
  for (int k = 0; k < count; ++k) {
    const int mass = between(random, 1, 121), lump = between(random, 0, 1) == 0 ? 1 : 11;
    const int other = between(random, 0, 2) == 0 ? between(random, 1, 121) : mass;
    random_histogram(random, pairs.first.row(k), ground.rows(), mass, lump);
    random_histogram(random, pairs.second.row(k), ground.columns(), other, lump);
  }
  return pairs;
}

}  // namespace fovea::emd::random_problems
