#include "actions/points/points_activity_cpu.h"

#include <cmath>

#include "actions/points/points_math.h"
#include "actions/points/points_wide_row_cpu.h"

namespace fovea::actions::cpu {
namespace {

// Sums of up to 3 x 255 products and the determinant are off by less than 1 / 500.
constexpr double kMargin = 0.98;
constexpr double kLeastThreshold = 1e-30;  // below it, rounding to denormal numbers would count
constexpr int kKeptTimes = 3;

// The greatest share of a kernel that falls into the cell `offset` cells away from that of its
// center, wherever in the cell the center is; from the most negative offset on.
std::vector<float> shares_of(const std::vector<float>& kernel) {
  const int radius = static_cast<int>(kernel.size() / 2);
  const int reach = (radius + kCellSize - 1) / kCellSize;
  std::vector<float> most(static_cast<std::size_t>(2 * reach + 1));
  for (int center = 0; center < kCellSize; ++center) {
    std::vector<double> shares(most.size());
    for (int i = -radius; i <= radius; ++i)
      shares[static_cast<std::size_t>((center + i + reach * kCellSize) / kCellSize)] +=
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
      shares_(shares_of(channel.sum_space)),
      least_(least),
      skip_(skip && least > 0),
      columns_((size.width + kCellSize - 1) / kCellSize),
      rows_((size.height + kCellSize - 1) / kCellSize),
      stride_(padded(columns_)),
      active_(kKeptTimes, TileMask(size)),
      stale_(size) {
  const auto cells = static_cast<std::size_t>(stride_) * static_cast<std::size_t>(rows_);
  changes_.assign(taps_.size(), std::vector<float>(cells));
  for (auto* values : {&over_time_, &across_.mean, &across_.most}) values->resize(cells);
}

float* Activity::change(std::int64_t time, int row) {
  return changes_[static_cast<std::size_t>(ring_slot(time, static_cast<int>(changes_.size())))]
             .data() +
         static_cast<std::ptrdiff_t>(row) * stride_;
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
  limit_over_time(time);
  limit_across();
  return limit_down(active);
}

void Activity::limit_over_time(std::int64_t time) {
  const int radius = static_cast<int>(taps_.size() / 2);
  std::vector<const float*> frames;
  frames.reserve(taps_.size());
  for (int i = -radius; i <= radius; ++i) frames.push_back(change(time + i, 0));
  sum_rows(frames.data(), taps_of(taps_), over_time_.data(), stride_ * rows_);
}

void Activity::limit_across() {
  const int reach = static_cast<int>(shares_.size() / 2);
  WideRow wide(columns_, reach);
  std::vector<const float*> shifted;
  wide.shifted(0, shifted);
  for (int y = 0; y < rows_; ++y) {
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(y) * stride_;
    std::copy_n(over_time_.data() + at, columns_, wide.inside());
    wide.repeat_ends();
    sum_rows(shifted.data(), taps_of(shares_), across_.mean.data() + at, columns_);
    greatest_of_rows(shifted.data(), static_cast<int>(shifted.size()), across_.most.data() + at,
                     columns_);
  }
}

bool Activity::limit_down(TileMask& active) {
  const int reach = static_cast<int>(shares_.size() / 2);
  std::vector<const float*> means(shares_.size()), mosts(shares_.size());
  std::vector<float> mean(static_cast<std::size_t>(stride_)), most(mean.size());
  active.fill(false);
  bool any = false;
  for (int y = 0; y < rows_; ++y) {
    for (std::size_t i = 0; i < means.size(); ++i) {
      const std::ptrdiff_t row = clamped(y - reach + static_cast<int>(i), rows_);
      means[i] = across_.mean.data() + row * stride_;
      mosts[i] = across_.most.data() + row * stride_;
    }
    sum_rows(means.data(), taps_of(shares_), mean.data(), columns_);
    greatest_of_rows(mosts.data(), static_cast<int>(mosts.size()), most.data(), columns_);
    std::uint8_t* tiles = active.band(y / (kTileRows / kCellSize));
    for (int x = 0; x < columns_; ++x) {
      const auto i = static_cast<std::size_t>(x);
      if (std::min(mean[i], most[i]) < least_) continue;
      tiles[x / (kTileWidth / kCellSize)] = 1;
      any = true;
    }
  }
  return any;
}

}  // namespace fovea::actions::cpu
