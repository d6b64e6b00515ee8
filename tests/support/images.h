// Pictures for tests: random pixels, random sizes, and comparisons that say where two images
// differ.
#pragma once
#include <fovea/core/image.h>
#include <fovea/core/random.h>
#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>

namespace fovea::test {

struct Size {
  int width, height;
};

// From 1x1 up to `most`, small and odd sizes often: where border and tail code lives.
inline Size random_size(Random& random, int most = 70) {
  const auto side = [&] {
    return 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(most)));
  };
  return {side(), side()};
}

// Whole range for integers, [0, 1) for floating point.
template <class T>
Image<T> random_image(Random& random, int width, int height, int channels = 1) {
  Image<T> image(width, height, channels);
  for (int y = 0; y < height; ++y) {
    for (int i = 0; i < width * channels; ++i) {
      if constexpr (std::is_floating_point_v<T>) image.row(y)[i] = static_cast<T>(random.uniform());
      else image.row(y)[i] = static_cast<T>(random.bits());
    }
  }
  return image;
}

// Every pixel equal to within `tolerance`; the first difference is named.
template <class A, class B>
testing::AssertionResult images_equal(ImageView<A> a, ImageView<B> b, double tolerance = 0) {
  if (a.width != b.width || a.height != b.height || a.channels != b.channels)
    return testing::AssertionFailure()
           << "shapes differ: " << detail::shape_text(a) << " and " << detail::shape_text(b);
  for (int y = 0; y < a.height; ++y) {
    for (int i = 0; i < a.row_elements(); ++i) {
      const auto va = a.row(y)[i];
      const auto vb = b.row(y)[i];
      const bool equal =
          tolerance == 0 ? va == vb
                         : std::abs(static_cast<double>(va) - static_cast<double>(vb)) <= tolerance;
      if (!equal)
        return testing::AssertionFailure()
               << "element " << i << " of row " << y << " of " << detail::shape_text(a) << ": "
               << +va << " and " << +vb;
    }
  }
  return testing::AssertionSuccess();
}
template <class A, class B>
testing::AssertionResult images_equal(const Image<A>& a, const Image<B>& b, double tolerance = 0) {
  return images_equal(a.view(), b.view(), tolerance);
}

}  // namespace fovea::test
