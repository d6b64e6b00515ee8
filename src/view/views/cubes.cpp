// Targets by their spectra in the view: how far every pixel of a cube is from a target's spectrum.
#include <fovea/emd/detect.h>
#include <fovea/emd/explain.h>
#include <fovea/emd/regions.h>
#include <fovea/emd/show.h>
#include <fovea/io/image_memory.h>
#include <fovea/report/chart.h>
#include <fovea/report/color_map.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "view/cube.h"
#include "view/system.h"
#include "view/views/saved_map.h"

namespace fovea::view {
namespace {

struct CubeOptions {
  std::optional<int> red{};  // bands that are shown; absent: see usual_bands()
  std::optional<int> green{};
  std::optional<int> blue{};
  emd::SceneMapOptions map{};
  emd::RegionOptions regions{};
  Exec exec{};
};

void describe(OptionVisitor& visit, CubeOptions& options) {
  const OptionTraits traits{.absent = "usual"};
  visit("red", options.red, "band that is shown as red, counted from 0", 0, 1e6, traits);
  visit("green", options.green, "band that is shown as green, counted from 0", 0, 1e6, traits);
  visit("blue", options.blue, "band that is shown as blue, counted from 0", 0, 1e6, traits);
  describe(visit, options.map);
  visit.group("detect", options.regions);
}

// The map in colors, bright where the target is. Shares of a frame lie far apart where it matters,
// among the pixels that resemble the target most, so that their logarithms are shown.
Image<std::uint8_t> map_picture(const Image<float>& map, emd::SceneScore score) {
  Image<float> shown = clone(map);
  if (score == emd::SceneScore::kFused) {
    const float least = 1 / (static_cast<float>(map.width()) * static_cast<float>(map.height()));
    for (int y = 0; y < shown.height(); ++y)
      for (int x = 0; x < shown.width(); ++x)
        shown.at(x, y) = std::log10(std::max(shown.at(x, y), least));
  }
  const report::ValueRange range = report::value_range(shown);
  return report::apply_color_map(shown, {.map = report::ColorMap::kTide,
                                         .automatic = false,
                                         .low = static_cast<double>(range.high),
                                         .high = static_cast<double>(range.low)});
}

std::vector<double> spectrum_at(const ViewCube& cube, int x, int y) {
  std::vector<double> spectrum;
  spectrum.reserve(static_cast<std::size_t>(cube.bands()));
  for (int band = 0; band < cube.bands(); ++band)
    spectrum.push_back(static_cast<double>(cube.frame.bands.plane(band).at(x, y)));
  return spectrum;
}

std::string spectra_chart(const ViewCube& cube, const std::vector<float>& target, int x, int y) {
  const io::CubeFacts& facts = cube.facts;
  report::LineChart chart{.title = fmt::format("Spectra of pixel {},{} and of the target", x, y),
                          .width = 420,
                          .height = 260};
  chart.x.title = facts.wavelengths.empty() ? "band"
                  : facts.units.empty()     ? "wavelength"
                                            : fmt::format("wavelength ({})", facts.units);
  chart.y.title = "value";
  chart.series = {{.name = "pixel", .x = facts.wavelengths, .y = spectrum_at(cube, x, y)},
                  {.name = "target",
                   .x = facts.wavelengths,
                   .y = {target.begin(), target.end()},
                   .dashed = true}};
  return report::to_svg(chart);
}

// What explanations of one map need. The cube itself is kept elsewhere, and read again where it has
// gone, so that many results of large cubes do not fill the memory.
class MappedCube {
 public:
  MappedCube(std::shared_ptr<Input> input, std::shared_ptr<CubeCache> cubes,
             emd::SceneMapper mapper, std::vector<float> target)
      : input_(std::move(input)),
        cubes_(std::move(cubes)),
        mapper_(std::move(mapper)),
        target_(std::move(target)) {
    mapper_.renew({.device = Device::cpu(), .threads = 1});  // without the stop of the run
  }

