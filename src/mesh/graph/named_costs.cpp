// Costs of steps by name, with the diameters that one of them needs.
#include <fovea/core/options.h>
#include <fovea/mesh/named_costs.h>

namespace fovea::mesh {

void describe(OptionVisitor& visit, NamedCosts& costs) {
  visit("cost", costs.kind,
        "what a step between faces costs besides its length: katz-tal 1 - cos angle, angle a power "
        "of the angle, minima-rule the curvature of valleys, diameter the change of the shape "
        "diameter, random-walk and feature the costs of Lai et al.");
  describe(visit, costs.costs);
  visit.group("diameter", costs.diameter);
}

std::vector<float> named_costs(const NamedCosts& costs, const io::TriangleMesh& mesh,
                               DualGraph& graph, const Exec& exec) {
  if (costs.kind == CostKind::kDiameter) {
    ShapeDiameterOptions how = costs.diameter;
    how.exec = exec;
    graph.diameters = shape_diameters(mesh, how);
  }
  return arc_costs(graph, costs.costs, costs.kind);
}

}  // namespace fovea::mesh
