// The report of fovea emd map: one line or JSON, with how the distances of pixels were found and
// how well the map separates a target from its background.
#include <fovea/core/error.h>
#include <fovea/emd/detect.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/sink.h>

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

void write_stats(io::JsonWriter& json, const emd::MapReport& stats) {
  json.begin_object().member("pixels", stats.pixels).member("cached", stats.cached);
  json.member("duplicate", stats.duplicate).member("skipped", stats.skipped);
  json.member("solved", stats.solved).member("pivots", stats.pivots);
  json.member("unproved", stats.unproved).member("cache_resets", stats.resets);
  json.member("cache_entries", stats.entries).member("cache_bytes", stats.cache_bytes);
  json.member("hit_rate", stats.hit_rate());
  write_solved_by(json, stats.solved_by);
  json.end_object();
}

void write_areas(io::JsonWriter& json, const Areas& areas) {
  json.member("positives", areas.positives).member("negatives", areas.negatives);
  json.key("roc_auc").begin_object().member("emd", areas.emd);
  if (areas.angle) json.member("spectral_angle", *areas.angle);
  if (areas.differences) json.member("sad", *areas.differences);
  if (areas.matched) json.member("matched_filter", *areas.matched);
  if (areas.adaptive) json.member("ace", *areas.adaptive);
  json.end_object();
}

emd::MapReport total_of(const MapReport& report) {
  emd::MapReport total;
  for (const emd::MapReport& stats : report.stats) total += stats;
  return total;
}

void write_target(io::JsonWriter& json, const emd::SceneMapper& mapper) {
  json.key("target").begin_array();
  for (const std::uint16_t mass : mapper.mapper().target()) json.value(static_cast<int>(mass));
  json.end_array();
}

// Compact text of the one member that `write` adds.
template <class Write>
std::string member_text(const Write& write) {
  std::string text;
  io::JsonWriter json(io::string_sink(text), io::JsonStyle::kCompact);
  json.begin_object();
  write(json);
  json.end_object().finish();
  const std::size_t begin = text.find(':') + 1;
  return text.substr(begin, text.rfind('}') - begin);
}

void print_json(const MapReport& report, const MapRequest& request, const emd::SceneMapper& mapper,
                const Context& context) {
  print_result(context, [&](io::JsonWriter& json) {
    json.member("input", context.inputs[0]);
    if (!request.output.empty()) json.member("output", request.output);
    if (!request.picture.empty()) json.member("picture", request.picture);
    json.member("width", report.width).member("height", report.height);
    json.member("frames", report.stats.size()).member("dropped", report.dropped);
    json.member("interrupted", report.interrupted);
    write_target(json, mapper);
    if (!request.map.spectral())
      json.member("low", mapper.range().low).member("high", mapper.range().high);
    write_ground(json, mapper.mapper().ground());
    if (report.areas) write_areas(json, *report.areas);
    if (!report.regions.empty()) json.member("detect_threshold", report.regions[0].threshold);
    json.key("stats");
    write_stats(json, total_of(report));
    json.key("frame_stats").begin_array();
    for (std::size_t i = 0; i < report.stats.size(); ++i) {
      json.begin_object().member("frame", report.frame_numbers[i]);
      if (tells_times(context)) json.member("seconds", report.frame_seconds[i]);
      json.key("stats");
      write_stats(json, report.stats[i]);
      if (i < report.regions.size()) write_regions(json, report.regions[i]);
      json.end_object();
    }
    json.end_array();
  });
}

std::string regions_text(const MapReport& report) {
  std::size_t count = 0;
  for (const emd::RegionSet& found : report.regions) count += found.regions.size();
  std::string line = detail::counted(count, "region");
  if (report.frame_numbers.size() > 1)
    line += fmt::format(" in {} frames", report.frame_numbers.size());
  if (std::isnan(report.regions[0].threshold)) return line + ": no pixel has a distance\n";
  line += fmt::format(" at distances up to {:.4g}", report.regions[0].threshold);
  if (report.frame_numbers.size() > 1 || count == 0) return line + '\n';
  const emd::Region& best = report.regions[0].regions[0];
  return line + fmt::format(
                    "; the best is {},{},{},{} with a score of {:.2f} and a distance of {:.4g} "
                    "at {},{}\n",
                    best.box.x, best.box.y, best.box.width, best.box.height, best.score,
                    best.distance, best.peak_x, best.peak_y);
}

