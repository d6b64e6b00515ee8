// What steps between the faces of a mesh cost: by name, from an array, or from a file.
#pragma once
#include <fovea/core/options.h>
#include <fovea/io/mesh_io.h>
#include <fovea/mesh/named_costs.h>

#include <vector>

#include "arrays.h"
#include "run.h"

namespace fovea::python {

// Costs of float32 or float64, one per arc. How many and which are allowed is for the library to
// say. None gives an empty list.
std::vector<float> own_costs(nb::handle costs);

// What a graph is made with: as the library does by itself, but it ends with the call.
Exec graph_exec(const Calls& calls);

}  // namespace fovea::python
