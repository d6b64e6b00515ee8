// fovea.mesh: parts of triangle meshes, distances over their surfaces, files, pictures, evaluation.
#include <fovea/core/error.h>
#include <fovea/io/mesh_io.h>
#include <fovea/mesh/evaluate.h>
#include <fovea/mesh/explain.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "arrays.h"
#include "define.h"
#include "explain.h"
#include "mesh_costs.h"
#include "records.h"
#include "run.h"
#include "systems.h"

namespace fovea::python {
namespace {

using io::TriangleMesh;
using mesh::SegmentOptions;

// What a face costs when a mesh is divided, and when distances from another face are found.
constexpr double kOperationsPerFace = 30000;
constexpr double kOperationsPerDistance = 300;

constexpr nb::dlpack::dtype kFloat = nb::dtype<float>(), kDouble = nb::dtype<double>(),
                            kInt = nb::dtype<std::int32_t>(), kLong = nb::dtype<std::int64_t>();

// Calls take(value) for each element of a dense array that holds numbers of type A or B.
template <class A, class B, class Take>
void for_each_element(const AnyArray& array, Take take) {
  const auto visit = [&](const auto* values) {
    for (std::size_t i = 0; i < array.size(); ++i) take(values[i]);
  };
  if (array.dtype() == nb::dtype<A>()) visit(static_cast<const A*>(array.data()));
  else visit(static_cast<const B*>(array.data()));
}

void require_rows_of_3(const AnyArray& array, nb::handle value, const char* name) {
  if (array.shape(1) != 3 || array.shape(0) == 0)
    throw InvalidArgument(
        fmt::format("{} is {}; expected one row of 3 numbers each, and one row "
                    "or more",
                    name, array_text(value)));
}

std::vector<io::Vertex> vertices_of(nb::handle value) {
  const AnyArray array = dense_array_of(value, "vertices", {kDouble, kFloat}, {2});
  require_rows_of_3(array, value, "vertices");
  std::vector<io::Vertex> vertices(array.shape(0));
  std::size_t at = 0;
  for_each_element<float, double>(array, [&](auto number) {
    const auto coordinate = static_cast<float>(number);
    if (!std::isfinite(coordinate))
      throw InvalidArgument(
          fmt::format("vertex {} is {}, which is not a finite float32; remove it or replace it",
                      at / 3, static_cast<double>(number)));
    vertices[at / 3][at % 3] = coordinate;
    ++at;
  });
  return vertices;
}

std::vector<io::Triangle> faces_of(nb::handle value, std::size_t vertices) {
  const AnyArray array = dense_array_of(value, "faces", {kLong, kInt}, {2});
  require_rows_of_3(array, value, "faces");
  if (array.shape(0) > std::numeric_limits<std::int32_t>::max())
    throw InvalidArgument(fmt::format("faces is {}, which is too large", array_text(value)));
  std::vector<io::Triangle> faces(array.shape(0));
  std::size_t at = 0;
  for_each_element<std::int32_t, std::int64_t>(array, [&](auto corner) {
    if (corner < 0 || static_cast<std::size_t>(corner) >= vertices)
      throw InvalidArgument(fmt::format("face {} has corner {}; the vertices are 0 to {}", at / 3,
                                        std::int64_t{corner}, vertices - 1));
    faces[at / 3][at % 3] = static_cast<std::int32_t>(corner);
    ++at;
  });
  return faces;
}

void require_one_per_face(const TriangleMesh& mesh, std::size_t count, const char* name) {
  if (count != mesh.faces.size())
    throw InvalidArgument(
        fmt::format("{} has {} elements for a mesh of {} faces; expected one each", name, count,
                    mesh.faces.size()));
}

std::vector<std::int32_t> face_labels(const TriangleMesh& mesh, nb::handle value,
                                      const char* name = "labels") {
  std::vector<std::int32_t> labels = whole_numbers(value, name);
  require_one_per_face(mesh, labels.size(), name);
  return labels;
}

// The numbers from 0 on that say to which face of its file each triangle belongs.
std::vector<std::int32_t> polygons_of(nb::handle value, std::size_t faces) {
  if (value.is_none()) return {};
  std::vector<std::int32_t> polygons = whole_numbers(value, "polygons");
  if (polygons.size() != faces || polygons.front() < 0 ||
      !std::is_sorted(polygons.begin(), polygons.end()) ||
      polygons.back() >= static_cast<std::int64_t>(faces))
    throw InvalidArgument("polygons has one number per face, in ascending order from 0");
  return polygons;
}

TriangleMesh make_mesh(nb::handle vertices, nb::handle faces, nb::handle polygons) {
  TriangleMesh mesh;
  mesh.vertices = vertices_of(vertices);
  mesh.faces = faces_of(faces, mesh.vertices.size());
  mesh.polygons = polygons_of(polygons, mesh.faces.size());
  return mesh;
}

nb::tuple read(const io::MeshReadOptions& options, const std::string& path) {
  TriangleMesh mesh = unlocked([&] { return io::read_mesh(path, options); });
  const std::string format = io::to_string(mesh.format);
  return nb::make_tuple(std::move(mesh), format, option_words(options));
}

// A read-only array over the memory of a mesh, which it keeps alive.
template <class Number>
nb::object view_of(const Number* first, std::size_t rows, nb::handle owner) {
  const std::size_t shape[] = {rows, 3};
  return nb::cast(nb::ndarray<nb::numpy, const Number>(first, 2, shape, owner));
}
nb::object vertex_view(nb::handle self) {
  const auto& vertices = nb::cast<const TriangleMesh&>(self).vertices;
  return view_of(vertices.front().data(), vertices.size(), self);
}
nb::object face_view(nb::handle self) {
  const auto& faces = nb::cast<const TriangleMesh&>(self).faces;
  return view_of(faces.front().data(), faces.size(), self);
}

nb::object color_rows(const std::vector<report::Color>& colors) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(3 * colors.size());
  for (const report::Color& color : colors) bytes.insert(bytes.end(), {color.r, color.g, color.b});
  return to_numpy(bytes, {colors.size(), 3});
}
nb::object part_colors(nb::handle labels) {
  return color_rows(mesh::part_colors(whole_numbers(labels, "labels")));
}

nb::object value_colors(nb::handle values) {
  return color_rows(
      mesh::value_colors(real_numbers<float>(values, "values"), report::ColorMap::kTide));
}

// Numbers of faces by name.
struct AttributesInput {
  AttributesInput(const TriangleMesh& mesh, const nb::dict& given) {
    values.reserve(nb::len(given));
    attributes.reserve(nb::len(given));
    for (const auto& [name, numbers] : given) {
      const std::string text = nb::cast<std::string>(name);
      values.push_back(real_numbers<float>(numbers, text.c_str()));
      require_one_per_face(mesh, values.back().size(), text.c_str());
      attributes.push_back({text, values.back()});
    }
  }
  std::vector<std::vector<float>> values{};
  std::vector<io::FaceAttribute> attributes{};
};

void write(const io::MeshWriteOptions& options, const std::string& path, const TriangleMesh& mesh,
           nb::handle labels, nb::handle colors, const nb::dict& attributes) {
  const AttributesInput more(mesh, attributes);
  std::vector<std::int32_t> numbers;
  std::vector<std::array<std::uint8_t, 3>> bytes;
  if (!labels.is_none()) numbers = face_labels(mesh, labels);
  if (!colors.is_none()) {
    const AnyArray array = dense_array<std::uint8_t>(colors, "colors", {2});
    require_rows_of_3(array, colors, "colors");
    require_one_per_face(mesh, array.shape(0), "colors");
    const auto* first = static_cast<const std::uint8_t*>(array.data());
    for (std::size_t i = 0; i < array.shape(0); ++i, first += 3)
      bytes.push_back({first[0], first[1], first[2]});
  }
  nb::gil_scoped_release gil_release;
  if (bytes.empty())
    for (const report::Color& color : mesh::part_colors(numbers))
      bytes.push_back({color.r, color.g, color.b});
  io::write_mesh(path, mesh, {.labels = numbers, .colors = bytes, .attributes = more.attributes},
                 options);
}

class Segmenter {
 public:
  explicit Segmenter(const nb::dict& keywords)
      : options_(options_of<SegmentOptions>(keywords, "Segmenter")),
        segmenter_(options_.exec, [this](const Exec& exec) {
          return mesh::Segmenter(with_exec(options_, exec));
        }) {}

  mesh::SegmentExplanation explain(const TriangleMesh& mesh, nb::handle costs) {
    const std::vector<float> own = own_costs(costs);
    const bool with_costs = !costs.is_none();
    const Work work{kOperationsPerFace * static_cast<double>(mesh.faces.size())};
    return segmenter_.call(work, nb::none(), [&](mesh::Segmenter& segmenter) {
      return with_costs ? segmenter.explain(mesh, own) : segmenter.explain(mesh);
    });
  }

  void stop() { segmenter_.stop(); }
  const SegmentOptions& options() const { return options_; }

 private:
  SegmentOptions options_;
  LazyFace<mesh::Segmenter> segmenter_;
};

// Pictures of parts and of values, with the program's number of views.
template <int kViews>
struct PictureOptions {
  mesh::RenderOptions render{.views = kViews};
};
template <int kViews>
void describe(OptionVisitor& visit, PictureOptions<kViews>& options) {
  describe(visit, options.render);
}
using PartsPicture = PictureOptions<4>;
using ValuesPicture = PictureOptions<2>;

Image<std::uint8_t> drawn_values(const TriangleMesh& mesh, std::span<const float> values,
                                 const std::string& title, const mesh::RenderOptions& options) {
  const auto colors = mesh::value_colors(values, report::ColorMap::kTide);
  return mesh::with_value_bar(mesh::render(mesh, colors, options), values, title);
}

std::span<const float> face_values(const TriangleMesh& mesh, const AnyArray& array) {
  require_one_per_face(mesh, array.size(), "values");
  return {static_cast<const float*>(array.data()), array.size()};
}

nb::object render_parts(const TriangleMesh& mesh, nb::handle labels, nb::handle membership,
                        const nb::dict& keywords) {
  PartsPicture options;
  set_keywords(options, keywords, "render");
  const std::vector<std::int32_t> parts = face_labels(mesh, labels);
  options.render.parts = parts;
  std::optional<AnyArray> surety;
  if (!membership.is_none()) surety = dense_array<float>(membership, "membership", {1});
  return picture_to_numpy(unlocked([&] {
    return surety ? drawn_values(mesh, face_values(mesh, *surety), "membership", options.render)
                  : mesh::render(mesh, mesh::part_colors(parts), options.render);
  }));
}

// Lines are drawn between faces of different parts, where there are any.
nb::object render_values(const TriangleMesh& mesh, nb::handle values, nb::handle marked,
                         const std::string& title, const nb::dict& keywords) {
  ValuesPicture options;
  set_keywords(options, keywords, "render");
  const AnyArray array = dense_array<float>(values, "values", {1});
  std::vector<std::int32_t> parts(mesh.faces.size(), 0);  // an outline, but no lines between faces
  if (!marked.is_none()) parts = face_labels(mesh, marked, "parts");
  options.render.parts = parts;
  return picture_to_numpy(unlocked(
      [&] { return drawn_values(mesh, face_values(mesh, array), title, options.render); }));
}

std::string page(mesh::ModelPageOptions options, const TriangleMesh& mesh, nb::handle labels,
                 const nb::list& hierarchy) {
  options.hierarchy = list_from<mesh::HierarchyNode>(hierarchy);
  const std::vector<std::int32_t> parts = face_labels(mesh, labels);
  const auto [low, high] = std::minmax_element(parts.begin(), parts.end());
  if (*low < 0 || *high > 65535)
    throw InvalidArgument(
        fmt::format("labels are {} to {}; a page takes labels from 0 to 65535", *low, *high));
  nb::gil_scoped_release gil_release;
  return mesh::model_page(mesh, parts, options);
}

// What mesh distances takes: the cost of a step, how far to measure, and how shortest paths are
// found.
struct DistanceOptions {
  bool nearest = false;
  std::optional<double> cutoff{};
  mesh::NamedCosts costs{};
  PathOptions paths{};
  Exec exec{};
};
void describe(OptionVisitor& visit, DistanceOptions& options) {
  visit("nearest", options.nearest,
        "measure only to the nearest of the faces in source, and find which it is");
  visit("cutoff", options.cutoff, "distances beyond this are infinite, which saves time", 0, 1e30,
        {.absent = "measure all"});
  describe(visit, options.costs);
  describe(visit, options.paths);
}

// Distances, one row per source or one to the nearest of them, and how they were found.
struct Distances {
  nb::object to_numpy() && { return detail::owned_array(std::move(values), {rows, columns}); }
  float* row(std::size_t y) { return values.get() + y * columns; }

