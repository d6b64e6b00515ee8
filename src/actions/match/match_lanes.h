// The recursion on the CPU. The models of a group stand side by side, with one lane per node.
// States depend only on those of earlier frames, so that all nodes of all models advance at once,
// each from the lane before it, and models of any length fill the vectors.
#pragma once
#include <fovea/actions/match.h>

#include <iterator>
#include <span>
#include <vector>

#include "actions/match/match_row.h"
#include "actions/match/match_steps.h"
#include "actions/match/match_terms.h"

namespace fovea::actions::cpu {

// The best assignment that ends in a step; its energy is infinite if there is none.
struct LaneEnd {
  float energy = 0;
  std::int32_t last = 0;    // node within the step
  std::int32_t before = 0;  // the node before it, counted from the oldest neighbor
};

struct LanePath {
  std::vector<std::int64_t> nodes;  // nodes of the scene, one per node of the model
  float appearance = 0;             // sum of unary costs, in the order of the nodes
};

class LaneTrellis {
 public:
  // Nodes of a step may have neighbors in the `depth` steps before it; paths may be `history` steps
  // long. The group must outlive this object. Calling begin() again reuses its memory.
  void begin(const LaneGroup& group, const detail::MatchTerms& terms, std::int64_t depth,
             std::int64_t history);

  // Takes the next step of the window, with the unary costs of its points, and memory for lanes x
  // nodes x before() of the step. Both belong to the caller and are used until `history` steps
  // later; the element before the first cost must be readable.
  void advance(const detail::StepWindow& steps, std::int64_t number, const float* unary,
               std::uint16_t* back);
  // Returns the ends after advance(), one per model of the group.
  std::span<const LaneEnd> ends() const { return ends_; }

  // Returns a model's assignment with this end, in one of the last `history` steps.
  LanePath trace(const detail::StepWindow& steps, int model, std::int64_t number,
                 const LaneEnd& end) const;

 private:
  struct Slot {
    std::vector<float>
        states;  // one row per pair; lane n holds the state that the next node continues from
    // With dummies, the least states whose earlier node is at most 1, 2, ... frames before: among
    // all nodes, and among dummies only.
    std::vector<float> least_all, least_dummy;
    std::vector<std::int32_t> who_all, who_dummy;
  };
  struct Past {
    const float* unary = nullptr;  // one row per point
    std::uint16_t* back =
        nullptr;  // one row per pair: the earlier node, counted from the oldest neighbor
  };
  struct Pair {
    std::int64_t last_step, middle_step;
    int last, middle;  // nodes within these steps
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
  std::vector<float> dummy_;  // the unary cost of a dummy, for every lane
  std::vector<RowCandidate> candidates_;
  std::vector<Slot> slots_;
  std::vector<Past> past_;
  std::vector<float> energies_;
  std::vector<LaneEnd> ends_;
};

}  // namespace fovea::actions::cpu
