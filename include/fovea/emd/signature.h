#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/emd/ground.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fovea::emd {

// How a spectrum becomes a histogram.
//   bands     Each bin holds the sum of some adjacent bands; bins lie along a line.
//   contrast  The histogram says how far the spectrum stands out from its scene. Sums of adjacent
//             bands are taken as logarithms, less the scene's mean, whitened by the scene's
//             covariance. What lies above the mean goes to the first half of the bins, what lies
//             below it to the second half, and one more bin holds most of the mass of ordinary
//             pixels. What the whole scene has in common, such as its light and its commonest
//             materials, weighs little; what only the target has weighs much.
enum class SignatureKind : unsigned char { kBands, kContrast };
FOVEA_API std::span<const Choice> choices(SignatureKind);

struct SignatureOptions {
  SignatureKind kind = SignatureKind::kContrast;
  int bins = 15;         // most bins, 3 to 64. `bands` has at most one bin per band; `contrast` has
                         // 2 g + 1 bins for g groups of adjacent bands
  int window = 1;        // side in pixels, odd, of the square over which a pixel's spectrum is
                         // averaged
  int mass = 4096;       // total mass of every signature, so that brightness does not matter; 0
                         // keeps the values of `bands` as they are, rounded, at most 65535 per bin
  double floor = 0.01;   // contrast: this share of the greatest variance is added to all variances,
                         // so that directions in which the scene hardly varies are not all noise
  double power = 1.5;    // contrast: exponent of whitened values; above 1 what stands out most
                         // weighs more
  double plain = 0.7;    // contrast: mass of the last bin before scaling, as a multiple of the mean
                         // mass that all other bins hold together over the scene
  double threshold = 0;  // contrast: the greatest cost, in bins; 0 takes g
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, SignatureOptions& options);

// Turns spectra into histograms of whole masses, for Solver and Mapper::map_histograms(). It learns
// from a scene what its spectra have in common. One object serves any number of threads.
class FOVEA_API SpectralSignature {
 public:
  // The scene is the cube that is searched, or a similar one. Throws InvalidArgument for options
  // out of their range or a scene without a pixel whose values are all finite.
  explicit SpectralSignature(StackView<const float> scene, const SignatureOptions& options = {});
  SpectralSignature(SpectralSignature&&) noexcept;
  SpectralSignature& operator=(SpectralSignature&&) noexcept;
  ~SpectralSignature();

  // The signature of every pixel, one channel per bin, in host memory, or on the GPU where the
  // bands lie there. A pixel that has a value that is not finite (NaN or infinite) in its window
  // gets no mass, and so the greatest distance to every target. The same holds for all pixels of a
  // scene without any variation. CPU and GPU agree to the bit.
  Image<std::uint16_t> of(StackView<const float> bands) const;
  // The same into `signatures`, which has the size of a band and one channel per bin, as `exec`
  // says: bands and signatures may lie in host or device memory, and threads that give a stream of
  // their own each work on a GPU side by side.
  void of(StackView<const float> bands, ImageView<std::uint16_t> signatures,
          const Exec& exec) const;
  // The signature of one spectrum, such as mean_spectrum() returns. options.window is not used.
  std::vector<double> of(std::span<const float> spectrum) const;

  // The ground distance for these signatures. bands: |i - j|. contrast: min(|i - j|, threshold)
  // within a half, and the threshold to any bin outside it.
  GroundDistance ground() const;

  int bins() const;   // number of bins of every signature
  int bands() const;  // number of bands of the scene
  const SignatureOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fovea::emd
