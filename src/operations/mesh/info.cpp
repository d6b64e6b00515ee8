// mesh info: counts what a mesh is made of and what is unusual about it.
#include <fovea/io/mesh_io.h>
#include <fovea/mesh/dual_graph.h>

#include <fmt/format.h>

#include "core/words.h"
#include "operations/make_operation.h"
#include "operations/mesh/read_mesh.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_mesh_info {
namespace {

struct Described {
  std::shared_ptr<const io::TriangleMesh> mesh{};
  mesh::MeshInfo info{};
};

std::string line(const io::MeshReadOptions&, const Described& item) {
  const io::TriangleMesh& mesh = *item.mesh;
  const mesh::MeshInfo& info = item.info;
  std::string line = fmt::format(
      "{}, {}, {}, {}, {}", io::to_string(mesh.format),
      detail::counted(info.vertices, "vertex", "vertices"), detail::counted(info.faces, "face"),
      detail::counted(info.components, "component"), info.closed ? "closed" : "open");
  const auto add = [&](std::int64_t count, const char* one, const char* many) {
    if (count > 0) line += fmt::format(", {} {}", count, count == 1 ? one : many);
  };
  add(mesh.polygons.empty() ? 0 : mesh.file_faces(), "polygon in the file", "polygons in the file");
  add(info.border_edges, "border edge", "border edges");
  add(info.non_manifold_edges, "edge with three faces or more", "edges with three faces or more");
  add(info.flipped_edges, "edge between faces of opposite orientation",
      "edges between faces of opposite orientation");
  add(info.degenerate_faces, "face without area", "faces without area");
  add(info.duplicate_faces, "duplicate face", "duplicate faces");
  add(info.isolated_vertices, "unused vertex", "unused vertices");
  return line;
}

}  // namespace
}  // namespace of_mesh_info

Operation mesh_info() {
  using namespace of_mesh_info;
  return make_operation<io::MeshReadOptions, Described>(
      {.words = {.system = "mesh",
                 .verb = "info",
                 .summary = "describe meshes",
                 .text =
                     "Counts vertices, faces, edges and components of meshes, and what is unusual "
                     "about them: borders, edges with three faces or more, faces that are oriented "
                     "against their neighbors, that have no area or occur twice, and vertices that "
                     "no face uses. All of these are legal.",
                 .arguments = {{"MESH",
                                "meshes (OFF, OBJ, PLY, STL): files, folders, globs or @list", 1,
                                kAnyNumber}},
                 .examples = {{"fovea mesh info scan.ply", "describe one mesh"}}},
       .input = InputKind::kMesh,
       .on_processor = true,
       .read = [](const io::MeshReadOptions& options, const Source& source,
                  Described& item) { item.mesh = mesh_of(source, options); },
       .run = [](const io::MeshReadOptions&, NoWorker&,
                 Described& item) { item.info = mesh::mesh_info(*item.mesh); },
       .memory = [](const io::MeshReadOptions&, std::uint64_t bytes) { return 8 * bytes; },
       .work = [](const io::MeshReadOptions&) { return 300.0; },
       .result = [](const Described& item) { return record_ref(item.info); },
       .line = line,
       .controls = [](OptionVisitor&, io::MeshReadOptions&) {}},
      sample_record<mesh::MeshInfo>);
}

}  // namespace fovea::operations
