// k-means over batches of points. The nearest centers are found by the twin of the device; sums are
// added in double precision, cluster by cluster and in the order of the points, so that the number
// of threads does not matter.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/ops/kmeans.h>
#include <fovea/ops/kmeans_stream.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "ops/kmeans/distances.h"

namespace fovea {
namespace {

constexpr const char* kStream = "KmeansStream";
constexpr int kPointsAtOnce = 4096, kCentersAtOnce = 8;

void check_counts(std::span<const std::int64_t> counts, int centers) {
  if (counts.size() != static_cast<std::size_t>(centers))
    throw InvalidArgument(fmt::format("{}: {} counts for {} centers, expected one per center",
                                      kStream, counts.size(), centers));
  for (std::size_t c = 0; c < counts.size(); ++c)
    if (counts[c] < 0)
      throw InvalidArgument(fmt::format("{}: center {} stands for {} points, expected 0 or more",
                                        kStream, c, counts[c]));
}

void check_finite(ImageView<const float> points, const Exec& exec) {
  parallel_for(exec, points.height, kPointsAtOnce, [&](std::int64_t begin, std::int64_t end) {
    for (auto p = static_cast<int>(begin); p < end; ++p)
      for (int i = 0; i < points.width; ++i)
        if (!std::isfinite(points.row(p)[i]))
          throw InvalidArgument(fmt::format("{}: number {} of point {} is {}, expected finite ones",
                                            kStream, i, p, points.row(p)[i]));
  });
}

// The points of each cluster, in their order: those of cluster c are order[firsts[c]] up to
// order[firsts[c + 1]].
struct Members {
  std::vector<std::int32_t> firsts;
  std::vector<std::int32_t> order;

  Members(std::span<const std::int32_t> labels, int clusters)
      : firsts(static_cast<std::size_t>(clusters) + 1, 0), order(labels.size()) {
    for (const std::int32_t label : labels) ++firsts[static_cast<std::size_t>(label) + 1];
    std::partial_sum(firsts.begin(), firsts.end(), firsts.begin());
    std::vector<std::int32_t> next(firsts.begin(), firsts.end() - 1);
    for (std::size_t p = 0; p < labels.size(); ++p)
      order[static_cast<std::size_t>(next[static_cast<std::size_t>(labels[p])]++)] =
          static_cast<std::int32_t>(p);
  }
  std::span<const std::int32_t> of(int cluster) const {
    const auto c = static_cast<std::size_t>(cluster);
    return std::span(order).subspan(static_cast<std::size_t>(firsts[c]),
                                    static_cast<std::size_t>(firsts[c + 1] - firsts[c]));
  }
};

}  // namespace

struct KmeansStream::Impl {
  Image<float> centers;
  std::vector<double> means;  // the centers before they are rounded to float
  std::vector<std::int64_t> counts;
  Exec exec;

  double inertia_of(ImageView<const float> points, std::span<const std::int32_t> labels) const {
    std::vector<double> parts(
        static_cast<std::size_t>((points.height + kPointsAtOnce - 1) / kPointsAtOnce), 0);
    parallel_for(exec, points.height, kPointsAtOnce, [&](std::int64_t begin, std::int64_t end) {
      std::vector<float> distances(static_cast<std::size_t>(end - begin));
      cpu::squared_distances(
          points.crop(0, static_cast<int>(begin), points.width, static_cast<int>(end - begin)),
          centers, labels.data() + begin, distances.data());
      parts[static_cast<std::size_t>(begin / kPointsAtOnce)] =
          std::accumulate(distances.begin(), distances.end(), 0.0);
    });
    return std::accumulate(parts.begin(), parts.end(), 0.0);
  }

  // Moves one center to the mean of what it stands for and of new points, and returns how far.
  double move(int c, ImageView<const float> points, std::span<const std::int32_t> members) {
    const auto width = static_cast<std::size_t>(points.width);
    std::vector<double> sums(width, 0);
    for (const std::int32_t p : members)
      for (std::size_t i = 0; i < width; ++i) sums[i] += points.row(p)[i];
    const auto come = static_cast<double>(members.size());
    std::int64_t& count = counts[static_cast<std::size_t>(c)];
    count += static_cast<std::int64_t>(members.size());
    double* mean = means.data() + static_cast<std::size_t>(c) * width;
    double squared = 0;
    for (std::size_t i = 0; i < width; ++i) {
      mean[i] += (sums[i] - come * mean[i]) / static_cast<double>(count);
      const auto moved = static_cast<float>(mean[i]);
      const double step = static_cast<double>(moved) - static_cast<double>(centers.row(c)[i]);
      squared += step * step;
      centers.row(c)[i] = moved;
    }
    return std::sqrt(squared);
  }
};

KmeansStream::KmeansStream(ImageView<const float> centers, std::span<const std::int64_t> counts,
                           const Exec& exec) {
  detail::require_host(kStream, "the image of centers", centers.memory);
  const NearestCenter checked(centers, exec);
  if (!counts.empty()) check_counts(counts, centers.height);
  impl_ = std::make_unique<Impl>(Impl{clone(centers), {}, {counts.begin(), counts.end()}, exec});
  impl_->counts.resize(static_cast<std::size_t>(centers.height), 0);
  impl_->means.reserve(static_cast<std::size_t>(centers.height) *
                       static_cast<std::size_t>(centers.width));
  for (int c = 0; c < centers.height; ++c)
    impl_->means.insert(impl_->means.end(), centers.row(c), centers.row(c) + centers.width);
}
KmeansStream::KmeansStream(KmeansStream&&) noexcept = default;
KmeansStream& KmeansStream::operator=(KmeansStream&&) noexcept = default;
KmeansStream::~KmeansStream() = default;

KmeansBatch KmeansStream::push(ImageView<const float> points) {
  detail::require_host(kStream, "the image of points", points.memory);
  if (points.height <= 0) return {};
  detail::require_shape(kStream, "points", points, impl_->centers.width(), points.height, 1);
  check_finite(points, impl_->exec);
  const std::vector<std::int32_t> labels =
      NearestCenter(impl_->centers.view(), impl_->exec).find(points);
  KmeansBatch batch{.inertia = impl_->inertia_of(points, labels)};
  const int clusters = impl_->centers.height();
  const Members members(labels, clusters);
  std::vector<double> shifts(static_cast<std::size_t>(clusters), 0);
  parallel_for(impl_->exec, clusters, kCentersAtOnce, [&](std::int64_t begin, std::int64_t end) {
    for (auto c = static_cast<int>(begin); c < end; ++c)
      if (const auto of_cluster = members.of(c); !of_cluster.empty())
        shifts[static_cast<std::size_t>(c)] = impl_->move(c, points, of_cluster);
  });
  batch.shift = *std::ranges::max_element(shifts);
  return batch;
}

ImageView<const float> KmeansStream::centers() const { return impl_->centers.view(); }
std::span<const std::int64_t> KmeansStream::counts() const { return impl_->counts; }

void KmeansStream::set_counts(std::span<const std::int64_t> counts) {
  check_counts(counts, impl_->centers.height());
  impl_->counts.assign(counts.begin(), counts.end());
}

}  // namespace fovea
