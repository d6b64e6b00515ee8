// Arithmetic of the correlation filter and of its Fourier transform that both twins must agree on
// to the bit.
#pragma once
#include <fovea/core/api.h>

#include "emd/track/track_cells.h"

namespace fovea::emd {

inline constexpr int kFineSide = 4 * CellGrid::kSide;  // samples per side of the response
inline constexpr float kFilterRidge = 1;               // what keeps the filter from fitting noise

struct Complex {
  float re, im;
};

// (a, b) becomes (a + tb, a - tb) where t is a turn with this cosine and sine.
FOVEA_HD inline void butterfly(Complex& a, Complex& b, const Complex& turn) {
  const float re = b.re * turn.re - b.im * turn.im, im = b.re * turn.im + b.im * turn.re;
  b = {a.re - re, a.im - im};
  a = {a.re + re, a.im + im};
}

// The spectra of two real planes from that of first + i second, at a frequency and at its negative.
struct SplitPair {
  Complex first, second;
};
FOVEA_HD inline SplitPair split_pair(const Complex& here, const Complex& mirror) {
  return {{0.5F * (here.re + mirror.re), 0.5F * (here.im - mirror.im)},
          {0.5F * (here.im + mirror.im), 0.5F * (mirror.re - here.re)}};
}

// What a filter keeps and what it takes over.
struct LearnShares {
  float kept = 0, fresh = 1;
};
// The conjugate of the target's spectrum times that of the wanted response.
FOVEA_HD inline Complex learned_product(const Complex& product, const Complex& seen,
                                        const Complex& wanted, const LearnShares& shares) {
  const float re = seen.re * wanted.re + seen.im * wanted.im;
  const float im = seen.re * wanted.im - seen.im * wanted.re;
  return {shares.kept * product.re + shares.fresh * re,
          shares.kept * product.im + shares.fresh * im};
}
FOVEA_HD inline float learned_energy(float energy, const Complex& seen, const LearnShares& shares) {
  return energy + shares.fresh * (seen.re * seen.re + seen.im * seen.im);
}

// The sum over channels begins at 0 and is divided once.
FOVEA_HD inline Complex with_product(const Complex& sum, const Complex& product,
                                     const Complex& seen) {
  return {sum.re + (product.re * seen.re - product.im * seen.im),
          sum.im + (product.re * seen.im + product.im * seen.re)};
}
FOVEA_HD inline Complex divided(const Complex& sum, float energy) {
  const float factor = 1 / (energy + kFilterRidge);
  return {sum.re * factor, sum.im * factor};
}

// Zeros between low and high frequencies interpolate a response: the place of frequency i there.
FOVEA_HD inline int fine_frequency(int i) {
  return i < CellGrid::kSide / 2 ? i : i + kFineSide - CellGrid::kSide;
}

}  // namespace fovea::emd
