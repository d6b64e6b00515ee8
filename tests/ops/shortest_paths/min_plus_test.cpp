#include "ops/shortest_paths/min_plus.h"

#include <fovea/core/random.h>
#include <fovea/ops/shortest_paths.h>

#include "ops/shortest_paths/min_plus_math.h"
#include "support/devices.h"

namespace fovea {
namespace {

using MinPlusPlaces = test::OnEveryPlace;

std::vector<float> noise(std::size_t count, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = random.below(7) == 0 ? kUnreachable : random.uniform(0, 9);
  return values;
}

TEST_P(MinPlusPlaces, TheProductIsTheTextbooks) {
  for (const int rows : {1, 3, 4, 9, 64})
    for (const int columns : {16, 48, 80})
      for (const int depth : {0, 1, 5, 64})
        for (const bool keep : {false, true}) {
          const std::ptrdiff_t stride = columns + 16;
          const auto a = noise(static_cast<std::size_t>(rows * (depth + 2)), 1);
          const auto b = noise(static_cast<std::size_t>(depth * stride), 2);
          auto c = noise(static_cast<std::size_t>(rows * stride), 3);
          auto expected = c;
          for (int i = 0; i < rows; ++i)
            for (int j = 0; j < columns; ++j) {
              float& least = expected[static_cast<std::size_t>(i * stride + j)];
              if (!keep) least = kUnreachable;
              for (int k = 0; k < depth; ++k)
                least = detail::relaxed(least, a[static_cast<std::size_t>(i * (depth + 2) + k)],
                                        b[static_cast<std::size_t>(k * stride + j)]);
            }
          cpu::min_plus({rows, columns, depth, a.data(), depth + 2, b.data(), stride, c.data(),
                         stride, keep});
          EXPECT_EQ(c, expected) << rows << "x" << columns << ", depth " << depth;
        }
}
FOVEA_ON_EVERY_PLACE(MinPlusPlaces);

TEST(MinPlus, HalvesOfTilesFollowEachOther) {
  EXPECT_EQ(detail::half_tile(0, 0), 0U);
  EXPECT_EQ(detail::half_tile(1, 0), detail::kPathTileSize);
  EXPECT_EQ(detail::half_tile(2, 1), 4 * detail::kPathTileSize);
  EXPECT_EQ(detail::half_index(65, 3), detail::kPathTileSize + 64 + 3);
  EXPECT_EQ(detail::path_tiles(0), 0);
  EXPECT_EQ(detail::path_tiles(65), 2);
}

TEST(MinPlus, StepsAreCounted) {
  EXPECT_GT(cpu::min_plus_steps(10, {.threads = 1}), 0);
  EXPECT_EQ(cpu::min_plus_steps(10, {.threads = 2}), 2 * cpu::min_plus_steps(10, {.threads = 1}));
}

}  // namespace
}  // namespace fovea
