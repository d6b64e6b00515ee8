// What the options come to: which levels there are and what is done on each.
#pragma once
#include <fovea/flow/lucas_kanade.h>
#include <fovea/flow/quality.h>

#include <vector>

#include "flow/lk/lucas_kanade_math.h"

namespace fovea::flow::lk {

// How far off the flows are that are tried in a round of propagation.
inline int trial_distance(int round) { return round < 2 ? 4 >> round : 1; }

constexpr int kMostRadius = 15;
// Levels stop where halving would leave fewer pixels than this on the shorter side.
constexpr int kLeastSide = 8;

// Steps with one window.
struct Round {
  int steps;
  int radius;
};

struct LevelPlan {
  int propagation = 0;  // rounds before the first steps, one step each
  Round wide{};
  Round narrow{};
  bool half_trials = false;  // rounds try neighbors beside and at the corners by turns
  int median_every = 1;      // steps; the last is always followed by one
  int steps() const { return wide.steps + narrow.steps; }
  const Round& round_of(int step) const { return step < wide.steps ? wide : narrow; }
  bool median_after(int step) const {
    return step == steps() - 1 || (step + 1) % median_every == 0;
  }
  // The trials of a round of propagation.
  int first_trial(int round) const { return half_trials && round % 2 == 1 ? kTrials / 2 : 0; }
  int last_trial(int round) const { return half_trials && round % 2 == 0 ? kTrials / 2 : kTrials; }
};

struct Plan {
  int finest = 0;    // flow of finer levels is this one's, enlarged
  int levels = 0;    // at most; 0: as many as the image has
  LevelPlan fine;    // of level `finest`
  LevelPlan coarse;  // of the one above it
  LevelPlan small;   // of those above, which cost little
  Window window{};
  bool rank = true;
  int median = 2;
  bool forward_backward = false;
  float robust = 0;
  SolveParams solve{};

  const LevelPlan& of(int level) const {
    return level <= finest ? fine : level == finest + 1 ? coarse : small;
  }
};

// Options without a value are chosen by the quality.
Plan make_plan(const LucasKanadeOptions& options, Quality quality);

// Pixels of level `level` that one of them can depend on, in each direction, beyond where the flow
// points: what a tile needs around it to come out as the whole image would.
int reach(const Plan& plan, int level);

int level_count(int width, int height, int most);

// 2 radius + 1 weights that add up to 1.
std::vector<float> window_taps(Window window, int radius);

}  // namespace fovea::flow::lk
