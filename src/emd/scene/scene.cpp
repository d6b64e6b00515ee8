// From frames to distances: the first frame determines levels or spectra, and the target its
// signature. Each frame is then labeled, or converted to spectra, and mapped.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/emd/detect.h>
#include <fovea/emd/scene.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/backend.h"
#include "core/dispatch.h"
#include "core/placed.h"
#include "emd/map/map_mask.h"
#include "emd/scene/backend.h"
#include "emd/scene/bands.h"
#include "emd/scene/changes.h"
#include "emd/scene/colors.h"
#include "emd/scene/fusion.h"
#include "emd/scene/insides.h"
#include "emd/scene/subsampled.h"

namespace fovea::emd {
namespace {

Exec without_stop(Exec exec) {
  exec.stop = {};
  exec.progress = {};
  return exec;
}

void require_box(const char* name, const Rect<int>& box, const BandFrame& frame) {
  const int width = frame.bands.width(), height = frame.bands.height();
  if (box.x >= 0 && box.y >= 0 && box.width >= 1 && box.height >= 1 && box.width <= width &&
      box.height <= height && box.x <= width - box.width && box.y <= height - box.height)
    return;
  throw InvalidArgument(fmt::format("{} {},{},{},{} does not lie in {} of {}x{}", name, box.x,
                                    box.y, box.width, box.height, frame.name, width, height));
}

void fill(ImageView<float> map, float value) {
  for (int y = 0; y < map.height; ++y) std::fill_n(map.row(y), map.width, value);
}

constexpr float kNotMapped = std::numeric_limits<float>::quiet_NaN();

constexpr const char* kSceneName = "emd map";

// An image or stack of so much in a memory, which is kept where it fits.
template <class T>
ImageView<T> kept_image(Image<T>& image, Extent size, int channels, Memory memory) {
  if (image.width() != size.width || image.height() != size.height ||
      image.channels() != channels || image.view().memory != memory) {
    image = {};  // freed before more is allocated
    image = Image<T>(size.width, size.height, channels, memory);
  }
  return image.view();
}
template <class T>
StackView<T> kept_stack(Stack<T>& stack, Extent size, int count, Memory memory) {
  if (stack.width() != size.width || stack.height() != size.height || stack.count() != count ||
      stack.view().memory != memory) {
    stack = {};
    stack = Stack<T>(size.width, size.height, count, 1, memory);
  }
  return stack.view();
}

template <class T>
StackView<const T> cut_out(StackView<const T> bands, const Rect<int>& part) {
  bands.data = &bands.plane(0).at(part.x, part.y);
  bands.width = part.width;
  bands.height = part.height;
  return bands;
}

// A frame where it can be learned from: itself, or `here` with a copy of it.
const BandFrame& on_host(const BandFrame& frame, BandFrame& here, const Exec& exec) {
  const StackView<const float> bands = frame.bands;
  if (bands.memory != Memory::kCuda) return frame;
  here = {Stack<float>(bands.width, bands.height, bands.count), frame.name, frame.white};
  copy(bands, here.bands.view(), exec);
  return here;
}

// Whether the frame has samples of 16 bits beside its bands.
bool has_samples(const BandFrame& frame) {
  const StackView<const float> bands = frame.bands;
  return std::visit(
      [&](const auto& samples) {
        return samples.width() == bands.width && samples.height() == bands.height &&
               samples.count() == bands.count;
      },
      frame.samples);
}

// Whether a pixel of a frame in host memory has finite values in all bands.
bool has_spectrum(StackView<const float> bands) {
  for (int y = 0; y < bands.height; ++y) {
    for (int x = 0; x < bands.width; ++x) {
      bool finite = true;
      for (int b = 0; b < bands.count && finite; ++b)
        finite = std::isfinite(bands.plane(b).at(x, y));
      if (finite) return true;
    }
  }
  return false;
}

// A frame in which more pixels have changed is mapped as a whole.
constexpr double kMostChanged = 0.75;

// About so many pixels of the first frame, at most, teach the levels of fused scores.
constexpr int kLevelPixels = 1 << 18;

}  // namespace

struct SceneMapper::Impl {
  SceneMapOptions options{};
  std::optional<Rect<int>> box{};
  Extent target_size{};
  std::vector<float> spectrum{};
  LevelRange range{};
  std::optional<SpectralSignature> spectra{};
  std::optional<Fusion> fusion{};  // where scores are fused
  std::optional<ColorScene> colors{};
  std::vector<double> target{};
  std::optional<Mapper> mapper{};
  Image<std::uint8_t> chosen{};        // pixels that are mapped; empty: all
  Rect<int> chosen_box{};              // around them
  Image<std::uint8_t> chosen_there{};  // a copy of them on the GPU, where it was needed
  Image<float> values{};               // distances of that box
  PreparedFrame own{};                 // of frames that are mapped at once

