// Matched filter and adaptive cosine estimator. The covariance is summed per chunk of rows and the
// chunks are added in order, so that it is the same for every number of threads; its Cholesky
// factor L turns x'Kx into the squared length of the solution y of Ly = x.
#include <fovea/core/error.h>
#include <fovea/emd/detect.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "core/placed.h"
#include "emd/detect/bands.h"

namespace fovea::emd {
namespace {

constexpr double kRidge = 0.01;      // share of the mean variance that is added to all variances
constexpr int kChunks = 16;          // of rows, whose sums are kept at the same time
constexpr std::size_t kMany = 512;   // bands from which there is one chunk, for want of memory
constexpr std::int64_t kBlock = 32;  // bands whose sums are one piece of work

// Returns whether all values of a pixel are finite, and its spectrum less `mean` in `to`.
bool take_pixel(StackView<const float> bands, int x, int y, std::span<const double> mean,
                std::span<double> to) {
  double missing = 0;
  for (std::size_t b = 0; b < to.size(); ++b) {
    const auto value = static_cast<double>(bands.plane(static_cast<int>(b)).at(x, y));
    missing += value * 0;
    to[b] = value - mean[b];
  }
  return missing == 0;
}

// Mean and covariance of a cube in host memory.
class Background {
 public:
  Background(StackView<const float> bands, const Exec& exec)
      : bands_(bands), size_(static_cast<std::size_t>(bands.count)), mean_(size_) {
    const double count = find_finite(exec);
    if (count == 0) return;
    mean_ = sums_over(size_, exec,
                      [this](const Piece& piece, std::span<double> to) { add_values(piece, to); });
    for (double& value : mean_) value /= count;
    factor_ = sums_over(size_ * size_, exec, [this](const Piece& piece, std::span<double> to) {
      add_products(piece, to);
    });
    factorize(count, exec);
  }

  std::span<const double> mean() const { return mean_; }
  // Whether the cube varies at all.
  bool varies() const { return varies_; }
  // Solves Ly = x in place.
  void forward(std::span<double> x) const {
    for (std::size_t i = 0; i < size_; ++i) {
      double sum = x[i];
      for (std::size_t j = 0; j < i; ++j) sum -= factor_[i * size_ + j] * x[j];
      x[i] = sum / factor_[i * size_ + i];
    }
  }
  // Solves L'y = x in place.
  void backward(std::span<double> x) const {
    for (std::size_t i = size_; i-- > 0;) {
      x[i] /= factor_[i * size_ + i];
      for (std::size_t j = 0; j < i; ++j) x[j] -= factor_[i * size_ + j] * x[i];
    }
  }

 private:
  // A row of pixels, of which the sums of the bands first ... last - 1 are wanted.
  struct Piece {
    int y;
    std::size_t first, last;
  };

  // Marks pixels whose values are all finite, and returns their number.
  double find_finite(const Exec& exec) {
    finite_ = Image<std::uint8_t>(bands_.width, bands_.height);
    std::vector<int> counts(static_cast<std::size_t>(bands_.height));
    parallel_for(exec, bands_.height, 1, [&](std::int64_t begin, std::int64_t end) {
      std::vector<double> missing(static_cast<std::size_t>(bands_.width));
      for (auto y = static_cast<int>(begin); y < end; ++y) {
        std::fill(missing.begin(), missing.end(), 0.0);
        for (int b = 0; b < bands_.count; ++b) {
          const float* const row = bands_.plane(b).row(y);
          for (std::size_t x = 0; x < missing.size(); ++x)
            missing[x] += static_cast<double>(row[x]) * 0;
        }
        for (std::size_t x = 0; x < missing.size(); ++x) {
          const bool finite = missing[x] == 0;
          finite_.row(y)[x] = finite ? 1 : 0;
          counts[static_cast<std::size_t>(y)] += finite ? 1 : 0;
        }
      }
    });
    return std::accumulate(counts.begin(), counts.end(), 0.0);
  }

