#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <span>
#include <vector>

// Finding a target in a cube by the spectrum of each pixel: the plain measures that the Earth
// Mover's Distance is held against, and how well any score separates target from background.
// Cubes and maps lie in any memory; results lie on the host.
namespace fovea::emd {

struct PixelBox {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

// One value a band: the mean over a box, or over the pixels where `mask` is not 0. Pixels with a
// value that is not finite are left out; InvalidArgument where none remains, or the box does not
// lie in the cube.
FOVEA_API std::vector<float> mean_spectrum(StackView<const float> bands, const PixelBox& box);
FOVEA_API std::vector<float> mean_spectrum(StackView<const float> bands,
                                           ImageView<const std::uint8_t> mask);

// The angle between each pixel's spectrum and the target's, 0 to pi: blind to brightness (Kruse et
// al., "The spectral image processing system", 1993). A spectrum of zeros has no direction and
// stands at pi / 2, one with a value that is not finite at pi.
FOVEA_API Image<float> spectral_angle(StackView<const float> bands, std::span<const float> target,
                                      const Exec& exec = {});
// The sum of absolute differences to the target's bands; infinite where a value is not finite.
FOVEA_API Image<float> sum_of_differences(StackView<const float> bands,
                                          std::span<const float> target, const Exec& exec = {});

// Which scores mean target: distances are low there, likelihoods high.
enum class TargetScore : unsigned char { kLow, kHigh };
FOVEA_API std::span<const Choice> choices(TargetScore);

// What comes of taking every pixel whose score is as good as `threshold` or better.
struct RocPoint {
  float threshold = 0;
  double false_rate = 0;  // share of the background taken for target
  double true_rate = 0;   // share of the target found
};

struct Roc {
  std::vector<RocPoint> curve;  // from no pixel (0, 0) to all (1, 1), a point a distinct score
  double area = 0;  // under the curve: the chance that a pixel of the target scores better than
                    // one of the background, equal scores counting half. Exact but for the last
                    // division
  std::int64_t positives = 0;
  std::int64_t negatives = 0;
};
// Pixels of the target are those where `truth` is not 0; where `counted` is given, those where it
// is 0 are left out (the pixels that the target's spectrum was taken from). InvalidArgument where
// sizes differ, a score is not a number, or all pixels are of one class.
FOVEA_API Roc roc(ImageView<const float> score, ImageView<const std::uint8_t> truth,
                  TargetScore sense = TargetScore::kLow,
                  ImageView<const std::uint8_t> counted = {});

}  // namespace fovea::emd
