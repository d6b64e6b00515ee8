// The kernels of the bank: MATLAB's fspecial('gaussian') and fspecial('log'), and the Gaussian
// convolved with [1 0 -1], zero beyond its square. All are computed in double precision.
#include "scenes/describe/bank.h"
#include "core/rgb.h"

#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <fmt/format.h>

#include <cmath>
#include <cstddef>

#include "scenes/describe/describe.h"
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

Profile profile(int size, double sigma) {
  Profile p;
  p.reach = size / 2;
  const double variance = sigma * sigma;
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

}  // namespace

void check_bank(const DescriptorOptions& options) {
  const std::vector<int>& sizes = options.filter_sizes;
  if (sizes.empty() || sizes.size() > kBankScales)
    throw InvalidArgument(
        fmt::format("filter-sizes has {} sizes, expected 1 to {}", sizes.size(), kBankScales));
  if (sizes.size() != options.filter_sigmas.size())
    throw InvalidArgument(
        fmt::format("filter-sizes has {} sizes, but filter-sigmas has {} deviations; expected one "
                    "per size",
                    sizes.size(), options.filter_sigmas.size()));
  for (const int size : sizes)
    if (size % 2 == 0)
      throw InvalidArgument(fmt::format(
          "filter-sizes holds {}, expected odd numbers: a filter has a pixel in its middle", size));
}

void check_descriptor(const DescriptorOptions& options) {
  check_options(options);
  check_bank(options);
}

int bank_filters(const DescriptorOptions& options) {
  return kBankKinds * static_cast<int>(options.filter_sizes.size());
}

BankTables bank_tables(const DescriptorOptions& options) {
  const double unit =
      options.color == Color::kGray ? 1 / 255.0 : 1 / static_cast<double>(kLabUnits);
  BankTables t{};
  t.count = static_cast<int>(options.filter_sizes.size());
  for (std::size_t s = 0; s < options.filter_sizes.size(); ++s) {
    const Profile p = profile(options.filter_sizes[s], options.filter_sigmas[s]);
    t.scale[s] = {weights(p, unit), weights(p, 1), static_cast<float>(p.level * unit), p.reach};
  }
  return t;
}

bool has_default_sizes(const BankTables& tables) {
  bool same = tables.count == kBankScales;
  for (int s = 0; s < kBankScales && same; ++s) same = tables.scale[s].reach == bank_reach(s);
  return same;
}

const std::array<float, 256>& linear_of_srgb() {
  static const std::array<float, 256> kLinear = [] {
    std::array<float, 256> linear{};
    for (int i = 0; i < 256; ++i) linear[i] = static_cast<float>(detail::srgb_to_linear(i / 255.0));
    return linear;
  }();
  return kLinear;
}

Image<float> bank_kernel(int filter, const DescriptorOptions& options) {
  check_descriptor(options);
  const int filters = bank_filters(options);
  if (filter < 0 || filter >= filters)
    throw InvalidArgument(
        fmt::format("bank_kernel: filter is {}, expected 0 to {}", filter, filters - 1));
  const auto size = static_cast<std::size_t>(filter / kBankKinds);
  const Profile p = profile(options.filter_sizes[size], options.filter_sigmas[size]);
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
