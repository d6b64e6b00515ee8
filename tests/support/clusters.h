// Points for tests of k-means and nearest centers.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/random.h>

namespace fovea::test {

// Drawn evenly; in clusters far from the origin; whole numbers, so that distances tie; many equal
// points; numbers of very different size.
enum class Points : unsigned char { kEven, kClusters, kWhole, kRepeated, kUneven };
constexpr int kPointKinds = 5;

inline Image<float> random_points(Random& random, Points kind, int dimensions, int count) {
  Image<float> points(dimensions, count);
  for (int p = 0; p < count; ++p) {
    const std::uint32_t cluster = random.below(12);
    for (int i = 0; i < dimensions; ++i) {
      float& number = points.row(p)[i];
      switch (kind) {
        case Points::kEven: number = random.uniform(-1, 1); break;
        case Points::kClusters:
          number = 100 + static_cast<float>((cluster * 7 + static_cast<std::uint32_t>(i)) % 13) +
                   0.3F * random.normal();
          break;
        case Points::kWhole: number = static_cast<float>(random.below(4)); break;
        case Points::kRepeated:
          number = static_cast<float>((cluster + static_cast<std::uint32_t>(i)) % 5);
          break;
        case Points::kUneven: number = random.normal() * (i % 3 == 0 ? 1e4F : 1e-3F); break;
      }
    }
  }
  return points;
}

}  // namespace fovea::test
