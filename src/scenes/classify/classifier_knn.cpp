// The nearest neighbors of a histogram by the chi-squared distance, and their votes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>

#include "core/parallel.h"
#include "scenes/classify/classifier_parts.h"
#include "scenes/classify/kernel_map.h"

namespace fovea::scenes {

std::vector<std::int32_t> nearest_samples(std::span<const float> distances, int count) {
  std::vector<std::int32_t> order(distances.size());
  std::iota(order.begin(), order.end(), 0);
  const auto at = [&](std::int32_t i) { return distances[static_cast<std::size_t>(i)]; };
  const auto end = order.begin() + std::min<std::ptrdiff_t>(count, std::ssize(order));
  std::partial_sort(order.begin(), end, order.end(), [&](std::int32_t a, std::int32_t b) {
    return at(a) != at(b) ? at(a) < at(b) : a < b;
  });
  order.erase(end, order.end());
  return order;
}

std::vector<std::int32_t> nearest_labels(std::span<const float> distances,
                                         std::span<const std::int32_t> labels, int count) {
  std::vector<std::int32_t> nearest = nearest_samples(distances, count);
  for (std::int32_t& i : nearest) i = labels[static_cast<std::size_t>(i)];
  return nearest;
}

void vote(std::span<const std::int32_t> nearest, int count, std::span<float> shares) {
  std::ranges::fill(shares, 0);
  const auto voters = nearest.first(std::min(static_cast<std::size_t>(count), nearest.size()));
  for (const std::int32_t label : voters) shares[static_cast<std::size_t>(label)] += 1;
  const float most = *std::ranges::max_element(shares);
  const auto winner = std::ranges::find_if(
      voters, [&](std::int32_t label) { return shares[static_cast<std::size_t>(label)] == most; });
  for (float& share : shares) share /= static_cast<float>(voters.size());
  if (winner == voters.end()) return;
  float& best = shares[static_cast<std::size_t>(*winner)];
  if (std::ranges::count(shares, best) > 1) best = std::nextafter(best, 1.F);
}

void knn_scores(const KnnClasses& knn, ImageView<const float> features, ImageView<float> scores,
                const Exec& exec) {
  constexpr int kBlock = 64;  // rows whose distances are in memory at a time
  for (int first = 0; first < features.height; first += kBlock) {
    const int count = std::min(kBlock, features.height - first);
    Image<float> distances(knn.samples.height(), count);
    chi_squared_distances(features.crop(0, first, features.width, count), knn.samples, distances,
                          exec);
    parallel_for(exec, count, 1, [&](std::int64_t begin, std::int64_t end) {
      for (int y = static_cast<int>(begin); y < end; ++y) {
        const auto nearest =
            nearest_labels({distances.row(y), static_cast<std::size_t>(distances.width())},
                           knn.labels, knn.neighbors);
        vote(nearest, knn.neighbors,
             {scores.row(first + y), static_cast<std::size_t>(scores.width)});
      }
    });
  }
}

void knn_contributions(const KnnClasses& knn, std::span<const float> histogram,
                       ImageView<float> contributions, const Exec& exec) {
  std::vector<float> distances(static_cast<std::size_t>(knn.samples.height()));
  chi_squared_distances(packed_view(histogram.data(), static_cast<int>(histogram.size()), 1),
                        knn.samples, packed_view(distances.data(), knn.samples.height(), 1), exec);
  const std::vector<std::int32_t> nearest = nearest_samples(distances, knn.neighbors);
  const auto voters = static_cast<float>(nearest.size());
  for (const std::int32_t sample : nearest) {
    const float* known = knn.samples.row(sample);
    float* row = contributions.row(knn.labels[static_cast<std::size_t>(sample)]);
    for (std::size_t i = 0; i < histogram.size(); ++i)
      row[i] +=
          static_cast<float>(exact_kernel(Kernel::kChiSquared, histogram[i], known[i])) / voters;
  }
}

}  // namespace fovea::scenes
