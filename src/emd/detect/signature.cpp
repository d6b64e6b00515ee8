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
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "core/placed.h"
#include "emd/detect/bands.h"
#include "emd/detect/symmetric_eigen.h"

namespace fovea::emd {
namespace {

constexpr std::int64_t kBandRowsPerTask = 8;  // rows
constexpr double kDarkest = 0.01;        // share of the scene's mean below which light is noise
constexpr double kMostBinMass = 65535;   // in one bin
constexpr std::size_t kMostGroups = 64;  // groups of adjacent bands

using Groups = std::array<double, kMostGroups>;

int groups_for(const SignatureOptions& options, int bands) {
  const bool halves = options.kind == SignatureKind::kContrast;  // two halves and the plain bin
  return std::min(halves ? (options.bins - 1) / 2 : options.bins, bands);
}

// The sums of adjacent bands for the pixels of a row. Each is averaged over a window; pixels of the
// border are repeated, and negative values count as 0.
class GroupedRow {
 public:
  GroupedRow(StackView<const float> bands, int groups, int window)
      : bands_(bands), groups_(groups), radius_(window / 2) {
    sums_.resize(static_cast<std::size_t>(groups) * static_cast<std::size_t>(bands.width));
    line_.resize(static_cast<std::size_t>(bands.width));
  }

  void load(int y) {
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (int b = 0; b < bands_.count; ++b) {
      std::fill(line_.begin(), line_.end(), 0.0);
      for (int dy = -radius_; dy <= radius_; ++dy) {
        const float* row = bands_.plane(b).row(std::clamp(y + dy, 0, bands_.height - 1));
        for (std::size_t x = 0; x < line_.size(); ++x) line_[x] += static_cast<double>(row[x]);
      }
      add_line(group_of(b));
    }
  }
  // Returns false if a value is not finite.
  bool pixel(int x, Groups& values) const {
    bool finite = true;
    for (int g = 0; g < groups_; ++g) {
      const double value =
          sums_[static_cast<std::size_t>(g) * line_.size() + static_cast<std::size_t>(x)];
      finite = finite && std::isfinite(value);
      values[static_cast<std::size_t>(g)] = value;
    }
    return finite;
  }
  StackView<const float> bands() const { return bands_; }
  int group_of(int band) const {
    return static_cast<int>(static_cast<std::int64_t>(band) * groups_ / bands_.count);
  }

 private:
  void add_line(int group) {
    double* to = sums_.data() + static_cast<std::size_t>(group) * line_.size();
    const int last = bands_.width - 1;
    const double scale = 1.0 / ((2.0 * radius_ + 1) * (2.0 * radius_ + 1));
    for (int x = 0; x <= last; ++x) {
      double sum = 0;
      for (int dx = -radius_; dx <= radius_; ++dx)
        sum += line_[static_cast<std::size_t>(std::clamp(x + dx, 0, last))];
      constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
      to[x] += std::isfinite(sum) ? std::max(sum * scale, 0.0) : kUnknown;
    }
  }

  StackView<const float> bands_;
  int groups_;
  int radius_;
  std::vector<double> sums_;  // stored group by group
  std::vector<double> line_;
};

// Sums over the finite pixels of a scene. Chunks are added in order, so that the sums are the same
// for every number of threads. add(values, sums) adds one pixel; the last sum is the number of
// pixels.
template <class Add>
std::vector<double> scene_sums(const GroupedRow& like, const Exec& exec, std::size_t size,
                               Add add) {
  const StackView<const float> scene = like.bands();
  const std::int64_t chunks = (scene.height + kBandRowsPerTask - 1) / kBandRowsPerTask;
  std::vector<std::vector<double>> parts(static_cast<std::size_t>(chunks));
  parallel_for(exec, scene.height, kBandRowsPerTask, [&](std::int64_t begin, std::int64_t end) {
    std::vector<double>& part = parts[static_cast<std::size_t>(begin / kBandRowsPerTask)];
    part.resize(size + 1);
    GroupedRow row(like);
    Groups values{};
    for (auto y = static_cast<int>(begin); y < end; ++y) {
      row.load(y);
      for (int x = 0; x < scene.width; ++x) {
        if (!row.pixel(x, values)) continue;
        add(values, std::span(part));
        part[size] += 1;
      }
    }
  });
  std::vector<double> sums(size + 1);
  for (const std::vector<double>& part : parts)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
  return sums;
}

}  // namespace

struct SpectralSignature::Impl {
  SignatureOptions options;
  int bands = 0;
  int groups = 0;
  Groups dark{};              // scale of the sums s in log(1 + s / dark)
  Groups mean{};              // of the logarithms
  std::vector<double> white;  // whitening matrix, groups x groups
  double plain_mass = 0;      // mass of the plain bin before scaling

