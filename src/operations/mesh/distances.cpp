// mesh distances: measures distances over the surface, from some faces or between all faces.
#include <fovea/core/error.h>
#include <fovea/io/csv_writer.h>
#include <fovea/io/image_io.h>
#include <fovea/io/npy.h>
#include <fovea/io/sink.h>
#include <fovea/mesh/named_costs.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "core/timing/seconds.h"
#include "core/words.h"
#include "io/image/npy.h"
#include "operations/make_operation.h"
#include "operations/mesh/own_costs.h"
#include "operations/mesh/read_mesh.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_mesh_distances {
namespace {

struct DistancesRequest {
  std::vector<int> from{};
  std::string from_file{};
  bool nearest = false;
  std::optional<double> cutoff{};
  mesh::NamedCosts costs{};
  OwnCosts own{};
  PathOptions paths{};
  mesh::RenderOptions render{.views = 2};
  io::MeshReadOptions read{};
  io::MeshWriteOptions write{};
  bool times = true;  // whether the line tells how long it took

  bool from_all() const { return from.empty() && from_file.empty(); }
};

void describe(OptionVisitor& visit, DistancesRequest& request) {
  visit("from", request.from,
        "the faces to measure from, counted from 0, with commas between them; without any, every "
        "face, one row per face",
        0, 2e9);
  visit.path("from-file", request.from_file, TextUse::kInput,
             "a text file with the faces to measure from, one per line");
  visit("nearest", request.nearest,
        "measure only to the nearest of the faces in --from, and find which it is");
  visit("cutoff", request.cutoff, "distances beyond this are infinite, which saves time", 0, 1e30,
        {.absent = "measure all"});
  describe(visit, request.costs);
  describe(visit, request.own);
  describe(visit, request.paths);
  visit.group("picture", request.render);
  describe(visit, request.read);
  describe(visit, request.write);
}

// What the JSON has.
struct DistancesReport {
  std::string input{};
  std::int64_t faces = 0;
  std::int64_t arcs = 0;
  PathReport run{};
  double greatest = 0;           // the greatest finite distance
  std::int64_t unreachable = 0;  // pairs of faces without a path
  double distance_seconds = 0;
  std::string output{};

  void add(std::span<const float> distances) {
    for (const float distance : distances) {
      if (distance < kUnreachable) greatest = std::max(greatest, double{distance});
      else ++unreachable;
    }
  }
};
void describe(FieldVisitor& visit, DistancesReport& found) {
  visit("input", found.input, "the mesh");
  visit("faces", found.faces, "how many faces it has");
  visit("arcs", found.arcs, "steps between faces");
  describe(visit, found.run);
  visit("greatest", found.greatest, "the greatest finite distance");
  visit("unreachable", found.unreachable, "pairs of faces without a path");
  visit("distance_seconds", found.distance_seconds, "time to measure",
        {.unit = "seconds", .timing = true});
  visit("output", found.output, "the file of the distances; empty where none was written");
}

// Distances from some faces: one row per source, or one row to the nearest of them.
struct Rows {
  std::vector<std::int32_t> sources;
  Image<float> distances;
  std::vector<std::int32_t> place;  // one per face: its nearest source's place in the list, or -1;
                                    // empty where there is a row per source

