// Textbook soft, vlad and fisher coding, place by place in double precision, with every word's
// share of every place.
#pragma once
#include <fovea/scenes/features.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace fovea::reference {

// Descriptors of all places, standardized and projected.
inline std::vector<std::vector<double>> projected_places(ImageView<const std::uint8_t> image,
                                                         const scenes::Dictionary& dictionary) {
  scenes::DescriptorOptions options = dictionary.descriptor;
  options.exec = {.device = Device::cpu(), .threads = 1};
  const Image<float> numbers = scenes::descriptors(image, options);
  const scenes::WordCode& code = dictionary.code;
  std::vector<std::vector<double>> places;
  for (int y = 0; y < numbers.height(); ++y) {
    std::vector<double> z(code.shift.begin(), code.shift.end());
    for (int i = 0; i < numbers.width(); ++i) {
      double x = numbers.at(i, y);
      if (!dictionary.mean.empty())
        x = (x - dictionary.mean[static_cast<std::size_t>(i)]) *
            dictionary.scale[static_cast<std::size_t>(i)];
      for (std::size_t j = 0; j < z.size(); ++j)
        z[j] += code.projection.at(i, static_cast<int>(j)) * x;
    }
    places.push_back(z);
  }
  return places;
}

// How far a place belongs to each word.
inline std::vector<double> word_shares(const scenes::WordCode& code, const std::vector<double>& z) {
  const int words = code.means.height();
  std::vector<double> logarithms, shares;
  for (int k = 0; k < words; ++k) {
    double sum = 0;
    for (int j = 0; j < code.components(); ++j) {
      const double away = z[static_cast<std::size_t>(j)] - code.means.at(j, k);
      if (code.coding == scenes::Coding::kVlad) {
        sum -= away * away;
        continue;
      }
      const double variance = code.variances.at(j, k);
      sum -= away * away / (2 * variance) + std::log(variance) / 2;
    }
    if (code.coding != scenes::Coding::kVlad)
      sum += std::log(code.shares[static_cast<std::size_t>(k)]);
    logarithms.push_back(sum);
  }
  const auto best = std::max_element(logarithms.begin(), logarithms.end());
  double all = 0;
  for (const double logarithm : logarithms) {
    shares.push_back(code.coding == scenes::Coding::kVlad ? 0 : std::exp(logarithm - *best));
    all += shares.back();
  }
  if (code.coding == scenes::Coding::kVlad)
    shares[static_cast<std::size_t>(best - logarithms.begin())] = all = 1;
  for (double& share : shares) share /= all;
  return shares;
}

// The features of the dictionary's own words.
inline std::vector<double> scene_code(ImageView<const std::uint8_t> image,
                                      const scenes::Dictionary& dictionary, int pyramid) {
  const scenes::WordCode& code = dictionary.code;
  const bool soft = code.coding == scenes::Coding::kSoft;
  const auto words = static_cast<std::size_t>(dictionary.size());
  const auto components = static_cast<std::size_t>(code.components());
  const std::size_t length =
      soft ? words : words * components * (code.coding == scenes::Coding::kFisher ? 2 : 1);
  const auto places = projected_places(image, dictionary);
  std::vector<double> features;
  for (int level = 0; level <= pyramid; ++level) {
    const int across = 1 << level;
    std::vector<std::vector<double>> cells(static_cast<std::size_t>(across * across),
                                           std::vector<double>(length, 0.0));
    std::size_t i = 0;
    for (const scenes::PlaceGrid& grid :
         scenes::place_grids(dictionary.descriptor, image.width, image.height)) {
      for (int p = 0; p < grid.count(); ++p, ++i) {
        const int x = grid.left + p % grid.columns * grid.step;
        const int y = grid.top + p / grid.columns * grid.step;
        std::vector<double>& cell = cells[static_cast<std::size_t>(
            y * across / image.height * across + x * across / image.width)];
        const std::vector<double> shares = word_shares(code, places[i]);
        for (std::size_t k = 0; k < words; ++k) {
          if (soft) {
            cell[k] += shares[k];
            continue;
          }
          for (std::size_t j = 0; j < components; ++j) {
            const auto row = static_cast<int>(k), column = static_cast<int>(j);
            const double away = places[i][j] - code.means.at(column, row);
            if (code.coding == scenes::Coding::kVlad) {
              cell[k * components + j] += shares[k] * away;
              continue;
            }
            const double variance = code.variances.at(column, row), share = code.shares[k];
            cell[k * components + j] += shares[k] * away / std::sqrt(variance * share);
            cell[(words + k) * components + j] +=
                shares[k] * (away * away / variance - 1) / std::sqrt(2 * share);
          }
        }
      }
    }
    const double weight = std::ldexp(1.0, level == 0 ? -pyramid : level - pyramid - 1);
    for (std::vector<double>& cell : cells) {
      double norm = 0;
      for (const double value : cell) norm += std::abs(value);
      for (const double value : cell) {
        if (soft) features.push_back(value / static_cast<double>(places.size()) * weight);
        else
          features.push_back(
              norm > 0 ? std::copysign(std::sqrt(std::abs(value) / norm), value) / across : 0);
      }
    }
  }
  return features;
}

}  // namespace fovea::reference
