// The interface between kmeans() and NearestCenter on one side and devices on the other. An engine
// holds the points where it computes and keeps labels, sums and centers there; an iteration is one
// step(), which returns four numbers.
#pragma once
#include <fovea/core/image.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ops/kmeans/kmeans_math.h"

namespace fovea::detail {

// Facts about the points, from which scales are chosen.
struct KmeansSurvey {
  std::vector<float> largest;   // greatest |number| per dimension before `offending`
  std::int32_t offending = -1;  // the first point with a number that is not finite or larger than
                                // KmeansLimits::kLargest, or -1
};

// Scales that turn numbers into whole numbers. All are powers of two.
struct KmeansScales {
  std::vector<double> values;  // one per dimension
  double distance = 1;         // for squared distances
};

// The result of a step.
struct KmeansStep {
  std::int64_t inertia = 0;  // sum of whole(squared distance) to the centers before they moved
  std::int64_t changed = 0;  // points whose label changed or that had none before
  std::int32_t empty = 0;    // clusters without a point
  double squared_shift = 0;  // squared_move() of the center that moved most
};

// A point that leaves its cluster for one without points.
struct KmeansTransfer {
  std::int32_t point = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
};

// A point that may leave its cluster, with its label and its squared distance from that center.
struct KmeansCandidate {
  std::int32_t point = 0;
  std::int32_t label = 0;
  float distance = 0;
};
// Sorts candidates, the farthest first and the first point among equals, and keeps `most` of them.
void keep_farthest(std::vector<KmeansCandidate>& candidates, int most);

class KmeansEngine {
 public:
  virtual ~KmeansEngine() = default;

  virtual KmeansSurvey survey() = 0;
  // Must be called once, before any of the following functions.
  virtual void set_scales(const KmeansScales& scales) = 0;

  // Starts again with centers at these points: no point has a label, and sums and counts are zero.
  virtual void start_at(std::span<const std::int32_t> points) = 0;
  // Starts again with k-means++, which uses one Random(seed, sequence). The first center is the
  // point draw_below(points). Each point keeps the least squared distance (float) to the centers so
  // far. The next center is the first point at which the sum of their whole(), from point 0 up to
  // and including it, exceeds draw_below(sum of all). Where that sum is 0, it is the point
  // draw_below(points).
  virtual void start_plus_plus(int clusters, std::uint64_t seed, std::uint64_t sequence) = 0;

  // Gives every point the label of its nearest center. Then, with `move`, each cluster that has
  // points moves its center to mean_of(); clusters without points stay. In either case sums and
  // counts are those of the labels.
  virtual KmeansStep step(bool move) = 0;
  // Does the same with a batch of points, which may contain a point twice. A draw counts as changed
  // where its label differs from the label of the point before the step. Sums and counts continue
  // from step to step and count every draw; empty is 0. It must follow a start or another
  // step_batch(). A step() after it keeps only the centers and begins with new labels, sums and
  // counts.
  virtual KmeansStep step_batch(std::span<const std::int32_t> points) = 0;

  // Valid after step() until the next call, in host memory: the label of each point, its squared
  // distance to its center before that center moved, and the number of points of each cluster.
  virtual std::span<const std::int32_t> labels() = 0;
  virtual std::span<const float> distances() = 0;
  virtual std::span<const std::int64_t> counts() = 0;
  // The points that lie farthest from their centers, as keep_farthest() orders them, without those
  // whose whole(distance, scale) is 0. Valid after step().
  virtual std::vector<KmeansCandidate> farthest(int most, double scale);
  // After step(true): moves points to other clusters, updates sums and counts, and moves the
  // centers of the affected clusters to their mean_of(). Returns the squared shift of the step as a
  // whole.
  virtual double transfer(std::span<const KmeansTransfer> transfers) = 0;

  // Copies the current centers into an image on the host, one per row.
  virtual void read_centers(ImageView<float> centers) = 0;
};

// An engine that holds a part of the points: the centers come from where the sums of all parts are
// added up.
class PartEngine : public KmeansEngine {
 public:
  // Starts again with these centers, as start_at() does with points.
  virtual void start_with(ImageView<const float> centers) = 0;
  // Replaces the centers; points keep their labels.
  virtual void move_to(ImageView<const float> centers) = 0;
  // Valid after step(): the sums of the clusters' points, cluster after cluster.
  virtual std::span<const std::int64_t> sums() const = 0;
};

// Keeps centers prepared for one device.
class NearestEngine {
 public:
  virtual ~NearestEngine() = default;
  // Points may lie in any memory; labels lie in the same one.
  virtual void find(ImageView<const float> points, std::span<std::int32_t> labels,
                    const Exec& exec) = 0;
};

}  // namespace fovea::detail

// The points belong to the caller and must outlive the engine; exec is resolved. Centers lie on the
// host.
namespace fovea::cpu {
std::unique_ptr<detail::KmeansEngine> make_kmeans_engine(ImageView<const float> points,
                                                         const Exec& exec);
std::unique_ptr<detail::PartEngine> make_part_engine(ImageView<const float> points,
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
