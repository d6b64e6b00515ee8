// Small cubes whose every sample can be told.
#pragma once
#include <fovea/io/cube_io.h>
#include <gtest/gtest.h>

namespace fovea::test {

template <class T>
T cube_value(int x, int y, int band) {
  const int value = x + 10 * y + 37 * band;
  return static_cast<T>(std::is_signed_v<T> ? (value % 2 == 0 ? value / 2 : -value / 2) : value);
}

// Values of T in samples of As.
template <class T, class As = T>
io::Cube make_test_cube(int width, int height, int bands) {
  Stack<As> stack(width, height, bands);
  for (int b = 0; b < bands; ++b)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        stack.plane(b).at(x, y) = static_cast<As>(cube_value<T>(x, y, b));
  return {std::move(stack), {}};
}

// Sides, type and samples.
inline testing::AssertionResult cubes_equal(const io::Cube& found, const io::Cube& wanted) {
  if (found.type() != wanted.type() || found.width() != wanted.width() ||
      found.height() != wanted.height() || found.count() != wanted.count())
    return testing::AssertionFailure() << found.width() << "x" << found.height() << "x"
                                       << found.count() << " of " << io::to_string(found.type());
  return std::visit(
      [&]<class T>(const Stack<T>& stack) -> testing::AssertionResult {
        const auto& other = std::get<Stack<T>>(wanted.bands);
        for (int b = 0; b < stack.count(); ++b)
          for (int y = 0; y < stack.height(); ++y)
            for (int x = 0; x < stack.width(); ++x)
              if (stack.plane(b).at(x, y) != other.plane(b).at(x, y))
                return testing::AssertionFailure()
                       << +stack.plane(b).at(x, y) << " instead of " << +other.plane(b).at(x, y)
                       << " at " << x << ", " << y << " of band " << b;
        return testing::AssertionSuccess();
      },
      found.bands);
}

}  // namespace fovea::test
