#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fovea {

// Where the centers begin: at points that are drawn one after the other, where points far from the
// centers so far are more likely (plus-plus: Arthur and Vassilvitskii, SODA 2007); at points that
// are all equally likely (random); or at every (points / clusters)-th point, without chance
// (spread).
enum class KmeansStart : unsigned char { kPlusPlus, kRandom, kSpread };
FOVEA_API std::span<const Choice> choices(KmeansStart);

struct KmeansOptions {
  int clusters = 500;  // 1 to 65535, and no more than there are points
  KmeansStart start = KmeansStart::kPlusPlus;
  int restarts = 1;          // how many starts are tried; the result with the least inertia counts
  int max_iterations = 300;  // how many iterations a start has at most
  double tolerance = 0;  // also stop where no center moved farther than this many times the spread
                         // of the points (the root mean squared distance to their mean); 0 goes on
                         // until no point changes its cluster
  int batch = 0;         // above 0, each iteration looks at this many points drawn at random
                  // (mini-batch: Sculley, WWW 2010), and labels are made at the end; 0, or a batch
                  // of at least as many points as there are, looks at all
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, KmeansOptions& options);

// What one iteration did. It is the same to the bit for any number of threads and on any device.
struct KmeansIteration {
  double inertia = 0;        // sum of squared distances to the centers before this iteration's move
  std::int64_t changed = 0;  // points that changed their cluster
  int refilled = 0;          // clusters without a point that got a new center
  double shift = 0;          // the longest way that a center moved
};

struct Kmeans {
  Image<float> centers;              // one per row
  std::vector<std::int32_t> labels;  // the nearest center of each point, the first among equals
  std::vector<std::int64_t> counts;  // points of each cluster
  double inertia = 0;                // sum of squared distances to the nearest center
  std::vector<KmeansIteration> iterations;  // those of the start that counts
  bool converged = false;                   // ended before max_iterations
};

// Divides points (one per row, finite, in host or device memory) into clusters by Lloyd's
// iterations. No matrix of points x clusters is stored: besides the points it takes 12 bytes per
// point and, per thread, 8 bytes per number of all centers. Sums are integers, so that they do not
// depend on the order of additions: the same points, options and seed give the same
// bits for any number of threads, on CPU and GPU alike. A cluster without points gets the point
// that lies farthest from its center as its new center, unless all points lie at their centers; in
// mini-batches it stays where it began. Throws InvalidArgument where there are fewer points than
// clusters, or numbers are not finite or beyond 1e15.
FOVEA_API Kmeans kmeans(ImageView<const float> points, const KmeansOptions& options = {});

// Finds the center that lies nearest to each point, as kmeans() does: the one with the least
//   |c|^2 / 2 - p . c
// in single precision, where products are added by fma in the order of the numbers; the first among
// equals. Keeps the centers prepared on the device of `exec`; where that is auto and the
// centers came from the host, they are prepared anew on the GPU that points lie on. One object
// serves one thread at a time.
class FOVEA_API NearestCenter {
 public:
  // One center per row, finite; 1 to 65535 centers of 1 to 4096 numbers.
  explicit NearestCenter(ImageView<const float> centers, const Exec& exec = {});
  NearestCenter(NearestCenter&&) noexcept;
  NearestCenter& operator=(NearestCenter&&) noexcept;
  ~NearestCenter();

  int centers() const;
  int dimensions() const;

  // `labels` has one element per point and lies in the memory of the points (in host memory for
  // host points, on the GPU for points there). Every number of a point must be finite; the label of
  // a point with a NaN or infinite number is not defined.
  void find(ImageView<const float> points, std::span<std::int32_t> labels);
  std::vector<std::int32_t> find(ImageView<const float> points);  // on the host

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea
