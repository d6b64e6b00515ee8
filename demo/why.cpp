#include "demo/why.h"

#include <fovea/emd/explain.h>
#include <fovea/flow/explain.h>
#include <fovea/people/explain.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <array>

#include "demo/figures.h"

namespace fovea::cli {

using namespace report;

Figure why_person(ImageView<const std::uint8_t> street, const Exec& exec) {
  constexpr int kX = 330, kY = 270;
  people::DetectOptions options;
  options.exec = exec;
  const Explanation why =
      people::present(people::explain(people::Detector("channels", options), street, kX, kY));
  return why_figure(
      draw_explanation(street, why), why,
      fmt::format("fovea people detect street.png --explain {},{} --explain-picture why.png", kX,
                  kY));
}

Figure why_flow(const FlowScene& scene, const Exec& exec) {
  flow::FlowOptions options;
  options.exec = exec;
  const int x = scene.first.width() / 2, y = scene.first.height() / 2;
  const Explanation why =
      flow::present(flow::explain(flow::Estimator(options), scene.first, scene.second, {x, y}));
  return why_figure(
      draw_explanation(scene.first, why, {.margin = 1.5}), why,
      fmt::format(
          "fovea flow lk first.png second.png --explain {},{} --explain-picture why_flow.png", x,
          y));
}

Figure why_map(ImageView<const std::uint8_t> scene, const Rect<int>& target, const Exec& exec) {
  constexpr int kX = 300, kY = 360;
  const emd::BandFrame frame = emd::bands_of(scene, "scene.png");
  const emd::SceneMapper mapper(frame, target,
                                {.signature = emd::SceneSignature::kColors, .exec = exec});
  const emd::MapExplanation why = emd::explain(mapper, frame, kX, kY);
  const Explanation shown = emd::present(why);
  const Image<std::uint8_t> place = draw_explanation(scene, shown, {.margin = 1.0}),
                            moves = emd::draw_moves(why, 480);
  const std::array<Tile, 2> tiles{
      {{place, ""}, {moves, "the pixel's colors, what moves, and the target's"}}};
  return why_figure(
      montage(tiles, {.columns = 2}), shown,
      fmt::format("fovea emd map scene.png --target {},{},{},{} --signature colors --explain {},{} "
                  "--explain-picture why_map.png",
                  target.x, target.y, target.width, target.height, kX, kY));
}

Figure why_track(const std::vector<Image<std::uint8_t>>& frames, const Rect<double>& box,
                 const Exec& exec) {
  emd::TrackOptions options;
  options.exec = exec;
  emd::Tracker tracker(frames[0], box, options);
  const std::size_t middle = frames.size() / 2;
  for (std::size_t k = 1; k < middle; ++k) tracker.track(frames[k]);
  const Explanation why = emd::present(tracker.explain(frames[middle]));
  return why_figure(draw_explanation(frames[middle], why), why,
                    fmt::format("fovea emd track chase --target {:g},{:g},{:g},{:g} --explain {} "
                                "--explain-picture why_track.png",
                                box.x, box.y, box.width, box.height, middle));
}

}  // namespace fovea::cli
