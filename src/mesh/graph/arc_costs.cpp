// The costs of steps: a share for the distance and a share for the change of the surface.
#include <fovea/mesh/arc_costs.h>

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <algorithm>
#include <cmath>

#include "core/words.h"
#include "mesh/graph/surface_math.h"

namespace fovea::mesh {
namespace {

constexpr Choice kCostKinds[] = {{"katz-tal", static_cast<int>(CostKind::kKatzTal)},
                                 {"angle", static_cast<int>(CostKind::kAngle)},
                                 {"minima-rule", static_cast<int>(CostKind::kMinimaRule)},
                                 {"diameter", static_cast<int>(CostKind::kDiameter)},
                                 {"random-walk", static_cast<int>(CostKind::kRandomWalk)},
                                 {"feature", static_cast<int>(CostKind::kFeature)}};

// Angles that differ from 0 only by rounding do not count.
constexpr double kLeastMean = 1e-9;
// Bounds the exponent of kRandomWalk: a walk crosses an edge that is this steep in less than one of
// a hundred steps. Without a bound a few very steep edges would outweigh all others together.
constexpr double kMostExponent = 5;
// Curvature is measured over at least this share of the mean distance, because the centroids of two
// slivers may be arbitrarily near.
constexpr double kLeastStep = 0.1;

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

// Divides by the mean; returns whether the mean is more than rounding.
bool make_relative(std::vector<double>& values) {
  const double mean = mean_of(values);
  if (!(mean > kLeastMean)) {
    std::fill(values.begin(), values.end(), 0);
    return false;
  }
  for (double& value : values) value /= mean;
  return true;
}

double change_over(const DualArc& arc, const ArcCosts& costs, CostKind kind, double least_step) {
  const double side = arc.concave ? 1 : costs.eta;
  const auto angle = static_cast<double>(arc.angle);
  switch (kind) {
    case CostKind::kAngle: return side * std::pow(angle, costs.angle_power);
    case CostKind::kMinimaRule:
      if (!arc.concave || least_step <= 0) return 0;
      return angle / std::max(static_cast<double>(arc.geodesic), least_step) * least_step;
    case CostKind::kFeature:
      return side * 2 * std::sin(angle / 2);  // the distance between the normals
    default: return side * one_minus_cosine(arc.angle);
  }
}

std::vector<double> relative_changes(const DualGraph& graph, const ArcCosts& costs, CostKind kind,
                                     double least_step) {
  std::vector<double> changes(graph.arcs.size());
  for (std::size_t i = 0; i < changes.size(); ++i)
    changes[i] = change_over(graph.arcs[i], costs, kind, least_step);
  make_relative(changes);
  if (kind != CostKind::kDiameter) return changes;
  if (graph.diameters.size() != graph.areas.size())
    throw InvalidArgument(
        fmt::format("arc_costs: {} for {}; CostKind::kDiameter expects one shape diameter per "
                    "face in DualGraph::diameters, from shape_diameters()",
                    fovea::detail::counted(graph.diameters.size(), "diameter"),
                    fovea::detail::counted(graph.areas.size(), "face")));
  const std::vector<float> scale = normalized_diameters(graph.diameters);
  std::vector<double> steps(graph.arcs.size());
  for (std::size_t i = 0; i < steps.size(); ++i)
    steps[i] = std::abs(static_cast<double>(scale[static_cast<std::size_t>(graph.arcs[i].a)]) -
                        static_cast<double>(scale[static_cast<std::size_t>(graph.arcs[i].b)]));
  make_relative(steps);
  for (std::size_t i = 0; i < steps.size(); ++i)
    changes[i] = costs.diameter_weight * steps[i] + (1 - costs.diameter_weight) * changes[i];
  return changes;
}

}  // namespace

std::span<const Choice> choices(CostKind) { return kCostKinds; }

void describe(OptionVisitor& visit, ArcCosts& costs) {
  visit("alpha", costs.alpha,
        "the weight of the distance in the cost of a step between faces; the angle has the rest, "
        "and each counts relative to its mean",
        0, 1);
  visit("eta", costs.eta, "how much a convex edge counts compared with a concave one", 0, 1);
  visit("angle-power", costs.angle_power, "the power of the angle in the cost 'angle'", 0.1, 8);
  visit("diameter-weight", costs.diameter_weight,
        "the weight of the shape diameter against the angle in the cost 'diameter'", 0, 1);
}

bool costs_length_alone(const ArcCosts& costs, CostKind kind) {
  return costs.alpha == 1 && kind != CostKind::kRandomWalk;
}

std::vector<float> arc_costs(const DualGraph& graph, const ArcCosts& costs, CostKind kind) {
  double geodesics = 0;
  for (const DualArc& arc : graph.arcs) geodesics += static_cast<double>(arc.geodesic);
  const auto count = static_cast<double>(graph.arcs.size());
  const double mean = count > 0 ? geodesics / count : 0;
  const double by_geodesic = geodesics > 0 ? costs.alpha * count / geodesics : 0;
  std::vector<float> result(graph.arcs.size());
  if (result.empty()) return result;
  if (costs_length_alone(costs, kind)) {
    std::ranges::transform(graph.arcs, result.begin(), &DualArc::geodesic);
    return result;
  }
  if (kind == CostKind::kKatzTal) {
    double angles = 0;
    std::vector<double> angle(graph.arcs.size());
    for (std::size_t i = 0; i < angle.size(); ++i) {
      angle[i] = change_over(graph.arcs[i], costs, kind, 0);
      angles += angle[i];
    }
    const double by_angle = angles > kLeastMean * count ? (1 - costs.alpha) * count / angles : 0;
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<float>(by_geodesic * static_cast<double>(graph.arcs[i].geodesic) +
                                     by_angle * angle[i]);
    return result;
  }
  const std::vector<double> change = relative_changes(graph, costs, kind, kLeastStep * mean);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double step = by_geodesic * static_cast<double>(graph.arcs[i].geodesic);
    const double bend = (1 - costs.alpha) * change[i];
    double cost = step + bend;
    if (kind == CostKind::kRandomWalk) cost = std::exp(std::min(change[i], kMostExponent));
    if (kind == CostKind::kFeature) cost = std::sqrt(step * step + bend * bend);
    result[i] = static_cast<float>(cost);
  }
  return result;
}

