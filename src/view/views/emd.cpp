// Targets by their colors in the view: the distance of every pixel to what a drawn box shows.
#include <fovea/core/error.h>
#include <fovea/emd/explain.h>
#include <fovea/emd/scene.h>
#include <fovea/emd/show.h>
#include <fovea/report/color_map.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/json_text.h"
#include "view/stopwatch.h"
#include "view/system.h"
#include "view/views/saved_map.h"

namespace fovea::view {
namespace {

// The least and the greatest distance and where the least one is.
struct Distances {
  float least = std::numeric_limits<float>::infinity(), greatest = 0;
};

Distances distances_of(const Image<float>& map) {
  Distances sum;
  for (int y = 0; y < map.height(); ++y)
    for (int x = 0; x < map.width(); ++x) {
      if (!std::isfinite(map.at(x, y))) continue;
      sum.least = std::min(sum.least, map.at(x, y));
      sum.greatest = std::max(sum.greatest, map.at(x, y));
    }
  return sum;
}

class EmdView final : public SystemView {
 public:
  std::string name() const override { return "emd"; }
  std::string title() const override { return "Color match"; }
  std::string text() const override {
    return "Draw a box around a target: the map shows how far the colors around each pixel are "
           "from the target's, by the exact Earth Mover's Distance.";
  }
  InputKind takes() const override { return InputKind::kImage; }
  bool needs_box() const override { return true; }
  std::string controls() const override {
    emd::SceneMapOptions options = defaults();
    return controls_json(form_of(options, kHidden));
  }

  Result run(const Run& run, const Exec& exec) override {
    Stopwatch watch;
    emd::SceneMapOptions options = defaults(), plain;
    Form form = form_of(options, kHidden);
    fill_form(form, run.options);
    if (options.window_side() % 2 == 0)
      throw InvalidArgument(
          fmt::format("window is {}; expected an odd number of pixels", options.window_side()));
    if (!run.box) throw InvalidArgument("draw a box around a target on the picture");
    options.exec = exec;
    const std::shared_ptr<const Picture> picture = run_images(run, 1).front();
    const emd::BandFrame frame = emd::bands_of(picture->pixels(), run.inputs.front()->name());
    watch.lap("read the image");
    emd::SceneMapper mapper(frame, *run.box, options);
    watch.lap("learn the target");
    const Image<float> map = mapper.map(frame);
    watch.lap("map distances");

    const Distances distances = distances_of(map);
    const emd::MapReport report = mapper.mapper().report();
    const Rect<int>& box = *run.box;
    Result result{.title = "Color match in " + run.inputs.front()->name(),
                  .image = picture,
                  .size = {picture->width(), picture->height()}};
    result.summary = fmt::format(
        "Distances go from {:.3f} to {:.3f}; bright pixels are like the target. {} of {} pixels "
        "needed the solver, the others had a histogram that was known.",
        distances.least, distances.greatest, report.solved, report.pixels);
    Image<std::uint8_t> drawn =
        report::apply_color_map(map, {.map = report::ColorMap::kTide,
                                      .automatic = false,
                                      .low = static_cast<double>(distances.greatest),
                                      .high = static_cast<double>(distances.least)});
    result.layers.push_back({"map", "Distance to the target",
                             "Bright where the colors are those of the target, dark where not.",
                             std::make_shared<Picture>(std::move(drawn))});
    result.picture = rgb_later(result.layers.back().picture);
    result.facts = {{"target", fmt::format("{},{},{},{}", box.x, box.y, box.width, box.height)},
                    {"least distance", fmt::format("{:.4f}", distances.least)},
                    {"greatest distance", fmt::format("{:.4f}", distances.greatest)},
                    {"histograms solved", std::to_string(report.solved)},
                    {"pixels", std::to_string(report.pixels)}};
    result.json = saved_map(run, {"emd map", {}, options_json(options), exec}, mapper, {});
    add_lines(result, run, form, form_of(plain, kHidden));
    watch.lap("draw");
    result.timings = watch.laps();
    add_reasons(result, run, options);
    return result;
  }

 private:
  // A ground may be a file, which a page must not name.
  inline static const std::vector<std::string_view> kHidden{"ground", "cache-bytes", "changed-only",
                                                            "score",  "band",        "range"};

  static emd::SceneMapOptions defaults() { return {.signature = emd::SceneSignature::kColors}; }

  static void add_lines(Result& result, const Run& run, const Form& form, const Form& plain) {
    const Rect<int>& box = *run.box;
    result.command =
        fmt::format("fovea emd map {} --target {},{},{},{}{} -o map.{} --picture map.{}",
                    shell_inputs(run, 1), box.x, box.y, box.width, box.height,
                    changed_flags(form, plain), "tif", of_film(run) ? "mp4" : "png") +
        shell_frames(run, 1);
    result.python =
        fmt::format("fovea.emd.map({}, ({}, {}, {}, {}){})", python_images(run, 1).front(), box.x,
                    box.y, box.width, box.height, changed_keywords(form, plain));
  }

  // The target is learned again for each question, which is quick: to keep the bands of the image
  // would take four times its memory.
  static void add_reasons(Result& result, const Run& run, emd::SceneMapOptions options) {
    result.why_hint = "Click a pixel to see which colors had to move where.";
    result.explain = [options = std::move(options), picture = result.image, box = *run.box,
                      name = run.inputs.front()->name()](report::Point place, const Exec& exec) {
      emd::SceneMapOptions asked = options;
      asked.exec = {.device = Device::cpu(), .threads = 1, .stop = exec.stop};
      const emd::BandFrame frame = emd::bands_of(picture->pixels(), name);
      return emd::present(emd::explain(emd::SceneMapper(frame, box, asked), frame,
                                       static_cast<int>(place.x), static_cast<int>(place.y)));
    };
  }
};

}  // namespace

std::unique_ptr<SystemView> emd_view() { return std::make_unique<EmdView>(); }

}  // namespace fovea::view
