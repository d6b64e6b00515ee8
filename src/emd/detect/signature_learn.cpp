// Means, covariance and mean mass of the spectra of a scene. Sums are made per chunk of rows and
// added in the order of chunks, so that they are the same for every number of threads.
#include "emd/detect/signature_learn.h"

#include <fovea/core/error.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "core/parallel.h"
#include "emd/detect/backend.h"
#include "ops/eigen/symmetric_eigen.h"

namespace fovea::emd {
namespace {

using cpu::SignatureTile;

constexpr std::int64_t kLearnedRows = 8;  // per chunk
constexpr double kDarkest = 0.01;         // share of the scene's mean below which light is noise

int groups_for(const SignatureOptions& options, int bands) {
  const bool halves = options.kind == SignatureKind::kContrast;  // two halves and the plain bin
  return std::min(halves ? (options.bins - 1) / 2 : options.bins, bands);
}

class Learner {
 public:
  Learner(StackView<const float> scene, const SignatureOptions& options)
      : scene_(scene), options_(options) {
    detail::SignatureParams& p = plan_.params;
    p.bands = scene.count;
    p.groups = groups_for(options, scene.count);
    p.radius = options.window / 2;
    p.contrast = options.kind == SignatureKind::kContrast;
    p.mass = options.mass;
    p.power = options.power;
    const double halves = 2 * options.power;
    p.half_powers = halves == std::floor(halves) ? static_cast<int>(halves) : 0;
  }

  SignaturePlan learn() {
    const auto n = static_cast<std::size_t>(plan_.params.groups);
    plan_.dark.resize(n);
    plan_.mean.resize(n);
    learn_means();
    if (plan_.params.contrast) {
      learn_covariance();
      learn_plain_mass();
    }
    return std::move(plan_);
  }

 private:
  void learn_means() {
    const std::size_t n = plan_.dark.size();
    const std::vector<double> sums = scene_sums(
        n, [](SignatureTile&) {},
        [n](const SignatureTile& tile, int x, std::span<double> part) {
          for (std::size_t i = 0; i < n; ++i) part[i] += tile.values(static_cast<int>(i))[x];
        });
    if (sums[n] == 0)
      throw InvalidArgument(
          "SpectralSignature: the scene has no pixel whose values are all finite");
    for (std::size_t i = 0; i < n; ++i) plan_.dark[i] = kDarkest * sums[i] / sums[n];
  }

  // The means are subtracted before squares are summed, so that no large numbers cancel.
  void learn_covariance() {
    const std::size_t n = plan_.dark.size();
    const auto logarithms = [](SignatureTile& tile) { tile.take_logarithms(); };
    const std::vector<double> first =
        scene_sums(n, logarithms, [n](const SignatureTile& tile, int x, std::span<double> part) {
          for (std::size_t i = 0; i < n; ++i) part[i] += tile.values(static_cast<int>(i))[x];
        });
    for (std::size_t i = 0; i < n; ++i) plan_.mean[i] = first[i] / first[n];
    std::vector<double> covariance = scene_sums(
        n * n, logarithms, [n](const SignatureTile& tile, int x, std::span<double> part) {
          for (std::size_t i = 0; i < n; ++i) {
            const double value = tile.values(static_cast<int>(i))[x];
            for (std::size_t j = 0; j <= i; ++j)
              part[i * n + j] += value * tile.values(static_cast<int>(j))[x];
          }
        });
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        covariance[j * n + i] = covariance[i * n + j] = covariance[i * n + j] / first[n];
    plan_.white = fovea::detail::inverse_square_root(std::span(covariance).first(n * n),
                                                     plan_.params.groups, options_.floor);
  }

  void learn_plain_mass() {
    const int n = plan_.params.groups;
    const std::vector<double> sums = scene_sums(
        1,
        [](SignatureTile& tile) {
          tile.take_logarithms();
          tile.weigh();
        },
        [n](const SignatureTile& tile, int x, std::span<double> part) {
          for (int i = 0; i < n; ++i) part[0] += std::abs(tile.strengths(i)[x]);
        });
    plan_.params.plain_mass = options_.plain * sums[0] / sums[1];
  }

  // Sums over the finite pixels of the scene. make(tile) prepares loaded pixels, add(tile, x, sums)
  // adds one of them; the last sum is the number of pixels.
  template <class Make, class Add>
  std::vector<double> scene_sums(std::size_t size, Make make, Add add) const {
    const std::int64_t chunks = (scene_.height + kLearnedRows - 1) / kLearnedRows;
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(chunks));
    parallel_for(
        options_.exec, scene_.height, kLearnedRows, [&](std::int64_t begin, std::int64_t end) {
          std::vector<double>& part = parts[static_cast<std::size_t>(begin / kLearnedRows)];
          part.resize(size + 1);
          SignatureTile tile(scene_, plan_.view());
          for (auto y = static_cast<int>(begin); y < end; ++y)
            for (int x = 0; x < scene_.width; x += SignatureTile::kPixels)
              add_tile(tile, {x, y}, std::span(part), make, add);
        });
    std::vector<double> sums(size + 1);
    for (const std::vector<double>& part : parts)
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
    return sums;
  }

  struct Place {
    int x, y;
  };
  template <class Make, class Add>
  void add_tile(SignatureTile& tile, Place at, std::span<double> part, Make& make, Add& add) const {
    const int count = std::min(SignatureTile::kPixels, scene_.width - at.x);
    tile.load(at.y, at.x, count);
    make(tile);
    for (int i = 0; i < count; ++i) {
      if (!tile.known(i)) continue;
      add(tile, i, part);
      part.back() += 1;
    }
  }

  StackView<const float> scene_;
  const SignatureOptions& options_;
  SignaturePlan plan_{};
};

}  // namespace

SignaturePlan learn_signature(StackView<const float> scene, const SignatureOptions& options) {
  return Learner(scene, options).learn();
}

}  // namespace fovea::emd
