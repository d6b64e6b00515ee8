// Bodies for the gallery, made of rounded limbs that run into each other, and turned into meshes.
#pragma once
#include <fovea/io/mesh_io.h>

#include <array>
#include <vector>

namespace fovea::cli {

using Place = std::array<double, 3>;

// A rod whose radius goes from one end's to the other's; both ends alike are a ball.
struct Limb {
  Place from{};
  Place to{};
  double from_radius = 0.1;
  double to_radius = 0.1;
};

struct Body {
  std::vector<Limb> limbs;
  double blend = 0.04;  // how far limbs that meet run into each other
};

Body demo_dog();
Body demo_hand();
Body demo_teapot();
Body demo_pipe();  // bent, without any valley

// The body's surface as a closed mesh, outwards, with `cells` of a grid along its longest side: a
// vertex a cell that the surface passes through (surface nets), brought onto the surface. Faces
// grow with the square of `cells`.
io::TriangleMesh demo_surface(const Body& body, int cells);

}  // namespace fovea::cli
