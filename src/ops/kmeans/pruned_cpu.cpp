// Search among the neighbors of a guess. A point x at distance u from center a is nearer to a than
// to any c with |a - c| > 2 u (Elkan, ICML 2003). Points with one guess are processed in the order
// of their distances, so that the points of a block have nearly the same u and the block searches
// few more centers than each of its points needs.
//
// Scores are rounded, and a center may be left out only if its rounded score is certainly larger.
// With D = |a - c| the exact ones differ by (|x - c|^2 - |x - a|^2) / 2 >= D (D - 2 u) / 2, and the
// sum of n rounded products lies within n roundings of h + |x| |c| of its exact value, where no
// number is larger than |a| + u + D.
#include "ops/kmeans/pruned.h"

#include <algorithm>
#include <cmath>

#include "ops/kmeans/distances.h"

namespace fovea::cpu {
namespace {

class Bound {
 public:
  Bound(const float* center, int dimensions) {
    constexpr double kRounding = 0x1p-24;  // relative error of a number
    constexpr double kLeast = 0x1p-148;    // absolute error of a number too small for that
    const double steps = dimensions + 4;
    relative_ = 2.5 * steps * kRounding;  // doubled where a product and a sum round separately
    absolute_ = 16 * steps * kLeast;
    for (int i = 0; i < dimensions; ++i)
      length_ += static_cast<double>(center[i]) * static_cast<double>(center[i]);
    length_ = std::sqrt(length_);
  }

  // The distance from this center within which lie all centers that points at a squared distance of
  // `distance` may prefer: D with D (D - 2 u) = 6 relative (|a| + u + D)^2 + absolute.
  double reach(float distance) const {
    const double u = std::sqrt(static_cast<double>(distance) * (1 + relative_) + absolute_);
    const double far = length_ + u, share = 6 * relative_;
    const double half = u + share * far;
    return (half + std::sqrt(half * half + (1 - share) * (share * far * far + absolute_))) /
           (1 - share) * (1 + 1e-9);
  }
  // Whether two centers with the computed squared distance `gap` lie within `reach` of each other.
  bool within(float gap, double reach) const {
    return static_cast<double>(gap) * (1 - relative_) - absolute_ <= reach * reach;
  }

 private:
  double length_ = 0;
  double relative_ = 0;
  double absolute_ = 0;
};

// Rows may lie anywhere in memory, so those of the next block are prefetched while one is
// processed.
void fetch(const float* row, int count) {
  constexpr int kLine = 16;
  constexpr int kMost = 8 * kLine;
  for (int i = 0; i < std::min(count, kMost); i += kLine) __builtin_prefetch(row + i);
}

}  // namespace

std::int64_t PrunedSearch::find(const Guess& guess, Scratch& scratch, std::int32_t* labels) const {
  const Bound bound(centers_.row(guess.center), centers_.width);
  std::vector<float>& gaps = scratch.gaps;
  gaps.resize(static_cast<std::size_t>(centers_.height));
  squared_distances(centers_, centers_.crop(0, guess.center, centers_.width, 1), nullptr,
                    gaps.data());
  const auto largest = [&](std::size_t from, std::size_t to) {
    float most = 0;
    for (std::size_t i = from; i < to; ++i)
      most = std::max(most, guess.distances[static_cast<std::size_t>(guess.order[i])]);
    return most;
  };
  const double farthest = bound.reach(largest(0, guess.order.size()));
  std::vector<std::int32_t> near;
  for (int c = 0; c < centers_.height; ++c)
    if (bound.within(gaps[static_cast<std::size_t>(c)], farthest)) near.push_back(c);
  const auto gap_of = [&](std::int32_t c) { return gaps[static_cast<std::size_t>(c)]; };
  std::sort(near.begin(), near.end(),
            [&](std::int32_t a, std::int32_t b) { return gap_of(a) < gap_of(b); });
  const NamedCenters candidates = pick_centers(centers_, std::move(near));

  const auto width = static_cast<std::size_t>(nearest_block());
  std::int64_t scores = 0;
  std::size_t needed = 0;
  scratch.undecided.clear();
  for (std::size_t first = 0; first < guess.order.size(); first += width) {
    const std::size_t count = std::min(width, guess.order.size() - first);
    for (std::size_t i = first + count; i < std::min(first + 2 * width, guess.order.size()); ++i)
      fetch(points_.row(guess.order[i]), points_.width);
    const double reach = bound.reach(largest(first, first + count));
    while (needed < candidates.names.size() &&
           bound.within(gap_of(candidates.names[needed]), reach))
      ++needed;
    nearest_named(candidates, static_cast<int>(needed),
                  {points_, guess.order.data() + first, static_cast<int>(count), &scratch.block},
                  labels + first);
    for (std::size_t i = first; i < first + count; ++i)
      if (labels[i] < 0) scratch.undecided.push_back(static_cast<std::int32_t>(i));
    scores += static_cast<std::int64_t>(needed * count);
  }
  if (!scratch.undecided.empty()) decide(guess, scratch.undecided, labels);
  return scores + static_cast<std::int64_t>(scratch.undecided.size()) * centers_.height;
}

void PrunedSearch::decide(const Guess& guess, const std::vector<std::int32_t>& undecided,
                          std::int32_t* labels) const {
  Image<float> rows(points_.width, static_cast<int>(undecided.size()));
  std::vector<std::int32_t> decided(undecided.size());
  for (std::size_t i = 0; i < undecided.size(); ++i)
    std::copy_n(points_.row(guess.order[static_cast<std::size_t>(undecided[i])]), points_.width,
                rows.row(static_cast<int>(i)));
  nearest_of_rows(prepared_, rows, decided.data());
  for (std::size_t i = 0; i < undecided.size(); ++i)
    labels[static_cast<std::size_t>(undecided[i])] = decided[i];
}

}  // namespace fovea::cpu
