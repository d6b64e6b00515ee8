// PLY with labels and colors on the vertices and only corners in the faces: trimesh, Open3D,
// meshio, VTK and MeshLab all read that. Open3D ignores colors of faces, and meshio cannot read
// binary faces that have other properties than their corners. Attributes of faces are written only
// where they are asked for: trimesh and MeshLab read them.
#include <map>

#include "io/mesh/mesh_writer.h"

namespace fovea::io {
namespace {

using Mark = std::pair<std::int32_t, std::array<std::uint8_t, 3>>;

}  // namespace

MarkedVertices split_at_seams(const TriangleMesh& mesh, const FaceMarks& marks) {
  MarkedVertices result{.vertices = mesh.vertices, .faces = mesh.faces, .labels = {}};
  if (marks.labels.empty() && marks.colors.empty()) return result;
  const auto mark_of = [&](std::size_t face) -> Mark {
    return {marks.labels.empty() ? 0 : marks.labels[face],
            marks.colors.empty() ? std::array<std::uint8_t, 3>{} : marks.colors[face]};
  };
  // Vertices that no face uses are black and have the label 0.
  std::vector<Mark> mark(mesh.vertices.size());
  std::vector<bool> taken(mesh.vertices.size(), false);
  std::map<std::pair<std::int32_t, Mark>, std::int32_t> copies;
  for (std::size_t f = 0; f < result.faces.size(); ++f) {
    const Mark own = mark_of(f);
    for (std::int32_t& corner : result.faces[f]) {
      const auto at = static_cast<std::size_t>(corner);
      if (!taken[at]) {
        taken[at] = true;
        mark[at] = own;
      } else if (mark[at] != own) {
        const auto [copy, is_new] =
            copies.try_emplace({corner, own}, static_cast<std::int32_t>(result.vertices.size()));
        if (is_new) {
          const Vertex place = result.vertices[at];
          result.vertices.push_back(place);
          mark.push_back(own);
        }
        corner = copy->second;
      }
    }
  }
  for (const Mark& each : mark) {
    if (!marks.labels.empty()) result.labels.push_back(each.first);
    if (!marks.colors.empty()) result.colors.push_back(each.second);
  }
  return result;
}

void write_ply(MeshWriter& to, const TriangleMesh& mesh, const FaceMarks& marks, bool ascii) {
  const MarkedVertices marked = split_at_seams(mesh, marks);
  to.text("ply\nformat {} 1.0\nelement vertex {}\n", ascii ? "ascii" : "binary_little_endian",
          marked.vertices.size());
  to.text("property float x\nproperty float y\nproperty float z\n");
  if (!marked.colors.empty())
    to.text("property uchar red\nproperty uchar green\nproperty uchar blue\n");
  if (!marked.labels.empty()) to.text("property int label\n");
  to.text("element face {}\nproperty list uchar int vertex_indices\n", marked.faces.size());
  const bool labeled = !marks.attributes.empty() && !marks.labels.empty();
  if (labeled) to.text("property int label\n");
  for (const FaceAttribute& each : marks.attributes) to.text("property float {}\n", each.name);
  to.text("end_header\n");
  for (std::size_t v = 0; v < marked.vertices.size(); ++v) {
    const Vertex& place = marked.vertices[v];
    if (ascii) {
      to.text("{} {} {}", place[0], place[1], place[2]);
      if (!marked.colors.empty())
        for (const std::uint8_t c : marked.colors[v]) to.text(" {}", c);
      if (!marked.labels.empty()) to.text(" {}", marked.labels[v]);
      to.text("\n");
      continue;
    }
    for (const float x : place) to.f32(x);
    if (!marked.colors.empty())
      for (const std::uint8_t c : marked.colors[v]) to.u8(c);
    if (!marked.labels.empty()) to.u32(static_cast<std::uint32_t>(marked.labels[v]));
  }
  for (std::size_t f = 0; f < marked.faces.size(); ++f) {
    const Triangle& face = marked.faces[f];
    if (ascii) {
      to.text("3 {} {} {}", face[0], face[1], face[2]);
      if (labeled) to.text(" {}", marks.labels[f]);
      for (const FaceAttribute& each : marks.attributes) to.text(" {}", each.values[f]);
      to.text("\n");
      continue;
    }
    to.u8(3);
    for (const std::int32_t corner : face) to.u32(static_cast<std::uint32_t>(corner));
    if (labeled) to.u32(static_cast<std::uint32_t>(marks.labels[f]));
    for (const FaceAttribute& each : marks.attributes) to.f32(each.values[f]);
  }
}

}  // namespace fovea::io
