// The arithmetic of soft, vlad and fisher coding that both twins share. Projected numbers and the
// weights of words become whole numbers, so that their sums over places are exact and do not depend
// on the order of places. Everything before is a chain of fused multiply-adds in the order of the
// numbers, and everything after it is double precision in a fixed order.
#pragma once
#include <fovea/core/api.h>
#include <fovea/scenes/coding.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace fovea::scenes {

// A projected number is a multiple of 1 / kCodeUnit of at most kCodeMost units, and the weights of
// the words of a place are multiples of 1 / kCodeOne. Sums of weights times squares then fit 63
// bits for up to 2^29 places.
constexpr float kCodeUnit = 512;
constexpr int kCodeMost = 8191;
constexpr int kCodeOne = 256;
// Words that are e^-6 times as likely as the likeliest one get no weight: less than 1 / kCodeOne.
constexpr float kCodeReach = 6;

// What is not a number becomes the least one.
FOVEA_HD inline std::int32_t code_units(float z) {
  const float units = std::rint(z * kCodeUnit);
  const auto most = static_cast<float>(kCodeMost);
  return static_cast<std::int32_t>(units > most ? most : (units >= -most ? units : -most));
}
FOVEA_HD inline float from_units(std::int32_t units) {
  return static_cast<float>(units) * (1 / kCodeUnit);
}

// e^x for x from -kCodeReach to 0, with an error below 3e-7 of the result: x = n ln 2 + r.
FOVEA_HD inline float code_exp(float x) {
  const float n = std::rint(x * 1.44269504F);
  const float r = std::fma(n, -1.42860677e-6F, std::fma(n, -0.693145752F, x));
  float sum = 1.0F / 720;
  sum = std::fma(sum, r, 1.0F / 120);
  sum = std::fma(sum, r, 1.0F / 24);
  sum = std::fma(sum, r, 1.0F / 6);
  sum = std::fma(sum, r, 0.5F);
  sum = std::fma(sum, r, 1.0F);
  sum = std::fma(sum, r, 1.0F);
  const auto bits = static_cast<std::uint32_t>(static_cast<std::int32_t>(n) + 127) << 23;
  float power = 0;
  std::memcpy(&power, &bits, sizeof power);
  return sum * power;
}

// Replaces the scores of a place, `stride` apart, by the weights of its words: kCodeOne for the
// first of the greatest scores, or shared among words as likely as their scores (logarithms) say.
FOVEA_HD inline void weigh_words(Coding coding, float* scores, std::ptrdiff_t stride, int words) {
  float best = scores[0];
  int first = 0;
  for (int k = 1; k < words; ++k) {
    if (!(scores[k * stride] > best)) continue;
    best = scores[k * stride];
    first = k;
  }
  if (coding == Coding::kVlad) {
    for (int k = 0; k < words; ++k) scores[k * stride] = 0;
    scores[first * stride] = static_cast<float>(kCodeOne);
    return;
  }
  const float least = best - kCodeReach;
  float sum = 0;
  for (int k = 0; k < words; ++k) {
    float& score = scores[k * stride];
    // Far from 0, least is best itself.
    score = score > least || score == best ? code_exp(score - best) : 0.0F;
    sum += score;
  }
  for (int k = 0; k < words; ++k) {
    float& score = scores[k * stride];
    if (score > 0) score = std::rint(score / sum * static_cast<float>(kCodeOne));
  }
}

// Where the sums of a cell stand: weights of all words, then weights times numbers, word by word,
// then (fisher) weights times squares.
struct CodeShape {
  Coding coding = Coding::kHard;
  int words = 0;
  int components = 0;

  FOVEA_HD std::int64_t moments() const { return static_cast<std::int64_t>(words) * components; }
  // How many sums, and how many features, a cell has.
  FOVEA_HD std::int64_t sums() const {
    if (coding == Coding::kSoft) return words;
    return words + moments() * (coding == Coding::kFisher ? 2 : 1);
  }
  FOVEA_HD std::int64_t length() const {
    if (coding == Coding::kSoft) return words;
    return moments() * (coding == Coding::kFisher ? 2 : 1);
  }
};

// What features are made of, one number per word and component.
struct CodeFactors {
  const double* means;    // in units of projected numbers
  const double* spreads;  // fisher: the variances, in units
  const double* first;    // fisher: what differences from the mean are multiplied by,
  const double* second;   // and those of squares from the variance
};

// The feature at `at` of a cell before its root and norm. `sum(i)` is sum i of the cell.
template <class Sum>
FOVEA_HD inline double code_value(const CodeShape& shape, const CodeFactors& factors,
                                  std::int64_t at, const Sum& sum) {
  const std::int64_t moments = shape.moments();
  const bool squares = at >= moments;
  const std::int64_t i = squares ? at - moments : at;
  const double weight = static_cast<double>(sum(i / shape.components));
  const double mean = factors.means[i];
  const double along = static_cast<double>(sum(shape.words + i)) - weight * mean;
  if (!squares) return shape.coding == Coding::kFisher ? along * factors.first[i] : along;
  const double square = static_cast<double>(sum(shape.words + moments + i));
  const double numbers = static_cast<double>(sum(shape.words + i));
  const double away = (square - 2 * mean * numbers) + weight * (mean * mean - factors.spreads[i]);
  return away * factors.second[i];
}

// The number of partial sums for the absolute values of a cell. Value i is added to partial sum
// i % kCodePartial. Then the second half of the partial sums is added to the first half, and this
// is repeated until one sum is left. So the order of additions does not depend on threads.
constexpr int kCodePartial = 256;

// The signed root of a value, in a cell whose absolute values add up to `total`, with the length of
// the cell.
FOVEA_HD inline float code_feature(double value, double total, double length) {
  if (!(total > 0)) return 0.0F;
  const double root = std::sqrt(std::fabs(value)) / std::sqrt(total) * length;
  return static_cast<float>(value < 0 ? -root : root);
}

// The length of a cell of a level: the cells of each level together have the length 1.
FOVEA_HD inline constexpr double cell_length(int level) {
  return 1.0 / static_cast<double>(1 << level);
}

}  // namespace fovea::scenes
