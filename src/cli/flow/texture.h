// Drawn textures with the statistics of photographs, for scenes whose motion or depth is known.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace fovea::cli {

// Noise whose power falls with frequency as it does in photos: octaves of smoothly interpolated
// random lattices.
class Texture {
 public:
  explicit Texture(std::uint64_t seed, double coarsest)
      : seed_(seed), octaves_(std::max(1, static_cast<int>(std::log2(coarsest / kFinest)) + 1)) {}

  // Returns 0 to 1.
  float at(double x, double y) const {
    float sum = 0, total = 0, weight = 1;
    double period = kFinest;
    for (int octave = 0; octave < octaves_; ++octave, period *= 2, weight *= 1.45F) {
      sum += weight * octave_at(x / period, y / period, octave);
      total += weight;
    }
    // Sums of octaves are concentrated around the middle; this spreads them.
    return std::clamp(0.5F + 1.7F * (sum / total - 0.5F), 0.F, 1.F);
  }

 private:
  static constexpr double kFinest = 4;  // pixels per cell of the finest lattice

  float lattice(std::int64_t i, std::int64_t j, int octave) const {
    std::uint64_t h = seed_ + static_cast<std::uint64_t>(octave) * 0x9E3779B97F4A7C15U;
    h ^= static_cast<std::uint64_t>(i) * 0xC2B2AE3D27D4EB4FU;
    h = (h ^ (h >> 29U)) * 0xBF58476D1CE4E5B9U;
    h ^= static_cast<std::uint64_t>(j) * 0x165667B19E3779F9U;
    h = (h ^ (h >> 32U)) * 0x94D049BB133111EBU;
    return static_cast<float>(h >> 40U) * 0x1p-24F;
  }

  float octave_at(double x, double y, int octave) const {
    const double left = std::floor(x), top = std::floor(y);
    const auto i = static_cast<std::int64_t>(left), j = static_cast<std::int64_t>(top);
    const auto ease = [](double t) { return static_cast<float>(t * t * (3 - 2 * t)); };
    const float fx = ease(x - left), fy = ease(y - top);
    const float upper =
        lattice(i, j, octave) + fx * (lattice(i + 1, j, octave) - lattice(i, j, octave));
    const float lower = lattice(i, j + 1, octave) +
                        fx * (lattice(i + 1, j + 1, octave) - lattice(i, j + 1, octave));
    return upper + fy * (lower - upper);
  }

  std::uint64_t seed_;
  int octaves_;
};

}  // namespace fovea::cli
