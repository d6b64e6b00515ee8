// Signatures of spectra as CPU and CUDA twins, and the parts of the CPU's that learning uses.
// Callers make sure that shapes fit and nothing is empty.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <vector>

#include "emd/detect/signature_math.h"

namespace fovea::emd {

namespace cpu {

// Some pixels of a row of a cube, group by group.
class SignatureTile {
 public:
  static constexpr int kPixels = 256;  // at most; what belongs to them stays in the fastest cache

  // The tables of the parameters may be filled later, before they are used.
  SignatureTile(StackView<const float> bands, const detail::SignatureParams& params);

  // Sums adjacent bands. Each is averaged over a window; pixels of the border are repeated, and
  // negative values count as 0.
  void load(int y, int first, int count);
  void take_logarithms();  // ... less their means, in place of the sums
  void weigh();            // makes strengths of the logarithms
  // One channel per bin, from the sums.
  void sign(std::uint16_t* to);

  const double* values(int group) const { return values_.data() + group * kPixels; }
  // The mass of a group, negative where it belongs to the second half of the bins.
  const double* strengths(int group) const { return strengths_.data() + group * kPixels; }
  // Whether all values of a pixel were finite.
  bool known(int i) const { return missing_[static_cast<std::size_t>(i)] == 0; }

 private:
  StackView<const float> bands_;
  detail::SignatureParams params_;
  std::vector<double> values_, strengths_, missing_, line_;
  std::vector<const float*> rows_;
  int count_ = 0;
};

void signatures(StackView<const float> bands, const detail::SignatureParams& params,
                ImageView<std::uint16_t> out, const Exec& exec);

}  // namespace cpu

namespace cuda {
// The tables of the parameters lie in host memory.
void signatures(StackView<const float> bands, const detail::SignatureParams& params,
                ImageView<std::uint16_t> out, const Exec& exec);
}  // namespace cuda

}  // namespace fovea::emd
