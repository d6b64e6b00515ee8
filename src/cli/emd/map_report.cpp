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
  const Areas::Under& areas = report.areas->under;
  line += fmt::format("area under the ROC curve: {:.4f}", areas.emd);
  if (areas.angle)
    line += fmt::format(
        ", spectral angle {:.4f}, sum of differences {:.4f}, matched filter {:.4f}, ACE {:.4f}",
        *areas.angle, *areas.differences, *areas.matched, *areas.adaptive);
  return line + '\n';
}

}  // namespace

static void describe(FieldVisitor& visit, Areas::Under& under) {
  visit.record("RocAreas", "areas under ROC curves");
  visit("emd", under.emd, "of the map");
  visit("spectral_angle", under.angle, "of the spectral angle");
  visit("sad", under.differences, "of the sum of absolute differences");
  visit("matched_filter", under.matched, "of the matched filter");
  visit("ace", under.adaptive, "of the adaptive cosine estimator");
}
static void describe(FieldVisitor& visit, Areas& areas) {
  visit("positives", areas.positives, "pixels of the target in the truth");
  visit("negatives", areas.negatives, "other pixels");
  visit("roc_auc", areas.under, "how well scores separate them");
}
static void describe(FieldVisitor& visit, MapReport::Frame& frame) {
  visit.record("MappedFrame", "the map of one frame");
  visit("frame", frame.frame, "number of the frame, from 0");
  visit("seconds", frame.seconds, "time in the mapper", {.unit = "seconds"});
  visit("stats", frame.stats, "how its pixels got their distances");
  visit("regions", frame.regions, "where the target is, the best score first");
}

Areas areas_of(ImageView<const float> map, const BandFrame& frame, const MapRequest& request,
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
  Areas areas{own.positives, own.negatives, {own.area}};
  if (mapper.spectrum().empty()) return areas;
  Areas::Under& under = areas.under;
  under.angle = roc(emd::spectral_angle(frame.bands, mapper.spectrum(), exec)).area;
  under.differences = roc(emd::sum_of_differences(frame.bands, mapper.spectrum(), exec)).area;
  constexpr auto kHigh = emd::TargetScore::kHigh;
  const emd::BackgroundScores known = emd::background_scores(frame.bands, mapper.spectrum(), exec);
  under.matched = roc(known.matched, kHigh).area;
  under.adaptive = roc(known.adaptive, kHigh).area;
  return areas;
}

MapperFacts facts_of(const emd::SceneMapper& mapper) {
  const std::span<const std::uint16_t> target = mapper.mapper().target();
  MapperFacts facts{.target = {target.begin(), target.end()},
                    .ground = facts_of(mapper.mapper().ground())};
  if (mapper.options().spectral()) return facts;
  facts.low = mapper.range().low;
  facts.high = mapper.range().high;
  return facts;
}

void describe(FieldVisitor& visit, MapperFacts& facts) {
  visit("target", facts.target, "the target's histogram");
  visit("low", facts.low, "where levels begin, or black is");
  visit("high", facts.high, "where levels end, or white is");
  visit("ground", facts.ground, "the ground distance");
}

void describe(FieldVisitor& visit, MapReport& report) {
  visit.record("MapResult", "the distance of every pixel to the target");
  visit("input", report.input, "the image, cube or video, or the first of several");
  visit("output", report.output, "file or folder of the maps");
  visit("picture", report.picture, "picture or video of the maps");
  visit("width", report.size.width, "of the maps", {.unit = "pixels"});
  visit("height", report.size.height, "of the maps", {.unit = "pixels"});
  visit("frames", report.frames, "how many maps there are");
  visit("dropped", report.dropped, "of a live source: frames that were not looked at");
  visit("interrupted", report.interrupted, "whether the run ended before the frames did");
  describe(visit, report.mapper);
  visit("areas", report.areas, "where the truth is given", {.flat = true});
  visit("detect_threshold", report.threshold, "greatest distance of regions");
  visit("stats", report.stats, "how the pixels of all frames got their distances");
  visit("frame_stats", report.frame_stats, "one per frame");
}

void MapReport::add_regions(FoundRegions&& regions) {
  if (!threshold) threshold = regions.found.threshold;
  if (!frame_stats) frame_stats.emplace();
  frame_stats->push_back({.frame = regions.frame, .regions = std::move(regions.found.regions)});
}

void print_report(MapReport& report, const MapRequest& request, Context& context, double seconds) {
  report.input = context.inputs[0];
  report.output = named_file(request.output);
  report.picture = named_file(request.picture);
  if (context.json) print_result(context, record_ref(report));
  else context.console.print(line_of(report, context, seconds));
}

}  // namespace fovea::cli
