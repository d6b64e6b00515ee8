// fovea mesh info: counts what a mesh is made of and what is unusual about it.
#include <fovea/io/inputs.h>
#include <fovea/io/record_io.h>
#include <fovea/mesh/dual_graph.h>

#include <fmt/format.h>

#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "core/words.h"

namespace fovea::cli {
namespace {

std::string line_of(const std::string& input, const io::TriangleMesh& mesh,
                    const mesh::MeshInfo& info) {
  std::string line = fmt::format(
      "{}: {}, {}, {}, {}, {}", input, io::to_string(mesh.format),
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

// Memory that a mesh and its edges take, in multiples of its file.
constexpr std::uint64_t kCopies = 8;

int run_mesh_info(io::MeshReadOptions& options, Context& context) {
  context.exec.device = Device::cpu();  // everything here runs on the CPU, and the result says so
  const auto inputs = unit_inputs(context, io::mesh_files());
  const auto plan = io::plan_frame_workers(context.exec, static_cast<std::int64_t>(inputs.size()));
  Batch batch(context, inputs);
  batch.run_together<io::TriangleMesh, NoWorker>(
      inputs.size(), NoWorker::some(), plan,
      {.bytes = [&](const auto& item) { return kCopies * file_bytes(inputs[item.input]); },
       .prepare = [&](auto& item) { item.value = io::read_mesh(inputs[item.input], options); },
       .complete =
           [&](auto& item) {
             const mesh::MeshInfo info = mesh::mesh_info(item.value);
             item.outcome = {line_of(inputs[item.input], item.value, info),
                             io::record_members(record_ref(info))};
           }});
  return batch.finish();
}

}  // namespace

Command mesh_info_command() {
  return {.system = "mesh",
          .verb = "info",
          .summary = "describe meshes",
          .text =
              "Counts vertices, faces, edges and components of meshes, and what is unusual about "
              "them: borders, edges with three faces or more, faces that are oriented against "
              "their neighbors, that have no area or occur twice, and vertices that no face uses. "
              "All of these are legal.",
          .arguments = {{"MESH", "meshes (OFF, OBJ, PLY, STL): files, folders, globs or @list", 1,
                         kAnyNumber}},
          .examples = {{"fovea mesh info scan.ply", "describe one mesh"}},
          .request = make_request<io::MeshReadOptions, run_mesh_info>,
          .result = {.record = sample_record<mesh::MeshInfo>, .per_input = true},
          .batches = true,
          .shards = true};
}

}  // namespace fovea::cli
