// fovea.mesh: costs of steps between faces, shape diameters, and fuzzy clusters of any graph.
#include "mesh_costs.h"

#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/mesh/fuzzy_clusters.h>
#include <fovea/mesh/hierarchy.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "define.h"
#include "graph_input.h"
#include "systems.h"

namespace fovea::python {
namespace {

using io::TriangleMesh;

constexpr double kOperationsPerArc = 300;
constexpr double kOperationsPerRay = 500;

double faces_of(const TriangleMesh& mesh) { return static_cast<double>(mesh.faces.size()); }

struct CostOptions : mesh::NamedCosts {
  int smoothing = 0;
  Exec exec{};
};
void describe(OptionVisitor& visit, CostOptions& options) {
  visit("smoothing", options.smoothing,
        "how often normals are averaged with their neighbors before angles are measured", 0, 1000);
  describe(visit, static_cast<mesh::NamedCosts&>(options));
}

nb::tuple arc_costs(const CostOptions& options, const TriangleMesh& mesh) {
  const Exec where = on_cpu_only("costs of arcs are computed", options.exec);
  const std::vector<float> costs =
      run_once({kOperationsPerArc * faces_of(mesh)}, where, nb::none(), [&](const Exec& exec) {
        mesh::DualGraph graph = mesh::dual_graph(mesh, options.smoothing, exec);
        return mesh::named_costs(options, mesh, graph, exec);
      });
  return nb::make_tuple(to_numpy(costs), option_words(options));
}

nb::object read_costs(const std::string& path, const TriangleMesh& mesh, nb::handle otherwise) {
  std::optional<double> others;
  if (!otherwise.is_none())
    others = number_argument<double>(otherwise, "otherwise", 0, double{mesh::kMostArcCost});
  Calls calls;
  const std::vector<float> costs = calls.run({kOperationsPerArc * faces_of(mesh)}, nb::none(), [&] {
    return mesh::read_arc_costs(path, mesh::dual_graph(mesh, 0, graph_exec(calls)), others);
  });
  return to_numpy(costs);
}

void write_costs(const std::string& path, const TriangleMesh& mesh, nb::handle costs) {
  if (costs.is_none()) throw_invalid_type("costs is None; expected one number per arc");
  const std::vector<float> own = own_costs(costs);
  nb::gil_scoped_release gil_release;
  const mesh::DualGraph graph = mesh::dual_graph(mesh);
  mesh::check_arc_costs(graph, own);
  mesh::write_arc_costs(path, graph, own);
}

nb::tuple shape_diameters(mesh::ShapeDiameterOptions options, const TriangleMesh& mesh) {
  options.exec = on_cpu_only("shape diameters are measured", options.exec);
  const std::vector<float> diameters = run_once(
      {kOperationsPerRay * options.rays * faces_of(mesh)}, options.exec, nb::none(),
      [&](const Exec& exec) { return mesh::shape_diameters(mesh, with_exec(options, exec)); });
  return nb::make_tuple(to_numpy(diameters), to_numpy(mesh::normalized_diameters(diameters)),
                        option_values(options));
}
// The words of these options for mesh arcs, where they have a prefix.
nb::list diameter_words(const nb::dict& keywords) {
  CostOptions options;
  for_each_option(options, [&](const OptionField& field) {
    const std::string keyword = keyword_of(field);
    if (!keyword.starts_with("diameter_") || keyword == "diameter_weight") return;
    const std::string name = keyword.substr(std::string("diameter_").size());
    if (keywords.contains(name.c_str())) set_option_value(field, keywords[name.c_str()]);
  });
  return option_words(options);
}

// Rows of distances, each under its name, as the program writes them: one line per face.
void write_distances(const std::string& path, const std::vector<std::string>& names,
                     nb::handle distances, nb::handle nearest) {
  const AnyArray rows = dense_array<float>(distances, "distances", {2});
  const auto* values = static_cast<const float*>(rows.data());
  const std::size_t faces = rows.shape(1);
  const std::vector<std::int32_t> which =
      nearest.is_none() ? std::vector<std::int32_t>{} : whole_numbers(nearest, "nearest");
  nb::gil_scoped_release gil_release;
  std::vector<std::string> header{"face"};
  header.insert(header.end(), names.begin(), names.end());
  if (!which.empty()) header.emplace_back("nearest");
  io::FileSink file(path);
  io::CsvWriter csv(file.sink(), header);
  for (std::size_t face = 0; face < faces; ++face) {
    csv.field(face);
    for (std::size_t i = 0; i < names.size(); ++i) csv.field(values[i * faces + face]);
    if (!which.empty()) csv.field(which[face]);
    csv.end_row();
  }
  file.commit();
}

nb::dict clusters_of(const mesh::FuzzyClusters& found) {
  const auto nodes = static_cast<std::size_t>(found.memberships.width()),
             count = static_cast<std::size_t>(found.memberships.height());
  auto memberships = std::make_unique_for_overwrite<float[]>(nodes * count);
  for (std::size_t cluster = 0; cluster < count; ++cluster) {
    const float* row = found.memberships.row(static_cast<int>(cluster));
    for (std::size_t node = 0; node < nodes; ++node)
      memberships[node * count + cluster] = row[node];
  }
  nb::dict all;
  all["labels"] = to_numpy(found.labels);
  all["memberships"] = detail::owned_array(std::move(memberships), {nodes, count});
  all["representatives"] = to_numpy(found.representatives);
  all["rounds"] = found.rounds;
  all["converged"] = found.converged;
  all["chosen"] = found.chosen;
  all["engine"] = found.engine;
  return all;
}

// Runs `find` with the options of a call.
template <class Find>
nb::dict clustered(const mesh::FuzzyClusterOptions& options, double nodes, const Find& find) {
  return clusters_of(run_once({100 * nodes * nodes}, options.exec, nb::none(),
                              [&](const Exec& exec) { return find(with_exec(options, exec)); }));
}

nb::dict clusters_of_graph(nb::handle arcs, nb::handle costs, nb::handle nodes,
                           const nb::dict& keywords) {
  const GraphInput input = graph_input(arcs, costs, nodes);
  const Graph graph(input.nodes, input.arcs);
  return clustered(options_of<mesh::FuzzyClusterOptions>(keywords, "fuzzy_clusters"), graph.nodes(),
                   [&](const mesh::FuzzyClusterOptions& options) {
                     return mesh::fuzzy_clusters(graph, options);
                   });
}

nb::dict clusters_of_distances(nb::handle distances, const nb::dict& keywords) {
  const ImageInput square = image_input(distances, {"distances", {io::SampleType::kFloat32}, {1}});
  const auto view = square.of<float>();
  mesh::FuzzyClusterOptions asked;
  set_keywords(asked, keywords, "fuzzy_clusters");
  asked.exec = on_cpu_only("squares of distances are clustered", asked.exec);
  return clustered(asked, view.width, [&](const mesh::FuzzyClusterOptions& options) {
    return mesh::fuzzy_clusters(view, options);
  });
}

}  // namespace

std::vector<float> own_costs(nb::handle costs) {
  if (costs.is_none()) return {};
  return real_numbers<float>(costs, "costs");
}

Exec graph_exec(const Calls& calls) {
  Exec exec;
  exec.device = Device::cpu();
  exec.threads = 1;
  exec = calls.watched(exec);
  exec.progress = {};  // which is that of the distances
  return exec;
}

void bind_mesh_costs(nb::module_& m) {
  define<ChoosesDevice::kOperation>(m, "arc_costs", &arc_costs);
  m.def("read_costs", &read_costs);
  m.def("write_costs", &write_costs);
  define<ChoosesDevice::kOperation>(m, "shape_diameters", &shape_diameters);
  m.def("diameter_words", &diameter_words);
  m.def("clusters_of_graph", &clusters_of_graph);
  m.def("clusters_of_distances", &clusters_of_distances);
  m.def("fuzzy_clusters_options",
        [] { return table_without("clusters", option_table<mesh::FuzzyClusterOptions>()); });
  m.def("write_distances", &write_distances);
}

}  // namespace fovea::python