  std::span<const float> row(std::size_t i) const {
    return {distances.row(static_cast<int>(i)), static_cast<std::size_t>(distances.width())};
  }
  std::size_t count() const { return static_cast<std::size_t>(distances.height()); }
  // The name of a row in tables.
  std::string name(std::size_t i) const {
    return count() == 1 ? "distance" : fmt::format("distance_{}", sources[i]);
  }
  // The nearest source of a face, or -1.
  std::int32_t nearest(std::size_t face) const {
    return place[face] < 0 ? -1 : sources[static_cast<std::size_t>(place[face])];
  }
};

std::vector<std::int32_t> sources_of(const DistancesRequest& request, int faces) {
  std::vector<std::int32_t> sources(request.from.begin(), request.from.end());
  for (const std::int32_t face : sources)
    if (face >= faces)
      throw InvalidArgument(
          fmt::format("--from is {}; the mesh has faces 0 to {}", face, faces - 1));
  if (request.from_file.empty()) return sources;
  const std::vector<std::int32_t> more = io::read_labels(request.from_file);
  for (const std::int32_t face : more)
    if (face >= faces)
      throw FormatError(fmt::format("{}: face {}; the mesh has faces 0 to {}", request.from_file,
                                    face, faces - 1));
  sources.insert(sources.end(), more.begin(), more.end());
  return sources;
}

// Every source has a column of its own, which its number names.
void refuse_twice(std::vector<std::int32_t> sources) {
  std::sort(sources.begin(), sources.end());
  const auto twice = std::adjacent_find(sources.begin(), sources.end());
  if (twice != sources.end())
    throw InvalidArgument(fmt::format("face {} is named twice to measure from", *twice));
}

Rows measure_rows(const DistancesRequest& request, const Graph& graph, PathReport& report) {
  Rows rows{.sources = sources_of(request, graph.nodes()), .distances = {}, .place = {}};
  refuse_twice(rows.sources);
  if (!request.nearest) {
    rows.distances = distances_from(graph, rows.sources, request.paths, &report);
    return rows;
  }
  NearestSource nearest = nearest_source(graph, rows.sources, request.paths, &report);
  rows.distances = Image<float>(graph.nodes(), 1);
  std::copy(nearest.distance.begin(), nearest.distance.end(), rows.distances.row(0));
  rows.place = std::move(nearest.source);
  return rows;
}

struct Measured {
  std::shared_ptr<const io::TriangleMesh> mesh{};
  Graph graph{};
  Rows rows{};  // none where distances start at every face
  DistancesReport report{};
  std::string written{};  // the file that the line names
};

void write_table(const Rows& rows, const std::string& path) {
  io::FileSink file(path);
  std::vector<std::string> names{"face"};
  for (std::size_t i = 0; i < rows.count(); ++i) names.push_back(rows.name(i));
  if (!rows.place.empty()) names.emplace_back("nearest");
  io::CsvWriter csv(file.sink(), names);
  for (std::size_t face = 0; face < rows.row(0).size(); ++face) {
    csv.field(face);
    for (std::size_t i = 0; i < rows.count(); ++i) csv.field(rows.row(i)[face]);
    if (!rows.place.empty()) csv.field(rows.nearest(face));
    csv.end_row();
  }
  file.commit();
}

void write_array(const Rows& rows, const std::string& path) {
  std::vector<std::size_t> shape{rows.row(0).size()};
  if (rows.count() > 1) shape.insert(shape.begin(), rows.count());
  std::vector<float> values;
  values.reserve(rows.count() * rows.row(0).size());
  for (std::size_t i = 0; i < rows.count(); ++i)
    values.insert(values.end(), rows.row(i).begin(), rows.row(i).end());
  io::write_array(path, io::DType::kFloat32, shape, values.data());
}

std::vector<std::int32_t> nearest_of_faces(const Rows& rows) {
  std::vector<std::int32_t> nearest(rows.place.size());
  for (std::size_t face = 0; face < nearest.size(); ++face) nearest[face] = rows.nearest(face);
  return nearest;
}

void write_marked_mesh(const DistancesRequest& request, const Measured& item,
                       const std::string& path) {
  const Rows& rows = item.rows;
  std::vector<io::FaceAttribute> attributes;
  for (std::size_t i = 0; i < rows.count(); ++i) attributes.push_back({rows.name(i), rows.row(i)});
  std::vector<std::array<std::uint8_t, 3>> colors;
  colors.reserve(item.mesh->faces.size());
  for (const report::Color& c : mesh::value_colors(rows.row(0), report::ColorMap::kTide))
    colors.push_back({c.r, c.g, c.b});
  const std::vector<std::int32_t> nearest = nearest_of_faces(rows);
  io::write_mesh(path, *item.mesh, {.labels = nearest, .colors = colors, .attributes = attributes},
                 request.write);
}

void write_distances(const DistancesRequest& request, const Measured& item,
                     const std::string& path) {
  if (request.from_all()) return;  // they were written while they were measured
  const std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".npy") write_array(item.rows, path);
  else if (ending == ".csv") write_table(item.rows, path);
  else write_marked_mesh(request, item, path);
}

