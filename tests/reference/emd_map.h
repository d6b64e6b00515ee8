// The map as a textbook writes it: every window counted, every distance solved alone.
#pragma once
#include <fovea/emd/map.h>

#include "reference/window_histogram.h"

namespace fovea::reference {

inline double distance_at(ImageView<const std::uint8_t> labels, int x, int y,
                          const emd::Mapper& mapper) {
  const int window = mapper.options().window, bins = mapper.ground().rows();
  const auto counts = window_histogram_at(
      labels, x, y, bins, {.window = {window, window}, .border = mapper.options().border});
  emd::SolverOptions options = mapper.options().solver;
  options.exec = {.device = Device::cpu(), .threads = 1};
  const std::vector<double> first(counts.begin(), counts.end());
  const std::vector<double> second(mapper.target().begin(), mapper.target().end());
  return emd::distance(mapper.ground(), first, second, options).distance;
}

inline Image<float> distance_map(ImageView<const std::uint8_t> labels, const emd::Mapper& mapper) {
  Image<float> result(labels.width, labels.height);
  for (int y = 0; y < labels.height; ++y)
    for (int x = 0; x < labels.width; ++x)
      result.at(x, y) = static_cast<float>(distance_at(labels, x, y, mapper));
  return result;
}

}  // namespace fovea::reference
