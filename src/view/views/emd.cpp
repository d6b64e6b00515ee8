// Targets by their colors in the view: the distance of every pixel to what a drawn box shows.
#include <fovea/emd/explain.h>
#include <fovea/emd/scene.h>
#include <fovea/emd/show.h>
#include <fovea/report/color_map.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

class EmdView final : public OptionsView<emd::SceneMapOptions> {
 public:
  EmdView()
      : OptionsView(
            {.name = "emd",
             .title = "Color match",
             .text = "Draw a box around a target: the map shows how far the colors around each "
                     "pixel are from the target's, by the exact Earth Mover's Distance.",
             .headline = "Color match in",
             .needs_box = true},
            {.signature = emd::SceneSignature::kColors},
            // A ground may be a file, which a page must not name.
            {"ground", "cache-bytes", "changed-only", "score", "band", "range"}) {}

 private:
  void work(const TaskOf<emd::SceneMapOptions>& task, Result& result, Stopwatch& watch) override {
    if (task.with.window_side() % 2 == 0)
      throw InvalidArgument(
          fmt::format("window is {}; expected an odd number of pixels", task.with.window_side()));
    result.show(task.run.image());
    const emd::BandFrame frame = emd::bands_of(result.image->pixels(), task.run.input());
    watch.lap("read the image");
    emd::SceneMapper mapper(frame, *task.run.box, task.with);
    watch.lap("learn the target");
    const Image<float> map = mapper.map(frame);
    watch.lap("map distances");

    const Distances distances = distances_of(map);
    const emd::MapReport report = mapper.mapper().report();
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
    result.facts = {{"target", task.box()},
                    {"least distance", fmt::format("{:.4f}", distances.least)},
                    {"greatest distance", fmt::format("{:.4f}", distances.greatest)},
                    {"histograms solved", std::to_string(report.solved)},
                    {"pixels", std::to_string(report.pixels)}};
    result.json = saved_map(task, result.size, mapper, {});
    result.command = fmt::format("fovea emd map {} --target {}{} -o map.tif --picture map.{}{}",
                                 task.shell_inputs(), task.box(), task.flags,
                                 task.run.of_film() ? "mp4" : "png", task.shell_frames());
    result.python = fmt::format("fovea.emd.map({}, ({}){})", task.python_image(), task.box(", "),
                                task.keywords);
    add_reasons(result, task);
  }

  // The target is learned again for each question, which is quick: to keep the bands of the image
  // would take four times its memory.
  static void add_reasons(Result& result, const TaskOf<emd::SceneMapOptions>& task) {
    result.why_hint = "Click a pixel to see which colors had to move where.";
    result.explain = [options = task.with, picture = result.image, box = *task.run.box,
                      name = task.run.input()](report::Point place, const Exec& exec) {
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