  std::size_t rows = 0, columns = 0;
  PathReport report{};
  std::unique_ptr<float[]> values = std::make_unique_for_overwrite<float[]>(rows * columns);
  std::vector<std::int32_t> nearest{};  // one source per face, or -1, where that was asked for
};

Distances found_distances(const Graph& graph, std::span<const std::int32_t> sources, bool nearest,
                          const PathOptions& options) {
  const auto nodes = static_cast<std::size_t>(graph.nodes());
  const std::size_t rows = sources.empty() ? nodes : sources.size();
  Distances found{nearest ? std::size_t{1} : rows, nodes};
  if (nearest) {
    NearestSource to_nearest = nearest_source(graph, sources, options, &found.report);
    std::copy(to_nearest.distance.begin(), to_nearest.distance.end(), found.row(0));
    found.nearest = std::move(to_nearest.source);
    for (std::int32_t& place : found.nearest)
      if (place >= 0) place = sources[static_cast<std::size_t>(place)];
  } else if (!sources.empty()) {
    const Image<float> some = distances_from(graph, sources, options, &found.report);
    copy(some.view(), packed_view(found.row(0), some.width(), some.height()));
  } else {
    const auto keep = [&](const DistanceRows& part) {
      copy(part.rows, packed_view(found.row(static_cast<std::size_t>(part.first)), part.rows.width,
                                  part.rows.height));
      options.exec.progress({"distances", static_cast<double>(part.first + part.rows.height),
                             static_cast<double>(nodes)});
    };
    stream_distances(graph, keep, options, &found.report);
  }
  return found;
}

// The graph of a mesh's faces, which takes longer to make than the paths from one face. That of the
// last costs is kept. It belongs to one mesh.
class FaceGraph {
 public:
  // Needs no lock of Python's.
  std::shared_ptr<const Graph> with(const TriangleMesh& mesh, const mesh::NamedCosts& costs,
                                    const Exec& exec) {
    std::string asked;
    for_each_option(const_cast<mesh::NamedCosts&>(costs),
                    [&](const OptionField& field) { asked += option_text(field) + ' '; });
    const std::lock_guard lock(mutex_);
    if (!graph_ || asked != costs_) {
      mesh::DualGraph dual = mesh::dual_graph(mesh, 0, exec);
      const std::vector<float> steps = mesh::named_costs(costs, mesh, dual, exec);
      graph_ = std::make_shared<const Graph>(mesh::path_graph(dual, steps));
      costs_ = std::move(asked);
    }
    return graph_;
  }

