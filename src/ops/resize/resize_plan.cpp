#include "ops/resize/resize_plan.h"

#include <algorithm>

namespace fovea::detail {

FixedPlan::FixedPlan(int source_width, int out_width, int channels)
    : elements(out_width * channels), step(channels) {
  const double scale = static_cast<double>(source_width) / out_width;
  const auto padded = static_cast<std::size_t>(groups()) * kGroup;
  std::vector<int> index;  // the left neighbor of each element
  index.reserve(padded);
  weight.reserve(padded);
  for (int x = 0; x < out_width; ++x) {
    const FixedTap tap = fixed_tap(x, scale, source_width);
    for (int c = 0; c < channels; ++c) {
      index.push_back(tap.index * channels + c);
      weight.push_back(static_cast<std::int16_t>(tap.weight));
    }
  }
  index.resize(padded, index.back());
  weight.resize(padded, 0);
  while (!fill(index, source_width * channels)) runs *= 2;  // a run per output always fits
}

bool FixedPlan::fill(const std::vector<int>& index, int source_elements) {
  const int outputs = kGroup / runs;  // outputs per run
  const int last_base = std::max(source_elements, readable()) - readable();
  base.assign(static_cast<std::size_t>(groups()) * runs, 0);
  lookup.assign(base.size() * kRun, 0x80);
  for (std::size_t run = 0; run < base.size(); ++run) {
    const std::size_t first = run * outputs;
    // In an enlarged image with several channels, the smallest index need not be the first.
    const auto begin = index.begin() + static_cast<std::ptrdiff_t>(first);
    base[run] = std::min(*std::min_element(begin, begin + outputs), last_base);
    for (int k = 0; k < outputs; ++k) {
      const int place = index[first + k] - base[run];
      if (place >= kRun) return false;
      const auto lane = (first + k) % kGroup;
      lookup[run * kRun + 2 * lane] = static_cast<std::uint8_t>(place);
    }
  }
  return true;
}

FloatPlan::FloatPlan(int source_width, int out_width, int channel_count)
    : width(out_width), channels(channel_count), inner(0) {
  const double scale = static_cast<double>(source_width) / out_width;
  // A pixel of three channels is read as four floats, one more than it has.
  const int last_inner = channels == 3 ? source_width - 3 : source_width - 2;
  for (int x = 0; x < out_width; ++x) {
    const FloatTap tap = float_tap(x, scale, source_width);
    index.push_back(tap.index * channels);
    next.push_back(tap.next * channels);
    weight.push_back(tap.weight);
    if (tap.index <= last_inner) inner = x + 1;
  }
}

}  // namespace fovea::detail
