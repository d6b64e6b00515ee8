// fovea mesh segment: a mesh cut into parts, as labels, colored meshes, pictures and pages.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>
#include <fovea/io/sink.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "cli/mesh/values.h"
#include "cli/program/batch.h"
#include "core/json_text.h"

namespace fovea::cli {
namespace {

// What a picture's colors tell.
enum class Show : unsigned char { kSegments, kMembership };
std::span<const Choice> choices(Show) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"segments", static_cast<int>(Show::kSegments)},
       {"membership", static_cast<int>(Show::kMembership)}}};
  return kChoices;
}

struct SegmentRequest {
  std::string segments = "auto";
  std::string output{};
  std::string seg{};
  std::string picture{};
  std::string page{};
  Show show = Show::kSegments;
  mesh::SegmentOptions options{};
  mesh::RenderOptions render{.views = 4};
  io::MeshReadOptions read{};
};

void describe(OptionVisitor& visit, SegmentRequest& request) {
  visit("segments", request.segments, "how many parts, or auto");
  visit("output", request.output,
        "mesh with its parts: .ply and .off colored, .obj in groups; for several inputs a folder "
        "or a pattern such as out/{}.ply");
  visit("seg", request.seg, "file for the labels, a number a line and face of the file");
  visit("picture", request.picture, "file for a picture of the parts, from some sides");
  visit("page", request.page, "file for a page on which the mesh can be turned, .html");
  visit("show", request.show, "what the picture tells: the parts, or how sure they are");
  visit("method", request.options.method,
        "resistance: spectral coordinates of an electrical network; fuzzy: shortest paths and "
        "memberships (Katz and Tal)");
  visit("division", request.options.division, "at once, or by halves of halves");
  visit("cut", request.options.cut, "put seams along valleys by a minimum cut");
  visit("least-island", request.options.least_island,
        "pieces of a part with fewer faces go to the part around them", 0, 1e9);
  visit.group("resistance", request.options.resistance);
  visit.group("fuzzy", request.options.fuzzy);
  visit.group("hierarchy", request.options.hierarchy);
  visit.group("paths", request.options.paths);
  visit.group("picture", request.render);
  describe(visit, request.read);
}

int parse_segments(const std::string& text) {
  if (text == "auto") return 0;
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 1)
    throw InvalidArgument(
        fmt::format("--segments is '{}'; expected a number from 1 on, or auto", text));
  return count;
}

// Labels by the faces of the file: of a polygon that was cut into triangles the first one's.
std::vector<std::int32_t> file_labels(const io::TriangleMesh& mesh,
                                      const std::vector<std::int32_t>& labels) {
  if (mesh.polygons.empty()) return labels;
  std::vector<std::int32_t> result(static_cast<std::size_t>(mesh.file_faces()), -1);
  for (std::size_t f = 0; f < labels.size(); ++f) {
    std::int32_t& label = result[static_cast<std::size_t>(mesh.polygons[f])];
    if (label < 0) label = labels[f];
  }
  return result;
}

std::vector<std::array<std::uint8_t, 3>> bytes_of(const std::vector<report::Color>& colors) {
  std::vector<std::array<std::uint8_t, 3>> bytes;
  bytes.reserve(colors.size());
  for (const report::Color& c : colors) bytes.push_back({c.r, c.g, c.b});
  return bytes;
}

// Where each input's results go.
struct Outputs {
  std::vector<std::string> mesh, seg, picture, page;
};

Outputs outputs_of(const SegmentRequest& request, const std::vector<std::string>& inputs) {
  const auto paths = [&](const std::string& output, const char* extension) {
    return output.empty() ? std::vector<std::string>(inputs.size())
                          : output_paths(output, inputs, extension);
  };
  return {paths(request.output, ".ply"), paths(request.seg, ".seg"), paths(request.picture, ".png"),
          paths(request.page, ".html")};
}

// Refuses names before the work is done.
void check_extensions(const std::vector<std::string>& paths, std::span<const char* const> known,
                      const char* what) {
  for (const std::string& path : paths) {
    const std::string extension = std::filesystem::path(path).extension().string();
    if (!path.empty() && std::find(known.begin(), known.end(), extension) == known.end())
      throw InvalidArgument(fmt::format("{}: {} is written as {}", path, what,
                                        fmt::join(known.begin(), known.end(), ", ")));
  }
}

void write_text(const std::string& path, const std::string& text) {
  io::FileSink file(path);
  file.write(text);
  file.commit();
}

Image<std::uint8_t> picture_of(const SegmentRequest& request, const io::TriangleMesh& mesh,
                               const mesh::Segmentation& found) {
  mesh::RenderOptions options = request.render;
  options.parts = found.labels;
  if (request.show == Show::kSegments)
    return mesh::render(mesh, mesh::segment_colors(found.labels), options);
  return with_value_bar(
      mesh::render(mesh, mesh::value_colors(found.membership, report::ColorMap::kTide), options),
      found.membership, "membership");
}