 private:
  std::mutex mutex_;
  std::string costs_{};  // their options
  std::shared_ptr<const Graph> graph_;
};

std::vector<std::int32_t> source_faces(const TriangleMesh& mesh, nb::handle source) {
  std::vector<std::int32_t> sources;
  if (source.is_none()) return sources;
  sources = whole_numbers(source, "source");
  for (const std::int32_t face : sources)
    if (face < 0 || static_cast<std::size_t>(face) >= mesh.faces.size())
      throw InvalidArgument(
          fmt::format("source is {}; the mesh has faces 0 to {}", face, mesh.faces.size() - 1));
  if (sources.empty())
    throw InvalidArgument("source is empty; expected a face, several faces, or None for all");
  return sources;
}

// Costs of the caller's make a graph of their own, which is not kept.
nb::tuple distances(const DistanceOptions& options, FaceGraph& graphs, const TriangleMesh& mesh,
                    nb::handle source, nb::handle costs, nb::handle progress) {
  const std::vector<std::int32_t> sources = source_faces(mesh, source);
  if (options.nearest && sources.empty())
    throw InvalidArgument("nearest needs the faces to choose from; give source=[FACE, FACE]");
  const std::vector<float> steps = own_costs(costs);
  const bool own = !costs.is_none();
  const auto faces = static_cast<double>(mesh.faces.size());
  const double rows = sources.empty() ? faces : static_cast<double>(sources.size());
  Calls calls;
  PathOptions paths = with_exec(options.paths, calls.watched(options.exec));
  if (options.cutoff) paths.cutoff = static_cast<float>(*options.cutoff);
  Distances found = calls.run({kOperationsPerDistance * faces * (rows + 2)}, progress, [&] {
    const Exec exec = graph_exec(calls);
    const auto graph = own ? std::make_shared<const Graph>(
                                 mesh::path_graph(mesh::dual_graph(mesh, 0, exec), steps))
                           : graphs.with(mesh, options.costs, exec);
    return found_distances(*graph, sources, options.nearest, paths);
  });
  nb::dict all = dict_of_record(record_ref(found.report));
  all["nearest"] = options.nearest ? to_numpy(found.nearest) : nb::none();
  all["values"] = std::move(found).to_numpy();
  return nb::make_tuple(all, option_values(options), option_words(options));
}

nb::dict dual_graph(const TriangleMesh& mesh, int smoothing) {
  if (smoothing < 0)
    throw InvalidArgument(fmt::format("smoothing is {}; expected 0 or more", smoothing));
  Calls calls;
  const mesh::DualGraph graph =
      calls.run({kOperationsPerDistance * (1 + smoothing) * static_cast<double>(mesh.faces.size())},
                nb::none(), [&] { return mesh::dual_graph(mesh, smoothing, graph_exec(calls)); });
  const auto rows = [](const std::vector<std::array<float, 3>>& points) {
    std::vector<float> all;
    all.reserve(3 * points.size());
    for (const auto& point : points) all.insert(all.end(), point.begin(), point.end());
    return to_numpy(all, {points.size(), 3});
  };
  nb::dict all;
  all["a"] = column_of(graph.arcs, &mesh::DualArc::a);
  all["b"] = column_of(graph.arcs, &mesh::DualArc::b);
  all["geodesic"] = column_of(graph.arcs, &mesh::DualArc::geodesic);
  all["angle"] = column_of(graph.arcs, &mesh::DualArc::angle);
  all["concave"] = column_of(graph.arcs, &mesh::DualArc::concave);
  all["edge"] = column_of(graph.arcs, &mesh::DualArc::edge);
  all["low"] = column_of(graph.arcs, &mesh::DualArc::low);
  all["high"] = column_of(graph.arcs, &mesh::DualArc::high);
  all["areas"] = to_numpy(graph.areas);
  all["centroids"] = rows(graph.centroids);
  all["normals"] = rows(graph.normals);
  all["components"] = to_numpy(graph.components);
  return all;
}

nb::dict evaluate(const TriangleMesh& mesh, nb::handle labels, const nb::list& truths) {
  const std::vector<std::int32_t> found = face_labels(mesh, labels);
  std::vector<std::vector<std::int32_t>> references;
  for (const nb::handle truth : truths) references.push_back(face_labels(mesh, truth, "truth"));
  if (references.empty())
    throw InvalidArgument("truth is empty; expected one segmentation or several");
  Calls calls;
  const double work = 200.0 * static_cast<double>(found.size() * references.size());
  const mesh::SegmentationReport report = calls.run(
      {work}, nb::none(), [&] { return mesh::evaluate_segmentation(mesh, found, references); });
  return dict_of_record(record_ref(report));
}

nb::object polygon_numbers(const TriangleMesh& mesh) {
  if (mesh.polygons.empty()) return nb::none();
  return to_numpy(mesh.polygons);
}

}  // namespace

