// fovea mesh distances: measures distances over the surface, from some faces or between all faces.
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

#include "cli/program/batch.h"
#include "cli/program/progress.h"
#include "cli/program/result.h"
#include "core/words.h"
#include "io/image/npy.h"
#include "operations/mesh/own_costs.h"

namespace fovea::cli {
namespace {

struct DistancesRequest {
  std::vector<int> from{};
  std::string from_file{};
  bool nearest = false;
  std::string which{};
  std::optional<double> cutoff{};
  std::string output{};
  std::string picture{};
  mesh::NamedCosts costs{};
  operations::OwnCosts own{};
  PathOptions paths{};
  mesh::RenderOptions render{.views = 2};
  io::MeshReadOptions read{};
  io::MeshWriteOptions write{};
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
  visit.path("which", request.which, TextUse::kOutput,
             "with --nearest: write the nearest of the faces for each face as an .npy array; -1 "
             "where none is reached");
  visit("cutoff", request.cutoff, "distances beyond this are infinite, which saves time", 0, 1e30,
        {.absent = "measure all"});
  visit.path("output", request.output, TextUse::kOutput,
             "write the distances: .npy; with --from also .csv, or .ply with distances as "
             "properties of faces");
  visit.path("picture", request.picture, TextUse::kOutput,
             "write a picture of the distances from one face, or from the nearest of several");
  describe(visit, request.costs);
  describe(visit, request.own);
  describe(visit, request.paths);
  visit.group("picture", request.render);
  describe(visit, request.read);
  describe(visit, request.write);
}

// What was found, as the JSON has it.
struct Found {
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
void describe(FieldVisitor& visit, Found& found) {
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

void write_table(const std::string& path, const Rows& rows) {
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

void write_marked_mesh(const DistancesRequest& request, const io::TriangleMesh& mesh,
                       const Rows& rows) {
  std::vector<io::FaceAttribute> attributes;
  for (std::size_t i = 0; i < rows.count(); ++i) attributes.push_back({rows.name(i), rows.row(i)});
  std::vector<std::array<std::uint8_t, 3>> colors;
  colors.reserve(mesh.faces.size());
  for (const report::Color& c : mesh::value_colors(rows.row(0), report::ColorMap::kTide))
    colors.push_back({c.r, c.g, c.b});
  std::vector<std::int32_t> nearest(rows.place.size());
  for (std::size_t face = 0; face < nearest.size(); ++face) nearest[face] = rows.nearest(face);
  io::write_mesh(request.output, mesh,
                 {.labels = nearest, .colors = colors, .attributes = attributes}, request.write);
}

void write_rows(const DistancesRequest& request, const io::TriangleMesh& mesh, const Rows& rows) {
  const std::string extension = std::filesystem::path(request.output).extension().string();
  const std::size_t faces = rows.row(0).size();
  if (extension == ".npy") {
    std::vector<std::size_t> shape{faces};
    if (rows.count() > 1) shape.insert(shape.begin(), rows.count());
    std::vector<float> values;
    values.reserve(rows.count() * faces);
    for (std::size_t i = 0; i < rows.count(); ++i)
      values.insert(values.end(), rows.row(i).begin(), rows.row(i).end());
    io::write_array(request.output, io::DType::kFloat32, shape, values.data());
  } else if (extension == ".csv") {
    write_table(request.output, rows);
  } else if (extension == ".ply") {
    write_marked_mesh(request, mesh, rows);
  }
  if (!request.which.empty()) {
    std::vector<std::int32_t> nearest(faces);
    for (std::size_t face = 0; face < faces; ++face) nearest[face] = rows.nearest(face);
    const std::size_t shape[] = {faces};
    io::write_array(request.which, io::DType::kInt32, shape, nearest.data());
  }
  if (!request.picture.empty()) {
    const std::vector<std::int32_t> whole(faces, 0);
    mesh::RenderOptions options = request.render;
    options.parts = whole;  // draws an outline, but no lines between faces
    if (!rows.place.empty()) options.parts = rows.place;
    const auto colors = mesh::value_colors(rows.row(0), report::ColorMap::kTide);
    io::write_image(
        request.picture,
        mesh::with_value_bar(mesh::render(mesh, colors, options), rows.row(0), "distance").view());
  }
}

Found from_some(const DistancesRequest& request, const io::TriangleMesh& mesh, const Graph& graph) {
  Found found;
  const Rows rows = measure_rows(request, graph, found.run);
  for (std::size_t i = 0; i < rows.count(); ++i) found.add(rows.row(i));
  write_rows(request, mesh, rows);
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

void check_request(const DistancesRequest& request, bool all) {
  if (request.output.empty() && request.which.empty() && (all || request.picture.empty()))
    throw InvalidArgument("mesh distances needs -o FILE.npy, or --from FACE and --picture FILE");
  const std::string extension = std::filesystem::path(request.output).extension().string();
  const bool known = extension == ".npy" || (!all && (extension == ".csv" || extension == ".ply"));
  if (!request.output.empty() && !known)
    throw InvalidArgument(fmt::format("-o {}: distances {} are written as {}", request.output,
                                      all ? "between all faces" : "from some faces",
                                      all ? ".npy" : ".npy, .csv or .ply"));
  if (all && !request.picture.empty())
    throw InvalidArgument("--picture shows the distances from one face: give --from FACE");
  if (all && request.nearest)
    throw InvalidArgument("--nearest needs the faces to choose from: give --from FACE,FACE,...");
  if (!request.which.empty() && !request.nearest)
    throw InvalidArgument("--which is the nearest of several faces: give --nearest too");
  if (!request.which.empty() && std::filesystem::path(request.which).extension() != ".npy")
    throw InvalidArgument(fmt::format("--which {}: it is written as .npy", request.which));
  const std::size_t sources = request.from.size() + (request.from_file.empty() ? 0 : 2);
  if (!request.picture.empty() && sources > 1 && !request.nearest)
    throw InvalidArgument(
        "--picture shows one distance per face: give --from FACE alone, or --nearest");
}

int run_distances(DistancesRequest& request, Context& context) {
  const bool all = request.from.empty() && request.from_file.empty();
  check_request(request, all);
  check_own_costs(request.own, 1);
  require_default_costs(request.own, request.costs.kind);
  check_outputs(
      context, {{"-o", request.output}, {"--which", request.which}, {"--picture", request.picture}},
      {request.from_file, costs_file_of(request.own, context.inputs[0])});
  resolve_device(context);
  request.paths.exec = context.exec;
  if (request.cutoff) request.paths.cutoff = static_cast<float>(*request.cutoff);
  request.render.exec = context.exec;
  const io::TriangleMesh mesh = io::read_mesh(context.inputs[0], request.read);
  const double start = steady_seconds();
  mesh::DualGraph dual = mesh::dual_graph(mesh);
  const std::vector<float> costs = request.own.file.empty()
                                       ? mesh::named_costs(request.costs, mesh, dual, context.exec)
                                       : read_own_costs(request.own, context.inputs[0], dual);
  const Graph graph = mesh::path_graph(dual, costs);
  Found found = all ? from_all(request, graph) : from_some(request, mesh, graph);
  found.distance_seconds = steady_seconds() - start;
  context.console.end_progress();
  if (context.json) {
    found.input = context.inputs[0];
    found.faces = graph.nodes();
    found.arcs = static_cast<std::int64_t>(graph.arcs());
    found.output = request.output;
    print_result(context, record_ref(found));
  } else {
    const std::string why = found.run.why.empty() ? "" : fmt::format(" ({})", found.run.why);
    const std::string& written = !request.output.empty()  ? request.output
                                 : !request.which.empty() ? request.which
                                                          : request.picture;
    context.console.print(
        fmt::format("{}: {} by {}{}{}\n", written, detail::counted(graph.nodes(), "face"),
                    to_string(found.run.engine), why,
                    reports_times(context) ? fmt::format(", {:.2f} s", found.distance_seconds)
                                           : std::string()));
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
          "and its angle, as in Katz and Tal; with --alpha 1 it costs its length alone, and "
          "--costs takes any cost from a file. Distances start at some faces, or at every face: "
          "then the result is a square array that is written row by row and need not fit in "
          "memory. --nearest measures to the nearest of some faces. Faces of other components are "
          "infinitely far, as are those beyond --cutoff. A GPU (--device cuda) gives the same "
          "distances as the CPU; floyd-warshall and partitioned use as much of its memory as "
          "--memory allows and bring the rest through host memory, and `storage` in the JSON says "
          "how: a square, half of one, tiles, or rows.",
      .arguments = {{"MESH", "a mesh: OFF, OBJ, PLY or STL; several, or @list, one after the other",
                     1, kAnyNumber}},
      .examples = {{"fovea mesh distances hand.off -o all.npy", "measure between all faces"},
                   {"fovea mesh distances hand.off --from 0 --picture far.png --alpha 1",
                    "show how far every face is from face 0"},
                   {"fovea mesh distances hand.off --from 0,90,400 -o rows.npy --cutoff 20",
                    "measure from three faces, and no farther than 20"},
                   {"fovea mesh distances hand.off --from 0,90 --nearest -o near.csv",
                    "find the nearer of two faces, and how far it is"}},
      .request = make_request<DistancesRequest, run_distances>,
      .result = {.record = sample_record<Found>},
      .shards = true,
      .repeats_per_input = true};
}

}  // namespace fovea::cli
