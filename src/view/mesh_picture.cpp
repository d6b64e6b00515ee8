#include "view/mesh_picture.h"

#include <fovea/mesh/show.h>

namespace fovea::view {
namespace {

mesh::RenderOptions four_sides() {
  return {.size = {420, 420}, .views = 4, .exec = {.device = Device::cpu(), .threads = 1}};
}

}  // namespace

Image<std::uint8_t> mesh_picture(const io::TriangleMesh& mesh,
                                 std::span<const std::int32_t> labels) {
  if (!labels.empty()) return mesh::render(mesh, mesh::part_colors(labels), four_sides());
  const std::vector<report::Color> gray(mesh.faces.size(), report::Color{176, 182, 190});
  return mesh::render(mesh, gray, four_sides());
}

Image<std::uint8_t> value_picture(const io::TriangleMesh& mesh, std::span<const float> values) {
  return mesh::render(mesh, mesh::value_colors(values, report::ColorMap::kTide), four_sides());
}

}  // namespace fovea::view
