// Models side by side, with one lane per node, so that models of any length fill the vectors.
#pragma once
#include <fovea/actions/match.h>

#include <span>
#include <vector>

namespace fovea::actions::cpu {

struct LaneGroup {
  struct Model {
    int index = 0;  // among all models
    int first = 0;  // first lane
    int nodes = 0;
  };
  static constexpr int kRound =
      16;  // the number of lanes is a multiple of it, for every instruction set

  std::vector<Model> models;
  int lanes = 0;
  std::vector<float> gaps;       // frames since the node before
  std::vector<float> at_middle;  // Bends of the node's triple
  std::vector<float> at_last;
  std::vector<float>
      closed;  // infinite in lanes without a state: first nodes, and lanes past the last node
  std::vector<float> second;  // 0 for second nodes, which start a state; otherwise infinite
  std::vector<float> timed;   // 0 for second nodes, whose pair is in no triangle yet; otherwise 1
  int features = 0;
  std::vector<float>
      values;  // features: `lanes` values of the first number, then of the second, ...
};

// Puts models in their order into groups of at most so many lanes, with at least one model each.
std::vector<LaneGroup> make_groups(std::span<const Chain> models, int most_lanes);

// Computes l1 U for each row of features and each lane, in rows of `lanes` numbers.
void unary_costs(const LaneGroup& group, ImageView<const float> features, float weight,
                 float* costs);

}  // namespace fovea::actions::cpu
