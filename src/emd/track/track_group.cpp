// Palettes of colors and of bands behind one face.
#include "emd/track/track_group.h"

#include <fmt/format.h>
#include <fovea/core/error.h>

#include <algorithm>

#include "emd/track/backend.h"

namespace fovea::emd {
namespace {

constexpr double kLabTau = 50;

bool compares_shape(TrackSpectra spectra, int bands) {
  constexpr int kShapeFrom = 4;
  return spectra == TrackSpectra::kShape || (spectra == TrackSpectra::kAuto && bands >= kShapeFrom);
}

Palette learn_colors(const std::vector<GroupSource>& sources, int each,
                     const TrackOptions& options) {
  Random random(options.exec.seed, 1);
  std::vector<LabColor> samples;
  for (const GroupSource& source : sources)
    add_color_samples({source.target_pixels.colors, source.target, source.surround_pixels.colors,
                       source.surround},
                      each, random, samples);
  return learn_palette(samples, options.colors, options.exec.seed);
}

BandTable learn_table(const std::vector<GroupSource>& sources, int each,
                      const TrackOptions& options) {
  Random random(options.exec.seed, 1);
  const int bands = sources.front().target_pixels.bands.count;
  std::vector<BandSource> from;
  from.reserve(sources.size());
  for (const GroupSource& source : sources)
    from.push_back(
        {source.target_pixels.bands, source.target, source.surround_pixels.bands, source.surround});
  BandTable table = learn_bands(draw_band_samples(from, each, random),
                                {.colors = options.colors,
                                 .shape = compares_shape(options.spectra, bands),
                                 .seed = options.exec.seed,
                                 .exec = options.exec});
  if (table.colors == 0)
    throw InvalidArgument(
        "all samples of the target and its surroundings are NaN or infinite; expected numbers");
  return table;
}

}  // namespace

TrackPixels TrackPixels::crop(const Rect<int>& part) const {
  if (!has_bands) return colors.crop(part.x, part.y, part.width, part.height);
  StackView<const float> cut = bands;
  cut.data = &bands.plane(0).at(part.x, part.y);
  cut.width = part.width;
  cut.height = part.height;
  return cut;
}

TrackPixels PlacedPixels::bring(const TrackPixels& from, Memory memory, const Exec& exec) {
  if (from.has_bands) return bands.bring(from.bands, memory, exec);
  return colors.bring(from.colors, memory, exec);
}

Group::Group(const std::vector<GroupSource>& sources, const TrackOptions& options)
    : ground_(1, 1, std::vector<double>{0}) {
  const int each = std::max(kPaletteSamples / static_cast<int>(sources.size()), 4);
  if (sources.front().target_pixels.has_bands) {
    table_ = learn_table(sources, each, options);
    ground_ = band_distance(table_, options.tau);
  } else {
    palette_ = learn_colors(sources, each, options);
    ground_ = palette_distance(palette_, options.tau.value_or(kLabTau));
  }
}

LabeledFrame Group::label(const TrackPixels& frame, const Rect<int>& part, bool fetch,
                          const Exec& exec) {
  if (here_.width() != frame.width || here_.height() != frame.height)
    here_ = Image<std::uint8_t>(frame.width, frame.height);
  const Memory memory = fovea::detail::memory_of(exec.device);
  const auto labels = there_.prepare(here_, memory);
  if (part.empty()) return {here_.view(), labels};
  const bool there = fovea::detail::on_cuda(exec);
  const TrackPixels pixels = brought_.bring(frame.crop(part), memory, exec);
  const auto cut = labels.crop(part.x, part.y, part.width, part.height);
  if (frame.has_bands)
    (there ? cuda::label_bands : cpu::label_bands)(pixels.bands, table_, cut, exec);
  else (there ? cuda::label_colors : cpu::label_colors)(pixels.colors, palette_.table, cut, exec);
  if (fetch) there_.give_back(exec);
  return {here_.view(), labels};
}

}  // namespace fovea::emd
