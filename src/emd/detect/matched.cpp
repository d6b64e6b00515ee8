// Matched filter and adaptive cosine estimator. The covariance is summed per chunk of rows and the
// chunks are added in order, so that it is the same for every number of threads; its Cholesky
// factor L turns x'Kx into the squared length of the solution y of Ly = x.
#include <fovea/core/error.h>
#include <fovea/emd/detect.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "core/placed.h"
#include "emd/detect/bands.h"

namespace fovea::emd {
namespace {

constexpr double kRidge = 0.01;     // share of the mean variance that is added to all variances
constexpr int kChunks = 16;         // of rows, whose sums are kept at the same time
constexpr std::size_t kMany = 512;  // bands from which there is one chunk, for want of memory

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
    const std::vector<double> sums = sums_over(size_, exec, [](auto pixel, auto to) {
      for (std::size_t b = 0; b < pixel.size(); ++b) to[b] += pixel[b];
    });
    if (sums[size_] == 0) return;
    for (std::size_t b = 0; b < size_; ++b) mean_[b] = sums[b] / sums[size_];
    factor_ = sums_over(size_ * size_, exec, [n = size_](auto pixel, auto to) {
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j <= i; ++j) to[i * n + j] += pixel[i] * pixel[j];
    });
    factorize();
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
  // Sums add(spectrum less the mean so far, sums) over finite pixels; the last sum is their number.
  template <class Add>
  std::vector<double> sums_over(std::size_t size, const Exec& exec, Add add) const {
    const std::int64_t chunks = size_ > kMany ? 1 : kChunks;
    const std::int64_t rows = (bands_.height + chunks - 1) / chunks;
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(chunks));
    parallel_for(exec, bands_.height, rows, [&](std::int64_t begin, std::int64_t end) {
      std::vector<double>& part = parts[static_cast<std::size_t>(begin / rows)];
      part.resize(size + 1);
      std::vector<double> pixel(size_);
      for (auto y = static_cast<int>(begin); y < end; ++y) {
        for (int x = 0; x < bands_.width; ++x) {
          if (!take_pixel(bands_, x, y, mean_, pixel)) continue;
          add(std::span<const double>(pixel), std::span<double>(part));
          part.back() += 1;
        }
      }
    });
    std::vector<double> sums(size + 1);
    for (const std::vector<double>& part : parts)
      for (std::size_t i = 0; i < part.size(); ++i) sums[i] += part[i];
    return sums;
  }

  // Replaces the lower half of the sums of products by the factor of the covariance.
  void factorize() {
    double trace = 0;
    const double count = factor_.back();
    for (double& value : factor_) value /= count;
    for (std::size_t i = 0; i < size_; ++i) trace += factor_[i * size_ + i];
    const double ridge = kRidge * trace / static_cast<double>(size_);
    varies_ = ridge > 0;
    if (!varies_) return;
    for (std::size_t i = 0; i < size_; ++i) {
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
  std::vector<double> mean_, factor_{};
  bool varies_ = false;
};

struct BackgroundCall {
  const char* who;
  StackView<const float> bands;
  std::span<const float> target;
  const Exec& exec;
  float worst;  // score of pixels with a value that is not finite
};

// Calls score(background, x, x'Ks, s'Ks) for every pixel. Where the cube does not vary or the
// target is its mean, all pixels whose values are finite get 0.
template <class Score>
Image<float> background_map(const BackgroundCall& call, Score score) {
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
  Image<float> map(host.width, host.height);
  parallel_for(resolved, host.height, 1, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double> pixel(toward.size());
    for (auto y = static_cast<int>(begin); y < end; ++y) {
      for (int x = 0; x < host.width; ++x) {
        float& to = map.at(x, y);
        if (!take_pixel(host, x, y, background.mean(), pixel)) to = call.worst;
        else if (!(energy > 0)) to = 0;
        else {
          double along = 0;
          for (std::size_t b = 0; b < pixel.size(); ++b) along += pixel[b] * toward[b];
          to = static_cast<float>(score(background, std::span<double>(pixel), along, energy));
        }
      }
    }
  });
  return map;
}

}  // namespace

Image<float> matched_filter(StackView<const float> bands, std::span<const float> target,
                            const Exec& exec) {
  constexpr float kWorst = -std::numeric_limits<float>::infinity();
  return background_map({"matched_filter", bands, target, exec, kWorst},
                        [](const Background&, std::span<double>, double along, double energy) {
                          return along / energy;
                        });
}

Image<float> adaptive_cosine(StackView<const float> bands, std::span<const float> target,
                             const Exec& exec) {
  return background_map(
      {"adaptive_cosine", bands, target, exec, -1},
      [](const Background& background, std::span<double> pixel, double along, double energy) {
        background.forward(pixel);
        double own = 0;
        for (const double value : pixel) own += value * value;
        const double squared = own > 0 ? std::min(along * along / (own * energy), 1.0) : 0;
        return along < 0 ? -squared : squared;
      });
}

}  // namespace fovea::emd
