// A filtered model of chance, for tests.
#pragma once
#include <fovea/core/random.h>
#include <fovea/people/filtered.h>

namespace fovea::people_test {

using people::FilterBank;
using people::FilteredModel;

// Filters whose absolute weights add up to as much as is allowed, or less.
inline FilterBank random_bank(int filters, std::uint64_t seed) {
  Random random(seed);
  FilterBank bank;
  bank.filters = filters;
  for (int f = 0; f < FilteredModel::kChannels * filters; ++f) {
    int left = 255;
    for (int t = 0; t < FilterBank::kTaps; ++t) {
      const int most = left < 20 ? left : 20;
      const int weight = static_cast<int>(random.below(static_cast<std::uint32_t>(most) + 1));
      left -= weight;
      bank.weights.push_back(
          static_cast<std::int8_t>(f % 3 == 0 || random.below(2) == 0 ? weight : -weight));
    }
    bank.gain.push_back(static_cast<std::int16_t>(random.below(2000)));
    bank.offset.push_back(static_cast<std::int16_t>(100 + random.below(60)));
  }
  return bank;
}

struct FilteredShape {
  int trees;
  int depth;
  int filters;
  int exact_per_octave;
};

// Trees that reject many windows early and pass some.
inline FilteredModel random_filtered(const FilteredShape& shape, Extent window) {
  FilteredModel model;
  model.window = window;
  model.exact_per_octave = shape.exact_per_octave;
  model.decay.fill(0.1F);
  model.bank = random_bank(shape.filters, 4);
  Random random(9);
  const auto features = static_cast<std::uint32_t>(window.width / 4 * (window.height / 4) *
                                                   FilteredModel::kChannels * shape.filters);
  model.trees.depth = shape.depth;
  for (int t = 0; t < shape.trees; ++t) {
    for (int n = 0; n < model.trees.nodes(); ++n) {
      model.trees.feature.push_back(random.below(features));
      model.trees.threshold.push_back(static_cast<std::uint8_t>(80 + random.below(80)));
    }
    for (int n = 0; n < model.trees.leaves(); ++n)
      model.trees.leaf.push_back(
          static_cast<std::int16_t>(static_cast<int>(random.below(2000)) - 1000));
    model.rejection.push_back(-1500);
  }
  return model;
}

}  // namespace fovea::people_test
