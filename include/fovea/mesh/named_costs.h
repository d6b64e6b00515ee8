#pragma once
#include <fovea/mesh/arc_costs.h>

#include <vector>

namespace fovea::mesh {

// A kind of costs with what it takes: what mesh arcs and mesh distances of the program choose by
// --cost, --alpha and so on.
struct NamedCosts {
  CostKind kind = CostKind::kKatzTal;
  ArcCosts costs{};
  ShapeDiameterOptions diameter{};  // its exec is not used
};
FOVEA_API void describe(OptionVisitor& visit, NamedCosts& costs);

// One cost per arc of a graph that was made of the mesh. CostKind::kDiameter measures the diameters
// first and leaves them in the graph.
FOVEA_API std::vector<float> named_costs(const NamedCosts& costs, const io::TriangleMesh& mesh,
                                         DualGraph& graph, const Exec& exec = {});

}  // namespace fovea::mesh