void bind_mesh(nb::module_& parent) {
  nb::module_ m = parent.def_submodule("mesh");
  nb::class_<TriangleMesh>(m, "Mesh")
      .def_prop_ro("vertices", &vertex_view)
      .def_prop_ro("faces", &face_view)
      .def_prop_ro("polygons", &polygon_numbers);
  m.def("make", &make_mesh);
  define<ChoosesDevice::kOperation>(m, "read", &read);
  define<ChoosesDevice::kOperation>(m, "write", &write);
  m.def("value_colors", &value_colors);
  m.def("read_labels", [](const std::string& path) { return to_numpy(io::read_labels(path)); });
  m.def("write_labels", [](const std::string& path, nb::handle labels) {
    io::write_labels(path, whole_numbers(labels, "labels"));
  });
  m.def("file_labels", [](const TriangleMesh& mesh, nb::handle labels) {
    return to_numpy(io::file_labels(mesh, face_labels(mesh, labels)));
  });
  nb::class_<mesh::SegmentExplanation>(m, "SegmentExplanation")
      .def("segmentation",
           [](const mesh::SegmentExplanation& why) {
             return dict_of_record(record_ref(why.segmentation));
           })
      .def("shown",
           [](const mesh::SegmentExplanation& why) {
             return explanation_of(why, {"cuts", "scores", "stops"});
           })
      .def("face", [](const mesh::SegmentExplanation& why, std::int64_t face) {
        const mesh::FaceExplanation one = mesh::explain_face(why, face);
        return explanation_of(mesh::present(why, one), record_with_rows(record_ref(one)));
      });
  define_face<Segmenter>(m, "Segmenter")
      .def(nb::init<const nb::dict&>())
      .def("explain", &Segmenter::explain);
  m.def("segment_options", [] { return table_without("parts", option_table<SegmentOptions>()); });
  m.def("part_colors", &part_colors);
  m.def("render_parts", &render_parts);
  m.def("render_values", &render_values);
  define<ChoosesDevice::kOperation>(m, "page", &page);
  m.def("hierarchy_json", [](const nb::list& nodes) {
    return mesh::hierarchy_json(list_from<mesh::HierarchyNode>(nodes));
  });
  m.def("hierarchy_levels", [](const nb::list& nodes) {
    return mesh::hierarchy_levels(list_from<mesh::HierarchyNode>(nodes));
  });
  m.def("parts_at_level", [](const nb::list& nodes, int level) {
    return to_numpy(mesh::parts_at_level(list_from<mesh::HierarchyNode>(nodes), level));
  });
  nb::class_<FaceGraph>(m, "FaceGraph").def(nb::init<>());
  define(m, "distances", &distances);
  m.def("dual_graph", &dual_graph);
  m.def("evaluate", &evaluate);
  m.def("evaluate_fields", &fields_of<mesh::SegmentationReport>);
  m.def("distance_fields", &fields_of<PathReport>);
  m.def("parts_picture_options", &option_table<PartsPicture>);
  m.def("values_picture_options", &option_table<ValuesPicture>);
  bind_mesh_costs(m);
}

}  // namespace fovea::python