  // The frame before, where only changes are mapped.
  Image<std::uint8_t> last_labels{}, changed{};
  Image<float> last_map{};

  void learn(const BandFrame& given, const BandFrame& given_shown, const Rect<int>& part) {
    check_options(options);
    const StackView<const float> bands = given.bands;
    if (bands.memory == Memory::kCuda)  // which decides where `auto` is
      options.exec.device = fovea::detail::resolve_exec(kSceneName, options.exec, {bands}).device;
    BandFrame copies[2];
    const BandFrame& first = on_host(given, copies[0], options.exec);
    const BandFrame& shown =
        &given == &given_shown ? first : on_host(given_shown, copies[1], options.exec);
    if (options.window_side() % 2 == 0)
      throw InvalidArgument(
          fmt::format("window is {}; expected an odd number of pixels", options.window_side()));
    if (options.changed_only && options.spectral())
      throw InvalidArgument(
          "changed-only compares the labels of windows, which spectra do not have; take the "
          "signature levels or colors, or map all pixels");
    require_fusible();
    if (options.roi) {
      require_box("the region of interest", *options.roi, first);
      choose({first.bands.width(), first.bands.height()}, {});
    }
    if (options.spectral() && !has_spectrum(first.bands))
      throw FormatError(fmt::format(
          "{}: no pixel has finite values in all {} bands; expected numbers in some pixels",
          first.name, first.bands.count()));
    target_size = {part.width, part.height};
    const bool wanted = options.spectral() || options.keep_spectrum;
    if (wanted && shown.bands.count() == first.bands.count())
      spectrum = mean_spectrum(shown.bands, part);
    if (options.levels()) use_levels(first, shown, part);
    else if (options.colors()) use_colors(first, shown, part);
    else use_spectra(first, shown);
    if (options.score == SceneScore::kFused) learn_fusion(first);
    make_mapper();
  }

  void require_fusible() const {
    if (options.score != SceneScore::kFused) return;
    if (!options.spectral())
      throw InvalidArgument(
          "score is fused, which compares spectra; take the signature contrast or bands");
    if (options.window_side() != 1)
      throw InvalidArgument(
          fmt::format("score is fused and window is {}; fused scores compare single pixels, so "
                      "that the window must be 1",
                      options.window_side()));
    if (options.threshold > 0)
      throw InvalidArgument(
          fmt::format("score is fused and threshold is {}; fused scores need exact distances, so "
                      "that the threshold must be 0",
                      options.threshold));
  }

  // The first frame shows which shares of it have which scores. It is mapped by the CPU, whose
  // distances are those of the GPU.
  void learn_fusion(const BandFrame& first) {
    const StackView<const float> bands = first.bands;
    Exec exec = without_stop(options.exec);
    exec.device = Device::cpu();
    exec.stream = nullptr;
    fusion.emplace(bands, spectrum, exec);
    int step = 1;
    while (static_cast<double>(bands.width) * bands.height > kLevelPixels * 1.0 * step * step)
      ++step;
    const Extent size = subsampled_size(bands, step);
    Image<float> angles(size.width, size.height, 2);
    Image<std::uint16_t> masses(size.width, size.height, spectra->bins());
    for_subsampled(bands, {.step = step, .exec = exec}, [&](StackView<const float> part, int y) {
      fusion->angles(part, angles.view().crop(0, y, part.width, part.height), exec);
      spectra->of(part, masses.view().crop(0, y, part.width, part.height), exec);
    });
    MapOptions map;
    map.ground = options.ground;
    map.window = 1;
    map.solver = options.solver;
    map.exec = exec;
    fusion->learn_levels(Mapper(target, map).map_histograms(masses), angles);
  }

  bool default_ground() const { return !options.ground.distance && options.ground.name.empty(); }

  void use_levels(const BandFrame& first, const BandFrame& shown, const Rect<int>& part) {
    if (default_ground()) options.ground = {};
    range = level_range(gray_band(first, options.band), first, options.range);
    count_target(shown, part, options.bin_count());
  }

  void use_colors(const BandFrame& first, const BandFrame& shown, const Rect<int>& part) {
    colors.emplace(ColorScene::Source{first, shown, part, options.range}, options.bin_count(),
                   options.exec.seed);
    if (default_ground()) options.ground = Ground(colors->ground(options.tau));
    range = colors->range();
    count_target(shown, part, colors->colors());
  }