void write_which(const DistancesRequest&, const Measured& item, const std::string& path) {
  const std::vector<std::int32_t> nearest = nearest_of_faces(item.rows);
  const std::size_t shape[] = {nearest.size()};
  io::write_array(path, io::DType::kInt32, shape, nearest.data());
}

void write_picture(const DistancesRequest& request, const Measured& item, const std::string& path) {
  const Rows& rows = item.rows;
  const std::vector<std::int32_t> whole(item.mesh->faces.size(), 0);
  mesh::RenderOptions options = request.render;
  options.parts = whole;  // draws an outline, but no lines between faces
  if (!rows.place.empty()) options.parts = rows.place;
  const auto colors = mesh::value_colors(rows.row(0), report::ColorMap::kTide);
  io::write_image(
      path, mesh::with_value_bar(mesh::render(*item.mesh, colors, options), rows.row(0), "distance")
                .view());
}

// Rows go to the file as soon as they are ready, because the table of all pairs need not fit in
// memory.
void measure_all(const DistancesRequest& request, Measured& item) {
  DistancesReport& found = item.report;
  io::FileSink file(found.output);
  const auto nodes = static_cast<std::size_t>(item.graph.nodes());
  const std::size_t shape[] = {nodes, nodes};
  file.write(io::npy_header_text(io::DType::kFloat32, shape));
  stream_distances(
      item.graph,
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
}

// Throws for files that do not go with the options.
void settle(DistancesRequest& request, const Plan& plan) {
  request.times = plan.times;
  const bool all = request.from_all();
  if (!plan.writes("output") && !plan.writes("which") && (all || !plan.writes("picture")))
    throw InvalidArgument("mesh distances needs -o FILE.npy, or --from FACE and --picture FILE");
  if (all && plan.any("output", [](const std::string& path) { return !path.ends_with(".npy"); }))
    throw InvalidArgument(fmt::format("-o {}: distances between all faces are written as .npy",
                                      plan.files.at("output")[0]));
  if (all && plan.writes("picture"))
    throw InvalidArgument("--picture shows the distances from one face: give --from FACE");
  if (all && request.nearest)
    throw InvalidArgument("--nearest needs the faces to choose from: give --from FACE,FACE,...");
  if (plan.writes("which") && !request.nearest)
    throw InvalidArgument("--which is the nearest of several faces: give --nearest too");
  const std::size_t sources = request.from.size() + (request.from_file.empty() ? 0 : 2);
  if (plan.writes("picture") && sources > 1 && !request.nearest)
    throw InvalidArgument(
        "--picture shows one distance per face: give --from FACE alone, or --nearest");
  check_own_costs(request.own, 1);
  require_default_costs(request.own, request.costs.kind);
}

void begin(DistancesRequest& request, const Exec& exec, const Plan&) {
  request.paths.exec = exec;
  if (request.cutoff) request.paths.cutoff = static_cast<float>(*request.cutoff);
  request.render.exec = exec;
}

void read(const DistancesRequest& request, const Source& source, Measured& item) {
  item.report = {.input = source.name, .output = source.file("output")};
  for (const char* output : {"picture", "which", "output"})
    if (const std::string file = source.file(output); !file.empty()) item.written = file;
  item.mesh = mesh_of(source, request.read);
}

void run(const DistancesRequest& request, NoWorker&, Measured& item) {
  const double start = detail::seconds_now();
  DistancesReport& report = item.report;
  mesh::DualGraph dual = mesh::dual_graph(*item.mesh);
  item.graph = mesh::path_graph(
      dual, request.own.file.empty()
                ? mesh::named_costs(request.costs, *item.mesh, dual, request.paths.exec)
                : read_own_costs(request.own, report.input, dual));
  if (request.from_all()) {
    measure_all(request, item);
  } else {
    item.rows = measure_rows(request, item.graph, report.run);
    for (std::size_t i = 0; i < item.rows.count(); ++i) report.add(item.rows.row(i));
  }
  report.faces = item.graph.nodes();
  report.arcs = static_cast<std::int64_t>(item.graph.arcs());
  report.distance_seconds = detail::seconds_now() - start;
}

std::string line(const DistancesRequest& request, const Measured& item) {
  const DistancesReport& report = item.report;
  return fmt::format("{}: {} by {}{}{}", item.written, detail::counted(report.faces, "face"),
                     to_string(report.run.engine),
                     report.run.why.empty() ? "" : fmt::format(" ({})", report.run.why),
                     request.times ? fmt::format(", {:.2f} s", report.distance_seconds) : "");
}

std::vector<OutputOf<DistancesRequest, Measured>> outputs() {
  return {{.about = {.name = "output",
                     .help = "write the distances: .npy; with --from also .csv, or .ply with "
                             "distances as properties of faces",
                     .endings = {".npy", ".csv", ".ply"},
                     .what = "the array of distances",
                     .after = "cutoff"},
           .write = write_distances},
          {.about = {.name = "which",
                     .help = "with --nearest: write the nearest of the faces for each face as an "
                             ".npy array; -1 where none is reached",
                     .endings = {".npy"},
                     .what = "the array of the nearest faces",
                     .after = "nearest"},
           .write = write_which},
          {.about = {.name = "picture",
                     .help = "write a picture of the distances from one face, or from the nearest "
                             "of several",
                     .after = "cutoff"},
           .write = write_picture}};
}

}  // namespace
}  // namespace of_mesh_distances

