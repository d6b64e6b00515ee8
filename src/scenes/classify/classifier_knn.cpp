// The nearest neighbors of a histogram, and their votes.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

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

void knn_scores(const KnnClasses& knn, ImageView<const std::int32_t> nearest,
                ImageView<float> scores) {
  std::vector<std::int32_t> labels(static_cast<std::size_t>(nearest.width));
  for (int y = 0; y < nearest.height; ++y) {
    for (std::size_t i = 0; i < labels.size(); ++i)
      labels[i] = knn.labels[static_cast<std::size_t>(nearest.row(y)[i])];
    vote(labels, nearest.width, {scores.row(y), static_cast<std::size_t>(scores.width)});
  }
}

namespace {

// Calls use(label, similarity) for each neighbor of a histogram, where similarity(bin) is what both
// have in common in a bin.
template <class Use>
void each_neighbor(const KnnClasses& knn, std::span<const float> histogram, const Exec& exec,
                   const Use& use) {
  const auto bins = static_cast<int>(histogram.size());
  const ImageView<const float> row = packed_view(histogram.data(), bins, 1);
  std::vector<float> distances(static_cast<std::size_t>(knn.samples.height()));
  cpu::histogram_distances(row, knn.samples, packed_view(distances.data(), knn.samples.height(), 1),
                           {.distance = knn.distance, .exec = exec});
  const double square = cpu::square_sum(row.data, bins);
  const Kernel kernel =
      knn.distance == Distance::kChiSquared ? Kernel::kChiSquared : Kernel::kLinear;
  for (const std::int32_t sample : nearest_samples(distances, knn.neighbors)) {
    const float* known = knn.samples.row(sample);
    // What turns products into cosines.
    const double lengths = std::sqrt(square * cpu::square_sum(known, bins));
    const double scale = knn.distance == Distance::kCosine && lengths > 0 ? 1 / lengths : 1;
    use(knn.labels[static_cast<std::size_t>(sample)],
        [&](std::size_t i) { return exact_kernel(kernel, histogram[i], known[i]) * scale; });
  }
}

double voters_of(const KnnClasses& knn) { return std::min(knn.neighbors, knn.samples.height()); }

}  // namespace

void knn_contributions(const KnnClasses& knn, std::span<const float> histogram,
                       ImageView<float> contributions, const Exec& exec) {
  const double voters = voters_of(knn);
  each_neighbor(knn, histogram, exec, [&](std::int32_t label, const auto& similarity) {
    float* to = contributions.row(label);
    for (std::size_t i = 0; i < histogram.size(); ++i)
      to[i] += static_cast<float>(similarity(i) / voters);
  });
}

void knn_votes(const KnnClasses& knn, std::span<const float> histogram, ImageView<double> votes,
               std::span<double> rest, const Exec& exec) {
  const double vote = 1 / voters_of(knn);
  std::vector<double> common(histogram.size());
  each_neighbor(knn, histogram, exec, [&](std::int32_t label, const auto& similarity) {
    for (std::size_t i = 0; i < common.size(); ++i) common[i] = similarity(i);
    const double sum = std::accumulate(common.begin(), common.end(), 0.0);
    if (!(sum > 0)) {
      rest[static_cast<std::size_t>(label)] += vote;
      return;
    }
    double* to = votes.row(label);
    for (std::size_t i = 0; i < common.size(); ++i) to[i] += common[i] / sum * vote;
  });
}

}  // namespace fovea::scenes
