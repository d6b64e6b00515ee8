#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fovea {

// Where the centers begin: drawn one after the other, far points likelier (plus-plus: Arthur and
// Vassilvitskii, SODA 2007), points drawn evenly (random), or every (points / clusters)-th point
// (spread), which needs no chance.
enum class KmeansStart : unsigned char { kPlusPlus, kRandom, kSpread };
FOVEA_API std::span<const Choice> choices(KmeansStart);

struct KmeansOptions {
  int clusters = 500;  // 1 to 65535, and no more than there are points
  KmeansStart start = KmeansStart::kPlusPlus;
  int restarts = 1;          // from so many starts; the result with the least inertia counts
  int max_iterations = 300;  // of a start, at most
  double tolerance = 0;      // ends as well where no center moved farther than this many root mean
                         // squared distances of a point from the mean of all; 0: goes on until no
                         // point changes its cluster
  int batch = 0;  // > 0: each iteration looks at so many points drawn by chance (mini-batch:
                  // Sculley, WWW 2010), and the labels are made at the end; 0: at all
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, KmeansOptions& options);

// What one iteration did. The same bits for any number of threads and on any device.
struct KmeansIteration {
  double inertia = 0;        // sum of squared distances to the centers before this iteration's move
  std::int64_t changed = 0;  // points whose cluster is another than before
  int refilled = 0;          // clusters without a point that were begun anew
  double shift = 0;          // how far the center that moved most did
};

struct Kmeans {
  Image<float> centers;              // one a row
  std::vector<std::int32_t> labels;  // of each point: its nearest center, the first among equals
  std::vector<std::int64_t> counts;  // points of each cluster
  double inertia = 0;                // sum of squared distances to the nearest center
  std::vector<KmeansIteration> iterations;  // of the start that counts
  bool converged = false;                   // ended before max_iterations
};

// Divides points (one a row, host or device memory, finite) into clusters by Lloyd's iterations. No
// matrix of points x clusters is made: memory is that of the points, 12 bytes a point and, a
// thread, 8 bytes a number of a center. Sums are made of whole numbers, so that they do not depend
// on who adds what: the same points, options and seed give the same bits for any number of threads
// and on CPU and GPU alike. A cluster without points is begun anew at the point that lies farthest
// from its center, unless all lie at theirs; in mini-batches it stays where it began.
// InvalidArgument where there are fewer points than clusters, or numbers are not finite or beyond
// 1e15.
FOVEA_API Kmeans kmeans(ImageView<const float> points, const KmeansOptions& options = {});

// Tells for any points which center lies nearest, as kmeans() does: the least
//   |c|^2 / 2 - p . c
// in single precision, products added by fma in the order of the numbers; the first among equals.
// Keeps the centers prepared, on the device of `exec`. One object serves one thread at a time.
class FOVEA_API NearestCenter {
 public:
  // One center a row, finite; 1 to 65535 of 1 to 4096 numbers.
  explicit NearestCenter(ImageView<const float> centers, const Exec& exec = {});
  NearestCenter(NearestCenter&&) noexcept;
  NearestCenter& operator=(NearestCenter&&) noexcept;
  ~NearestCenter();

  int centers() const;
  int dimensions() const;

  // labels has one element a point and lies where the points do (a host's span for host points, a
  // device's for points on a GPU).
  void find(ImageView<const float> points, std::span<std::int32_t> labels);
  std::vector<std::int32_t> find(ImageView<const float> points);  // on the host

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fovea
