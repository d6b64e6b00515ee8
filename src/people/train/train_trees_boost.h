// AdaBoost of trees of one depth over features of one byte.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/people/filtered.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace fovea::people {

// Feature f of sample i is values[f * count + i]; positives come first.
struct BoostSamples {
  int positives = 0;
  int count = 0;
  int features = 0;
  std::vector<std::uint8_t> values;

  const std::uint8_t* feature(std::uint32_t f) const {
    return values.data() + static_cast<std::size_t>(f) * count;
  }
};

struct BoostOptions {
  int trees = 0;
  double feature_share = 1.0 / 16;  // share of the features that a node may choose from
  double calibration =
      0.005;  // added to every leaf, so that a constant threshold rejects less in later trees
  std::uint64_t sequence = 0;  // distinguishes the random choices of rounds
  int depth = 2;
  double kept_weight = 1;  // a tree grows from the samples with the greatest weights, which have
                           // this share of all weight together
  double shrinkage = 1;    // factor of what a tree adds to the score
};

// `report` is called with the number of trees done.
FilteredTrees boost_trees(const BoostSamples& samples, const BoostOptions& options,
                          const Exec& exec, const std::function<void(int)>& report);

}  // namespace fovea::people
