// mesh arcs: lists the steps between faces with their geometry and costs.
#include <fovea/core/error.h>
#include <fovea/io/mesh_io.h>
#include <fovea/io/npy.h>
#include <fovea/mesh/named_costs.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "core/timing/seconds.h"
#include "core/words.h"
#include "operations/make_operation.h"
#include "operations/mesh/read_mesh.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_mesh_arcs {
namespace {

struct ArcsRequest {
  int smoothing = 0;
  mesh::NamedCosts costs{};
  io::MeshReadOptions read{};
  Exec exec{};
};

void describe(OptionVisitor& visit, ArcsRequest& request) {
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

struct Listed {
  std::shared_ptr<const io::TriangleMesh> mesh{};
  mesh::DualGraph graph{};
  std::vector<float> costs{};
  ArcsReport report{};
};

void settle(ArcsRequest&, const Plan& plan) {
  if (plan.files.empty())
    throw InvalidArgument("mesh arcs needs -o FILE.csv or --diameters FILE.npy");
}

void read(const ArcsRequest& request, const Source& source, Listed& item) {
  item.report = {
      .input = source.name, .output = source.file("output"), .diameters = source.file("diameters")};
  item.mesh = mesh_of(source, request.read);
}

void run(const ArcsRequest& request, NoWorker&, Listed& item) {
  mesh::DualGraph& graph = item.graph =
      mesh::dual_graph(*item.mesh, request.smoothing, request.exec);
  item.costs = mesh::named_costs(request.costs, *item.mesh, graph, request.exec);
  ArcsReport& report = item.report;
  if (graph.diameters.empty() && !report.diameters.empty()) {
    const double start = detail::seconds_now();
    mesh::ShapeDiameterOptions how = request.costs.diameter;
    how.exec = request.exec;
    graph.diameters = mesh::shape_diameters(*item.mesh, how);
    report.diameter_seconds = detail::seconds_now() - start;
  }
  report.faces = graph.faces();
  report.arcs = std::ssize(graph.arcs);
  report.concave = std::ranges::count_if(graph.arcs, &mesh::DualArc::concave);
  if (!item.costs.empty())
    report.mean_cost = std::accumulate(item.costs.begin(), item.costs.end(), 0.0) /
                       static_cast<double>(item.costs.size());
}

void write_table(const ArcsRequest&, const Listed& item, const std::string& path) {
  mesh::write_arc_costs(path, item.graph, item.costs);
}

void write_diameters(const ArcsRequest&, const Listed& item, const std::string& path) {
  const std::vector<float>& diameters = item.graph.diameters;
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
  io::write_mesh(path, *item.mesh, {.colors = colors, .attributes = attributes});
}

std::string line(const ArcsRequest&, const Listed& item) {
  const ArcsReport& report = item.report;
  return fmt::format(
      "{}: {} between {}, {} in valleys", report.output.empty() ? report.diameters : report.output,
      detail::counted(report.arcs, "arc"), detail::counted(report.faces, "face"), report.concave);
}

}  // namespace
}  // namespace of_mesh_arcs

Operation mesh_arcs() {
  using namespace of_mesh_arcs;
  return make_operation<ArcsRequest, Listed>(
      {.words =
           {.system = "mesh",
            .verb = "arcs",
            .summary = "list the steps between faces with their costs",
            .text =
                "Writes a table with one line per arc: two faces that share an edge, the vertices "
                "of the edge, the distance between the faces, the angle between them, whether the "
                "edge is a valley, its length, and what the step costs; with --alpha 1 that is the "
                "distance, in the unit of the mesh. Segment and distances take such a table back "
                "with --costs, after another program has changed its last column. Faces count "
                "triangles from 0.",
            .arguments = {{"MESH", "a mesh: OFF, OBJ, PLY or STL"}},
            .examples = {{"fovea mesh arcs hand.off -o arcs.csv", "list the costs of Katz and Tal"},
                         {"fovea mesh arcs hand.off --cost diameter -o arcs.csv",
                          "list costs by shape diameters"},
                         {"fovea mesh arcs hand.off --diameters hand.ply",
                          "write how thick the body is behind each face"}}},
       .input = InputKind::kMesh,
       .on_processor = true,
       .alone = true,
       .outputs = {{.about = {.name = "output",
                              .help = "write the arcs as .csv, one per line",
                              .endings = {".csv"},
                              .what = "the table of arcs"},
                    .write = write_table},
                   {.about = {.name = "diameters",
                              .help = "write the shape diameter of each face as .npy, or as a "
                                      "property of faces in .ply",
                              .endings = {".npy", ".ply"},
                              .what = "the array of diameters"},
                    .write = write_diameters}},
       .settle = settle,
       .begin = [](ArcsRequest& request, const Exec& exec, const Plan&) { request.exec = exec; },
       .read = read,
       .run = run,
       .result = [](const Listed& item) { return record_ref(item.report); },
       .line = line},
      sample_record<ArcsReport>);
}

}  // namespace fovea::operations
