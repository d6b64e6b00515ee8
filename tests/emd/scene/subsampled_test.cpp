#include "emd/scene/subsampled.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fovea::emd {
namespace {

float numbered(int x, int y, int band) { return static_cast<float>(x + 100 * y + 10000 * band); }

Stack<float> numbered_cube(int width, int height, int bands) {
  Stack<float> cube(width, height, bands);
  for (int b = 0; b < bands; ++b)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) cube.plane(b).at(x, y) = numbered(x, y, b);
  return cube;
}

TEST(SceneSubsampled, PartsHoldEveryStepthPixelOfEveryStepthRow) {
  const Stack<float> cube = numbered_cube(11, 14, 3);
  for (const int step : {2, 3, 20}) {
    const Extent size = subsampled_size(cube, step);
    EXPECT_EQ(size.width, (11 + step - 1) / step);
    EXPECT_EQ(size.height, (14 + step - 1) / step);
    for (const std::int64_t most : {1, 40, 1000}) {  // a row at a time, a few, all of them
      const int most_rows = std::max(1, static_cast<int>(most) / (3 * size.width));
      int rows = 0;
      for_subsampled(cube, {.step = step, .most_values = most, .exec = {.threads = 2}},
                     [&](StackView<const float> part, int first) {
                       EXPECT_EQ(first, rows);
                       ASSERT_EQ(part.width, size.width);
                       ASSERT_LE(part.height, most_rows);
                       for (int b = 0; b < 3; ++b)
                         for (int y = 0; y < part.height; ++y)
                           for (int x = 0; x < part.width; ++x)
                             EXPECT_EQ(part.plane(b).at(x, y),
                                       numbered(x * step, (first + y) * step, b));
                       rows += part.height;
                     });
      EXPECT_EQ(rows, size.height);
    }
  }
}

TEST(SceneSubsampled, AStepOfOneCopiesNothing) {
  const Stack<float> cube = numbered_cube(5, 4, 2);
  int calls = 0;
  for_subsampled(cube, {.most_values = 1}, [&](StackView<const float> part, int first) {
    EXPECT_EQ(part.data, cube.view().data);
    EXPECT_EQ(part.height, 4);
    EXPECT_EQ(first, 0);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace fovea::emd
