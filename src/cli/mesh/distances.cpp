// fovea mesh distances: measures distances over the surface, from one face or between all faces.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/json_writer.h>
#include <fovea/io/npy.h>
#include <fovea/io/sink.h>
#include <fovea/mesh/dual_graph.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/program/batch.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "core/words.h"
#include "io/image/npy.h"

namespace fovea::cli {
namespace {

struct DistancesRequest {
  std::optional<int> from{};
  std::string output{};
  std::string picture{};
  mesh::ArcCosts costs{};
  PathOptions paths{};
  mesh::RenderOptions render{.views = 2};
  io::MeshReadOptions read{};
};

void describe(OptionVisitor& visit, DistancesRequest& request) {
  visit("from", request.from, "the face to measure from, counted from 0", 0, 2e9,
        {.absent = "every face, one row per face"});
  visit.path("output", request.output, TextUse::kOutput, "write the distances as an .npy array");
  visit.path("picture", request.picture, TextUse::kOutput,
             "write a picture of the distances from one face, seen from several sides");
  describe(visit, request.costs);
  describe(visit, request.paths);
  visit.group("picture", request.render);
  describe(visit, request.read);
}

// What was found, for the summary.
struct Found {
  PathReport run{};
  double greatest = 0;           // the greatest finite distance
  std::int64_t unreachable = 0;  // pairs of faces without a path

  void add(std::span<const float> distances) {
    for (const float distance : distances) {
      if (distance < kUnreachable) greatest = std::max(greatest, double{distance});
      else ++unreachable;
    }
  }
};

Found from_one(const DistancesRequest& request, const io::TriangleMesh& mesh, const Graph& graph) {
  if (*request.from >= graph.nodes())
    throw InvalidArgument(
        fmt::format("--from is {}; the mesh has faces 0 to {}", *request.from, graph.nodes() - 1));
  Found found;
  const std::int32_t source = *request.from;
  const Image<float> row = distances_from(graph, {&source, 1}, request.paths);
  const std::span<const float> distances(row.row(0), static_cast<std::size_t>(graph.nodes()));
  found.add(distances);
  found.run.why = "one source";
  if (!request.output.empty()) {
    const std::size_t shape[] = {distances.size()};
    io::write_array(request.output, io::DType::kFloat32, shape, distances.data());
  }
  if (!request.picture.empty()) {
    const std::vector<std::int32_t> whole(mesh.faces.size(), 0);
    mesh::RenderOptions options = request.render;
    options.parts = whole;  // draws an outline, but no lines between faces
    const auto colors = mesh::value_colors(distances, report::ColorMap::kTide);
    io::write_image(
        request.picture,
        mesh::with_value_bar(mesh::render(mesh, colors, options), distances, "distance").view());
  }
  return found;
}

// Rows go to the file as soon as they are ready, because the table of all pairs need not fit in
// memory.
Found from_all(const DistancesRequest& request, const Graph& graph) {
  Found found;
  io::FileSink file(request.output);
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  const std::size_t shape[] = {nodes, nodes};
  file.write(io::npy_header_text(io::DType::kFloat32, shape));
  stream_distances(
      graph,
      [&](const DistanceRows& part) {
        for (int y = 0; y < part.rows.height; ++y) {
          const std::span<const float> row(part.rows.row(y), nodes);
          found.add(row);
          file.write({reinterpret_cast<const char*>(row.data()), row.size_bytes()});
        }
        if (request.paths.exec.progress)
          request.paths.exec.progress({"distances",
                                       static_cast<double>(part.first + part.rows.height),
                                       static_cast<double>(nodes)});
      },
      request.paths, &found.run);
  file.commit();
  return found;
}

int run_distances(DistancesRequest& request, Context& context) {
  const bool all = !request.from;
  if (request.output.empty() && (all || request.picture.empty()))
    throw InvalidArgument("mesh distances needs -o FILE.npy, or --from FACE and --picture FILE");
  if (!request.output.empty() && std::filesystem::path(request.output).extension() != ".npy")
    throw InvalidArgument(fmt::format("-o {}: distances are written as .npy", request.output));
  if (all && !request.picture.empty())
    throw InvalidArgument("--picture shows the distances from one face: give --from FACE");
  check_outputs(context, {{"-o", request.output}, {"--picture", request.picture}});
  settle_device(context);
  request.paths.exec = context.exec;
  request.render.exec = context.exec;
  const io::TriangleMesh mesh = io::read_mesh(context.inputs[0], request.read);
  const double start = steady_seconds();
  const Graph graph = mesh::path_graph(mesh::dual_graph(mesh), request.costs);
  const Found found = all ? from_all(request, graph) : from_one(request, mesh, graph);
  const double seconds = steady_seconds() - start;
  context.console.end_progress();
  if (context.json) {
    print_result(context, [&](io::JsonWriter& json) {
      json.member("input", context.inputs[0]).member("faces", graph.nodes());
      json.member("arcs", graph.arcs()).member("engine", to_string(found.run.engine));
      json.member("why", found.run.why).member("parts", found.run.parts);
      json.member("greatest", found.greatest).member("unreachable", found.unreachable);
      json.member("distance_seconds", seconds).member("output", request.output);
    });
  } else {
    const std::string why = found.run.why.empty() ? "" : fmt::format(" ({})", found.run.why);
    context.console.print(fmt::format(
        "{}: {} by {}{}, {:.2f} s\n", request.output.empty() ? request.picture : request.output,
        detail::counted(graph.nodes(), "face"), to_string(found.run.engine), why, seconds));
  }
  return 0;
}

}  // namespace

Command mesh_distances_command() {
  return {
      .system = "mesh",
      .verb = "distances",
      .summary = "measure distances over a mesh",
      .text =
          "Finds shortest paths over the graph of faces. A step from face to face costs its length "
          "and its angle, as in Katz and Tal; with --alpha 1 it costs its length alone. Distances "
          "start at one face, or at every face: then the result is a square array that is written "
          "row by row and need not fit in memory. Faces of other components are infinitely far.",
      .arguments = {{"MESH", "a mesh: OFF, OBJ, PLY or STL"}},
      .examples = {{"fovea mesh distances hand.off -o all.npy", "measure between all faces"},
                   {"fovea mesh distances hand.off --from 0 --picture far.png --alpha 1",
                    "show how far every face is from face 0"}},
      .request = make_request<DistancesRequest, run_distances>};
}

}  // namespace fovea::cli