  // Sums add(piece, sums) over all rows. A thread takes a block of bands and a chunk of rows.
  template <class Add>
  std::vector<double> sums_over(std::size_t size, const Exec& exec, Add add) const {
    const std::int64_t chunk_rows = (bands_.height + most_chunks() - 1) / most_chunks();
    const std::int64_t chunks = (bands_.height + chunk_rows - 1) / chunk_rows;
    const std::int64_t blocks = (bands_.count + kBlock - 1) / kBlock;
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(chunks));
    for (std::vector<double>& part : parts) part.resize(size);
    parallel_for(exec, chunks * blocks, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t chunk = i / blocks, band = i % blocks * kBlock;
        const std::int64_t behind = std::min<std::int64_t>((chunk + 1) * chunk_rows, bands_.height);
        for (std::int64_t y = chunk * chunk_rows; y < behind; ++y) {
          throw_if_stopped(exec);
          add(Piece{static_cast<int>(y), static_cast<std::size_t>(band),
                    std::min(static_cast<std::size_t>(band + kBlock), size_)},
              std::span<double>(parts[static_cast<std::size_t>(chunk)]));
        }
      }
    });
    std::vector<double> sums = std::move(parts.front());
    for (std::size_t chunk = 1; chunk < parts.size(); ++chunk)
      for (std::size_t i = 0; i < size; ++i) sums[i] += parts[chunk][i];
    return sums;
  }
  std::int64_t most_chunks() const { return size_ > kMany ? 1 : kChunks; }

  void add_values(const Piece& piece, std::span<double> to) const {
    const std::uint8_t* const finite = finite_.row(piece.y);
    for (std::size_t b = piece.first; b < piece.last; ++b) {
      const float* const row = bands_.plane(static_cast<int>(b)).row(piece.y);
      for (int x = 0; x < bands_.width; ++x)
        if (finite[x] != 0) to[b] += static_cast<double>(row[x]);
    }
  }
  // Products of the bands of the piece with themselves and all before.
  void add_products(const Piece& piece, std::span<double> to) const {
    std::vector<double> pixel(piece.last);
    for (int x = 0; x < bands_.width; ++x) {
      if (finite_.at(x, piece.y) == 0) continue;
      for (std::size_t b = 0; b < pixel.size(); ++b)
        pixel[b] = static_cast<double>(bands_.plane(static_cast<int>(b)).at(x, piece.y)) - mean_[b];
      for (std::size_t i = piece.first; i < piece.last; ++i) {
        double* const row = to.data() + i * size_;
        const double value = pixel[i];
        for (std::size_t j = 0; j <= i; ++j) row[j] += value * pixel[j];
      }
    }
  }

  // Replaces the lower half of the sums of products by the factor of the covariance.
  void factorize(double count, const Exec& exec) {
    double trace = 0;
    for (double& value : factor_) value /= count;
    for (std::size_t i = 0; i < size_; ++i) trace += factor_[i * size_ + i];
    const double ridge = kRidge * trace / static_cast<double>(size_);
    varies_ = ridge > 0;
    if (!varies_) return;
    for (std::size_t i = 0; i < size_; ++i) {
      throw_if_stopped(exec);
      factor_[i * size_ + i] += ridge;
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = factor_[i * size_ + j];
        for (std::size_t k = 0; k < j; ++k) sum -= factor_[i * size_ + k] * factor_[j * size_ + k];
        // Rounding cannot take away more than the ridge has added.
        factor_[i * size_ + j] =
            i == j ? std::sqrt(std::max(sum, ridge / 2)) : sum / factor_[j * size_ + j];
      }
    }
  }

  StackView<const float> bands_;
  std::size_t size_;
  Image<std::uint8_t> finite_{};
  std::vector<double> mean_, factor_{};
  bool varies_ = false;
};

struct BackgroundCall {
  const char* who;
  StackView<const float> bands;
  std::span<const float> target;
  const Exec& exec;
  bool matched, adaptive;  // which scores are wanted
};

// The signed squared cosine of a pixel, which is overwritten, with x'Ks and s'Ks.
double adaptive_score(const Background& background, std::span<double> pixel, double along,
                      double energy) {
  background.forward(pixel);
  double own = 0;
  for (const double value : pixel) own += value * value;
  const double squared = own > 0 ? std::min(along * along / (own * energy), 1.0) : 0;
  return along < 0 ? -squared : squared;
}

// Where the cube does not vary or the target is its mean, all pixels whose values are finite get 0.
BackgroundScores scores_of(const BackgroundCall& call) {
  check_target(call.who, call.bands, call.target);
  const Exec resolved = fovea::detail::resolve_host_exec(call.who, call.exec, {call.bands});
  fovea::detail::Placed<float> here;
  const StackView<const float> host = here.bring(call.bands, Memory::kHost, resolved);
  const Background background(host, resolved);
  std::vector<double> toward(call.target.begin(), call.target.end());
  for (std::size_t b = 0; b < toward.size(); ++b) toward[b] -= background.mean()[b];
  double energy = 0;
  if (background.varies()) {
    background.forward(toward);
    for (const double value : toward) energy += value * value;
    background.backward(toward);
  }
  BackgroundScores maps;
  if (call.matched) maps.matched = Image<float>(host.width, host.height);
  if (call.adaptive) maps.adaptive = Image<float>(host.width, host.height);
  parallel_for(resolved, host.height, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> pixel(toward.size());
    for (auto y = static_cast<int>(begin); y < end; ++y) {
      for (int x = 0; x < host.width; ++x) {
        double matched = 0, adaptive = 0;
        if (!take_pixel(host, x, y, background.mean(), pixel)) {
          matched = -std::numeric_limits<double>::infinity();
          adaptive = -1;
        } else if (energy > 0) {
          double along = 0;
          for (std::size_t b = 0; b < pixel.size(); ++b) along += pixel[b] * toward[b];
          matched = along / energy;
          if (call.adaptive) adaptive = adaptive_score(background, pixel, along, energy);
        }
        if (call.matched) maps.matched.at(x, y) = static_cast<float>(matched);
        if (call.adaptive) maps.adaptive.at(x, y) = static_cast<float>(adaptive);
      }
    }
  });
  return maps;
}

}  // namespace

Image<float> matched_filter(StackView<const float> bands, std::span<const float> target,
                            const Exec& exec) {
  return scores_of({"matched_filter", bands, target, exec, true, false}).matched;
}

Image<float> adaptive_cosine(StackView<const float> bands, std::span<const float> target,
                             const Exec& exec) {
  return scores_of({"adaptive_cosine", bands, target, exec, false, true}).adaptive;
}

BackgroundScores background_scores(StackView<const float> bands, std::span<const float> target,
                                   const Exec& exec) {
  return scores_of({"background_scores", bands, target, exec, true, true});
}

}  // namespace fovea::emd
