// What the options mean in numbers: the levels of a frame's pyramid, the pairs of scales that are
// worked on, their kernels, and how long a frame's points keep one waiting.
#pragma once
#include <fovea/actions/points.h>
#include <fovea/core/geometry.h>

#include <vector>

namespace fovea::actions {

// A pair of scales on a level: L(s2, t2), its derivatives and, where points are looked for, their
// second moments and the response.
struct Channel {
  int level = 0;
  int smooth = 0;  // which of PointPlan::smooths it is made from
  float sigma2 = 0;
  float tau2 = 0;                // as points have them
  std::vector<float> time;       // the kernel of L over time
  float along = 0;               // weights of the derivatives in space
  float over_time = 0;           // and in time
  std::vector<float> sum_space;  // the kernels that products of derivatives are summed with;
  std::vector<float> sum_time;   // empty where no points are looked for
  // Half of a patch, level's pixels and frames.
  double half_space = 0;
  double half_time = 0;

  int time_radius() const { return static_cast<int>(time.size() / 2); }
  int sum_radius() const { return static_cast<int>(sum_time.size() / 2); }
  // Frames after which the newest derivatives, response and maxima lag behind the newest frame.
  int derivative_lag() const { return time_radius() + 1; }
  int response_lag() const { return derivative_lag() + sum_radius(); }
};

// A level smoothed in space by one variance.
struct Smooth {
  int level = 0;
  std::vector<float> kernel;
};

// Dollar's filters, both of one length, on a Smooth of level 0.
struct PeriodicPlan {
  int smooth = 0;
  std::vector<float> even;
  std::vector<float> odd;
  int radius_space = 0;  // of maxima
  int radius_time = 0;
};

struct PointPlan {
  PointDetector detector = PointDetector::kHarris;
  int levels = 1;
  std::vector<Smooth> smooths;
  std::vector<Channel> channels;
  PeriodicPlan periodic;
  float k = 0;
  float threshold = 0;
  int border = 0;
  bool descriptors = true;
  FlowVotes votes = FlowVotes::kCount;
  float still = 0;
  int latency = 0;  // frames
  // Of points that have no channel: the periodic detector's without descriptors.
  float sigma2 = 0;
  float tau2 = 0;

  float sigma2_of(int channel) const;
  float tau2_of(int channel) const;
  int smooth_radius() const;  // of time, the longest of those that read smoothed frames
};

PointPlan plan_points(const PointOptions& options);
// A channel a pair of scales in order of appearance; none is looked for points in.
PointPlan plan_descriptors(std::span<const SpaceTimePoint> points, const PointOptions& options);

// The finest level that a patch of this extent is described on is the one where its variance is
// still no less than the first of the options.
int level_of(double sigma2, const PointOptions& options);

std::vector<Extent> level_sizes(int width, int height, int levels);

// A cell's pixels or frames, first to last, both in it: neighbors share one, as in STIP-2.0.
struct CellSpan {
  int first = 0;
  int last = 0;
};
CellSpan cell_span(double half, int cells, int index);

}  // namespace fovea::actions
