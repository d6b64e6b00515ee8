#include "view/mesh_picture.h"

#include <fovea/mesh/show.h>

namespace fovea::view {

Image<std::uint8_t> mesh_picture(const io::TriangleMesh& mesh) {
  const std::vector<report::Color> gray(mesh.faces.size(), report::Color{176, 182, 190});
  return mesh::render(mesh, gray,
                      {.size = {420, 420}, .exec = {.device = Device::cpu(), .threads = 1}});
}

}  // namespace fovea::view
