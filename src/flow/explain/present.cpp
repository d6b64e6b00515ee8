// The explanation of a flow vector in words, with the differences before and after, the direction
// in which it is least certain, and the scores of blocks.
#include <fovea/flow/explain.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fovea::flow {
namespace {

constexpr double kConfident = 2;  // confidence = kConfident / (kConfident + doubt)

// Which of the eight directions of the compass, as a picture shows them.
std::string heading(double x, double y) {
  constexpr std::array<const char*, 4> kNames = {"left and right", "from top left to bottom right",
                                                 "up and down", "from top right to bottom left"};
  double turn = std::atan2(y, x) / std::numbers::pi;  // half turns
  turn -= std::floor(turn);
  return kNames[static_cast<std::size_t>(std::lround(4 * turn)) % 4];
}

std::string texture_text(const StructureTensor& tensor) {
  const std::string window =
      fmt::format("of the gray gradients in {0}x{0} pixels", 2 * tensor.radius + 1);
  if (tensor.greater < 1)
    return fmt::format(" There is hardly any texture around it (eigenvalues {:.3g} and {:.3g} {}).",
                       tensor.greater, tensor.smaller, window);
  if (tensor.smaller < 0.1 * tensor.greater)
    return fmt::format(
        " Its surroundings show an edge (eigenvalues {:.4g} and {:.3g} {}): motion {} is "
        "uncertain, the aperture problem.",
        tensor.greater, tensor.smaller, window, heading(tensor.uncertain_x, tensor.uncertain_y));
  return fmt::format(
      " Its surroundings have texture in all directions (eigenvalues {:.4g} and {:.4g} {}).",
      tensor.greater, tensor.smaller, window);
}

const char* estimated_thing(const FlowExplanation& e) {
  return e.method == Method::kBlockMatching ? "block" : "pixel";
}
bool explained(const FlowExplanation& e) { return !e.factors.empty() || !e.doubts.empty(); }
bool interpolated(const FlowExplanation& e) {
  constexpr double kRounding = 1e-6;
  return explained(e) && std::abs(static_cast<double>(e.confidence) - e.nearest) > kRounding;
}

// Why the confidence is not the one that the reasons add up to.
std::string interpolation_text(const FlowExplanation& e) {
  const std::string size =
      e.level > 0 ? fmt::format(" was found at 1/{} of the size and", 1 << e.level) : "";
  if (interpolated(e))
    return fmt::format(
        " The confidence{} is interpolated between {}s: that of the nearest {} is {:.3g}, which "
        "the reasons explain.",
        size, estimated_thing(e), estimated_thing(e), e.nearest);
  return e.level > 0 ? fmt::format(" The confidence{} enlarged.", size) : "";
}

const ConfidenceFactor* lowest_factor(const FlowExplanation& e) {
  const auto lowest = std::min_element(
      e.factors.begin(), e.factors.end(),
      [](const ConfidenceFactor& a, const ConfidenceFactor& b) { return a.value < b.value; });
  return lowest == e.factors.end() ? nullptr : &*lowest;
}

// What lowers the confidence most.
std::string lowest_text(const FlowExplanation& e) {
  const ConfidenceFactor* worst = lowest_factor(e);
  if (worst != nullptr && worst->value == 0)
    return interpolated(e) ? fmt::format(" The confidence of the nearest {} is 0: {}.",
                                         estimated_thing(e), worst->text)
                           : fmt::format(" The confidence is 0: {}.", worst->text);
  if (!e.doubts.empty()) {
    const auto most = std::max_element(
        e.doubts.begin(), e.doubts.end(),
        [](const ConfidenceFactor& a, const ConfidenceFactor& b) { return a.value < b.value; });
    return fmt::format(" What raises doubt most is that {}.", most->text);
  }
  if (worst != nullptr)
    return fmt::format(" What lowers it most: {}, a factor of {:.3g}.", worst->text, worst->value);
  return {};
}

std::string refinement_text(const FlowExplanation& e) {
  if (!e.refined) return {};
  const ConfidenceFactor& factor = e.factors.back();
  if (e.doubts.empty() && lowest_factor(e) == &factor) return {};  // it has been named
  return fmt::format(" Then {}, a factor of {:.3g}.", factor.text, factor.value);
}

void add_factors(const FlowExplanation& e, report::Explanation& to) {
  report::Table table{
      e.doubts.empty()
          ? "The factors of the confidence."
          : fmt::format("The confidence is 2 / (2 + doubt), and the doubt {:.4g} is the product of "
                        "these numbers; factors multiply the confidence.",
                        e.doubt),
      {{"", ""}, {"kind", ""}, {"value", ""}},
      {}};
  for (const ConfidenceFactor& doubt : e.doubts)
    table.rows.push_back({doubt.name, "doubt", report::Cell(doubt.value, 4)});
  for (const ConfidenceFactor& factor : e.factors)
    table.rows.push_back({factor.name, "factor", report::Cell(factor.value, 4)});
  if (!table.rows.empty()) to.tables.push_back(std::move(table));
}

// Logarithms add up where factors multiply. The total comes from the confidence that the method
// gave, and the reasons from its factors.
void add_reasons(const FlowExplanation& e, report::Explanation& to) {
  if (!explained(e) || !(e.nearest > 0)) return;
  const std::string of = fmt::format("confidence of the nearest {}", estimated_thing(e));
  if (e.doubts.empty()) {
    to.total_name = "log of the " + of;
    to.total = std::log(e.nearest);
    for (const ConfidenceFactor& factor : e.factors)
      to.reasons.push_back({factor.name, std::log(factor.value), factor.text, {}});
    return;
  }
  // Doubts are above 0, so that confidences are below 1.
  const auto log_odds = [](double confidence) { return std::log(confidence / (1 - confidence)); };
  to.total_name = "log odds of the " + of;
  to.total = log_odds(e.nearest);
  to.reasons.push_back({"start", std::log(kConfident), "even odds are a doubt of 2", {}});
  for (const ConfidenceFactor& doubt : e.doubts)
    to.reasons.push_back({doubt.name, -std::log(doubt.value), doubt.text, {}});
  double confidence = kConfident / (kConfident + e.doubt);
  for (const ConfidenceFactor& factor : e.factors) {
    const double before = log_odds(confidence);
    confidence *= factor.value;
    to.reasons.push_back({factor.name,
                          log_odds(confidence) - before,
                          fmt::format("{}, a factor of {:.3g}", factor.text, factor.value),
                          {}});
  }
}

void add_surface(const FlowExplanation& e, report::Explanation& to) {
  const MatchSurface& surface = *e.surface;
  if (surface.scores.empty()) return;
  const double x = surface.block.x + 0.5 * surface.block.width,
               y = surface.block.y + 0.5 * surface.block.height;
  to.layers.push_back(
      {"scores of displacements",
       "How well the block fits with its middle here: 1 means equal blocks.",
       {x + surface.left - 0.5, y + surface.top - 0.5, static_cast<double>(surface.scores.width()),
        static_cast<double>(surface.scores.height())},
       clone(surface.scores.view()),
       false});
}

}  // namespace

