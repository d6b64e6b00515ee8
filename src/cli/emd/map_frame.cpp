// From frames to distances: the first frame determines levels or spectra, and the target its
// signature. Each frame is then labeled, or converted to spectra, and mapped.
#include <fovea/core/error.h>

#include <fmt/format.h>

#include "cli/emd/map.h"
#include "cli/emd/targets.h"
#include "core/backend.h"

namespace fovea::cli {

FrameMapper::FrameMapper(const MapRequest& request, const BandFrame& first, const Exec& exec)
    : request_(request), exec_(exec) {
  const TargetWord target = parse_target(request.target);
  if (const auto* box = std::get_if<Rect<double>>(&target))
    box_ = box_within(*box, first.bands.width(), first.bands.height());
  const BandFrame other = box_ ? BandFrame{} : read_bands(request.target, request.read);
  const BandFrame& shown = box_ ? first : other;
  const Rect<int> whole{0, 0, shown.bands.width(), shown.bands.height()};
  const Rect<int> box = box_.value_or(whole);
  const bool wanted = !request.levels() || !request.truth.empty();
  if (wanted && shown.bands.count() == first.bands.count())
    spectrum_ = emd::mean_spectrum(shown.bands, box);
  if (request.levels()) use_levels(first, shown, box);
  else use_spectra(first);
}

Image<std::uint8_t> FrameMapper::labels_of(const BandFrame& frame, int threads) const {
  if (!request_.levels()) return {};
  const Image<float> band = gray_band(frame, request_.band);
  Image<std::uint8_t> labels(band.width(), band.height());
  quantize(band, labels,
           {.levels = request_.bin_count(),
            .low = range_.low,
            .high = range_.high,
            .exec = {.device = Device::cpu(), .threads = threads}});
  return labels;
}

void FrameMapper::map(const BandFrame& frame, ImageView<const std::uint8_t> labels,
                      Image<float>& map) {
  if (spectra_ && frame.bands.count() != spectra_->bands())
    throw FormatError(fmt::format("{} has {} bands, but the first frame has {}", frame.name,
                                  frame.bands.count(), spectra_->bands()));
  if (map.width() != frame.bands.width() || map.height() != frame.bands.height()) {
    const Device device = mapper_->options().exec.device;
    const fovea::cuda::ScopedDevice here(device);
    map = Image<float>(frame.bands.width(), frame.bands.height(), 1,
                       device.kind == DeviceKind::kCuda ? Memory::kPinned : Memory::kHost);
  }
  if (spectra_) mapper_->map_histograms(spectra_->of(frame.bands), map);
  else mapper_->map(labels, map);
}

void FrameMapper::use_levels(const BandFrame& first, const BandFrame& shown, const Rect<int>& box) {
  range_ = level_range(gray_band(first, request_.band), first, request_.range);
  const Image<std::uint8_t> labels = labels_of(shown, exec_.threads);
  make_mapper(request_.ground.empty() ? emd::Ground() : emd::Ground(request_.ground),
              emd::label_histogram(labels.view().crop(box.x, box.y, box.width, box.height),
                                   request_.bin_count()));
}

void FrameMapper::use_spectra(const BandFrame& first) {
  if (spectrum_.empty())
    throw FormatError(fmt::format("{0}: does not have the {2} bands of {1}", request_.target,
                                  first.name, first.bands.count()));
  spectra_.emplace(first.bands,
                   emd::SignatureOptions{.kind = request_.signature == Signature::kBands
                                                     ? emd::SignatureKind::kBands
                                                     : emd::SignatureKind::kContrast,
                                         .bins = request_.bin_count(),
                                         .window = request_.window_side(),
                                         .exec = exec_});
  make_mapper(
      request_.ground.empty() ? emd::Ground(spectra_->ground()) : emd::Ground(request_.ground),
      spectra_->of(spectrum_));
}

void FrameMapper::make_mapper(const emd::Ground& ground, const std::vector<double>& target) {
  emd::MapOptions options = request_.map;
  options.ground = ground;
  options.window = request_.levels() ? request_.window_side() : 1;
  options.exec = exec_;
  mapper_.emplace(target, options);
}

}  // namespace fovea::cli
