// The parts of a training of trees that do not depend on the kind.
#include "people/train/train_trees.h"

namespace fovea::people {

std::vector<WindowPlace> some_of(const std::vector<WindowPlace>& places, std::size_t count,
                                 Random random) {
  if (places.size() <= count) return places;
  std::vector<WindowPlace> chosen = places;
  shuffle(chosen, random);
  chosen.resize(count);
  std::sort(chosen.begin(), chosen.end(), before);
  return chosen;
}

int trees_of_round(int round, int trees) {
  constexpr int kGrowth = 4;  // growth of the number of trees from round to round
  for (int r = round; r < kGrowingRounds; ++r) trees /= kGrowth;
  return std::max(1, trees);
}

void fill_samples(BoostSamples& samples, const std::vector<std::uint8_t>& rows, int first) {
  const auto features = static_cast<std::size_t>(samples.features);
  const std::size_t count = rows.size() / features;
  // In tiles, so that neither rows nor columns leave the cache between two of their bytes.
  constexpr std::size_t kTile = 64;
  for (std::size_t f = 0; f < features; f += kTile)
    for (std::size_t i = 0; i < count; i += kTile)
      for (std::size_t g = f; g < std::min(f + kTile, features); ++g) {
        std::uint8_t* column = samples.values.data() + g * samples.count + first;
        for (std::size_t j = i; j < std::min(i + kTile, count); ++j)
          column[j] = rows[j * features + g];
      }
}

}  // namespace fovea::people
