// The report of fovea emd map: one line or JSON, with how the distances of pixels were found and
// how well the map separates a target from its background.
#include <fovea/core/error.h>
#include <fovea/emd/detect.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/emd/emd.h"
#include "cli/emd/map.h"
#include "cli/program/result.h"
#include "cli/program/stopwatch.h"
#include "core/words.h"

namespace fovea::cli {

Image<std::uint8_t> read_mask(const std::string& path, const io::CubeReadOptions& options) {
  const auto mat = path.rfind(".mat:");
  const std::string file = mat == std::string::npos ? path : path.substr(0, mat + 4);
  io::CubeReadOptions of_file = options;
  of_file.variable = mat == std::string::npos ? "" : path.substr(mat + 5);
  const BandFrame frame = emd::read_bands(file, of_file);
  const ImageView<const float> band = frame.bands.plane(0);
  Image<std::uint8_t> truth(band.width, band.height);
  for (int y = 0; y < band.height; ++y)
    for (int x = 0; x < band.width; ++x) truth.at(x, y) = band.at(x, y) != 0 ? 1 : 0;
  return truth;
}

namespace {

std::string regions_text(const MapReport& report) {
  std::size_t count = 0;
  for (const MapReport::Frame& frame : *report.frame_stats) count += frame.regions->size();
  std::string line = detail::counted(count, "region");
  if (report.frames > 1) line += fmt::format(" in {} frames", report.frames);
  if (std::isnan(*report.threshold)) return line + ": no pixel has a distance\n";
  line += fmt::format(" at distances up to {:.4g}", *report.threshold);
  if (report.frames > 1 || count == 0) return line + '\n';
  const emd::Region& best = report.frame_stats->front().regions->front();
  return line + fmt::format(
                    "; the best is {},{},{},{} with a score of {:.2f} and a distance of {:.4g} "
                    "at {},{}\n",
                    best.box.x, best.box.y, best.box.width, best.box.height, best.score,
                    best.distance, best.peak.x, best.peak.y);
}

std::string line_of(const MapReport& report, const Context& context, double seconds) {
  std::string line =
      fmt::format("{}: {}{} of {}x{}", report.output.value_or(report.input),
                  detail::counted(report.frames, "frame"),
                  report.dropped > 0 ? fmt::format(" ({} dropped)", report.dropped) : "",
                  report.size.width, report.size.height);
  if (const auto& total = report.stats) {
    const std::string solvers = solved_by_text(total->solved_by);
    line += fmt::format(", {} solved{}, {:.1f} % of pixels known or duplicate{}",
                        detail::counted(total->solved, "distance"),
                        solvers.empty() ? "" : " (" + solvers + ")", 100 * total->hit_rate(),
                        time_at_end(context, seconds));
  }
  line += '\n';
  if (report.threshold) line += regions_text(report);
  if (!report.areas) return line;
  const emd::Areas::Under& areas = report.areas->under;
  line += fmt::format("area under the ROC curve: {:.4f}", areas.emd);
  if (areas.angle)
    line += fmt::format(
        ", spectral angle {:.4f}, sum of differences {:.4f}, matched filter {:.4f}, ACE {:.4f}",
        *areas.angle, *areas.differences, *areas.matched, *areas.adaptive);
  return line + '\n';
}

}  // namespace

emd::Areas areas_of(ImageView<const float> map, const BandFrame& frame, const MapRequest& request,
                    const emd::SceneMapper& mapper, const Exec& exec) {
  const Image<std::uint8_t> truth = read_mask(request.truth, request.read);
  if (truth.width() != map.width || truth.height() != map.height)
    throw InvalidArgument(fmt::format("--truth {} has {}x{} pixels, but the map has {}x{}",
                                      request.truth, truth.width(), truth.height(), map.width,
                                      map.height));
  Image<std::uint8_t> counted(map.width, map.height);
  for (int y = 0; y < map.height; ++y)  // pixels that are not mapped do not count
    for (int x = 0; x < map.width; ++x) counted.at(x, y) = std::isnan(map.at(x, y)) ? 0 : 1;
  if (const auto& box = mapper.box())
    for (int y = box->y; y < box->y + box->height; ++y)
      std::fill_n(counted.row(y) + box->x, box->width, std::uint8_t{0});
  const auto roc = [&](ImageView<const float> score,
                       emd::TargetScore sense = emd::TargetScore::kLow) {
    return emd::roc(score, truth, sense, counted);
  };
  const emd::Roc own = roc(map);
  emd::Areas areas{own.positives, own.negatives, {own.area}};
  if (mapper.spectrum().empty()) return areas;
  emd::Areas::Under& under = areas.under;
  under.angle = roc(emd::spectral_angle(frame.bands, mapper.spectrum(), exec)).area;
  under.differences = roc(emd::sum_of_differences(frame.bands, mapper.spectrum(), exec)).area;
  constexpr auto kHigh = emd::TargetScore::kHigh;
  const emd::BackgroundScores known = emd::background_scores(frame.bands, mapper.spectrum(), exec);
  under.matched = roc(known.matched, kHigh).area;
  under.adaptive = roc(known.adaptive, kHigh).area;
  return areas;
}

void print_report(MapReport& report, const MapRequest& request, Context& context, double seconds) {
  report.input = context.inputs[0];
  report.output = named_file(request.output);
  report.picture = named_file(request.picture);
  if (context.json) print_result(context, record_ref(report));
  else context.console.print(line_of(report, context, seconds));
}

}  // namespace fovea::cli