  bool contrast() const { return options.kind == SignatureKind::kContrast; }
  int bins() const { return contrast() ? 2 * groups + 1 : groups; }

  void logarithms(Groups& values) const {
    for (int g = 0; g < groups; ++g) {
      const auto i = static_cast<std::size_t>(g);
      values[i] = dark[i] > 0 ? std::log1p(values[i] / dark[i]) : 0;
    }
  }

  void learn(StackView<const float> scene);
  void learn_means(StackView<const float> scene);
  void learn_covariance(StackView<const float> scene);
  void learn_plain_mass(StackView<const float> scene);

  // Computes masses, not scaled yet, from sums of adjacent bands.
  void weigh(Groups values, Groups& masses) const;
  // Writes whole masses. Their cumulative sums are rounded, so that the total is exact.
  template <class Mass>
  void put(const Groups& masses, Mass* to) const;
};

void SpectralSignature::Impl::learn(StackView<const float> scene) {
  learn_means(scene);
  if (!contrast()) return;
  learn_covariance(scene);
  learn_plain_mass(scene);
}

void SpectralSignature::Impl::learn_means(StackView<const float> scene) {
  const auto n = static_cast<std::size_t>(groups);
  const std::vector<double> sums =
      scene_sums(GroupedRow(scene, groups, options.window), options.exec, n,
                 [n](const Groups& values, std::span<double> part) {
                   for (std::size_t i = 0; i < n; ++i) part[i] += values[i];
                 });
  if (sums[n] == 0)
    throw InvalidArgument("SpectralSignature: the scene has no pixel whose values are all finite");
  for (std::size_t i = 0; i < n; ++i) dark[i] = kDarkest * sums[i] / sums[n];
}

// The means are subtracted before squares are summed, so that no large numbers cancel.
void SpectralSignature::Impl::learn_covariance(StackView<const float> scene) {
  const auto n = static_cast<std::size_t>(groups);
  const GroupedRow row(scene, groups, options.window);
  const std::vector<double> first =
      scene_sums(row, options.exec, n, [&](Groups values, std::span<double> part) {
        logarithms(values);
        for (std::size_t i = 0; i < n; ++i) part[i] += values[i];
      });
  for (std::size_t i = 0; i < n; ++i) mean[i] = first[i] / first[n];
  std::vector<double> covariance =
      scene_sums(row, options.exec, n * n, [&](Groups values, std::span<double> part) {
        logarithms(values);
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < n; ++j)
            part[i * n + j] += (values[i] - mean[i]) * (values[j] - mean[j]);
      });
  for (double& value : covariance) value /= first[n];
  white = inverse_square_root(std::span(covariance).first(n * n), groups, options.floor);
}

void SpectralSignature::Impl::learn_plain_mass(StackView<const float> scene) {
  const std::vector<double> sums =
      scene_sums(GroupedRow(scene, groups, options.window), options.exec, 1,
                 [&](const Groups& values, std::span<double> part) {
                   Groups masses{};
                   weigh(values, masses);
                   for (const double mass : masses) part[0] += mass;
                 });
  plain_mass = options.plain * sums[0] / sums[1];
}

