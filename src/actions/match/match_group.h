// Models side by side, one lane per node, so that models of any length fill the vectors.
#pragma once
#include <fovea/actions/match.h>

#include <span>
#include <vector>

namespace fovea::actions::cpu {

struct LaneGroup {
  struct Model {
    int index = 0;  // among all models
    int first = 0;  // lane
    int nodes = 0;
  };
  static constexpr int kRound = 16;  // lanes come in multiples of it, on every instruction set

  std::vector<Model> models;
  int lanes = 0;
  std::vector<float> gaps;       // to the node before
  std::vector<float> at_middle;  // Bends of the node's triple
  std::vector<float> at_last;
  std::vector<float> closed;  // infinite where no state is: first nodes, and past the last
  std::vector<float> second;  // 0 of second nodes, which begin a state; else infinite
  std::vector<float> timed;   // 0 of second nodes, whose pair is in no triangle yet; then 1
  int features = 0;
  std::vector<float> values;  // of features, `lanes` of the first, of the second, ...
};

// Models in their order, as many a group as fit so many lanes, at least one.
std::vector<LaneGroup> make_groups(std::span<const Chain> models, int most_lanes);

// l1 U of each row of features and each lane, a row of `lanes` each.
void unary_costs(const LaneGroup& group, ImageView<const float> features, float weight,
                 float* costs);

}  // namespace fovea::actions::cpu
