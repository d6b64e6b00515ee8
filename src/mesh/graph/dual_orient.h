// Finds the outer side of faces.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/graph/mesh_edges.h"
#include "mesh/graph/vector.h"

namespace fovea::mesh {

// Turns normals outward. A component whose faces have consistent orientations is turned as a whole,
// by the sign of its volume. Otherwise orientations are first made consistent, face by face over
// edges of two faces, as far as possible (a Moebius strip has no outside); patches that only meet
// in edges of more faces are turned separately.
void turn_outwards(const io::TriangleMesh& mesh, const MeshEdges& edges,
                   std::span<const std::int32_t> components, std::vector<Vector>& normals);

}  // namespace fovea::mesh
