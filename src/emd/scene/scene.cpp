// From frames to distances: the first frame determines levels or spectra, and the target its
// signature. Each frame is then labeled, or converted to spectra, and mapped.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/emd/detect.h>
#include <fovea/emd/scene.h>

#include <limits>
#include <utility>

#include "core/backend.h"

namespace fovea::emd {
namespace {

Exec without_stop(Exec exec) {
  exec.stop = {};
  exec.progress = {};
  return exec;
}

void require_box(const Rect<int>& box, const BandFrame& frame) {
  const int width = frame.bands.width(), height = frame.bands.height();
  if (box.x >= 0 && box.y >= 0 && box.width >= 1 && box.height >= 1 && box.width <= width &&
      box.height <= height && box.x <= width - box.width && box.y <= height - box.height)
    return;
  throw InvalidArgument(fmt::format("the target's box {},{},{},{} does not lie in {} of {}x{}",
                                    box.x, box.y, box.width, box.height, frame.name, width,
                                    height));
}

}  // namespace

std::span<const Choice> choices(SceneSignature) {
  static constexpr std::array<Choice, 3> kChoices{
      {{"levels", static_cast<int>(SceneSignature::kLevels)},
       {"bands", static_cast<int>(SceneSignature::kBands)},
       {"contrast", static_cast<int>(SceneSignature::kContrast)}}};
  return kChoices;
}

void describe(OptionVisitor& visit, SceneMapOptions& options) {
  constexpr double kMost = std::numeric_limits<float>::max();
  visit("signature", options.signature,
        "what is compared: levels of one band in a window, or each pixel's spectrum, by its bands "
        "or by its contrast to the scene");
  visit("bins", options.bins, "number of bins of a signature", 1, 64,
        {.absent = "11 for levels, 16 for spectra"});
  visit("band", options.band, "band that levels are taken from, counted from 0", 0, 1e6,
        {.absent = "the only band, or the brightness of three"});
  visit("range", options.range,
        "values where the first level begins and the last one ends; where both are equal, 0 to 256 "
        "for samples of 8 bits and else the range of the first frame",
        -kMost, kMost);
  visit("window", options.window, "side in pixels, odd, of the window around each pixel", 1, 255,
        {.absent = "11 for levels, 1 for spectra"});
  visit("border", options.border,
        "what a window of levels counts beyond the border: clip counts nothing, repeat counts the "
        "border's pixels again");
  visit("ground", options.ground.name,
        "cost of moving mass between bins: l1, l2, squared, threshold:T, circular, discrete or a "
        "file of costs; the default is threshold:3 for levels and depends on the spectra otherwise",
        {.value_name = "NAME|FILE", .words = ground_words()});
  visit("threshold", options.threshold,
        "greatest distance that must be exact; greater ones may be lower bounds; 0 makes all exact",
        0, kMost);
  visit.bytes("cache-bytes", options.cache_bytes,
              "most memory for distances that are kept from frame to frame; 0 keeps none");
  describe(visit, options.solver);
}

struct SceneMapper::Impl {
  SceneMapOptions options{};
  std::optional<Rect<int>> box{};
  std::vector<float> spectrum{};
  LevelRange range{};
  std::optional<SpectralSignature> spectra{};
  std::vector<double> target{};
  std::optional<Mapper> mapper{};

  void learn(const BandFrame& first, const BandFrame& shown, const Rect<int>& part) {
    check_options(options);
    if (options.window_side() % 2 == 0)
      throw InvalidArgument(
          fmt::format("window is {}; expected an odd number of pixels", options.window_side()));
    const bool wanted = !options.levels() || options.keep_spectrum;
    if (wanted && shown.bands.count() == first.bands.count())
      spectrum = mean_spectrum(shown.bands, part);
    if (options.levels()) use_levels(first, shown, part);
    else use_spectra(first, shown);
    make_mapper();
  }

  void use_levels(const BandFrame& first, const BandFrame& shown, const Rect<int>& part) {
    if (!options.ground.distance && options.ground.name.empty()) options.ground = {};
    range = level_range(gray_band(first, options.band), first, options.range);
    const Image<std::uint8_t> labels = labels_of(shown, options.exec.threads);
    target = label_histogram(labels.view().crop(part.x, part.y, part.width, part.height),
                             options.bin_count());
  }

