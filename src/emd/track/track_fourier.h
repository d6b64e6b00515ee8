// The discrete Fourier transform of square planes whose side is a power of two, for the correlation
// filter of the tracker. Serial, so that results do not depend on threads.
#pragma once
#include <cstddef>
#include <vector>

namespace fovea::emd {

// A square of complex numbers, row by row, real and imaginary parts apart.
struct ComplexPlane {
  ComplexPlane() = default;
  explicit ComplexPlane(int side)
      : re(static_cast<std::size_t>(side) * static_cast<std::size_t>(side)), im(re.size()) {}

  std::vector<float> re{}, im{};
};

class Fourier {
 public:
  explicit Fourier(int side);  // a power of two, at least 2

  int side() const { return side_; }
  // Of i / side() of a turn.
  const std::vector<float>& cosines() const { return cosines_; }
  const std::vector<float>& sines() const { return sines_; }
  // Transforms in place. The result of forward() is transposed, so that its rows belong to the
  // frequencies of columns; inverse() takes that and gives back rows as they were, divided by
  // the number of samples.
  void forward(ComplexPlane& plane) const;
  void inverse(ComplexPlane& plane) const;

 private:
  void transform(ComplexPlane& plane, float sign) const;
  void along_columns(ComplexPlane& plane, float sign) const;
  void transpose(ComplexPlane& plane) const;

  int side_;
  std::vector<float> cosines_{}, sines_{};
  std::vector<int> reversed_{};  // indices with their bits in reverse order
};

// Two transforms of real planes at the price of one: splits the transform of first + i second.
void split_spectra(const ComplexPlane& both, int side, ComplexPlane& first, ComplexPlane& second);

}  // namespace fovea::emd