Operation mesh_distances() {
  using namespace of_mesh_distances;
  return make_operation<DistancesRequest, Measured>(
      {.words =
           {.system = "mesh",
            .verb = "distances",
            .summary = "measure distances over a mesh",
            .text =
                "Finds shortest paths over the graph of faces. A step from face to face costs its "
                "length and its angle, as in Katz and Tal; with --alpha 1 it costs its length "
                "alone, in the unit of the mesh, and --costs takes any cost from a file. Distances "
                "start at some faces, or "
                "at every face: then the result is a square array that is written row by row and "
                "need not fit in memory. --nearest measures to the nearest of some faces. Faces of "
                "other components are infinitely far, as are those beyond --cutoff. A GPU "
                "(--device "
                "cuda) gives the same distances as the CPU; floyd-warshall and partitioned use as "
                "much of its memory as --memory allows and bring the rest through host memory, and "
                "`storage` in the JSON says how: a square, half of one, tiles, or rows.",
            .arguments = {{"MESH",
                           "a mesh: OFF, OBJ, PLY or STL; several, or @list, one after the other",
                           1, kAnyNumber}},
            .examples = {{"fovea mesh distances hand.off -o all.npy", "measure between all faces"},
                         {"fovea mesh distances hand.off --from 0 --picture far.png --alpha 1",
                          "show how far every face is from face 0"},
                         {"fovea mesh distances hand.off --from 0,90,400 -o rows.npy --cutoff 20",
                          "measure from three faces, and no farther than 20"},
                         {"fovea mesh distances hand.off --from 0,90 --nearest -o near.csv",
                          "find the nearer of two faces, and how far it is"}}},
       .input = InputKind::kMesh,
       .alone = true,
       .outputs = outputs(),
       .settle = settle,
       .read_beside =
           [](const DistancesRequest& request, const std::string& input) {
             return std::vector<std::string>{request.from_file, costs_file_of(request.own, input)};
           },
       .begin = begin,
       .read = read,
       .run = run,
       .result = [](const Measured& item) { return record_ref(item.report); },
       .line = line},
      sample_record<DistancesReport>);
}

}  // namespace fovea::operations
