// How images are divided into strips of rows, and how many of them are worked on at a time.
#include <algorithm>

#include "flow/stereo/stereo_cpu.h"

namespace fovea::flow::cpu {
namespace {

constexpr int kMostRows = 256;  // of a strip
constexpr int kLeastRows = 96;
constexpr std::uint64_t kStripBytes = std::uint64_t{256} << 20U;  // aimed at, for costs and sums
constexpr std::uint64_t kElementBytes = sizeof(std::uint8_t) + sizeof(std::uint16_t);

}  // namespace

int strip_rows(const StereoPlan& plan) {
  const std::uint64_t row = kElementBytes * static_cast<std::uint64_t>(plan.row_elements());
  const auto fits = static_cast<int>(std::min<std::uint64_t>(kStripBytes / row, 1U << 20U));
  const int most = std::clamp(fits - 2 * kWarmUp, kLeastRows, kMostRows);
  const int strips = (plan.height + most - 1) / most;
  return (plan.height + strips - 1) / strips;
}

std::uint64_t strip_bytes(const StereoPlan& plan) {
  const auto row = static_cast<std::uint64_t>(plan.row_elements());
  // Costs of single pixels in the rows of a block, and their sums along columns.
  const std::uint64_t block =
      plan.cost == StereoCost::kNcc
          ? row * (sizeof(std::uint16_t) * static_cast<std::uint64_t>(plan.block) +
                   sizeof(std::uint32_t))
          : row * (static_cast<std::uint64_t>(plan.block) + sizeof(std::uint16_t));
  if (!plan.paths()) return block + row * sizeof(std::uint16_t);
  const int rows = std::min(strip_rows(plan) + 2 * kWarmUp, plan.height);
  return block + kElementBytes * row * static_cast<std::uint64_t>(rows);
}

int strip_threads(const StereoPlan& plan, std::uint64_t memory_bytes, int threads) {
  const std::uint64_t fit = memory_bytes / std::max<std::uint64_t>(strip_bytes(plan), 1);
  return static_cast<int>(
      std::clamp<std::uint64_t>(fit, 1, static_cast<std::uint64_t>(std::max(threads, 1))));
}

}  // namespace fovea::flow::cpu