Graph path_graph(const DualGraph& graph, const ArcCosts& costs, CostKind kind) {
  return path_graph(graph, arc_costs(graph, costs, kind));
}

Graph path_graph(const DualGraph& graph, std::span<const float> costs) {
  check_arc_costs(graph, costs);
  std::vector<GraphArc> arcs(graph.arcs.size());
  for (std::size_t i = 0; i < arcs.size(); ++i)
    arcs[i] = {graph.arcs[i].a, graph.arcs[i].b, costs[i]};
  return {graph.faces(), arcs};
}

void check_arc_costs(const DualGraph& graph, std::span<const float> costs) {
  if (costs.size() != graph.arcs.size())
    throw InvalidArgument(fmt::format("{} for {}; expected one per arc of dual_graph()",
                                      fovea::detail::counted(costs.size(), "cost"),
                                      fovea::detail::counted(graph.arcs.size(), "arc")));
  for (std::size_t i = 0; i < costs.size(); ++i)
    if (!(costs[i] >= 0 && costs[i] <= kMostArcCost))
      throw InvalidArgument(
          fmt::format("the cost of arc {} between faces {} and {} is {}; expected 0 to {:g}", i,
                      graph.arcs[i].a, graph.arcs[i].b, costs[i], kMostArcCost));
}

std::vector<float> own_arc_costs(const DualGraph& graph, const ArcCostFunction& cost) {
  std::vector<float> result;
  result.reserve(graph.arcs.size());
  for (const DualArc& arc : graph.arcs) result.push_back(cost(arc));
  check_arc_costs(graph, result);
  return result;
}

}  // namespace fovea::mesh
