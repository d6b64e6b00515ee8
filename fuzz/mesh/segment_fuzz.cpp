// Any bytes as a mesh to segment: the first three choose the method, the division, the cut and the
// number of parts, the rest is a mesh file. A mesh that can be read has a sound segmentation.
#include <fovea/core/error.h>
#include <fovea/mesh/segment.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

namespace {

using namespace fovea;

void must(bool sound) {
  if (!sound) std::abort();
}

void expect_sound(const mesh::Segmentation& found, std::size_t faces, int parts) {
  must(found.labels.size() == faces && found.membership.size() == faces);
  must(found.pieces.size() == faces && found.piece_count >= found.count);
  must(found.count >= 1 && found.count >= std::min(parts, 1));
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Large meshes take long and show nothing that small ones do not.
  constexpr std::size_t kMostFaces = 1000;
  constexpr std::size_t kChoices = 3;
  if (size < kChoices) return 0;
  mesh::SegmentOptions options;
  options.method = (data[0] & 1U) != 0 ? mesh::Method::kFuzzy : mesh::Method::kResistance;
  options.division = (data[0] & 2U) != 0 ? mesh::Division::kHierarchical : mesh::Division::kKWay;
  options.cut = (data[0] & 4U) == 0;
  options.parts = data[1] % 16;
  options.fuzzy.candidates = data[2] % 8 == 0 ? 16 : 0;
  options.exec.device = Device::cpu();
  options.exec.threads = 1;
  try {
    const io::TriangleMesh mesh = io::read_mesh(
        {reinterpret_cast<const std::byte*>(data) + kChoices, size - kChoices}, "fuzz");
    if (mesh.faces.size() > kMostFaces ||
        static_cast<std::size_t>(options.parts) > mesh.faces.size())
      return 0;
    expect_sound(mesh::segment(mesh, options), mesh.faces.size(), options.parts);
  } catch (const FormatError&) {
    return 0;
  }
  return 0;
}
