// The explanation of a pixel of a map in words, as tables, and as a picture of the moves.
#include <fovea/core/error.h>
#include <fovea/emd/explain.h>
#include <fovea/report/color_map.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace fovea::emd {
namespace {

constexpr std::size_t kShownMoves = 8;

std::string bin_name(const std::vector<BinLook>& looks, int bin) {
  const auto index = static_cast<std::size_t>(bin);
  return index < looks.size() ? looks[index].name : fmt::format("bin {}", bin);
}

double total_of(const std::vector<double>& masses) {
  return std::accumulate(masses.begin(), masses.end(), 0.0);
}

double share_of(const std::vector<double>& masses, std::size_t bin) {
  const double total = total_of(masses);
  return total > 0 ? masses[bin] / total : 0;
}

std::string map_summary(const MapExplanation& e) {
  std::string text =
      fmt::format("The distance of pixel {},{} to the target is {:.4g}", e.x, e.y, e.distance);
  if (e.status == Status::kEmpty)
    return text + ", the greatest there is, because one of the two histograms is empty.";
  if (e.status == Status::kPivotLimit)
    text += ", an upper bound, because the solver was stopped before the best flow was proved";
  double kept = 0, moved = 0;
  for (const BinMove& move : e.moves) (move.cost > 0 ? moved : kept) += move.mass;
  const double all = kept + moved;
  text += fmt::format(": {:.1f} % of the mass stays where it costs nothing, and {:.1f} % moves",
                      all > 0 ? 100 * kept / all : 0, all > 0 ? 100 * moved / all : 0);
  if (!e.moves.empty() && e.moves.front().value > 0) {
    const BinMove& first = e.moves.front();
    text += fmt::format(", most expensively from {} to {} (mass {:.3g} at cost {:.4g})",
                        bin_name(e.bins, first.from), bin_name(e.target_bins, first.to), first.mass,
                        first.cost);
  }
  text += ".";
  if (e.fused)
    text += fmt::format(
        " With a spectral angle of {:.3g} and an angle of contrasts of {:.3g}, {:.3g} % of the "
        "first frame resemble the target at least as much.",
        e.fused->spectral_angle, e.fused->contrast_angle, 100 * e.fused->score);
  return text;
}

report::Table bins_table(const MapExplanation& e) {
  report::Table table{
      "The two histograms, as shares of their mass, and what the mass of each bin costs.",
      {{"bin", ""}, {"pixel", "%"}, {"target", "%"}, {"cost", ""}},
      {}};
  const std::size_t bins = std::max(e.histogram.size(), e.target.size());
  for (std::size_t b = 0; b < bins; ++b) {
    const bool here = b < e.histogram.size(), there = b < e.target.size();
    const double own = here ? 100 * share_of(e.histogram, b) : 0,
                 other = there ? 100 * share_of(e.target, b) : 0;
    if (own == 0 && other == 0) continue;
    table.rows.push_back({bin_name(e.bins, static_cast<int>(b)), report::Cell(own, 3),
                          report::Cell(other, 3), report::Cell(here ? e.cost_from[b] : 0.0, 3)});
  }
  return table;
}

report::Color look_color(const std::vector<BinLook>& looks, int bin) {
  const auto index = static_cast<std::size_t>(bin);
  if (index < looks.size() && looks[index].color) return *looks[index].color;
  return report::palette(bin);
}

}  // namespace

