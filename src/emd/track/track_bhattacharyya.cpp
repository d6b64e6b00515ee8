// Bhattacharyya's distance, with which Comaniciu, Ramesh and Meer (2000) track: one product and one
// sum per bin. All windows are counted and compared, only on the CPU and without a cache: this is
// the baseline to which the tracker is compared.
#include "emd/track/track_bhattacharyya.h"

#include <fovea/ops/window_histogram.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace fovea::emd {
namespace {

constexpr int kRows = 16;

}  // namespace

double bhattacharyya(std::span<const std::uint16_t> first, std::span<const std::uint16_t> second) {
  double mass_first = 0, mass_second = 0, common = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    mass_first += first[i];
    mass_second += second[i];
    common += std::sqrt(static_cast<double>(first[i]) * second[i]);
  }
  const double masses = std::sqrt(mass_first * mass_second);
  return masses > 0 ? std::sqrt(std::max(0.0, 1 - common / masses)) : 1;
}

BhattacharyyaMapper::BhattacharyyaMapper(std::span<const double> target, int window,
                                         const Exec& exec)
    : window_(window), exec_(exec) {
  exec_.device = Device::cpu();
  exec_.stream = nullptr;
  set_target(target);
}

void BhattacharyyaMapper::set_target(std::span<const double> target) {
  double mass = 0;
  for (const double value : target) mass += value;
  roots_.clear();
  for (const double value : target) roots_.push_back(static_cast<float>(std::sqrt(value / mass)));
}

void BhattacharyyaMapper::map(ImageView<const std::uint8_t> labels,
                              ImageView<float> distances) const {
  const auto bins = static_cast<int>(roots_.size());
  Image<std::uint16_t> counts(labels.width, labels.height, bins);
  WindowHistogramOptions options;
  options.window = {window_, window_};
  options.border = WindowBorder::kRepeat;
  options.exec = exec_;
  window_histogram(labels, counts.view(), options);
  const int mass = window_ * window_;
  std::vector<float> root(static_cast<std::size_t>(mass) + 1);  // square root of a count's share
  for (int i = 0; i <= mass; ++i)
    root[static_cast<std::size_t>(i)] = std::sqrt(static_cast<float>(i) / static_cast<float>(mass));
  parallel_for(exec_, labels.height, kRows, [&](std::int64_t begin, std::int64_t end) {
    for (auto y = static_cast<int>(begin); y < end; ++y) {
      const std::uint16_t* count = counts.row(y);
      for (int x = 0; x < labels.width; ++x, count += bins) {
        float common = 0;
        for (int bin = 0; bin < bins; ++bin)
          common += root[count[bin]] * roots_[static_cast<std::size_t>(bin)];
        distances.at(x, y) = 1000 * std::sqrt(std::max(0.0F, 1 - common));
      }
    }
  });
}

}  // namespace fovea::emd
