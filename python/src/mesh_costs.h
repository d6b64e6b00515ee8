// What steps between the faces of a mesh cost: by name, from an array, or from a file.
#pragma once
#include <fovea/core/options.h>
#include <fovea/io/mesh_io.h>
#include <fovea/mesh/arc_costs.h>

#include <vector>

#include "arrays.h"
#include "run.h"

namespace fovea::python {

// The costs that --cost, --alpha and so on of the program choose.
struct CostChoice {
  mesh::CostKind kind = mesh::CostKind::kKatzTal;
  mesh::ArcCosts costs{};
  mesh::ShapeDiameterOptions diameter{};  // its exec is not used
};
inline void describe(OptionVisitor& visit, CostChoice& choice) {
  visit("cost", choice.kind,
        "what a step between faces costs besides its length: katz-tal 1 - cos angle, angle a power "
        "of the angle, minima-rule the curvature of valleys, diameter the change of the shape "
        "diameter, random-walk and feature the costs of Lai et al.");
  describe(visit, choice.costs);
  visit.group("diameter", choice.diameter);
}

// Whether two choices give the same costs.
bool same_costs(const CostChoice& a, const CostChoice& b);

// One cost per arc of a graph that was made of the mesh.
std::vector<float> chosen_costs(const CostChoice& choice, const io::TriangleMesh& mesh,
                                mesh::DualGraph& graph, const Exec& exec);

// Costs of float32 or float64, one per arc. How many and which are allowed is for the library to
// say. None gives an empty list.
std::vector<float> own_costs(nb::handle costs);

// What a graph is made with: as the library does by itself, but it ends with the call.
Exec graph_exec(const Calls& calls);

}  // namespace fovea::python