  void count_target(const BandFrame& shown, const Rect<int>& part, int bins) {
    Image<std::uint8_t> labels(shown.bands.width(), shown.bands.height());
    label(shown, labels, {.device = Device::cpu(), .threads = options.exec.threads});
    target = label_histogram(labels.view().crop(part.x, part.y, part.width, part.height), bins);
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
    if (default_ground()) options.ground = Ground(spectra->ground());
    target = spectra->of(spectrum);
  }

  void make_mapper() {
    MapOptions map;
    map.ground = options.ground;
    map.window = options.spectral() ? 1 : options.window_side();
    map.border = options.border;
    map.threshold = options.threshold;
    map.cache_bytes = options.cache_bytes;
    map.solver = options.solver;
    map.exec = options.exec;
    mapper.emplace(target, map);
  }

  // Frame and labels lie in one memory.
  void label(const BandFrame& frame, ImageView<std::uint8_t> labels, const Exec& exec) const {
    if (colors) {
      colors->label(frame, labels, exec);
      return;
    }
    Image<float> kept;
    quantize(gray_view(frame, options.band, kept, exec), labels,
             {.levels = options.bin_count(), .low = range.low, .high = range.high, .exec = exec});
    if (exec.stream != nullptr && !kept.empty())
      fovea::cuda::synchronize_stream(exec.stream);  // before `kept` is freed
  }

  void prepare(const BandFrame& frame, PreparedFrame& to, int threads) const {
    const Exec& chosen_exec = mapper->options().exec;
    const StackView<const float> bands = frame.bands;
    if (spectra && bands.count != spectra->bands())
      throw FormatError(fmt::format("{} has {} bands, but the first frame has {}", frame.name,
                                    bands.count, spectra->bands()));
    require_chosen_size(frame);
    fovea::detail::require_chosen(kSceneName, chosen_exec, options.exec.device, {bands});
    to.size = {bands.width, bands.height};
    to.memory = fovea::detail::memory_beside(bands.memory);
    const bool cuda = fovea::detail::on_cuda(chosen_exec);
    const fovea::cuda::ScopedDevice there(chosen_exec.device);
    Exec exec{.device = Device::cpu(), .threads = threads};
    if (cuda && (spectra || to.memory == Memory::kCuda)) {
      if (to.stream.get() == nullptr) to.stream = Stream(chosen_exec.device);
      if (to.memory == Memory::kCuda) to.stream.wait_for(options.exec.stream);
      exec = {.device = chosen_exec.device, .stream = to.stream.get()};
    }
    if (spectra) prepare_spectra(frame, to, exec);
    else label(frame, kept_image(to.labels, to.size, 1, to.memory), exec);
    to.stream.synchronize();
  }
  // Signatures are made for the box around the chosen pixels only. Pixels around it are seen by
  // windows.
  void prepare_spectra(const BandFrame& frame, PreparedFrame& to, const Exec& exec) const {
    StackView<const float> bands = frame.bands;
    to.part = {0, 0, bands.width, bands.height};
    if (!chosen.empty())
      to.part = reached_from(chosen_box, options.window_side() / 2, bands.width, bands.height);
    bands = cut_out(bands, to.part);
    const Extent size{bands.width, bands.height};
    const Memory memory = fovea::detail::memory_of(exec.device);
    if (!fovea::detail::same_side(bands.memory, memory)) {
      const StackView<float> copied = kept_stack(to.bands, size, bands.count, memory);
      if (memory == Memory::kCuda && has_samples(frame)) upload_samples(frame, to, exec);
      else copy(bands, copied, exec);
      bands = copied;
    }
    spectra->of(bands, kept_image(to.spectra, size, spectra->bins(), memory), exec);
    // Angles lie where the map will lie.
    if (fusion) fusion->angles(bands, kept_image(to.angles, size, 2, to.memory), exec);
  }

  // Samples of 16 bits go up as they are and become the floats of to.bands there.
  static void upload_samples(const BandFrame& frame, PreparedFrame& to, const Exec& exec) {
    std::visit(
        [&](const auto& samples) {
          const auto part = cut_out(samples.view(), to.part);
          using Samples = std::decay_t<decltype(samples)>;
          if (!std::holds_alternative<Samples>(to.samples)) to.samples = Samples();
          const auto there = kept_stack(std::get<Samples>(to.samples), {part.width, part.height},
                                        part.count, Memory::kCuda);
          copy(part, there, exec);
          cuda::widen(there, to.bands.view(), exec);
        },
        frame.samples);
  }

