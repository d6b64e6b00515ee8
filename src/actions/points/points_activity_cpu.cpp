#include "actions/points/points_activity_cpu.h"

#include <cmath>

#include "actions/points/points_math.h"

namespace fovea::actions::cpu {
namespace {

// Sums of up to 3 x 255 products and the determinant are off by less than 1 /
// 500.
constexpr double kMargin = 0.98;
constexpr double kLeastThreshold = 1e-30;  // below it, rounding to denormal numbers would count
constexpr int kKeptTimes = 3;

// The greatest share of a kernel that falls into the tile `offset` tiles away
// from that of its center, wherever in the tile the center is; from the most
// negative offset on.
std::vector<float> shares_of(const std::vector<float>& kernel, int tile) {
  const int radius = static_cast<int>(kernel.size() / 2);
  const int reach = (radius + tile - 1) / tile;
  std::vector<float> most(static_cast<std::size_t>(2 * reach + 1));
  for (int center = 0; center < tile; ++center) {
    std::vector<double> shares(most.size());
    for (int i = -radius; i <= radius; ++i)
      shares[static_cast<std::size_t>((center + i + reach * tile) / tile)] +=
          static_cast<double>(*(kernel.begin() + i + radius));
    for (std::size_t k = 0; k < most.size(); ++k)
      most[k] = std::max(most[k], static_cast<float>(shares[k]));
  }
  return most;
}

}  // namespace

float least_change(float k, float threshold) {
  if (!(k > 0) || !(threshold > kLeastThreshold)) return 0;
  return static_cast<float>(kMargin * std::cbrt(432.0 * k * k * threshold));
}

Activity::Activity(const Channel& channel, Extent size, float least, bool skip)
    : taps_(channel.sum_time),
      across_(shares_of(channel.sum_space, kTileWidth)),
      down_(shares_of(channel.sum_space, kTileRows)),
      least_(least),
      skip_(skip && least > 0),
      active_(kKeptTimes, TileMask(size)),
      stale_(size) {
  stride_ = stale_.columns();
  const auto tiles = static_cast<std::size_t>(padded(stride_ * stale_.bands()));
  changes_.assign(taps_.size(), std::vector<float>(tiles));
  mean_.resize(tiles);
  most_.resize(tiles);
  other_.resize(tiles);
}

float* Activity::change(std::int64_t time, int band) {
  return changes_[static_cast<std::size_t>(ring_slot(time, static_cast<int>(changes_.size())))]
             .data() +
         static_cast<std::ptrdiff_t>(band) * stride_;
}

const TileMask& Activity::active(std::int64_t time) const {
  return active_[static_cast<std::size_t>(ring_slot(time, kKeptTimes))];
}

bool Activity::find(std::int64_t time) {
  TileMask& active = active_[static_cast<std::size_t>(ring_slot(time, kKeptTimes))];
  std::swap(stale_, active);
  if (!skip_) {
    active.fill(true);
    return true;
  }
  const int radius = static_cast<int>(taps_.size() / 2);
  std::vector<const float*> rows;
  rows.reserve(taps_.size());
  for (int i = -radius; i <= radius; ++i) rows.push_back(change(time + i, 0));
  const int tiles = stride_ * active.bands();
  sum_rows(rows.data(), {taps_.data(), static_cast<int>(taps_.size())}, mean_.data(), tiles);
  std::copy_n(mean_.begin(), tiles, most_.begin());
  spread(across_, false);
  spread(down_, true);
  bool any = false;
  for (int b = 0; b < active.bands(); ++b)
    for (int i = 0; i < stride_; ++i) {
      const auto at = static_cast<std::size_t>(b) * static_cast<std::size_t>(stride_) +
                      static_cast<std::size_t>(i);
      const bool here = std::min(mean_[at], most_[at]) >= least_;
      active.band(b)[i] = here ? 1 : 0;
      any = any || here;
    }
  return any;
}

// Limits what a kernel in space makes of the tiles: by the sum of their shares
// and by the greatest.
void Activity::spread(const std::vector<float>& shares, bool down) {
  const int bands = stale_.bands(), reach = static_cast<int>(shares.size() / 2);
  const auto spread_one = [&](std::vector<float>& values, const auto& combine) {
    for (int b = 0; b < bands; ++b)
      for (int i = 0; i < stride_; ++i) {
        float result = 0;
        for (int k = -reach; k <= reach; ++k) {
          const int at =
              down ? clamped(b + k, bands) * stride_ + i : b * stride_ + clamped(i + k, stride_);
          result =
              combine(result, *(shares.begin() + k + reach), values[static_cast<std::size_t>(at)]);
        }
        *(other_.begin() + b * stride_ + i) = result;
      }
    std::swap(values, other_);
  };
  spread_one(mean_, [](float sum, float share, float value) { return sum + share * value; });
  spread_one(most_, [](float most, float, float value) { return std::max(most, value); });
}

}  // namespace fovea::actions::cpu
