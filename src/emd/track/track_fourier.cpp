// Radix-2 decimation in time, first along all columns at once, so that the inner loop runs over a
// row and compilers vectorize it; then the same on the transposed plane.
#include "emd/track/track_fourier.h"

#include <cmath>
#include <numbers>
#include <utility>

#include "emd/track/track_filter_math.h"

namespace fovea::emd {

Fourier::Fourier(int side) : side_(side) {
  const auto count = static_cast<std::size_t>(side);
  cosines_.reserve(count);
  sines_.reserve(count);
  reversed_.assign(count, 0);
  for (int i = 0; i < side; ++i) {
    const double angle = 2 * std::numbers::pi * i / side;
    cosines_.push_back(static_cast<float>(std::cos(angle)));
    sines_.push_back(static_cast<float>(std::sin(angle)));
  }
  for (std::size_t i = 1; i < count; ++i)
    reversed_[i] = reversed_[i / 2] / 2 + (i % 2 == 1 ? side / 2 : 0);
}

void Fourier::along_columns(ComplexPlane& plane, float sign) const {
  const auto row = [&](int y) {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(side_);
  };
  for (int y = 0; y < side_; ++y) {
    const int other = reversed_[static_cast<std::size_t>(y)];
    if (other <= y) continue;
    for (int x = 0; x < side_; ++x) {
      std::swap(plane.re[row(y) + static_cast<std::size_t>(x)],
                plane.re[row(other) + static_cast<std::size_t>(x)]);
      std::swap(plane.im[row(y) + static_cast<std::size_t>(x)],
                plane.im[row(other) + static_cast<std::size_t>(x)]);
    }
  }
  for (int half = 1; half < side_; half *= 2) {
    for (int first = 0; first < side_; first += 2 * half) {
      for (int k = 0; k < half; ++k) {
        const int step = side_ / (2 * half);
        const std::size_t turn = static_cast<std::size_t>(k) * static_cast<std::size_t>(step);
        const Complex by{cosines_[turn], sign * sines_[turn]};
        float* const a_re = plane.re.data() + row(first + k);
        float* const a_im = plane.im.data() + row(first + k);
        float* const b_re = plane.re.data() + row(first + k + half);
        float* const b_im = plane.im.data() + row(first + k + half);
        for (int x = 0; x < side_; ++x) {
          Complex a{a_re[x], a_im[x]}, b{b_re[x], b_im[x]};
          butterfly(a, b, by);
          b_re[x] = b.re;
          b_im[x] = b.im;
          a_re[x] = a.re;
          a_im[x] = a.im;
        }
      }
    }
  }
}

void Fourier::transpose(ComplexPlane& plane) const {
  const auto side = static_cast<std::size_t>(side_);
  for (std::size_t y = 1; y < side; ++y) {
    for (std::size_t x = 0; x < y; ++x) {
      std::swap(plane.re[y * side + x], plane.re[x * side + y]);
      std::swap(plane.im[y * side + x], plane.im[x * side + y]);
    }
  }
}

void Fourier::transform(ComplexPlane& plane, float sign) const {
  along_columns(plane, sign);
  transpose(plane);
  along_columns(plane, sign);
}

void Fourier::forward(ComplexPlane& plane) const { transform(plane, -1); }

void Fourier::inverse(ComplexPlane& plane) const {
  transform(plane, 1);
  const float scale = 1 / (static_cast<float>(side_) * static_cast<float>(side_));
  for (float& value : plane.re) value *= scale;
  for (float& value : plane.im) value *= scale;
}

void split_spectra(const ComplexPlane& both, int side, ComplexPlane& first, ComplexPlane& second) {
  const auto count = static_cast<std::size_t>(side);
  for (std::size_t y = 0; y < count; ++y) {
    for (std::size_t x = 0; x < count; ++x) {
      const std::size_t at = y * count + x;
      const std::size_t mirror = (count - y) % count * count + (count - x) % count;
      const SplitPair pair =
          split_pair({both.re[at], both.im[at]}, {both.re[mirror], both.im[mirror]});
      first.re[at] = pair.first.re;
      first.im[at] = pair.first.im;
      second.re[at] = pair.second.re;
      second.im[at] = pair.second.im;
    }
  }
}

}  // namespace fovea::emd
