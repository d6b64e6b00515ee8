// Spectra as histograms of whole masses. A contrast is the vector (log(1 + s / (c m)) - mean) times
// the inverse square root of the scene's covariance, where s are the sums of adjacent bands and m
// their means. It is whitened, so that the usual variation in every direction has the size 1. Its
// positive and negative parts go to separate bins. One more bin, the plain bin, has a constant mass
// before scaling. It holds most of the mass of ordinary pixels, so that noise around the mean
// resembles no target.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/emd/signature.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/backend.h"
#include "core/placed.h"
#include "emd/detect/backend.h"
#include "emd/detect/bands.h"
#include "emd/detect/signature_learn.h"

namespace fovea::emd {
namespace {

constexpr const char* kSignatureName = "SpectralSignature";

}  // namespace

struct SpectralSignature::Impl {
  SignatureOptions options;
  SignaturePlan plan;
};

std::span<const Choice> choices(SignatureKind) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"bands", static_cast<int>(SignatureKind::kBands)},
       {"contrast", static_cast<int>(SignatureKind::kContrast)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, SignatureOptions& options) {
  visit("signature", options.kind,
        "what a bin holds: bands sums adjacent bands; contrast says how they stand out from the "
        "scene");
  visit("bins", options.bins, "most bins of a signature", 3, 64);
  visit("window", options.window,
        "side in pixels, odd, of the square over which a spectrum is averaged", 1, 255);
  visit("mass", options.mass,
        "total mass of every signature; 0 keeps the brightness (for signature bands)", 0, 65535);
  visit("floor", options.floor,
        "for contrast: share of the greatest variance that is added to all variances", 1e-12, 1);
  visit("power", options.power,
        "for contrast: exponent of whitened values; above 1 what stands out most weighs more", 0.25,
        8);
  visit("plain", options.plain,
        "for contrast: mass of the bin of ordinary pixels, as a multiple of the mean mass of the "
        "others",
        0, 100);
  visit("threshold", options.threshold,
        "for contrast: the greatest cost, in bins; 0 takes half of the bins", 0, 64);
}

SpectralSignature::SpectralSignature(StackView<const float> scene, const SignatureOptions& options)
    : impl_(std::make_unique<Impl>()) {
  check_bands(kSignatureName, scene);
  check_options(options);
  if (options.window % 2 == 0)
    throw InvalidArgument(
        fmt::format("SpectralSignature: the window is {} pixels across; expected an odd number",
                    options.window));
  const bool contrast = options.kind == SignatureKind::kContrast;
  if (contrast && options.mass == 0)
    throw InvalidArgument(
        "SpectralSignature: mass is 0, which keeps the brightness, but contrast has none; set mass "
        "above 0");
  impl_->options = options;
  const Exec resolved = fovea::detail::resolve_host_exec(kSignatureName, options.exec, {scene});
  fovea::detail::Placed<float> here;
  impl_->plan = learn_signature(here.bring(scene, Memory::kHost, resolved), options);
}

SpectralSignature::SpectralSignature(SpectralSignature&&) noexcept = default;
SpectralSignature& SpectralSignature::operator=(SpectralSignature&&) noexcept = default;
SpectralSignature::~SpectralSignature() = default;

Image<std::uint16_t> SpectralSignature::of(StackView<const float> bands) const {
  const Memory memory = fovea::detail::memory_beside(bands.memory);
  const Exec resolved = fovea::detail::resolve_exec(kSignatureName, impl_->options.exec, {bands});
  const fovea::cuda::ScopedDevice there(resolved.device);
  Image<std::uint16_t> result(bands.width, bands.height, bins(), memory);
  of(bands, result, resolved);
  return result;
}

void SpectralSignature::of(StackView<const float> bands, ImageView<std::uint16_t> signatures,
                           const Exec& exec) const {
  check_bands(kSignatureName, bands);
  if (bands.count != this->bands())
    throw InvalidArgument(
        fmt::format("{}: {} bands; the scene had {}", kSignatureName, bands.count, this->bands()));
  fovea::detail::require_shape(kSignatureName, "signatures", signatures, bands.width, bands.height,
                               bins());
  const Exec resolved = fovea::detail::resolve_exec(kSignatureName, exec, {bands, signatures});
  throw_if_stopped(resolved);
  const auto twin = fovea::detail::on_cuda(resolved) ? cuda::signatures : cpu::signatures;
  twin(bands, impl_->plan.view(), signatures, resolved);
}

std::vector<double> SpectralSignature::of(std::span<const float> spectrum) const {
  const detail::SignatureParams params = impl_->plan.view();
  if (std::ssize(spectrum) != params.bands)
    throw InvalidArgument(fmt::format("{}: a spectrum of {} bands; the scene had {}",
                                      kSignatureName, spectrum.size(), params.bands));
  std::array<double, detail::kMostGroups> sums{}, work{};
  for (int g = 0; g < params.groups; ++g)
    for (int b = params.first_band(g); b < params.first_band(g + 1); ++b)
      sums[static_cast<std::size_t>(g)] +=
          detail::counted(static_cast<double>(spectrum[static_cast<std::size_t>(b)]), 1);
  std::vector<double> result(static_cast<std::size_t>(bins()));
  detail::sign_pixel(params, sums.data(), work.data(), 1,
                     [&](int bin, double mass) { result[static_cast<std::size_t>(bin)] = mass; });
  return result;
}

GroundDistance SpectralSignature::ground() const {
  const int n = bins();
  if (!impl_->plan.params.contrast) return GroundDistance::l1(n);
  const int half = impl_->plan.params.groups;
  const double wanted = impl_->options.threshold;
  const double most = wanted > 0 ? wanted : half;
  std::vector<double> costs;
  costs.reserve(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const bool together = i / half == j / half;
      costs.push_back(together ? std::min<double>(std::abs(i - j), most) : most);
    }
  }
  return {n, n, costs};
}

int SpectralSignature::bins() const { return impl_->plan.params.bins(); }
int SpectralSignature::bands() const { return impl_->plan.params.bands; }
const SignatureOptions& SpectralSignature::options() const { return impl_->options; }

}  // namespace fovea::emd
