// CPU twin of distances and of the search for neighbors.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/parallel.h"
#include "scenes/classify/classifier_parts.h"

namespace fovea::scenes::cpu {
namespace {

constexpr int kDistanceRows = 8;     // per piece of work
constexpr int kDistanceBlock = 512;  // rows whose distances are in memory at a time

std::vector<float> squares_of(ImageView<const float> rows) {
  std::vector<float> squares(static_cast<std::size_t>(rows.height));
  for (int y = 0; y < rows.height; ++y)
    squares[static_cast<std::size_t>(y)] = square_sum(rows.row(y), rows.width);
  return squares;
}

class CpuNeighbors final : public NeighborEngine {
 public:
  explicit CpuNeighbors(const NeighborPlan& plan) : plan_(plan) {
    if (plan.distance == Distance::kCosine) squares_ = squares_of(plan.samples);
  }

  void find(ImageView<const float> features, ImageView<std::int32_t> nearest) override {
    for (int first = 0; first < features.height; first += kDistanceBlock) {
      const int count = std::min(kDistanceBlock, features.height - first);
      find_block(features.crop(0, first, features.width, count),
                 nearest.crop(0, first, nearest.width, count));
    }
  }

 private:
  void find_block(ImageView<const float> features, ImageView<std::int32_t> nearest) {
    Image<float> distances(plan_.samples.height, features.height);
    DistanceRows job{plan_.distance, features, plan_.samples, distances, {}, squares_};
    std::vector<float> squares;
    if (plan_.distance == Distance::kCosine) squares = squares_of(features);
    job.from_squares = squares;
    parallel_for(
        plan_.exec, features.height, kDistanceRows, [&](std::int64_t begin, std::int64_t end) {
          DistanceRows part = job;
          part.begin = static_cast<int>(begin);
          part.end = static_cast<int>(end);
          distance_rows(part);
          for (int y = part.begin; y < part.end; ++y)
            std::ranges::copy(
                nearest_samples({distances.row(y), static_cast<std::size_t>(distances.width())},
                                nearest.width),
                nearest.row(y));
        });
  }

  NeighborPlan plan_;
  std::vector<float> squares_;
};

}  // namespace

std::unique_ptr<NeighborEngine> make_neighbor_engine(const NeighborPlan& plan) {
  return std::make_unique<CpuNeighbors>(plan);
}

void histogram_distances(ImageView<const float> from, ImageView<const float> to,
                         ImageView<float> distances, const DistanceOptions& options) {
  std::vector<float> from_squares, to_squares;
  if (options.distance == Distance::kCosine) {
    from_squares = squares_of(from);
    to_squares = squares_of(to);
  }
  const DistanceRows job{options.distance, from, to, distances, from_squares, to_squares};
  parallel_for(options.exec, from.height, kDistanceRows, [&](std::int64_t begin, std::int64_t end) {
    DistanceRows part = job;
    part.begin = static_cast<int>(begin);
    part.end = static_cast<int>(end);
    distance_rows(part);
  });
}

}  // namespace fovea::scenes::cpu