  emd::MapExplanation explain(const Place& place) {
    const std::shared_ptr<const ViewCube> cube = cube_of(*input_, *cubes_);
    const std::lock_guard lock(mutex_);
    return emd::explain(mapper_, cube->frame, static_cast<int>(place.x), static_cast<int>(place.y));
  }
  std::string chart(const Place& place) const {
    return spectra_chart(*cube_of(*input_, *cubes_), target_, static_cast<int>(place.x),
                         static_cast<int>(place.y));
  }

  static std::shared_ptr<const ViewCube> cube_of(const Input& input, CubeCache& cubes) {
    return cubes.get(
        input.id(), [&] { return std::make_shared<const ViewCube>(read_view_cube(input.path())); },
        [](const auto& cube) { return cube->bytes(); });
  }

 private:
  std::shared_ptr<Input> input_;
  std::shared_ptr<CubeCache> cubes_;
  emd::SceneMapper mapper_;
  std::vector<float> target_;  // its mean spectrum
  std::mutex mutex_{};
};

class CubesView final : public OptionsView<CubeOptions> {
 public:
  CubesView()
      : OptionsView(
            {.name = "cubes",
             .title = "Spectra",
             .text = "Draw a box around a target, or click one of its pixels: the map shows how "
                     "much each pixel's spectrum is like the target's.",
             .headline = "Spectra in",
             .takes = InputKind::kCube,
             .needs_box = true,
             .takes_pixel = true},
            // What finds targets in cubes best; see docs/emd.md. Targets may be single pixels.
            {.map = {.signature = emd::SceneSignature::kContrast, .score = emd::SceneScore::kFused},
             .regions = {.least_area = 1, .most = 20}},
            kHidden) {}

 private:
  // A ground may be a file, which a page must not name; the others are for images and videos.
  inline static const std::vector<std::string_view> kHidden{"ground",       "cache-bytes", "tau",
                                                            "changed-only", "border",      "range"};

  void work(const TaskOf<CubeOptions>& task, Result& result, Stopwatch& watch) override {
    Input& input = *task.run.inputs.front();
    const std::shared_ptr<const ViewCube> cube = MappedCube::cube_of(input, *cubes_);
    watch.lap("read the cube");
    result.show(input.frame(0));
    const ShownBands shown = shown_bands(task.with, *cube);
    result.facts = {{"size", fmt::format("{}x{}", result.size.width, result.size.height)},
                    {"bands", std::to_string(cube->bands())},
                    {"shown bands", fmt::format("{}, {}, {}", shown.red, shown.green, shown.blue)}};
    add_false_color(result, task.with, *cube, shown);
    if (task.run.box) add_map(result, task, *cube, watch);
    else
      result.summary = fmt::format(
          "A cube of {}x{} pixels and {} bands. Draw a box around a target, or click one of its "
          "pixels.",
          result.size.width, result.size.height, cube->bands());
  }

  static ShownBands shown_bands(const CubeOptions& options, const ViewCube& cube) {
    const ShownBands usual = usual_bands(cube);
    return {options.red.value_or(usual.red), options.green.value_or(usual.green),
            options.blue.value_or(usual.blue)};
  }

  // A layer of other bands than the input itself shows. Its name has the bands, so that the page
  // shows other ones at once.
  static void add_false_color(Result& result, const CubeOptions& options, const ViewCube& cube,
                              const ShownBands& shown) {
    if (!options.red && !options.green && !options.blue) {
      result.picture = rgb_later(result.image);
      return;
    }
    const auto colors = std::make_shared<const Picture>(false_color(cube, shown));
    result.picture = rgb_later(colors);
    result.layers.push_back(
        {.name = fmt::format("bands-{}-{}-{}", shown.red, shown.green, shown.blue),
         .title = "Chosen bands",
         .text = fmt::format("Bands {}, {} and {} as red, green and blue.", shown.red, shown.green,
                             shown.blue),
         .picture = colors,
         .opacity = 1});
  }