void SpectralSignature::Impl::weigh(Groups values, Groups& masses) const {
  if (!contrast()) {
    masses = values;
    return;
  }
  const auto n = static_cast<std::size_t>(groups);
  logarithms(values);
  for (std::size_t i = 0; i < n; ++i) values[i] -= mean[i];
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) sum += white[i * n + j] * values[j];
    const double mass = std::pow(std::abs(sum), options.power);
    masses[i] = sum > 0 ? mass : 0;
    masses[n + i] = sum > 0 ? 0 : mass;
  }
  masses[2 * n] = plain_mass;
}

template <class Mass>
void SpectralSignature::Impl::put(const Groups& masses, Mass* to) const {
  const auto n = static_cast<std::size_t>(bins());
  double total = 0;
  for (std::size_t i = 0; i < n; ++i) total += masses[i];
  if (options.mass == 0) {
    for (std::size_t i = 0; i < n; ++i)
      to[i] = static_cast<Mass>(std::nearbyint(std::min(masses[i], kMostBinMass)));
    return;
  }
  if (!(total > 0) || !std::isfinite(total)) {
    std::fill_n(to, n, Mass{0});
    return;
  }
  double sum = 0, before = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += masses[i];
    const double upto = std::nearbyint(sum / total * options.mass);
    to[i] = static_cast<Mass>(upto - before);
    before = upto;
  }
}

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
  check_bands("SpectralSignature", scene);
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
  impl_->bands = scene.count;
  impl_->groups = groups_for(options, scene.count);
  const Exec resolved =
      fovea::detail::resolve_host_exec("SpectralSignature", options.exec, {scene});
  impl_->learn(fovea::detail::Placed<float>().bring(scene, Memory::kHost, resolved));
}

SpectralSignature::SpectralSignature(SpectralSignature&&) noexcept = default;
SpectralSignature& SpectralSignature::operator=(SpectralSignature&&) noexcept = default;
SpectralSignature::~SpectralSignature() = default;

Image<std::uint16_t> SpectralSignature::of(StackView<const float> bands) const {
  check_bands("SpectralSignature", bands);
  if (bands.count != impl_->bands)
    throw InvalidArgument(
        fmt::format("SpectralSignature: {} bands; the scene had {}", bands.count, impl_->bands));
  const Exec resolved =
      fovea::detail::resolve_host_exec("SpectralSignature", impl_->options.exec, {bands});
  fovea::detail::Placed<float> here;
  const StackView<const float> host = here.bring(bands, Memory::kHost, resolved);
  Image<std::uint16_t> result(bands.width, bands.height, bins());
  parallel_for(impl_->options.exec, bands.height, kBandRowsPerTask,
               [&](std::int64_t begin, std::int64_t end) {
                 GroupedRow row(host, impl_->groups, impl_->options.window);
                 Groups values{}, masses{};
                 for (auto y = static_cast<int>(begin); y < end; ++y) {
                   row.load(y);
                   for (int x = 0; x < bands.width; ++x) {
                     masses = {};
                     if (row.pixel(x, values)) impl_->weigh(values, masses);
                     impl_->put(masses, &result.at(x, y));
                   }
                 }
               });
  return result;
}

std::vector<double> SpectralSignature::of(std::span<const float> spectrum) const {
  if (std::ssize(spectrum) != impl_->bands)
    throw InvalidArgument(fmt::format("SpectralSignature: a spectrum of {} bands; the scene had {}",
                                      spectrum.size(), impl_->bands));
  const StackView<const float> pixel{spectrum.data(), 1, 1, impl_->bands, 1, 1, 1};
  GroupedRow row(pixel, impl_->groups, 1);
  row.load(0);
  Groups values{}, masses{};
  if (row.pixel(0, values)) impl_->weigh(values, masses);
  std::vector<double> result(static_cast<std::size_t>(bins()));
  impl_->put(masses, result.data());
  return result;
}

GroundDistance SpectralSignature::ground() const {
  const int n = bins();
  if (!impl_->contrast()) return GroundDistance::l1(n);
  const int half = impl_->groups;
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

int SpectralSignature::bins() const { return impl_->bins(); }
int SpectralSignature::bands() const { return impl_->bands; }
const SignatureOptions& SpectralSignature::options() const { return impl_->options; }

}  // namespace fovea::emd