int run_segment(SegmentRequest& request, Context& context) {
  request.options.segments = parse_segments(request.segments);
  if (request.output.empty() && request.seg.empty() && request.picture.empty() &&
      request.page.empty())
    throw InvalidArgument("mesh segment needs -o MESH, --seg, --picture or --page");
  settle_device(context);
  const auto inputs = io::expand_inputs(context.inputs, io::mesh_files());
  const Outputs outputs = outputs_of(request, inputs);
  static constexpr std::array<const char*, 4> kMeshes{".ply", ".off", ".obj", ".stl"};
  static constexpr std::array<const char*, 2> kPages{".html", ".htm"};
  check_extensions(outputs.mesh, kMeshes, "a mesh");
  check_extensions(outputs.page, kPages, "a page");
  request.options.exec = context.exec;
  request.options.exec.progress = {};
  request.render.exec = request.options.exec;
  return run_batch(context, inputs, [&](std::size_t i) -> Outcome {
    const io::TriangleMesh mesh = io::read_mesh(inputs[i], request.read);
    const mesh::Segmentation found = mesh::segment(mesh, request.options);
    const auto colors = mesh::segment_colors(found.labels);
    std::string members = fmt::format(
        "\"faces\": {}, \"clusters\": {}, \"segments\": {}, \"chosen\": {}, \"cut_value\": {}, "
        "\"engine\": {}, \"graph_seconds\": {}, \"distance_seconds\": {}, \"cluster_seconds\": {}, "
        "\"cut_seconds\": {}",
        mesh.faces.size(), found.clusters, found.pieces, found.chosen, found.cut_value,
        detail::json_quote(found.engine), found.graph_seconds, found.distance_seconds,
        found.cluster_seconds, found.cut_seconds);
    const auto wrote = [&](const char* key, const std::string& path) {
      members += fmt::format(", \"{}\": {}", key, detail::json_quote(path));
    };
    if (!outputs.mesh[i].empty()) {
      io::write_mesh(outputs.mesh[i], mesh, {.labels = found.labels, .colors = bytes_of(colors)});
      wrote("output", outputs.mesh[i]);
    }
    if (!outputs.seg[i].empty()) {
      io::write_labels(outputs.seg[i], file_labels(mesh, found.labels));
      wrote("seg", outputs.seg[i]);
    }
    if (!outputs.picture[i].empty()) {
      io::write_image(outputs.picture[i], picture_of(request, mesh, found).view());
      wrote("picture", outputs.picture[i]);
    }
    if (!outputs.page[i].empty()) {
      const std::string name = std::filesystem::path(inputs[i]).filename().string();
      write_text(
          outputs.page[i],
          mesh::model_page(mesh, found.labels,
                           {.title = name,
                            .text = fmt::format("{} faces in {} part{}", mesh.faces.size(),
                                                found.clusters, found.clusters == 1 ? "" : "s")}));
      wrote("page", outputs.page[i]);
    }
    return {fmt::format("{}: {} part{} of {} faces{}", inputs[i], found.clusters,
                        found.clusters == 1 ? "" : "s", mesh.faces.size(),
                        found.pieces == found.clusters
                            ? ""
                            : fmt::format(", {} connected pieces", found.pieces)),
            members};
  });
}

}  // namespace

Command mesh_segment_command() {
  return {
      .system = "mesh",
      .verb = "segment",
      .summary = "a mesh cut into meaningful parts",
      .text =
          "Cuts triangle meshes into the parts that people would name: limbs, handles, legs of a "
          "table. Labels fit the order of the file's faces. Components are cut each by themselves; "
          "clusters (parts) and segments (their connected pieces) are told apart. Pictures are "
          "drawn without a display, the page needs nothing but a browser.",
      .arguments = {{"MESH", "meshes (OFF, OBJ, PLY, STL): files, folders, globs or @list", 1,
                     kAnyNumber}},
      .examples = {{"fovea mesh segment ant.off -o parts.ply", "as many parts as it has"},
                   {"fovea mesh segment hand.obj -k 6 --seg hand.seg --picture hand.png",
                    "six parts, as labels and as a picture"},
                   {"fovea mesh segment chair.ply -o chair.obj --page chair.html",
                    "groups for a modeller, and a page to turn it on"},
                   {"fovea mesh segment cup.off -k 2 --method fuzzy -o cup.ply",
                    "the method of Katz and Tal"}},
      .request = make_request<SegmentRequest, run_segment>};
}

}  // namespace fovea::cli
