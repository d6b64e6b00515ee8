// The recursion on the CPU. A group of models stands side by side, one lane per node; since states
// grow from those of earlier frames only, all nodes of all models take a step at once, each from
// the lane before it, and models of any length fill the vectors.
#pragma once
#include <fovea/actions/match.h>

#include <iterator>
#include <span>
#include <vector>

#include "actions/match/match_row.h"
#include "actions/match/match_steps.h"
#include "actions/match/match_terms.h"

namespace fovea::actions::cpu {

// The best assignment that ends in a step; infinite where there is none.
struct LaneEnd {
  float energy = 0;
  std::int32_t last = 0;    // node of the step, and
  std::int32_t before = 0;  // node before it, counted from the oldest neighbor
};

struct LanePath {
  std::vector<std::int64_t> nodes;  // of the scene, one a node of the model
  float appearance = 0;             // sum of unary costs, in the order of the nodes
};

class LaneTrellis {
 public:
  // Steps may be neighbors of the `depth` before them; paths may be `history` steps long. The
  // group outlives it. A trellis begun anew keeps its memory.
  void begin(const LaneGroup& group, const detail::MatchTerms& terms, std::int64_t depth,
             std::int64_t history);

  // The next step of the window, with its points' unary costs, and room for lanes x nodes x
  // before() of the step. Both stay the caller's and are used until `history` steps later; of the
  // costs a lane before the first may be read.
  void advance(const detail::StepWindow& steps, std::int64_t number, const float* unary,
               std::uint16_t* back);
  // After it, one a model of the group.
  std::span<const LaneEnd> ends() const { return ends_; }

  // A model's assignment with that end, in a step not farther back than `history`.
  LanePath trace(const detail::StepWindow& steps, int model, std::int64_t number,
                 const LaneEnd& end) const;

 private:
  struct Slot {
    std::vector<float> states;  // one row per pair, lane n holding what node n goes on from
    // With dummies, the least of states whose earlier node is not farther than 1, 2, ... frames:
    // of all nodes, and of dummies alone.
    std::vector<float> least_all, least_dummy;
    std::vector<std::int32_t> who_all, who_dummy;
  };
  struct Past {
    const float* unary = nullptr;   // one row per point
    std::uint16_t* back = nullptr;  // one row per pair: the earlier node, from the oldest neighbor
  };
  struct Pair {
    std::int64_t last_step, middle_step;
    int last, middle;  // nodes of them
  };

  void list_candidates(const detail::StepWindow& steps, const Pair& pair, RowWork& work);
  void find_least(const detail::StepWindow& steps, std::int64_t number, Slot& slot) const;
  const Slot& slot_of(std::int64_t number) const {
    return slots_[static_cast<std::size_t>(number % std::ssize(slots_))];
  }
  const Past& past_of(std::int64_t number) const {
    return past_[static_cast<std::size_t>(number % std::ssize(past_))];
  }

  const float* unary_of(const detail::Step& step, std::int64_t number, int node) const {
    return node < step.points
               ? past_of(number).unary + static_cast<std::size_t>(node) * group_->lanes
               : dummy_.data() + LaneGroup::kRound;
  }

  const LaneGroup* group_ = nullptr;
  detail::MatchTerms terms_;
  std::vector<float> dummy_;  // unary costs of a dummy
  std::vector<Candidate> candidates_;
  std::vector<Slot> slots_;
  std::vector<Past> past_;
  std::vector<float> energies_;
  std::vector<LaneEnd> ends_;
};

}  // namespace fovea::actions::cpu
