// Which way is out.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "mesh/graph/mesh_edges.h"
#include "mesh/graph/vector.h"

namespace fovea::mesh {

// Turns normals outwards. A component whose faces run the same way round is turned as a whole, by
// the sign of its volume. One with flipped edges is first made to run the same way, face by face
// over edges of two faces, as far as that can be (a Moebius strip has no outside); patches that
// only meet in edges of more faces are turned each by themselves.
void turn_outwards(const io::TriangleMesh& mesh, const MeshEdges& edges,
                   std::span<const std::int32_t> components, std::vector<Vector>& normals);

}  // namespace fovea::mesh