report::Explanation present(const MapExplanation& e) {
  report::Explanation to;
  to.title = "Why this pixel has its distance to the target";
  to.summary = map_summary(e);
  to.total_name = "distance";
  to.total = e.distance;
  to.place = {static_cast<double>(e.window.x), static_cast<double>(e.window.y),
              static_cast<double>(e.window.width), static_cast<double>(e.window.height)};
  to.reasons.reserve(e.moves.size() + 1);
  for (const BinMove& move : e.moves)
    if (move.value > 0)
      to.reasons.push_back(
          {fmt::format("{} to {}", bin_name(e.bins, move.from), bin_name(e.target_bins, move.to)),
           move.value,
           fmt::format("mass {:.4g} at cost {:.4g}", move.mass, move.cost),
           {}});
  if (e.surplus != 0)
    to.reasons.push_back(
        {e.moves.empty() ? "an empty histogram" : "unequal masses", e.surplus, "", {}});
  report::keep_largest(to, kShownMoves);
  to.tables.push_back(bins_table(e));
  if (!e.heat.empty())
    to.layers.push_back({"cost of pixels",
                         "What each pixel of the window adds to the distance, by its bin.",
                         to.place, clone(e.heat.view()), false});
  to.shapes.push_back(
      {report::ShapeKind::kBox,
       {{static_cast<double>(e.x), static_cast<double>(e.y)}, {e.x + 1.0, e.y + 1.0}},
       "",
       0.3,
       report::kWhite});
  return to;
}

Image<std::uint8_t> draw_moves(const MapExplanation& e, int width) {
  if (width < 64 || width > 16384)
    throw InvalidArgument(
        fmt::format("draw_moves: the width is {}; expected 64 to 16384 pixels", width));
  constexpr int kRow = 26, kTop = 34;
  const std::size_t bins = std::max(e.histogram.size(), e.target.size());
  const int height = kTop + kRow * static_cast<int>(bins) + 10;
  Image<std::uint8_t> picture(width, height, 3);
  for (int y = 0; y < height; ++y)
    std::fill_n(picture.row(y), static_cast<std::size_t>(3) * width, std::uint8_t{255});
  const report::Canvas canvas = picture;
  const double bar = 0.2 * width, left = 0.24 * width, right = width - left;
  const auto middle = [&](int bin) { return kTop + kRow * (bin + 0.5); };
  double most_mass = 0, most_cost = 0, most_share = 0;
  for (const BinMove& move : e.moves) {
    most_mass = std::max(most_mass, move.mass);
    most_cost = std::max(most_cost, move.cost);
  }
  for (std::size_t b = 0; b < bins; ++b) {
    if (b < e.histogram.size()) most_share = std::max(most_share, share_of(e.histogram, b));
    if (b < e.target.size()) most_share = std::max(most_share, share_of(e.target, b));
  }
  // Cheap moves first, so that expensive ones lie above them.
  for (auto move = e.moves.rbegin(); move != e.moves.rend(); ++move) {
    const double t = most_cost > 0 ? move->cost / most_cost : 0;
    const report::Stroke stroke{
        report::color_at(report::ColorMap::kEmber, 0.85 - 0.55 * t),
        static_cast<float>(1.5 + 12 * (most_mass > 0 ? move->mass / most_mass : 0)), 0.75F};
    std::array<report::Point, 25> curve{};
    for (std::size_t i = 0; i < curve.size(); ++i) {
      const double s = static_cast<double>(i) / static_cast<double>(curve.size() - 1);
      const double ease = s * s * (3 - 2 * s);
      curve[i] = {left + 4 + s * (right - left - 8),
                  middle(move->from) + ease * (middle(move->to) - middle(move->from))};
    }
    report::draw_polyline(canvas, curve, stroke);
  }
  const report::Color frame{120, 124, 132};
  const auto draw_bar = [&](const std::vector<double>& masses, const std::vector<BinLook>& looks,
                            bool at_left) {
    for (std::size_t b = 0; b < masses.size(); ++b) {
      const double length = most_share > 0 ? bar * share_of(masses, b) / most_share : 0;
      const double y = middle(static_cast<int>(b)) - 0.36 * kRow;
      const Rect<double> box{at_left ? left - length : right, y, length, 0.72 * kRow};
      if (length > 0) {
        report::fill_box(canvas, box, {look_color(looks, static_cast<int>(b)), 1});
        report::draw_box(canvas, box, {frame, 1, 1});
      }
    }
  };
  draw_bar(e.histogram, e.bins, true);
  draw_bar(e.target, e.target_bins, false);
  report::draw_line(canvas, {left, kTop - 4.0}, {left, height - 6.0}, {frame, 1, 1});
  report::draw_line(canvas, {right, kTop - 4.0}, {right, height - 6.0}, {frame, 1, 1});
  return picture;
}

}  // namespace fovea::emd