std::string line_of(const MapReport& report, const std::string& name, const Context& context) {
  const emd::MapReport total = total_of(report);
  const std::size_t frames = report.stats.size();
  const std::string solvers = solved_by_text(total.solved_by);
  std::string line =
      fmt::format("{}: {}{} of {}x{}, {} solved{}, {:.1f} % of pixels known or duplicate{}\n", name,
                  detail::counted(frames, "frame"),
                  report.dropped > 0 ? fmt::format(" ({} dropped)", report.dropped) : "",
                  report.width, report.height, detail::counted(total.solved, "distance"),
                  solvers.empty() ? "" : " (" + solvers + ")", 100 * total.hit_rate(),
                  time_at_end(context, report.seconds));
  if (!report.regions.empty()) line += regions_text(report);
  if (!report.areas) return line;
  line += fmt::format("area under the ROC curve: {:.4f}", report.areas->emd);
  if (report.areas->angle)
    line += fmt::format(
        ", spectral angle {:.4f}, sum of differences {:.4f}, matched filter {:.4f}, ACE {:.4f}",
        *report.areas->angle, *report.areas->differences, *report.areas->matched,
        *report.areas->adaptive);
  return line + '\n';
}

}  // namespace

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
  Areas areas{.emd = own.area, .positives = own.positives, .negatives = own.negatives};
  if (mapper.spectrum().empty()) return areas;
  areas.angle = roc(emd::spectral_angle(frame.bands, mapper.spectrum(), exec)).area;
  areas.differences = roc(emd::sum_of_differences(frame.bands, mapper.spectrum(), exec)).area;
  constexpr auto kHigh = emd::TargetScore::kHigh;
  const emd::BackgroundScores known = emd::background_scores(frame.bands, mapper.spectrum(), exec);
  areas.matched = roc(known.matched, kHigh).area;
  areas.adaptive = roc(known.adaptive, kHigh).area;
  return areas;
}

void print_report(const MapReport& report, const MapRequest& request,
                  const emd::SceneMapper& mapper, Context& context) {
  if (context.json) print_json(report, request, mapper, context);
  else
    context.console.print(
        line_of(report, request.output.empty() ? context.inputs[0] : request.output, context));
}

MapperFacts facts_of(const emd::SceneMapper& mapper) {
  return {.target = member_text([&](io::JsonWriter& json) { write_target(json, mapper); }),
          .ground = member_text(
              [&](io::JsonWriter& json) { write_ground(json, mapper.mapper().ground()); }),
          .range = mapper.range()};
}

void print_report(const MapReport& report, const MapRequest& request, const MapperFacts& mapper,
                  Context& context) {
  const std::size_t frames = report.frame_numbers.size();
  if (!context.json) {
    std::string line = fmt::format("{}: {} of {}x{}\n",
                                   request.output.empty() ? context.inputs[0] : request.output,
                                   detail::counted(frames, "frame"), report.width, report.height);
    if (!report.regions.empty()) line += regions_text(report);
    context.console.print(line);
    return;
  }
  print_result(context, [&](io::JsonWriter& json) {
    json.member("input", context.inputs[0]);
    if (!request.output.empty()) json.member("output", request.output);
    if (!request.picture.empty()) json.member("picture", request.picture);
    json.member("width", report.width).member("height", report.height);
    json.member("frames", frames).member("dropped", 0).member("interrupted", false);
    json.key("target").raw(mapper.target);
    if (!request.map.spectral())
      json.member("low", mapper.range.low).member("high", mapper.range.high);
    json.key("ground").raw(mapper.ground);
    if (report.regions.empty()) return;
    json.member("detect_threshold", report.regions[0].threshold);
    json.key("frame_stats").begin_array();
    for (std::size_t i = 0; i < frames; ++i) {
      json.begin_object().member("frame", report.frame_numbers[i]);
      write_regions(json, report.regions[i]);
      json.end_object();
    }
    json.end_array();
  });
}

}  // namespace fovea::cli
