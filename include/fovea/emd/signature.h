#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/emd/ground.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fovea::emd {

// What the mass of a spectrum's bin is.
//   bands     the sum of the bin's bands, bins along a line
//   contrast  how far the spectrum stands out from its scene: logarithms of sums of adjacent bands,
//             less the scene's mean, whitened by the scene's covariance; upwards in the first half
//             of the bins, downwards in the second, and one more that plain pixels have most of
//             their mass in. What all of the scene has in common, its light and its commonest
//             materials, weighs little; what a target has of its own weighs much
enum class SignatureKind : unsigned char { kBands, kContrast };
FOVEA_API std::span<const Choice> choices(SignatureKind);

struct SignatureOptions {
  SignatureKind kind = SignatureKind::kContrast;
  int bins = 15;         // 3 to 64, but no more than the bands give: one each; for contrast
                         // 2 g + 1 of g groups of adjacent bands
  int window = 1;        // pixels across the square whose mean spectrum a pixel stands for; odd
  int mass = 4096;       // of every signature, so that no pixel is brighter than another; 0 keeps
                         // values of `bands` as they are, rounded, at most 65535 a bin
  double floor = 0.01;   // contrast: variances are taken this share of the greatest higher, so that
                         // directions in which the scene hardly varies are not all noise
  double power = 1.5;    // contrast: of whitened values; above 1 what stands out most weighs more
  double plain = 0.7;    // contrast: mass of the last bin before scaling, in means of what all
                         // others hold over the scene
  double threshold = 0;  // contrast: the greatest cost, in bins; 0: g
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, SignatureOptions& options);

// Spectra as histograms of whole masses, for Solver and Mapper::map_histograms(). Learns from a
// scene what its spectra have in common; one object serves any number of threads.
class FOVEA_API SpectralSignature {
 public:
  // The scene is the cube that is searched, or one like it. InvalidArgument for options out of
  // their range or a scene without a pixel whose values are all finite.
  explicit SpectralSignature(StackView<const float> scene, const SignatureOptions& options = {});
  SpectralSignature(SpectralSignature&&) noexcept;
  SpectralSignature& operator=(SpectralSignature&&) noexcept;
  ~SpectralSignature();

  // Of every pixel, one channel a bin, on the host. A pixel with a value that is not finite has no
  // mass: the greatest distance. So have all of a scene that is all alike.
  Image<std::uint16_t> of(StackView<const float> bands) const;
  // Of one spectrum (mean_spectrum()), options.window aside.
  std::vector<double> of(std::span<const float> spectrum) const;

  // bands: |i - j|. contrast: min(|i - j|, threshold) within a half, the threshold to any bin
  // outside it.
  GroundDistance ground() const;

  int bins() const;   // of every signature
  int bands() const;  // of the scene
  const SignatureOptions& options() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fovea::emd
