#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>

#include <cstdint>
#include <span>
#include <vector>

// Plain ways to find a target in a cube by the spectrum of each pixel, which the Earth Mover's
// Distance is compared with, and a measure of how well any score separates the target from the
// background. Cubes and maps may lie in any memory; all work is done on the CPU, and results lie in
// host memory. What lies on a GPU is brought to the host in the order of Exec::stream.
//
// A value that is not finite (NaN or infinite) stands for a missing measurement: a pixel with one
// is left out of means and gets the worst score.
namespace fovea::emd {

// The mean spectrum, one value per band: over a box, or over the pixels where `mask` is not 0.
// Pixels with a value that is not finite are left out. Throws InvalidArgument where no pixel
// remains or the box does not lie in the cube.
FOVEA_API std::vector<float> mean_spectrum(StackView<const float> bands, const Rect<int>& box,
                                           const Exec& exec = {});
FOVEA_API std::vector<float> mean_spectrum(StackView<const float> bands,
                                           ImageView<const std::uint8_t> mask,
                                           const Exec& exec = {});

// The angle between each pixel's spectrum and the target's, 0 to pi. It does not depend on
// brightness (Kruse et al., "The spectral image processing system", 1993). A spectrum of zeros has
// no direction and gets pi / 2; a spectrum with a value that is not finite gets pi.
FOVEA_API Image<float> spectral_angle(StackView<const float> bands, std::span<const float> target,
                                      const Exec& exec = {});
// The sum of absolute differences (SAD) between each pixel's spectrum and the target's. It is
// infinite where a value is not finite.
FOVEA_API Image<float> sum_of_differences(StackView<const float> bands,
                                          std::span<const float> target, const Exec& exec = {});

// Two statistics that know the background: x is a pixel's spectrum and s the target's, both less
// the mean of the cube, and K is the inverse of the cube's covariance, to whose diagonal a
// hundredth of the mean variance is added. High scores mean target. A cube of n pixels and b bands
// takes n b^2 operations and b^2 numbers of memory.
//
// The matched filter x'Ks / s'Ks: the share of the target in a pixel, 1 for the target itself. It
// is minus infinity where a value is not finite.
FOVEA_API Image<float> matched_filter(StackView<const float> bands, std::span<const float> target,
                                      const Exec& exec = {});
// The adaptive cosine estimator (ACE): the squared cosine (x'Ks)^2 / (s'Ks x'Kx) with the sign of
// x'Ks, -1 to 1 (Kraut, Scharf and McWhorter, "Adaptive subspace detectors", 2001). It is -1 where
// a value is not finite.
FOVEA_API Image<float> adaptive_cosine(StackView<const float> bands, std::span<const float> target,
                                       const Exec& exec = {});
// Both of them, for which the covariance is measured once.
struct BackgroundScores {
  Image<float> matched{};   // matched_filter()
  Image<float> adaptive{};  // adaptive_cosine()
};
FOVEA_API BackgroundScores background_scores(StackView<const float> bands,
                                             std::span<const float> target, const Exec& exec = {});

// Whether low scores mean target, as with distances, or high ones, as with likelihoods.
enum class TargetScore : unsigned char { kLow, kHigh };
FOVEA_API std::span<const Choice> choices(TargetScore);

// The rates that result when every pixel whose score is as good as `threshold` or better is called
// target.
struct RocPoint {
  float threshold = 0;
  double false_rate = 0;  // share of the background that is called target
  double true_rate = 0;   // share of the target that is found
};
FOVEA_API void describe(FieldVisitor& visit, RocPoint& point);

struct Roc {
  std::vector<RocPoint> curve;  // one point per distinct score, from (0, 0) to (1, 1)
  double area = 0;  // under the curve: the probability that a pixel of the target scores better
                    // than one of the background, where equal scores count half. It is exact up to
                    // the last division
  std::int64_t positives = 0;
  std::int64_t negatives = 0;
};
FOVEA_API void describe(FieldVisitor& visit, Roc& roc);
// The receiver operating characteristic of a score. Pixels of the target are those where `truth` is
// not 0. Where `counted` is given, pixels where it is 0 are left out, such as those that the
// target's spectrum was taken from. Throws InvalidArgument where sizes differ, a score is NaN, or
// all pixels are of one class.
FOVEA_API Roc roc(ImageView<const float> score, ImageView<const std::uint8_t> truth,
                  TargetScore sense = TargetScore::kLow,
                  ImageView<const std::uint8_t> counted = {});

}  // namespace fovea::emd
