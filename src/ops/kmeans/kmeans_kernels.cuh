// The smaller kernels of k-means: survey of the points, starts, and moves of centers.
#pragma once
#include <cstdint>

#include "ops/kmeans/assign_cuda.cuh"
#include "ops/kmeans/backend.h"
#include "ops/kmeans/nearest_centers.cuh"

namespace fovea::cuda {

// `largest` (one per dimension, initialized to 0) becomes the largest |number| of the points.
// `offending` (initialized to -1, all ones) becomes the first point with a number that is too large
// or not finite, as an unsigned number.
void survey_points(const PointRows& points, int dimensions, float* largest, unsigned* offending,
                   cudaStream_t stream);

// Places centers at the points `chosen` and prepares them.
void place_centers(const PointRows& points, const CentersMemory& centers, cudaStream_t stream);

// Moves centers: computes `to` from `from` and the sums (only for clusters with points, and only
// with `move`) and prepares it; the shift and the clusters without points go to the record.
struct Move {
  CentersMemory from, to;
  const unsigned long long* sums;
  const unsigned long long* counts;
  const double* scales;
  StepRecord* record;
  bool move;
};
void move_centers(const Move& move, cudaStream_t stream);

// labels[chosen[i]] = fresh[i]; equal points have equal labels.
void scatter_labels(const PointRows& points, const StepTotals& totals, cudaStream_t stream);

// Points change their labels; sums and counts follow.
struct Transfers {
  const detail::KmeansTransfer* list;
  int count;
};
void transfer_points(const PointRows& points, int dimensions, const Transfers& transfers,
                     const StepTotals& totals, cudaStream_t stream);

// One start by plus-plus: chosen[0] is given, and the others are drawn one after the other.
class PlusPlus {
 public:
  explicit PlusPlus(int points);
  struct Job {
    PointRows points;
    int dimensions;
    double distance_scale;
    std::int32_t* chosen;
    int clusters;
  };
  // `random` is the generator after the first draw.
  void run(const Job& job, const Random& random, cudaStream_t stream);

 private:
  Array<float> least_;
  Array<unsigned long long> block_sums_;
  Array<unsigned> done_;
  Array<Random> random_;
};

}  // namespace fovea::cuda