  void use_spectra(const BandFrame& first, const BandFrame& shown) {
    if (spectrum.empty())
      throw FormatError(fmt::format("{0}: does not have the {2} bands of {1}", shown.name,
                                    first.name, first.bands.count()));
    spectra.emplace(first.bands,
                    SignatureOptions{.kind = options.signature == SceneSignature::kBands
                                                 ? SignatureKind::kBands
                                                 : SignatureKind::kContrast,
                                     .bins = options.bin_count(),
                                     .window = options.window_side(),
                                     .exec = without_stop(options.exec)});
    if (!options.ground.distance && options.ground.name.empty())
      options.ground = Ground(spectra->ground());
    target = spectra->of(spectrum);
  }

  void make_mapper() {
    MapOptions map;
    map.ground = options.ground;
    map.window = options.levels() ? options.window_side() : 1;
    map.border = options.border;
    map.threshold = options.threshold;
    map.cache_bytes = options.cache_bytes;
    map.solver = options.solver;
    map.exec = options.exec;
    mapper.emplace(target, map);
  }

  Image<std::uint8_t> labels_of(const BandFrame& frame, int threads) const {
    if (!options.levels()) return {};
    const Image<float> band = gray_band(frame, options.band);
    Image<std::uint8_t> labels(band.width(), band.height());
    quantize(band, labels,
             {.levels = options.bin_count(),
              .low = range.low,
              .high = range.high,
              .exec = {.device = Device::cpu(), .threads = threads}});
    return labels;
  }
};

SceneMapper::SceneMapper(const BandFrame& first, const Rect<int>& box,
                         const SceneMapOptions& options)
    : impl_(std::make_unique<Impl>()) {
  require_box(box, first);
  impl_->options = options;
  impl_->box = box;
  impl_->learn(first, first, box);
}
SceneMapper::SceneMapper(const BandFrame& first, const BandFrame& target,
                         const SceneMapOptions& options)
    : impl_(std::make_unique<Impl>()) {
  impl_->options = options;
  impl_->learn(first, target, {0, 0, target.bands.width(), target.bands.height()});
}
SceneMapper::SceneMapper(SceneMapper&&) noexcept = default;
SceneMapper& SceneMapper::operator=(SceneMapper&&) noexcept = default;
SceneMapper::~SceneMapper() = default;

Image<std::uint8_t> SceneMapper::labels_of(const BandFrame& frame, int threads) const {
  return impl_->labels_of(frame, threads);
}

void SceneMapper::map(const BandFrame& frame, ImageView<const std::uint8_t> labels,
                      Image<float>& map) {
  const auto& spectra = impl_->spectra;
  Mapper& mapper = *impl_->mapper;
  if (spectra && frame.bands.count() != spectra->bands())
    throw FormatError(fmt::format("{} has {} bands, but the first frame has {}", frame.name,
                                  frame.bands.count(), spectra->bands()));
  if (map.width() != frame.bands.width() || map.height() != frame.bands.height()) {
    const Device device = mapper.options().exec.device;
    const fovea::cuda::ScopedDevice here(device);
    map = Image<float>(frame.bands.width(), frame.bands.height(), 1,
                       device.kind == DeviceKind::kCuda ? Memory::kPinned : Memory::kHost);
  }
  if (spectra) mapper.map_histograms(spectra->of(frame.bands), map);
  else mapper.map(labels, map);
}
Image<float> SceneMapper::map(const BandFrame& frame) {
  Image<float> distances;
  map(frame, labels_of(frame, impl_->options.exec.threads), distances);
  return distances;
}

void SceneMapper::renew(const Exec& exec) {
  impl_->options.exec = exec;
  impl_->make_mapper();
}

const Mapper& SceneMapper::mapper() const { return *impl_->mapper; }
const LevelRange& SceneMapper::range() const { return impl_->range; }
const std::optional<Rect<int>>& SceneMapper::box() const { return impl_->box; }
const std::vector<float>& SceneMapper::spectrum() const { return impl_->spectrum; }

}  // namespace fovea::emd