  // Chooses the pixels of the mask, where there is one, within the region of interest.
  void choose(Extent size, ImageView<const std::uint8_t> mask) {
    const Rect<int> region = options.roi.value_or(whole(size));
    if (intersect(region, whole(size)) != region)
      throw InvalidArgument(
          fmt::format("the region of interest {},{},{},{} does not lie in the mask of {}x{}",
                      region.x, region.y, region.width, region.height, size.width, size.height));
    Image<std::uint8_t> pixels(size.width, size.height);
    bool any = false;
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        const bool inside =
            y >= region.y && y < region.bottom() && x >= region.x && x < region.right();
        const bool set = inside && (mask.empty() || mask.at(x, y) != 0);
        pixels.at(x, y) = set ? 1 : 0;
        any = any || set;
      }
    if (!any)
      throw InvalidArgument(options.roi ? "the mask chooses no pixel of the region of interest"
                                        : "the mask chooses no pixel; all of it is 0");
    chosen = std::move(pixels);
    chosen_box = box_around(chosen).front();
    chosen_there = {};
    last_labels = {};
  }

  void require_chosen_size(const BandFrame& frame) const {
    const int width = frame.bands.width(), height = frame.bands.height();
    if (chosen.empty() || (chosen.width() == width && chosen.height() == height)) return;
    throw InvalidArgument(
        fmt::format("{} has {}x{} pixels, but the mask or region of interest is "
                    "for {}x{}",
                    frame.name, width, height, chosen.width(), chosen.height()));
  }

  void map_labels(ImageView<const std::uint8_t> labels, ImageView<float> map) {
    if (chosen.empty()) {
      mapper->map(labels, map);
    } else if (labels.memory != Memory::kCuda) {
      fill(map, kNotMapped);
      mapper->map(labels, chosen, map);
    } else {
      const Rect<int> part =
          reached_from(chosen_box, options.window_side() / 2, labels.width, labels.height);
      const ImageView<float> all = kept_image(values, {part.width, part.height}, 1, map.memory);
      mapper->map(labels.crop(part.x, part.y, part.width, part.height), all);
      choose_from(all.crop(chosen_box.x - part.x, chosen_box.y - part.y, chosen_box.width,
                           chosen_box.height),
                  map);
    }
  }
  // Takes the chosen pixels out of the distances of their box.
  void choose_from(ImageView<const float> inner, ImageView<float> map) {
    if (map.memory == Memory::kCuda) {
      if (chosen_there.empty()) chosen_there = clone(chosen, Memory::kCuda);
      cuda::choose(inner, chosen_there, chosen_box, map, {.device = mapper->options().exec.device});
      return;
    }
    fill(map, kNotMapped);
    for (int y = 0; y < inner.height; ++y)
      for (int x = 0; x < inner.width; ++x)
        if (chosen.at(chosen_box.x + x, chosen_box.y + y) != 0)
          map.at(chosen_box.x + x, chosen_box.y + y) = inner.at(x, y);
  }

  // Distances are kept in last_map, where those of unchanged pixels stay.
  void map_changes(ImageView<const std::uint8_t> labels, ImageView<float> map) {
    const bool known = last_labels.width() == labels.width && last_labels.height() == labels.height;
    Image<std::uint8_t> before = std::exchange(last_labels, {});  // unknown until this is done
    if (known) {
      const Exec exec{.device = Device::cpu(), .threads = options.exec.threads};
      const std::int64_t changes =
          mark_changes(labels, before, options.window_side() / 2, changed, exec);
      const auto most = kMostChanged * static_cast<double>(labels.width) * labels.height;
      if (static_cast<double>(changes) > most) {
        map_labels(labels, last_map);
      } else {
        if (!chosen.empty()) keep_chosen();
        mapper->map(labels, changed, last_map);
      }
      copy(labels, before.view());
    } else {
      last_map = Image<float>(labels.width, labels.height);
      changed = Image<std::uint8_t>(labels.width, labels.height);
      map_labels(labels, last_map);
      before = clone(labels);
    }
    copy(last_map.view(), map);
    last_labels = std::move(before);
  }
  void keep_chosen() {
    for (int y = 0; y < changed.height(); ++y)
      for (int x = 0; x < changed.width(); ++x)
        changed.at(x, y) = static_cast<std::uint8_t>(changed.at(x, y) & chosen.at(x, y));
  }

