// Integral images as a textbook writes them: every sum from the three before it.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <type_traits>
#include <vector>

namespace fovea::reference {

// Sums of channel `channel` over the pixels left of x and above y, (width + 1) x (height + 1)
// numbers: wrapping integers or long doubles.
template <class T>
class Integral {
 public:
  using Sum = std::conditional_t<std::is_floating_point_v<T>, long double, std::uint64_t>;

  Integral(ImageView<const T> image, int channel, bool squares)
      : pitch_(image.width + 1),
        sums_(static_cast<std::size_t>(pitch_) * static_cast<std::size_t>(image.height + 1)) {
    for (int y = 0; y < image.height; ++y)
      for (int x = 0; x < image.width; ++x) {
        const auto value = static_cast<Sum>(image.at(x, y, channel));
        sums_[index(x + 1, y + 1)] =
            (squares ? value * value : value) + at(x, y + 1) + at(x + 1, y) - at(x, y);
      }
  }
  Sum at(int x, int y) const { return sums_[index(x, y)]; }

 private:
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(pitch_) +
           static_cast<std::size_t>(x);
  }
  int pitch_;
  std::vector<Sum> sums_;
};

}  // namespace fovea::reference
