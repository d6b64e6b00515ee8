// What kmeans() and NearestCenter ask of a device. An engine holds the points where it computes and
// keeps labels, sums and centers there; an iteration is one step(), which brings back four numbers.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ops/kmeans/kmeans_math.h"

namespace fovea::detail {

// The points as they are: what scales are chosen from.
struct KmeansSurvey {
  std::vector<float> largest;   // |number| of each dimension, of the points before `offending`
  std::int32_t offending = -1;  // the first point with a number that is not finite or larger than
                                // KmeansLimits::kLargest, or -1
};

// Powers of two.
struct KmeansScales {
  std::vector<double> values;  // of each dimension
  double distance = 1;         // of squared distances
};

// What a step found and did.
struct KmeansStep {
  std::int64_t inertia = 0;  // sum of whole(squared distance) to the centers before they moved
  std::int64_t changed = 0;  // points whose label is another than before; one without is one
  std::int32_t empty = 0;    // clusters without a point
  double squared_shift = 0;  // squared_move() of the center that moved most
};

// A point that leaves its cluster for one without points.
struct KmeansTransfer {
  std::int32_t point = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
};

class KmeansEngine {
 public:
  virtual ~KmeansEngine() = default;

  virtual KmeansSurvey survey() = 0;
  // Once, before all that follows.
  virtual void set_scales(const KmeansScales& scales) = 0;

  // Begins anew: centers at these points; no point has a label, sums and counts are zero.
  virtual void start_at(std::span<const std::int32_t> points) = 0;
  // The same by plus-plus, all with one Random(seed, sequence). The first is the point
  // draw_below(points). Each point keeps the least squared distance (float) to the centers so far;
  // the next is the first point at which the sum of their whole() from point 0 on, it included,
  // exceeds draw_below(sum of all), or, where that sum is 0, the point draw_below(points).
  virtual void start_plus_plus(int clusters, std::uint64_t seed, std::uint64_t sequence) = 0;

  // Gives every point the label of its nearest center. Then, with `move`, each cluster that has
  // points moves its center to mean_of(); one without stays. Sums and counts are those of the
  // labels either way.
  virtual KmeansStep step(bool move) = 0;
  // The same with a batch of points, which may hold a point twice: a draw counts as changed where
  // its label is another than the point had before the step. Sums and counts go on from step to
  // step and count every draw; empty is 0. Follows a start or another step_batch(); a step() after
  // it keeps the centers alone and begins labels, sums and counts anew.
  virtual KmeansStep step_batch(std::span<const std::int32_t> points) = 0;

  // After step(), until the next call: of each point label and squared distance to the center it
  // was given, before that moved; of each cluster its points. On the host.
  virtual std::span<const std::int32_t> labels() = 0;
  virtual std::span<const float> distances() = 0;
  virtual std::span<const std::int64_t> counts() = 0;
  // After step(true): points change labels, sums and counts follow, and the clusters concerned move
  // to their mean_of(). Returns the squared shift of the step as a whole.
  virtual double transfer(std::span<const KmeansTransfer> transfers) = 0;

  // The centers as they are now, into an image on the host, one per row.
  virtual void read_centers(ImageView<float> centers) = 0;
};

// Keeps centers prepared for one device.
class NearestEngine {
 public:
  virtual ~NearestEngine() = default;
  // Points in any memory, labels where they are.
  virtual void find(ImageView<const float> points, std::span<std::int32_t> labels,
                    const Exec& exec) = 0;
};

}  // namespace fovea::detail

// The points stay the caller's and outlive the engine; exec is resolved. Centers lie on the host.
namespace fovea::cpu {
std::unique_ptr<detail::KmeansEngine> make_kmeans_engine(ImageView<const float> points,
                                                         const Exec& exec);
std::unique_ptr<detail::NearestEngine> make_nearest_engine(ImageView<const float> centers,
                                                           const Exec& exec);
}  // namespace fovea::cpu

namespace fovea::cuda {
std::unique_ptr<detail::KmeansEngine> make_kmeans_engine(ImageView<const float> points,
                                                         const Exec& exec);
std::unique_ptr<detail::NearestEngine> make_nearest_engine(ImageView<const float> centers,
                                                           const Exec& exec);
}  // namespace fovea::cuda
