// mesh segment: divides meshes into parts and writes labels, colored meshes, pictures, pages.
#include <fovea/core/error.h>
#include <fovea/io/inputs.h>
#include <fovea/io/mesh_io.h>
#include <fovea/io/npy.h>
#include <fovea/mesh/evaluate.h>
#include <fovea/mesh/explain.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>

#include "core/words.h"
#include "operations/explain.h"
#include "operations/files.h"
#include "operations/make_operation.h"
#include "operations/mesh/own_costs.h"
#include "operations/mesh/read_mesh.h"
#include "operations/systems.h"

namespace fovea::operations {
namespace of_mesh_segment {
namespace {

// What the colors of a picture mean.
enum class Show : unsigned char { kParts, kMembership };
std::span<const Choice> choices(Show) {
  static constexpr std::array<Choice, 2> kChoices{
      {{"parts", static_cast<int>(Show::kParts)},
       {"membership", static_cast<int>(Show::kMembership)}}};
  return kChoices;
}

struct SegmentRequest {
  Show show = Show::kParts;
  bool explain = false;
  std::optional<int> explain_face{};
  std::string explain_picture{};
  mesh::SegmentOptions options{};
  OwnCosts costs{};
  mesh::RenderOptions render{.views = 4};
  io::MeshReadOptions read{};
  io::MeshWriteOptions write{};
  bool writes_memberships = false;  // follows from the files that are asked for
  bool asks = false;                // why will be asked
};

void describe_show(OptionVisitor& visit, SegmentRequest& request) {
  visit("show", request.show,
        "color the picture by the parts, or by how surely each face belongs to its part");
}
void file_options(OptionVisitor& visit, SegmentRequest& request) {
  describe_show(visit, request);
  visit.group("picture", request.render);
  describe(visit, request.write);
}
void describe(OptionVisitor& visit, SegmentRequest& request) {
  describe_show(visit, request);
  visit("explain", request.explain,
        "say what the seams between the parts of one mesh cost and why there are so many parts, "
        "instead of writing them");
  visit("explain-face", request.explain_face,
        "say why this face belongs to its part; faces count from 0, and a polygon as its triangles",
        0, 2147483647, {.absent = "no face"});
  describe_explain_picture(visit, request.explain_picture);
  describe(visit, request.options);
  describe(visit, request.costs);
  visit.group("picture", request.render);
  describe(visit, request.read);
  describe(visit, request.write);
}

struct Divided {
  std::string input{};
  std::shared_ptr<const io::TriangleMesh> mesh{};
  std::optional<std::vector<float>> costs{};  // one per arc, where they are not what options say
  mesh::Segmentation found{};
  std::shared_ptr<const mesh::SegmentExplanation> why{};  // where it will be asked
};
// What the page saves: the result with the labels, which the program writes into files.
void describe(FieldVisitor& visit, Divided& item) {
  describe(visit, item.found);
  visit("labels", item.found.labels, "one per face: the part that it belongs to, from 0");
}

bool explains(const SegmentRequest& request) {
  return request.explain || request.explain_face.has_value();
}

void check(const SegmentRequest& request) {
  check_explain_picture(explains(request), request.explain_picture);
  require_default_costs(request.costs, request.options.cost);
}

// Throws for files that do not go with the options, and says what files cannot hold.
void settle(SegmentRequest& request, const Plan& plan) {
  check_own_costs(request.costs, plan.inputs.size());
  if (explains(request)) return;
  if (request.show != Show::kParts && !plan.writes("picture"))
    throw InvalidArgument("--show says what --picture shows; give --picture FILE too");
  if (plan.any("output", [](const std::string& path) { return path.ends_with(".stl"); }))
    plan.note(
        "STL files have no colors and no labels, so that the parts are lost; write .ply, .glb, "
        ".obj or .off to keep them");
  const bool without =
      plan.any("output", [](const std::string& path) { return !path.ends_with(".ply"); });
  if (request.options.keep_memberships && without)
    plan.note("only .ply files have memberships; --memberships writes them as an array");
  request.writes_memberships = plan.writes("memberships");
}

void begin(SegmentRequest& request, const Exec& exec, const Plan& plan) {
  request.asks = plan.asks;
  request.options.exec = exec;
  request.render.exec = exec;
}

mesh::Segmenter segmenter(const SegmentRequest& request, const Exec& exec) {
  mesh::SegmentOptions options = request.options;
  options.exec = exec;
  options.keep_memberships = options.keep_memberships || request.writes_memberships;
  return mesh::Segmenter(options);
}

void read(const SegmentRequest& request, const Source& source, Divided& item) {
  item.input = source.name;
  item.mesh = mesh_of(source, request.read);
  item.costs = given_costs(source);
}

void segment(const SegmentRequest& request, mesh::Segmenter& segmenter, Divided& item) {
  const io::TriangleMesh& mesh = *item.mesh;
  if (!item.costs && !request.costs.file.empty())
    item.costs =
        read_own_costs(request.costs, item.input, mesh::dual_graph(mesh, 0, request.options.exec));
  if (!request.asks) {
    item.found = item.costs ? segmenter.segment(mesh, *item.costs) : segmenter.segment(mesh);
    return;
  }
  item.why = std::make_shared<const mesh::SegmentExplanation>(
      item.costs ? segmenter.explain(mesh, *item.costs) : segmenter.explain(mesh));
  item.found = item.why->segmentation;
}

// An estimate from the length of the file, in which a face takes 20 to 50 bytes: the mesh with its
// graph, and for the method of Katz and Tal all distances between faces.
std::uint64_t memory(const SegmentRequest& request, std::uint64_t bytes) {
  const std::uint64_t faces = bytes / 20;
  return 64 * bytes + (request.options.method == mesh::Method::kFuzzy ? 4 * faces * faces : 0);
}

std::string parts_text(const Divided& item) {
  return fmt::format("{} in {}", detail::counted(item.mesh->faces.size(), "face"),
                     detail::counted(item.found.count, "part"));
}

std::string line(const SegmentRequest&, const Divided& item) {
  const mesh::Segmentation& found = item.found;
  return parts_text(item) + (found.piece_count == found.count
                                 ? ""
                                 : fmt::format(", {} connected pieces", found.piece_count));
}

std::vector<std::array<std::uint8_t, 3>> bytes_of(const std::vector<report::Color>& colors) {
  std::vector<std::array<std::uint8_t, 3>> bytes;
  bytes.reserve(colors.size());
  for (const report::Color& c : colors) bytes.push_back({c.r, c.g, c.b});
  return bytes;
}

// The memberships of all faces as attributes: in their own parts, and in each part. The
// segmentation must outlive it.
struct MembershipColumns {
  MembershipColumns(const mesh::Segmentation& found, bool kept) {
    if (!kept || found.memberships.empty()) return;
    const auto count = static_cast<std::size_t>(found.count);
    columns.assign(count, std::vector<float>(found.labels.size()));
    for (std::size_t i = 0; i < found.memberships.size(); ++i)
      columns[i % count][i / count] = found.memberships[i];
    attributes.push_back({"quality", found.membership});  // MeshLab shows it by this name
    for (std::size_t part = 0; part < count; ++part)
      attributes.push_back({fmt::format("membership_{}", part), columns[part]});
  }
  std::vector<std::vector<float>> columns{};
  std::vector<io::FaceAttribute> attributes{};
};

void write_mesh(const SegmentRequest& request, const Divided& item, const std::string& path) {
  const auto colors = bytes_of(mesh::part_colors(item.found.labels));
  const MembershipColumns columns(item.found, request.options.keep_memberships);
  io::write_mesh(path, *item.mesh,
                 {.labels = item.found.labels, .colors = colors, .attributes = columns.attributes},
                 request.write);
}

void write_labels(const SegmentRequest&, const Divided& item, const std::string& path) {
  io::write_labels(path, io::file_labels(*item.mesh, item.found.labels));
}

std::string labels_text(const SegmentRequest&, const Divided& item) {
  return io::labels_text(io::file_labels(*item.mesh, item.found.labels));
}

void write_picture(const SegmentRequest& request, const Divided& item, const std::string& path) {
  const mesh::Segmentation& found = item.found;
  mesh::RenderOptions options = request.render;
  options.parts = found.labels;
  const bool parts = request.show == Show::kParts;
  Image<std::uint8_t> picture =
      mesh::render(*item.mesh,
                   parts ? mesh::part_colors(found.labels)
                         : mesh::value_colors(found.membership, report::ColorMap::kTide),
                   options);
  if (!parts) picture = mesh::with_value_bar(std::move(picture), found.membership, "membership");
  io::write_image(path, picture.view());
}

std::string page(const SegmentRequest&, const Divided& item, const report::Explanation* why) {
  return mesh::model_page(*item.mesh, item.found.labels,
                          {.title = std::filesystem::path(item.input).filename().string(),
                           .text = parts_text(item) + (why == nullptr ? "" : ". " + why->summary),
                           .hierarchy = item.found.hierarchy});
}

void write_page(const SegmentRequest& request, const Divided& item, const std::string& path) {
  write_text(path, page(request, item, nullptr));
}

void write_memberships(const SegmentRequest&, const Divided& item, const std::string& path) {
  if (item.found.memberships.empty())
    throw InvalidArgument("there are no memberships; divide the mesh with --keep-memberships");
  const std::size_t shape[] = {item.found.labels.size(),
                               static_cast<std::size_t>(item.found.count)};
  io::write_array(path, io::DType::kFloat32, shape, item.found.memberships.data());
}

void write_tree(const SegmentRequest&, const Divided& item, const std::string& path) {
  write_text(path, mesh::hierarchy_json(item.found.hierarchy));
}

void show(const SegmentRequest&, const Divided& item, Shown& shown) {
  const mesh::Segmentation& found = item.found;
  shown.summary = fmt::format("The mesh of {} faces has {}{}.", item.mesh->faces.size(),
                              detail::counted(found.count, "part"),
                              found.chosen ? ", a number that the program chose" : "");
  shown.parts = mesh::parts_json(*item.mesh, found.labels, found.hierarchy);
  shown.surfaces.push_back(
      {.name = "membership",
       .title = "Membership",
       .text = "Bright where a face surely belongs to its part.",
       .colors = mesh::value_colors(found.membership, report::ColorMap::kTide)});
  shown.facts.emplace_back("vertices", std::to_string(item.mesh->vertices.size()));
}

void compare(const SegmentRequest&, const Divided& item, const Truth& truth, Shown& shown) {
  const auto people = truth.parts(item.mesh->faces.size());
  if (people.empty()) return;
  for (std::size_t i = 0; i < people.size(); ++i)
    shown.surfaces.push_back({.name = fmt::format("truth-{}", i),
                              .title = people.size() == 1
                                           ? "Truth"
                                           : fmt::format("Truth {} of {}", i + 1, people.size()),
                              .text = "The parts that a person has made.",
                              .colors = mesh::part_colors(people[i])});
  const auto errors = mesh::evaluate_segmentation(*item.mesh, item.found.labels, people);
  shown.facts.emplace_back("Rand error", fmt::format("{:.3f}", errors.rand));
  shown.facts.emplace_back("cut discrepancy", fmt::format("{:.3f}", errors.cut_discrepancy));
  shown.summary += fmt::format(
      " It differs from the truth by a Rand error of {:.3f}{}.", errors.rand,
      people.size() == 1 ? "" : fmt::format(", the mean over {} people", people.size()));
}

// The memory of what a page and an explanation are made from.
std::size_t held_bytes(const Divided& item) {
  const io::TriangleMesh& mesh = *item.mesh;
  std::size_t bytes = mesh.vertices.size() * sizeof(mesh.vertices[0]) +
                      mesh.faces.size() * (sizeof(mesh.faces[0]) + 6 * sizeof(std::int32_t)) +
                      item.found.memberships.size() * sizeof(float);
  if (item.why)
    bytes += item.why->edges.size() * sizeof(mesh::CutEdge) +
             item.why->segmentation.memberships.size() * sizeof(float);
  return bytes;
}

std::shared_ptr<const mesh::SegmentExplanation> reasons_of(const SegmentRequest& request,
                                                           const Divided& item, const Exec& exec) {
  if (item.why) return item.why;
  mesh::SegmentOptions options = request.options;
  options.exec = exec;
  if (request.costs.file.empty())
    return std::make_shared<const mesh::SegmentExplanation>(mesh::explain(*item.mesh, options));
  const mesh::DualGraph graph = mesh::dual_graph(*item.mesh, 0, exec);
  return std::make_shared<const mesh::SegmentExplanation>(
      mesh::explain(*item.mesh, options, read_own_costs(request.costs, item.input, graph)));
}

// The face that is asked about; none: the seams of the whole mesh.
std::optional<std::int64_t> asked_face(const SegmentRequest& request, const Divided& item,
                                       const Asked& asked) {
  if (asked.question != nullptr)
    return *asked.question->face < 0 ? std::nullopt : asked.question->face;
  if (request.explain_face && *request.explain_face >= std::ssize(item.mesh->faces))
    throw InvalidArgument(fmt::format("--explain-face {}: {} has {} faces", *request.explain_face,
                                      item.input, item.mesh->faces.size()));
  return request.explain_face;
}

Explained explain(const SegmentRequest& request, const std::shared_ptr<const Divided>& item,
                  const Asked& asked) {
  const std::optional<std::int64_t> face = asked_face(request, *item, asked);
  const auto why = reasons_of(request, *item, asked.exec);
  Explained explained{.explanation =
                          face ? present(*why, mesh::explain_face(*why, *face)) : present(*why)};
  explained.picture = [item, why, render = request.render,
                       named = face.has_value()](const report::Explanation& shown) {
    const report::FaceLayer& layer = shown.surface[0];
    mesh::RenderOptions options = render;
    options.parts = why->segmentation.labels;
    const auto colors = mesh::value_colors(layer.values, report::ColorMap::kTide);
    return mesh::with_value_bar(mesh::render(*item->mesh, colors, options), layer.values,
                                named ? "membership in " + layer.name : layer.name);
  };
  return explained;
}

}  // namespace
}  // namespace of_mesh_segment

Operation mesh_segment() {
  using namespace of_mesh_segment;
  using Made = OutputOf<SegmentRequest, Divided>;
  const std::vector<Made> outputs{
      Made{.about = {.name = "output",
                     .help =
                         "write the mesh with its parts: .ply and .glb with colored vertices, .obj "
                         "with groups and materials, .off with colored faces; for several inputs "
                         "give a folder or a pattern such as out/{}.ply",
                     .result = "the mesh with its parts",
                     .ending = ".ply",
                     .endings = {".ply", ".glb", ".obj", ".off", ".stl"},
                     .what = "a mesh"},
           .write = write_mesh},
      Made{.about = {.name = "seg",
                     .help =
                         "write the labels: one line with one number for each face of the file; - "
                         "is standard output",
                     .result = "the labels of the file's faces",
                     .ending = ".seg",
                     .dash = Dash::kText},
           .write = write_labels,
           .text = labels_text},
      Made{.about = {.name = "picture",
                     .help = "write a picture of the parts, seen from several sides",
                     .result = "the picture of the parts",
                     .ending = ".png"},
           .write = write_picture},
      Made{.about = {.name = "page",
                     .help = "write an .html page on which the mesh can be turned by hand; with "
                             "--division hierarchical a slider opens the levels",
                     .result = "the page on which to turn the mesh",
                     .ending = ".html",
                     .endings = {".html", ".htm"},
                     .what = "a page"},
           .write = write_page},
      Made{.about = {.name = "memberships",
                     .help =
                         "write how much each face belongs to each part, as an .npy array of faces "
                         "x parts; a polygon of the file is several triangles, with one row each",
                     .result = "the array of faces x parts",
                     .ending = ".npy",
                     .endings = {".npy"},
                     .what = "the array of memberships"},
           .write = write_memberships},
      Made{.about = {.name = "tree",
                     .help = "write the tree of divisions as .json; needs --division hierarchical",
                     .result = "the tree of divisions",
                     .ending = ".json",
                     .endings = {".json"},
                     .what = "a tree"},
           .write = write_tree,
           .obstacle = [](const SegmentRequest& request) -> std::string {
             if (request.options.division == mesh::Division::kHierarchical) return "";
             return "--tree needs --division hierarchical; k-way division makes no tree";
           }}};
  return make_operation<SegmentRequest, Divided, mesh::Segmenter>(
      {.words =
           {.system = "mesh",
            .verb = "segment",
            .summary = "divide meshes into meaningful parts",
            .text = "Divides triangle meshes into the parts that people would name, such as limbs, "
                    "handles and the legs of a table. Labels follow the order of the file's faces. "
                    "Connected components are divided separately. A part may consist of several "
                    "connected pieces, and the result counts both. Pictures are drawn without a "
                    "display, and a page needs nothing but a browser.",
            .arguments = {{"MESH", "meshes (OFF, OBJ, PLY, STL): files, folders, globs or @list", 1,
                           kAnyNumber}},
            .examples =
                {{"fovea mesh segment ant.off -o parts.ply", "choose the number of parts"},
                 {"fovea mesh segment hand.obj -k 6 --seg hand.seg --picture hand.png",
                  "make six parts and write them as labels and as a picture"},
                 {"fovea mesh segment chair.ply -o chair.obj --page chair.html",
                  "write groups for a modeling program, and a page on which to turn the mesh"},
                 {"fovea mesh segment cup.off -k 2 --method fuzzy -o cup.glb",
                  "use the method of Katz and Tal"},
                 {"fovea mesh segment cup.off -k 2 --costs arcs.csv --seg cup.seg",
                  "let steps between faces cost what another program says"},
                 {"fovea mesh segment ant.off -k 9 --memberships ant.npy --seg ant.seg",
                  "write how much each face belongs to each part"},
                 {"fovea mesh segment ant.off --division hierarchical --page ant.html",
                  "make a page on which the divisions open level by level"},
                 {"fovea mesh segment ant.off --explain-face 120 --explain-picture why.png",
                  "say why a face belongs to its part, and draw its memberships"}}},
       .on_page = {.title = "Mesh parts",
                   .hint = "Click a face to see why it belongs to its part, or beside the mesh to "
                           "see what the seams between parts cost."},
       .input = InputKind::kMesh,
       .needs_output = true,
       .alone_on_gpu = true,
       .given = {{"costs", true}},
       .outputs = outputs,
       .check = check,
       .settle = settle,
       .read_beside =
           [](const SegmentRequest& request, const std::string& input) {
             if (request.costs.file.empty()) return std::vector<std::string>{};
             return std::vector<std::string>{costs_file_of(request.costs, input)};
           },
       .begin = begin,
       .worker = segmenter,
       .read = read,
       .run = segment,
       .memory = memory,
       .work = [](const SegmentRequest&) { return 30000.0; },
       .result = [](const Divided& item) { return record_ref(item.found); },
       .line = line,
       .controls = [](OptionVisitor& visit,
                      SegmentRequest& request) { describe(visit, request.options); },
       .file_options = file_options,
       .show = show,
       .compare = compare,
       .saved = [](const Divided& item) { return record_ref(item); },
       .page = page,
       .held_bytes = held_bytes,
       .explains = explains,
       .explain_picture = [](const SegmentRequest& request) { return request.explain_picture; },
       .explain = explain},
      sample_record<mesh::Segmentation>);
}

}  // namespace fovea::operations