report::Explanation present(const FlowExplanation& e) {
  report::Explanation to;
  to.title = "Why this pixel has this flow";
  to.summary = fmt::format(
      "Pixel {},{} moves by {:+.2f},{:+.2f} pixels with a confidence of {:.2f}. The window around "
      "it differed by {:.3g} gray levels without motion, and {:.3g} are left with it.",
      e.x, e.y, e.u, e.v, e.confidence, e.difference_before, e.difference_after);
  to.summary += texture_text(e.tensor);
  to.summary += interpolation_text(e);
  to.summary += lowest_text(e);
  to.summary += refinement_text(e);
  add_reasons(e, to);
  add_factors(e, to);
  const StructureTensor& tensor = e.tensor;
  const double side = 2 * tensor.radius + 1.0, x = e.x + 0.5, y = e.y + 0.5;
  to.place = {e.x - static_cast<double>(tensor.radius), e.y - static_cast<double>(tensor.radius),
              side, side};
  const auto layer = [&](const char* name, const char* text, const Image<float>& values) {
    if (!values.empty()) to.layers.push_back({name, text, to.place, clone(values.view()), true});
  };
  layer("difference before", "Second image less first without motion, in gray levels.", e.before);
  layer("difference after", "The same after the second image is moved back.", e.after);
  if (e.surface) add_surface(e, to);
  to.shapes.push_back({report::ShapeKind::kArrow,
                       {{x, y}, {x + static_cast<double>(e.u), y + static_cast<double>(e.v)}},
                       "",
                       0.7,
                       report::palette(1)});
  // The ellipse's axes: short where the flow is certain.
  const double length = 0.5 * side;
  const double least = 0.15,
               ratio = tensor.greater > 0 ? std::sqrt(tensor.smaller / tensor.greater) : 1;
  const double across = length * std::max(least, ratio);
  const auto axis = [&](double dx, double dy, double reach) {
    to.shapes.push_back({report::ShapeKind::kLine,
                         {{x - reach * dx, y - reach * dy}, {x + reach * dx, y + reach * dy}},
                         "",
                         0.3,
                         report::palette(4)});
  };
  axis(tensor.uncertain_x, tensor.uncertain_y, length);
  axis(tensor.certain_x, tensor.certain_y, across);
  return to;
}

}  // namespace fovea::flow
