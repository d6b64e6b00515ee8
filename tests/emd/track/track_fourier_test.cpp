#include "emd/track/track_fourier.h"

#include <fovea/core/random.h>
#include <gmock/gmock.h>

#include <cmath>
#include <numbers>

namespace fovea::emd {
namespace {

ComplexPlane random_plane(int side, std::uint64_t seed) {
  Random random(seed);
  ComplexPlane plane(side);
  for (float& value : plane.re) value = static_cast<float>(random.below(1000)) / 1000;
  for (float& value : plane.im) value = static_cast<float>(random.below(1000)) / 1000;
  return plane;
}

// The sum of the definition, transposed as forward() returns it.
ComplexPlane slow_transform(const ComplexPlane& plane, int side) {
  ComplexPlane out(side);
  for (int v = 0; v < side; ++v) {
    for (int u = 0; u < side; ++u) {
      double re = 0, im = 0;
      for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
          const double angle = -2 * std::numbers::pi * (u * x + v * y) / side;
          const auto at = static_cast<std::size_t>(y * side + x);
          re += plane.re[at] * std::cos(angle) - plane.im[at] * std::sin(angle);
          im += plane.re[at] * std::sin(angle) + plane.im[at] * std::cos(angle);
        }
      }
      out.re[static_cast<std::size_t>(u * side + v)] = static_cast<float>(re);
      out.im[static_cast<std::size_t>(u * side + v)] = static_cast<float>(im);
    }
  }
  return out;
}

TEST(EmdTrackFourier, IsTheDefinitionsSum) {
  for (const int side : {2, 4, 8, 16}) {
    const ComplexPlane plane = random_plane(side, 5);
    ComplexPlane fast = plane;
    Fourier(side).forward(fast);
    const ComplexPlane slow = slow_transform(plane, side);
    for (std::size_t i = 0; i < slow.re.size(); ++i) {
      EXPECT_NEAR(fast.re[i], slow.re[i], 1e-3) << side << ", " << i;
      EXPECT_NEAR(fast.im[i], slow.im[i], 1e-3) << side << ", " << i;
    }
  }
}

TEST(EmdTrackFourier, InverseGivesBackWhatWasTransformed) {
  const ComplexPlane plane = random_plane(32, 6);
  const Fourier fourier(32);
  ComplexPlane back = plane;
  fourier.forward(back);
  fourier.inverse(back);
  for (std::size_t i = 0; i < plane.re.size(); ++i) {
    EXPECT_NEAR(back.re[i], plane.re[i], 1e-5);
    EXPECT_NEAR(back.im[i], plane.im[i], 1e-5);
  }
}

TEST(EmdTrackFourier, TwoRealPlanesAreSplit) {
  constexpr int kSide = 8;
  const ComplexPlane both = random_plane(kSide, 7);
  const Fourier fourier(kSide);
  ComplexPlane first(kSide), second(kSide), together = both;
  first.re = both.re;
  second.re = both.im;
  fourier.forward(first);
  fourier.forward(second);
  fourier.forward(together);
  ComplexPlane one(kSide), two(kSide);
  split_spectra(together, kSide, one, two);
  for (std::size_t i = 0; i < one.re.size(); ++i) {
    EXPECT_NEAR(one.re[i], first.re[i], 1e-4);
    EXPECT_NEAR(one.im[i], first.im[i], 1e-4);
    EXPECT_NEAR(two.re[i], second.re[i], 1e-4);
    EXPECT_NEAR(two.im[i], second.im[i], 1e-4);
  }
}

}  // namespace
}  // namespace fovea::emd
