#pragma once
#include <fovea/core/exec.h>
#include <fovea/io/mesh_io.h>

#include <span>
#include <vector>

namespace fovea::mesh {

struct ShapeDiameterOptions {
  int rays = 30;      // 1 to 1000: rays from each face
  double cone = 120;  // 1 to 179 degrees: the opening of the cone that the rays fill
  int smoothing = 2;  // 0 to 100: how often diameters are averaged with similar ones next to them
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, ShapeDiameterOptions& options);

// How thick the body is behind each face (Shapira, Shamir and Cohen-Or, "Consistent mesh
// partitioning and skeletonisation using the shape diameter function", 2008): rays leave the
// centroid inwards in a cone around the normal, and those that meet the other side from within
// count, unless they are more than a standard deviation away from their median. The result is their
// mean, weighted by the inverse of the angle to the middle of the cone. Faces that see nothing,
// as on an open sheet, get the mean of their neighbors, or 0 where nothing is seen anywhere. The
// rays are the same in every run and for any number of threads. Work is done on the CPU; time is
// O(faces * rays * log faces).
FOVEA_API std::vector<float> shape_diameters(const io::TriangleMesh& mesh,
                                             const ShapeDiameterOptions& options = {});

// The same diameters between 0 and 1 on a logarithmic scale, which makes differences between thin
// parts count more (equation 2 of the paper, with alpha 4). Equal diameters give 0.
FOVEA_API std::vector<float> normalized_diameters(std::span<const float> diameters);

}  // namespace fovea::mesh
