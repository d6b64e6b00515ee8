// The costs of steps: the weighted sum of Katz and Tal.
#include <fovea/mesh/dual_graph.h>

#include "mesh/graph/surface_math.h"

namespace fovea::mesh {
namespace {

double angular(const DualArc& arc, double eta) {
  return (arc.concave ? 1 : eta) * one_minus_cosine(arc.angle);
}

}  // namespace

std::vector<float> arc_costs(const DualGraph& graph, const ArcCosts& costs) {
  double geodesics = 0;
  double angles = 0;
  std::vector<double> angle(graph.arcs.size());
  for (std::size_t i = 0; i < graph.arcs.size(); ++i) {
    angle[i] = angular(graph.arcs[i], costs.eta);
    geodesics += static_cast<double>(graph.arcs[i].geodesic);
    angles += angle[i];
  }
  const auto count = static_cast<double>(graph.arcs.size());
  // Angles that differ from 0 only by rounding do not count.
  const double by_geodesic = geodesics > 0 ? costs.alpha * count / geodesics : 0;
  const double by_angle = angles > 1e-9 * count ? (1 - costs.alpha) * count / angles : 0;
  std::vector<float> result(graph.arcs.size());
  for (std::size_t i = 0; i < graph.arcs.size(); ++i)
    result[i] = static_cast<float>(by_geodesic * static_cast<double>(graph.arcs[i].geodesic) +
                                   by_angle * angle[i]);
  return result;
}

Graph path_graph(const DualGraph& graph, const ArcCosts& costs) {
  const std::vector<float> cost = arc_costs(graph, costs);
  std::vector<GraphArc> arcs(graph.arcs.size());
  for (std::size_t i = 0; i < arcs.size(); ++i)
    arcs[i] = {graph.arcs[i].a, graph.arcs[i].b, cost[i]};
  return {graph.faces(), arcs};
}

}  // namespace fovea::mesh
