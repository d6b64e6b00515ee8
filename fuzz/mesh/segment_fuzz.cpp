// Any bytes as a mesh to segment. The first four choose the method, the division, the cut, the
// number of parts, the candidates and the number of vertices; floats for the vertices follow, and
// the rest are corners of faces, one byte each. Every mesh has a sound segmentation.
#include <fovea/mesh/segment.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using namespace fovea;

void must(bool sound) {
  if (!sound) std::abort();
}

void expect_sound(const mesh::Segmentation& found, std::size_t faces, int parts) {
  must(found.labels.size() == faces && found.membership.size() == faces);
  must(found.pieces.size() == faces && found.piece_count >= found.count);
  must(found.count >= std::max(parts, 1));
  must(found.representatives.size() == static_cast<std::size_t>(found.count));
  std::vector<bool> used(static_cast<std::size_t>(found.count), false);
  for (const std::int32_t label : found.labels) {
    must(label >= 0 && label < found.count);
    used[static_cast<std::size_t>(label)] = true;
  }
  for (const bool one : used) must(one);
  for (const std::int32_t face : found.representatives)
    must(face >= 0 && static_cast<std::size_t>(face) < faces);
  for (const float share : found.membership) must(share >= 0 && share <= 1);
}

io::TriangleMesh mesh_of(const std::uint8_t* data, std::size_t size, std::size_t vertices) {
  // Large meshes take long and show nothing that small ones do not.
  constexpr std::size_t kMostFaces = 400;
  io::TriangleMesh mesh;
  for (std::size_t v = 0; v < vertices; ++v) {
    io::Vertex vertex{};
    const std::size_t bytes = std::min(size, sizeof vertex);
    std::memcpy(vertex.data(), data, bytes);
    data += bytes;
    size -= bytes;
    for (float& x : vertex)
      if (!std::isfinite(x)) x = 0;
    mesh.vertices.push_back(vertex);
  }
  for (; size >= 3 && mesh.faces.size() < kMostFaces; size -= 3, data += 3)
    mesh.faces.push_back({static_cast<std::int32_t>(data[0] % vertices),
                          static_cast<std::int32_t>(data[1] % vertices),
                          static_cast<std::int32_t>(data[2] % vertices)});
  return mesh;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kChoices = 4;
  if (size < kChoices) return 0;
  mesh::SegmentOptions options;
  options.method = (data[0] & 1U) != 0 ? mesh::Method::kFuzzy : mesh::Method::kResistance;
  options.division = (data[0] & 2U) != 0 ? mesh::Division::kHierarchical : mesh::Division::kKWay;
  options.cut = (data[0] & 4U) == 0;
  options.parts = data[1] % 16;
  options.fuzzy.candidates = data[2] % 8 == 0 ? 16 : 0;
  options.exec.device = Device::cpu();
  options.exec.threads = 1;
  const io::TriangleMesh mesh =
      mesh_of(data + kChoices, size - kChoices, std::max<std::size_t>(data[3], 1));
  if (mesh.faces.empty() || static_cast<std::size_t>(options.parts) > mesh.faces.size()) return 0;
  expect_sound(mesh::segment(mesh, options), mesh.faces.size(), options.parts);
  return 0;
}