  // Fuses the distances of a map with the angles of its frame.
  void fuse(const PreparedFrame& frame, ImageView<float> map) const {
    const Rect<int>& part = frame.part;
    Exec exec = mapper->options().exec;
    if (map.memory != Memory::kCuda) exec = {.device = Device::cpu(), .threads = exec.threads};
    fusion->fuse(frame.angles, map.crop(part.x, part.y, part.width, part.height), exec);
  }

  void map_spectra(const PreparedFrame& frame, ImageView<float> map) {
    const ImageView<const std::uint16_t> masses = frame.spectra;
    if (chosen.empty()) {
      mapper->map_histograms(masses, map);
      return;
    }
    const Rect<int>& around = chosen_box;
    const ImageView<const std::uint16_t> inner =
        masses.crop(around.x - frame.part.x, around.y - frame.part.y, around.width, around.height);
    if (masses.memory == Memory::kCuda) {
      const ImageView<float> all = kept_image(values, {around.width, around.height}, 1,
                                              fovea::detail::memory_beside(map.memory));
      mapper->map_histograms(inner, all);
      choose_from(all, map);
      return;
    }
    fill(map, kNotMapped);
    const auto within = [&](const auto& view) {
      return view.crop(around.x, around.y, around.width, around.height);
    };
    mapper->map_histograms(inner, within(std::as_const(chosen).view()), within(map));
  }
};

SceneMapper::SceneMapper(const BandFrame& first, const Rect<int>& box,
                         const SceneMapOptions& options)
    : impl_(std::make_unique<Impl>()) {
  require_box("the target's box", box, first);
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

void SceneMapper::set_mask(ImageView<const std::uint8_t> mask) {
  impl_->last_labels = {};
  if (!mask.empty()) {
    impl_->choose({mask.width, mask.height}, mask);
  } else if (impl_->options.roi) {
    impl_->choose({impl_->chosen.width(), impl_->chosen.height()}, {});
  } else {
    impl_->chosen = {};
  }
}

void SceneMapper::prepare(const BandFrame& frame, PreparedFrame& prepared, int threads) const {
  impl_->prepare(frame, prepared, threads);
}

void SceneMapper::map(const PreparedFrame& frame, Image<float>& map) {
  const Exec& exec = mapper().options().exec;
  const bool pinned = frame.memory == Memory::kHost && fovea::detail::on_cuda(exec);
  const fovea::cuda::ScopedDevice here(exec.device);
  const ImageView<float> out =
      kept_image(map, frame.size, 1, pinned ? Memory::kPinned : frame.memory);
  const bool changes = impl_->options.changed_only && frame.memory != Memory::kCuda;
  if (impl_->spectra) impl_->map_spectra(frame, out);
  else if (changes) impl_->map_changes(frame.labels, out);
  else impl_->map_labels(frame.labels, out);
  if (impl_->fusion) impl_->fuse(frame, out);
}
Image<float> SceneMapper::map(const BandFrame& frame) {
  Image<float> distances;
  prepare(frame, impl_->own, impl_->options.exec.threads);
  map(impl_->own, distances);
  return distances;
}

void SceneMapper::renew(const Exec& exec) {
  impl_->options.exec = exec;
  impl_->last_labels = {};
  impl_->make_mapper();
}

const Mapper& SceneMapper::mapper() const { return *impl_->mapper; }
const LevelRange& SceneMapper::range() const { return impl_->range; }
const std::optional<Rect<int>>& SceneMapper::box() const { return impl_->box; }
Extent SceneMapper::target_size() const { return impl_->target_size; }
const std::vector<float>& SceneMapper::spectrum() const { return impl_->spectrum; }
const SceneMapOptions& SceneMapper::options() const { return impl_->options; }

std::vector<LabColor> SceneInsides::palette(const SceneMapper& mapper) {
  if (!mapper.impl_->colors) return {};
  return mapper.impl_->colors->palette().colors;
}
int SceneInsides::bands(const SceneMapper& mapper) {
  return mapper.impl_->spectra ? mapper.impl_->spectra->bands() : 0;
}
bool SceneInsides::maps(const SceneMapper& mapper, int x, int y) {
  const Image<std::uint8_t>& chosen = mapper.impl_->chosen;
  return chosen.empty() || chosen.at(x, y) != 0;
}
float SceneInsides::fused(const SceneMapper& mapper, ImageView<const float> angles,
                          float distance) {
  Image<float> score(1, 1);
  score.at(0, 0) = distance;
  mapper.impl_->fusion->fuse(angles, score, {.device = Device::cpu(), .threads = 1});
  return score.at(0, 0);
}

}  // namespace fovea::emd
