// The options in numbers: the levels of a frame's pyramid, the pairs of scales that are computed,
// their kernels, and the latency of points.
#pragma once
#include <fovea/actions/points.h>
#include <fovea/core/geometry.h>

#include <vector>

namespace fovea::actions {

// A pair of scales on a level: L(s2, t2), its derivatives and, if points are detected, their second
// moments and the response.
struct Channel {
  int level = 0;
  int smooth = 0;  // index into PointPlan::smooths
  float sigma2 = 0;
  float tau2 = 0;                // scales as reported with points
  std::vector<float> time;       // the kernel of L over time
  float along = 0;               // weight of the derivatives in space
  float over_time = 0;           // weight of the derivative in time
  std::vector<float> sum_space;  // kernels for the sums of products of derivatives;
  std::vector<float> sum_time;   // both are empty if no points are detected
  // Half of a patch, in pixels of the level and in frames.
  double half_space = 0;
  double half_time = 0;

  int time_radius() const { return static_cast<int>(time.size() / 2); }
  int sum_radius() const { return static_cast<int>(sum_time.size() / 2); }
  // By how many frames the newest derivatives, and the newest response, lag behind the newest
  // frame.
  int derivative_lag() const { return time_radius() + 1; }
  int response_lag() const { return derivative_lag() + sum_radius(); }
};

// A level that is smoothed in space by one variance.
struct Smooth {
  int level = 0;
  std::vector<float> kernel;
};

// Dollar's filters, both of the same length, for a Smooth of level 0.
struct PeriodicPlan {
  int smooth = 0;
  std::vector<float> even;
  std::vector<float> odd;
  int radius_space = 0;  // neighborhood of maxima
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
  int latency = 0;   // in frames
  bool skip = true;  // whether a twin may leave out what cannot hold a point; results are the same
  // The scales of points without a channel: those of the periodic detector without descriptors.
  float sigma2 = 0;
  float tau2 = 0;

  float sigma2_of(int channel) const;
  float tau2_of(int channel) const;
  int smooth_radius()
      const;  // in time: the longest radius of all kernels that read smoothed frames
};

PointPlan plan_points(const PointOptions& options);
// Returns a plan with one channel per pair of scales, in order of appearance; no points are
// detected.
PointPlan plan_descriptors(std::span<const SpaceTimePoint> points, const PointOptions& options);

// Returns the level on which a patch of this extent is described: the last one on which its
// variance is at least the first variance of the options.
int level_of(double sigma2, const PointOptions& options);

std::vector<Extent> level_sizes(int width, int height, int levels);

// The pixels or frames of a cell, from first to last, both included: neighboring cells share one,
// as in STIP-2.0.
struct CellSpan {
  int first = 0;
  int last = 0;
};
CellSpan cell_span(double half, int cells, int index);

}  // namespace fovea::actions
