// The options in numbers: which levels there are and what is done on each.
#pragma once
#include <fovea/flow/lucas_kanade.h>
#include <fovea/flow/quality.h>

#include <vector>

#include "flow/lk/lucas_kanade_math.h"

namespace fovea::flow::lk {

// Returns the distance of the pixels whose flow is tried in a round of propagation.
inline int trial_distance(int round) { return round < 2 ? 4 >> round : 1; }

constexpr int kMostRadius = 15;
// There are no further levels if halving would leave fewer pixels than this on the shorter side.
constexpr int kLeastSide = 8;

// Steps with the same window.
struct Round {
  int steps;
  int radius;
};

struct LevelPlan {
  int propagation = 0;  // rounds before the first steps, each before one step
  Round wide{};
  Round narrow{};
  bool half_trials = false;  // rounds alternate between the adjacent and the diagonal neighbors
  int median_every = 1;  // steps between median filters; the last step is always followed by one
  int steps() const { return wide.steps + narrow.steps; }
  const Round& round_of(int step) const { return step < wide.steps ? wide : narrow; }
  bool median_after(int step) const {
    return step == steps() - 1 || (step + 1) % median_every == 0;
  }
  // The range of trials in a round of propagation.
  int first_trial(int round) const { return half_trials && round % 2 == 1 ? kTrials / 2 : 0; }
  int last_trial(int round) const { return half_trials && round % 2 == 0 ? kTrials / 2 : kTrials; }
};

struct Plan {
  int finest = 0;    // the flow of finer levels is enlarged from this one
  int levels = 0;    // greatest number of levels; 0: as many as the image has
  LevelPlan fine;    // for level `finest`
  LevelPlan coarse;  // for the next coarser level
  LevelPlan small;   // for the levels above, which cost little
  Window window{};
  bool rank = true;
  int median = 2;
  bool forward_backward = false;
  int channels = 1;  // 3 if colors are compared
  float robust = 0;
  SolveParams solve{};
  bool everywhere =
      false;  // filter also flow that reaches no pixel that counts: refinement reads it

  const LevelPlan& of(int level) const {
    return level <= finest ? fine : level == finest + 1 ? coarse : small;
  }
};

// Options without a value are chosen by the quality.
Plan make_plan(const LucasKanadeOptions& options, Quality quality);

// Returns how many pixels of level `level` a pixel can depend on in each direction, beyond where
// its flow points. A tile needs such surroundings to give the same result as the whole image.
int reach(const Plan& plan, int level);

// Returns how many pixels of level `level` flow can travel, there and on all finer levels, to the
// flow or the confidence of a pixel.
int far_reach(const Plan& plan, int level);

int level_count(int width, int height, int most);

// Returns 2 radius + 1 weights whose sum is 1.
std::vector<float> window_taps(Window window, int radius);

}  // namespace fovea::flow::lk
