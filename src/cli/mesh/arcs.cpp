// fovea mesh arcs: lists the steps between faces with their geometry and costs.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/io/npy.h>
#include <fovea/mesh/named_costs.h>
#include <fovea/mesh/show.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "cli/program/batch.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "core/words.h"
#include "operations/mesh/own_costs.h"

namespace fovea::cli {
namespace {

struct ArcsRequest {
  std::string output{};
  std::string diameters{};
  int smoothing = 0;
  mesh::NamedCosts costs{};
  io::MeshReadOptions read{};
};

void describe(OptionVisitor& visit, ArcsRequest& request) {
  visit.path("output", request.output, TextUse::kOutput, "write the arcs as .csv, one per line");
  visit.path("diameters", request.diameters, TextUse::kOutput,
             "write the shape diameter of each face as .npy, or as a property of faces in .ply");
  visit("smoothing", request.smoothing,
        "how often normals are averaged with their neighbors before angles are measured", 0, 1000);
  describe(visit, request.costs);
  describe(visit, request.read);
}

// What the JSON has.
struct ArcsReport {
  std::string input{};
  int faces = 0;
  std::int64_t arcs = 0;
  std::int64_t concave = 0;
  double mean_cost = 0;
  double diameter_seconds = 0;
  std::string output{}, diameters{};
};
void describe(FieldVisitor& visit, ArcsReport& report) {
  visit.record("ArcsReport", "the steps between the faces of a mesh");
  visit("input", report.input, "the mesh");
  visit("faces", report.faces, "how many faces it has");
  visit("arcs", report.arcs, "steps between faces");
  visit("concave", report.concave, "how many of them cross a valley");
  visit("mean_cost", report.mean_cost, "of all steps");
  visit("diameter_seconds", report.diameter_seconds, "time to measure shape diameters",
        {.unit = "seconds", .timing = true});
  visit("output", report.output, "the table of the arcs; empty where none was written");
  visit("diameters", report.diameters, "the file of the diameters; empty where none was written");
}

void write_diameters(const std::string& path, const io::TriangleMesh& mesh,
                     std::span<const float> diameters) {
  if (std::filesystem::path(path).extension() == ".npy") {
    const std::size_t shape[] = {diameters.size()};
    io::write_array(path, io::DType::kFloat32, shape, diameters.data());
    return;
  }
  std::vector<std::array<std::uint8_t, 3>> colors;
  colors.reserve(diameters.size());
  for (const report::Color& c : mesh::value_colors(diameters, report::ColorMap::kTide))
    colors.push_back({c.r, c.g, c.b});
  const std::vector<io::FaceAttribute> attributes{{"diameter", diameters}};
  io::write_mesh(path, mesh, {.colors = colors, .attributes = attributes});
}

void check_arcs_request(const ArcsRequest& request) {
  const auto extension = [](const std::string& path) {
    return std::filesystem::path(path).extension().string();
  };
  if (request.output.empty() && request.diameters.empty())
    throw InvalidArgument("mesh arcs needs -o FILE.csv or --diameters FILE.npy");
  if (!request.output.empty() && extension(request.output) != ".csv")
    throw InvalidArgument(fmt::format("-o {}: arcs are written as .csv", request.output));
  if (!request.diameters.empty() && extension(request.diameters) != ".npy" &&
      extension(request.diameters) != ".ply")
    throw InvalidArgument(
        fmt::format("--diameters {}: diameters are written as .npy or .ply", request.diameters));
}

int run_arcs(ArcsRequest& request, Context& context) {
  check_arcs_request(request);
  check_outputs(context, {{"-o", request.output}, {"--diameters", request.diameters}});
  context.exec.device = Device::cpu();  // everything here runs on the CPU, and the result says so
  const io::TriangleMesh mesh = io::read_mesh(context.inputs[0], request.read);
  mesh::DualGraph graph = mesh::dual_graph(mesh, request.smoothing, context.exec);
  const std::vector<float> costs = mesh::named_costs(request.costs, mesh, graph, context.exec);
  const double start = steady_seconds();
  if (graph.diameters.empty() && !request.diameters.empty()) {
    mesh::ShapeDiameterOptions how = request.costs.diameter;
    how.exec = context.exec;
    graph.diameters = mesh::shape_diameters(mesh, how);
  }
  const double seconds = steady_seconds() - start;
  if (!request.diameters.empty()) write_diameters(request.diameters, mesh, graph.diameters);
  if (!request.output.empty()) mesh::write_arc_costs(request.output, graph, costs);
  const auto concave = std::count_if(graph.arcs.begin(), graph.arcs.end(),
                                     [](const mesh::DualArc& arc) { return arc.concave; });
  const double mean = costs.empty() ? 0
                                    : std::accumulate(costs.begin(), costs.end(), 0.0) /
                                          static_cast<double>(costs.size());
  if (context.json) {
    print_result(context,
                 record_ref(ArcsReport{context.inputs[0], graph.faces(), std::ssize(graph.arcs),
                                       concave, mean, seconds, request.output, request.diameters}));
  } else {
    const std::string& written = request.output.empty() ? request.diameters : request.output;
    context.console.print(fmt::format("{}: {} between {}, {} in valleys\n", written,
                                      detail::counted(graph.arcs.size(), "arc"),
                                      detail::counted(graph.faces(), "face"), concave));
  }
  return 0;
}

}  // namespace

Command mesh_arcs_command() {
  return {.system = "mesh",
          .verb = "arcs",
          .summary = "list the steps between faces with their costs",
          .text =
              "Writes a table with one line per arc: two faces that share an edge, the vertices of "
              "the edge, the distance between the faces, the angle between them, whether the edge "
              "is a valley, its length, and what the step costs. Segment and distances take such "
              "a table back with --costs, after another program has changed its last column. "
              "Faces count triangles from 0.",
          .arguments = {{"MESH", "a mesh: OFF, OBJ, PLY or STL"}},
          .examples = {{"fovea mesh arcs hand.off -o arcs.csv", "list the costs of Katz and Tal"},
                       {"fovea mesh arcs hand.off --cost diameter -o arcs.csv",
                        "list costs by shape diameters"},
                       {"fovea mesh arcs hand.off --diameters hand.ply",
                        "write how thick the body is behind each face"}},
          .request = make_request<ArcsRequest, run_arcs>,
          .result = {.record = sample_record<ArcsReport>}};
}

}  // namespace fovea::cli
