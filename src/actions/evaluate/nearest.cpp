#include "actions/evaluate/nearest.h"

#include <algorithm>

#include "actions/infinity.h"
#include "actions/match/features.h"
#include "ops/kmeans/kmeans_math.h"

namespace fovea::actions {
namespace {

constexpr int kMostRows = 65535;  // in one NearestCenter

// Returns the squared distance of two rows from the score by which NearestCenter compares centers,
// so that the least distance to a group is the least one to its parts, however it is divided.
float squared_distance(const float* point, const float* center, int size) {
  float score = fovea::detail::half_square(center, size);
  for (int i = 0; i < size; ++i) score = fovea::detail::add_to_score(point[i], center[i], score);
  double square = 0;
  for (int i = 0; i < size; ++i) square += static_cast<double>(point[i]) * point[i];
  return static_cast<float>(std::max(0.0, square + 2 * static_cast<double>(score)));
}

// Returns the column with the least value among those with a label; -1 if there is none.
int nearest_column(const float* row, std::span<const std::int32_t> labels) {
  int best = -1;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] >= 0 && row[i] < kInfinity<float> && (best < 0 || row[i] < row[best]))
      best = static_cast<int>(i);
  return best;
}

}  // namespace

NearestRows::NearestRows(std::vector<Image<float>> groups, const Exec& exec)
    : exec_(exec), groups_(std::move(groups)) {
  exec_.progress = {};
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (int first = 0; first < groups_[g].height(); first += kMostRows) {
      const int count = std::min(kMostRows, groups_[g].height() - first);
      const auto rows = std::as_const(groups_[g]).view().crop(0, first, groups_[g].width(), count);
      parts_.push_back({static_cast<int>(g), first, NearestCenter(rows, exec_)});
    }
}

Image<float> NearestRows::find(ImageView<const float> points) {
  Image<float> result(static_cast<int>(groups_.size()), points.height);
  for (int y = 0; y < result.height(); ++y)
    std::fill_n(result.row(y), result.width(), kInfinity<float>);
  if (points.height == 0) return result;
  for (Part& part : parts_) {
    throw_if_stopped(exec_);
    const Image<float>& group = groups_[static_cast<std::size_t>(part.group)];
    const std::vector<std::int32_t> nearest = part.finder.find(points);
    for (int y = 0; y < points.height; ++y) {
      float& value = result.at(part.group, y);
      value = std::min(
          value, squared_distance(points.row(y),
                                  group.row(part.first + nearest[static_cast<std::size_t>(y)]),
                                  points.width));
    }
  }
  return result;
}

Image<float> stacked(std::span<const Image<float>> parts, int width) {
  int height = 0;
  for (const Image<float>& part : parts) height += part.height();
  Image<float> result(width, height);
  int y = 0;
  for (const Image<float>& part : parts)
    for (int i = 0; i < part.height(); ++i, ++y) std::copy_n(part.row(i), width, result.row(y));
  return result;
}

Image<float> with_mirrored_hof(ImageView<const float> rows) {
  Image<float> result(rows.width, 2 * rows.height);
  for (int y = 0; y < rows.height; ++y) {
    std::copy_n(rows.row(y), rows.width, result.row(y));
    mirror_hof(rows.row(y), result.row(rows.height + y));
  }
  return result;
}

std::vector<double> single_distances(ImageView<const float> nearest, int begin, int end,
                                     std::span<const std::int32_t> labels, int classes) {
  if (begin >= end)
    return std::vector<double>(static_cast<std::size_t>(classes), kInfinity<double>);
  std::vector<double> sums(static_cast<std::size_t>(classes), 0);
  std::vector<float> least(static_cast<std::size_t>(classes));
  for (int y = begin; y < end; ++y) {
    std::ranges::fill(least, kInfinity<float>);
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] < 0) continue;
      float& value = least[static_cast<std::size_t>(labels[i])];
      value = std::min(value, nearest.at(static_cast<int>(i), y));
    }
    for (std::size_t c = 0; c < sums.size(); ++c)
      sums[c] += static_cast<double>(least[c]) / (end - begin);
  }
  return sums;
}

std::vector<int> single_votes(ImageView<const float> nearest, int begin, int end,
                              std::span<const std::int32_t> labels, int classes) {
  std::vector<int> votes(static_cast<std::size_t>(classes), 0);
  for (int y = begin; y < end; ++y)
    if (const int column = nearest_column(nearest.row(y), labels); column >= 0)
      ++votes[static_cast<std::size_t>(labels[static_cast<std::size_t>(column)])];
  return votes;
}

}  // namespace fovea::actions
