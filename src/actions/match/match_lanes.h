// The recursion on the CPU. A group of models stands side by side, a lane a node; since states grow
// from those of earlier frames only, all nodes of all models take a step at once, each from the
// lane before it, and models of any length fill the vectors.
#pragma once
#include <fovea/actions/match.h>

#include <iterator>
#include <span>
#include <vector>

#include "actions/match/match_steps.h"
#include "actions/match/match_terms.h"

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

// The best assignment that ends in a step; infinite where there is none.
struct LaneEnd {
  float energy = 0;
  std::int32_t last = 0;    // node of the step, and
  std::int32_t before = 0;  // node before it, counted from the oldest neighbour
};

struct LanePath {
  std::vector<std::int64_t> nodes;  // of the scene, one a node of the model
  float appearance = 0;             // sum of unary costs, in the order of the nodes
};

class LaneTrellis {
 public:
  // Steps may be neighbours of the `depth` before them; paths may be `history` steps long.
  LaneTrellis(const LaneGroup& group, const detail::MatchTerms& terms, std::int64_t depth,
              std::int64_t history);

  // The next step of the window, with its points' unary costs.
  void advance(const detail::StepWindow& steps, std::int64_t number, const float* unary);
  // After it, one a model of the group.
  std::span<const LaneEnd> ends() const { return ends_; }

  // A model's assignment with that end, in a step not farther back than `history`.
  LanePath trace(const detail::StepWindow& steps, int model, std::int64_t number,
                 const LaneEnd& end) const;

 private:
  struct Slot {
    std::vector<float> states;  // a row a pair, lane n holding what node n goes on from
    // With dummies, the least of states whose earlier node is not farther than 1, 2, ... frames:
    // of all nodes, and of dummies alone.
    std::vector<float> least_all, least_dummy;
    std::vector<std::int32_t> who_all, who_dummy;
  };
  struct Past {
    std::vector<float> unary;         // a row a point, then the dummy's
    std::vector<std::uint16_t> back;  // a row a pair: the earlier node, from the oldest neighbour
  };
  struct Pair {
    std::int64_t last_step, middle_step;
    int last, middle;  // nodes of them
  };
  struct Candidates;

  void make_room(const detail::Step& step, const float* unary, Slot& slot, Past& past) const;
  void list_candidates(const detail::StepWindow& steps, const Pair& pair, Candidates& list) const;
  void find_least(const detail::StepWindow& steps, std::int64_t number, Slot& slot) const;
  const Slot& slot_of(std::int64_t number) const {
    return slots_[static_cast<std::size_t>(number % std::ssize(slots_))];
  }
  const Past& past_of(std::int64_t number) const {
    return past_[static_cast<std::size_t>(number % std::ssize(past_))];
  }

  const LaneGroup& group_;
  detail::MatchTerms terms_;
  std::vector<Slot> slots_;
  std::vector<Past> past_;
  std::vector<float> energies_;
  std::vector<LaneEnd> ends_;
};

}  // namespace fovea::actions::cpu
