// The kernels of the bank: MATLAB's fspecial('gaussian') and fspecial('log'), and the Gaussian
// convolved with [1 0 -1], zero beyond its square. All are computed in double precision.
#include "scenes/describe/bank.h"
#include "core/rgb.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <cmath>

#include "scenes/describe/lab_math.h"

namespace fovea::scenes {
namespace {

// One size of the bank in one dimension, in double precision.
struct Profile {
  int reach = 0;
  std::array<double, kBankReach + 2> smooth{};  // followed by a zero
  std::array<double, kBankReach + 1> slope{};
  std::array<double, kBankReach + 1> bend{};
  double level = 0;
};

Profile profile(int scale) {
  Profile p;
  p.reach = bank_reach(scale);
  const double variance = kBankSigmas[scale] * kBankSigmas[scale];
  double sum = 0;
  for (int k = 0; k <= p.reach; ++k) {
    p.smooth[k] = std::exp(-k * k / (2 * variance));
    sum += k == 0 ? p.smooth[k] : 2 * p.smooth[k];
  }
  for (int k = 0; k <= p.reach; ++k) p.smooth[k] /= sum;
  double bends = 0;
  for (int k = 0; k <= p.reach; ++k) {
    p.bend[k] = p.smooth[k] * (k * k - variance) / (variance * variance);
    bends += k == 0 ? p.bend[k] : 2 * p.bend[k];
    if (k > 0) p.slope[k] = p.smooth[k - 1] - p.smooth[k + 1];
  }
  // bend(x) smooth(y) + smooth(x) bend(y) sums to 2 * bends over the square; `level` subtracts the
  // mean.
  const double side = 2 * p.reach + 1;
  p.level = -2 * bends / (side * side);
  return p;
}

BankWeights weights(const Profile& p, double unit) {
  BankWeights w{};
  for (int k = 0; k <= p.reach; ++k) {
    w.smooth[k] = static_cast<float>(p.smooth[k] * unit);
    w.slope[k] = static_cast<float>(p.slope[k] * unit);
    w.bend[k] = static_cast<float>(p.bend[k] * unit);
  }
  return w;
}

BankTables tables(double unit) {
  BankTables t{};
  for (int s = 0; s < kBankScales; ++s) {
    const Profile p = profile(s);
    t.scale[s] = {weights(p, unit), weights(p, 1), static_cast<float>(p.level * unit)};
  }
  return t;
}

}  // namespace

const BankTables& bank_tables(Color color) {
  static const BankTables kGray = tables(1 / 255.0);
  static const BankTables kLab = tables(1 / static_cast<double>(kLabUnits));
  return color == Color::kGray ? kGray : kLab;
}

const std::array<float, 256>& linear_of_srgb() {
  static const std::array<float, 256> kLinear = [] {
    std::array<float, 256> linear{};
    for (int i = 0; i < 256; ++i) linear[i] = static_cast<float>(detail::srgb_to_linear(i / 255.0));
    return linear;
  }();
  return kLinear;
}

Image<float> bank_kernel(int filter) {
  if (filter < 0 || filter >= kBankFilters)
    throw InvalidArgument(
        fmt::format("bank_kernel: filter is {}, expected 0 to {}", filter, kBankFilters - 1));
  const Profile p = profile(filter / kBankKinds);
  const auto slope = [&](int i) { return i < 0 ? -p.slope[-i] : p.slope[i]; };
  Image<float> kernel(2 * p.reach + 1, 2 * p.reach + 1);
  for (int y = -p.reach; y <= p.reach; ++y) {
    for (int x = -p.reach; x <= p.reach; ++x) {
      const int ax = std::abs(x), ay = std::abs(y);
      double weight = 0;
      switch (filter % kBankKinds) {
        case 0: weight = p.smooth[ax] * p.smooth[ay]; break;
        case 1: weight = p.bend[ax] * p.smooth[ay] + p.smooth[ax] * p.bend[ay] + p.level; break;
        case 2: weight = slope(x) * p.smooth[ay]; break;
        default: weight = p.smooth[ax] * slope(y); break;
      }
      kernel.at(x + p.reach, y + p.reach) = static_cast<float>(weight);
    }
  }
  return kernel;
}

}  // namespace fovea::scenes
