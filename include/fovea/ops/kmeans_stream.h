#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <memory>
#include <span>

namespace fovea {

// What one batch did. It is the same to the bit for any number of threads and on any device.
struct KmeansBatch {
  double inertia = 0;  // sum of squared distances to the centers before they moved
  double shift = 0;    // the longest way that a center moved
};

// k-means over points that come in batches and are not kept (mini-batch k-means: Sculley, WWW
// 2010), so that it takes memory for one batch, however many points there are. Each center is the
// mean of all points that were nearest to it when they came, so that it moves less and less. The
// centers may begin with some of the points, or with the result of kmeans() on a sample, which is
// better. One object serves one thread at a time.
class FOVEA_API KmeansStream {
 public:
  // Begins with these centers, one per row, finite: 1 to 65535 centers of 1 to 4096 numbers.
  // `counts` says for how many points each of them stands already, 0 or more; none means 0 for all.
  explicit KmeansStream(ImageView<const float> centers, std::span<const std::int64_t> counts = {},
                        const Exec& exec = {});
  KmeansStream(KmeansStream&&) noexcept;
  KmeansStream& operator=(KmeansStream&&) noexcept;
  ~KmeansStream();

  // Gives each point, one per row in host memory, to its nearest center, as NearestCenter finds it
  // on the device of `exec`, and moves the centers. Throws InvalidArgument where a number is not
  // finite; the centers are then as before.
  KmeansBatch push(ImageView<const float> points);

  ImageView<const float> centers() const;        // in host memory, valid until the next call
  std::span<const std::int64_t> counts() const;  // points that each center stands for
  // Lets the centers stand for other numbers of points, for another pass over the same points: what
  // an earlier pass added then counts no more than it should.
  void set_counts(std::span<const std::int64_t> counts);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea
