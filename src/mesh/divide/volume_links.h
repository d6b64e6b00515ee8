// Links between superfaces through the body: a part of a body has a volume, and the two sides of a
// wall belong together even if valleys lie between them on the surface.
#pragma once
#include "mesh/divide/superfaces.h"

namespace fovea::mesh {

// Links each superface with the one on the opposite side of the body. Thin walls conduct best.
// Returns false and leaves the network as it is where steps over flat surface cost nothing.
bool add_volume_links(const Part& part, const Superfaces& superfaces, Network& network);

}  // namespace fovea::mesh