  void add_map(Result& result, const TaskOf<CubeOptions>& task, const ViewCube& cube,
               Stopwatch& watch) const {
    const Rect<int>& target = *task.run.box;
    emd::SceneMapOptions options = task.with.map;
    options.exec = task.exec;
    emd::SceneMapper mapper(cube.frame, target, options);
    watch.lap("learn the target");
    const Image<float> map = mapper.map(cube.frame);
    watch.lap("map spectra");
    const emd::RegionSet found = emd::find_regions(
        map, task.with.regions, {.box = target, .size = {target.width, target.height}});
    watch.lap("find regions");
    result.summary = fmt::format(
        "{} like the target, at or below {:.3g}. Bright pixels of the map are like it.",
        found.regions.empty()       ? std::string("No region is")
        : found.regions.size() == 1 ? std::string("One region is")
                                    : fmt::format("{} regions are", found.regions.size()),
        found.threshold);
    add_layers(result, map_picture(map, options.score), found);
    result.facts.emplace_back("target", task.box());
    result.facts.emplace_back("threshold", fmt::format("{:.4g}", found.threshold));
    result.facts.emplace_back("regions", std::to_string(found.regions.size()));
    Task of_map = task;
    of_map.options = options_json(options);
    result.json = saved_map(of_map, result.size, mapper, &found);
    add_lines(result, task);
    add_reasons(result,
                std::make_shared<MappedCube>(task.run.inputs.front(), cubes_, std::move(mapper),
                                             emd::mean_spectrum(cube.frame.bands, target)));
  }

  static void add_layers(Result& result, Image<std::uint8_t> map, const emd::RegionSet& found) {
    result.layers.push_back({"map", "Likeness to the target",
                             "Bright where the spectrum is like the target's, dark where not.",
                             std::make_shared<Picture>(std::move(map))});
    Image<std::uint8_t> drawn = result.picture();
    emd::draw_regions(drawn, found);
    const auto regions = std::make_shared<const Picture>(std::move(drawn));
    result.picture = rgb_later(regions);
    result.layers.push_back({"regions", "Found regions",
                             "Regions whose pixels lie at or below the threshold.", regions,
                             false});
    for (const emd::Region& region : found.regions)
      result.marks.push_back({exact(region.box), fmt::format("{:.2f}", region.score)});
  }

  // The program has bands that are shown nowhere, and Python finds regions by a call of its own.
  static void add_lines(Result& result, const TaskOf<CubeOptions>& task) {
    CubeOptions changed = task.with, plain;
    std::vector<std::string_view> hidden = kHidden;
    hidden.insert(hidden.end(), {"red", "green", "blue"});
    result.command = fmt::format(
        "fovea emd map {} --target {}{} --detect -o map.tif --picture map.png "
        "--overlay found.png",
        task.shell_inputs(), task.box(),
        changed_flags(form_of(changed, hidden), form_of(plain, hidden)));
    std::string of_regions = changed_keywords(form_of(changed.regions), form_of(plain.regions));
    if (!of_regions.empty()) of_regions.erase(0, 2);
    result.python = fmt::format(
        "fovea.emd.map({}, ({}){}).regions({})", task.python_input(), task.box(", "),
        changed_keywords(form_of(changed.map, kHidden), form_of(plain.map, kHidden)), of_regions);
  }

  static void add_reasons(Result& result, const std::shared_ptr<MappedCube>& mapped) {
    result.why_hint = "Click a pixel to see which bands had to move where.";
    result.explain = [mapped](const Place& place, const Exec&) {
      return emd::present(mapped->explain(place));
    };
    result.why_pictures = {
        {"spectra", "Spectra", "The spectrum of the pixel beside the target's mean spectrum.",
         "image/svg+xml", [mapped](const Place& place) { return mapped->chart(place); }},
        {"moves", "Moves of mass",
         "The pixel's signature on the left, the target's on the right, and what moves between "
         "them.",
         "image/png", [mapped](const Place& place) {
           return io::png_bytes(emd::draw_moves(mapped->explain(place)));
         }}};
  }

  static constexpr std::size_t kBytesKept = std::size_t{512} << 20;
  std::shared_ptr<CubeCache> cubes_ = std::make_shared<CubeCache>(kBytesKept);
};

}  // namespace

std::unique_ptr<SystemView> cubes_view() { return std::make_unique<CubesView>(); }

}  // namespace fovea::view
