// The explanation of a target's place in words, with the landscape of scores around it.
#include <fovea/emd/explain.h>

#include <fmt/format.h>

#include <cmath>

namespace fovea::emd {
namespace {

using report::Cell;

std::string track_summary(const TrackExplanation& e) {
  const double dx = e.place.box.x - e.from.x, dy = e.place.box.y - e.from.y;
  std::string text =
      dx == 0 && dy == 0
          ? fmt::format("Target {} stays where it was, the best place within {} pixels.",
                        e.track.id, e.reach)
          : fmt::format(
                "Target {} moves by {:+g},{:+g} pixels to the best place within {} pixels: "
                "its score there is {:.4g}, and {:.4g} where it was.",
                e.track.id, dx, dy, e.reach, e.place.total, e.stayed.total);
  text +=
      fmt::format(" Its colors give {:.4g} there, {:.0f} % of what they gave in the first frame.",
                  e.place.color, e.first_score > 0 ? 100 * e.place.color / e.first_score : 0);
  if (e.place.response)
    text += fmt::format(
        " The filter of edges responds with {:.2f}, where 1 is the target as it was "
        "learned.",
        *e.place.response);
  if (e.searched_everywhere)
    text += e.track.lost ? " The target is lost: the whole frame was searched without finding it."
                         : " The target was lost, and the search of the whole frame found it.";
  else if (e.doubtful)
    text += fmt::format(" This frame is doubtful, the {}. in a row.", e.doubtful_frames);
  return text;
}

void add_reason(report::Explanation& to, const char* name, double value, const char* text) {
  to.reasons.push_back({name, value, text, {}});
}

}  // namespace

report::Explanation present(const TrackExplanation& e) {
  report::Explanation to;
  to.title = "Why the target is here";
  to.summary = track_summary(e);
  to.total_name = "score";
  to.total = e.place.total;
  to.place = e.place.box;
  add_reason(to, "colors", e.place.color, "likelihood inside less that in the ring around it");
  if (!e.landscape.motion.empty())
    add_reason(to, "step", -e.place.motion, "cost of the way from the last place");
  if (!e.landscape.parts.empty())
    add_reason(to, "parts", -e.place.parts, "how far the six parts are from the first frame's");
  if (!e.landscape.filter.empty())
    add_reason(to, "filter", -e.place.filter, "how much the filter's response is below 1");
  report::Table table{"The score of the best place, and of the last one.",
                      {{"", ""}, {"best place", ""}, {"last place", ""}},
                      {}};
  const auto row = [&](const char* name, double best, double stayed) {
    table.rows.push_back({name, Cell(best, 4), Cell(stayed, 4)});
  };
  row("colors", e.place.color, e.stayed.color);
  row("step", -e.place.motion, -e.stayed.motion);
  row("parts", -e.place.parts, -e.stayed.parts);
  row("filter", -e.place.filter, -e.stayed.filter);
  row("score", e.place.total, e.stayed.total);
  to.tables.push_back(std::move(table));
  // A value belongs to a place of the box; it is shown where the box's middle lies.
  const ScoreLandscape& land = e.landscape;
  const double half = 0.5 * land.step;
  const Rect<double> where{e.from.x + e.from.width / 2 + land.left - half,
                           e.from.y + e.from.height / 2 + land.top - half,
                           static_cast<double>(land.total.width()) * land.step,
                           static_cast<double>(land.total.height()) * land.step};
  const auto layer = [&](const char* name, const char* text, const Image<float>& values) {
    if (!values.empty()) to.layers.push_back({name, text, where, clone(values.view()), false});
  };
  layer("score", "The score of the box with its middle here.", land.total);
  layer("colors", "What colors alone give to it.", land.color);
  layer("filter", "What is subtracted because the filter responds less than fully.", land.filter);
  layer("parts", "What is subtracted because parts look different.", land.parts);
  to.layers.push_back({"likelihood",
                       "How likely each pixel belongs to the target.",
                       {static_cast<double>(e.mapped.x), static_cast<double>(e.mapped.y),
                        static_cast<double>(e.mapped.width), static_cast<double>(e.mapped.height)},
                       e.likelihood.empty() ? Image<float>{} : clone(e.likelihood.view()),
                       false});
  const auto middle = [](const Rect<double>& box) {
    return report::Point{box.x + box.width / 2, box.y + box.height / 2};
  };
  to.shapes.push_back({report::ShapeKind::kBox,
                       {{e.from.x, e.from.y}, {e.from.right(), e.from.bottom()}},
                       "before",
                       0.4,
                       report::palette(3)});
  to.shapes.push_back({report::ShapeKind::kArrow,
                       {middle(e.from), middle(e.place.box)},
                       "",
                       0.6,
                       report::palette(1)});
  return to;
}

}  // namespace fovea::emd
