// Bodies for the gallery, made of rounded limbs that blend into each other, and converted to
// meshes.
#pragma once
#include <fovea/io/mesh_io.h>

#include <array>
#include <vector>

namespace fovea::cli {

using Place = std::array<double, 3>;

// A rod whose radius changes linearly from one end to the other. If both ends coincide, it is a
// ball.
struct Limb {
  Place from{};
  Place to{};
  double from_radius = 0.1;
  double to_radius = 0.1;
};

struct Body {
  std::vector<Limb> limbs;
  double blend = 0.04;  // the distance over which limbs blend into each other
};

Body demo_dog();
Body demo_hand();
Body demo_teapot();
Body demo_pipe();  // bent, without any concave crease

// The body's surface as a closed mesh with outward faces, on a grid with `cells` cells along its
// longest side. Each cell that the surface passes through gets one vertex (surface nets), which is
// moved onto the surface. The number of faces grows with the square of `cells`.
io::TriangleMesh demo_surface(const Body& body, int cells);

}  // namespace fovea::cli
