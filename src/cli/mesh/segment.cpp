// fovea mesh segment: divides meshes into parts and writes labels, colored meshes, pictures, pages.
#include <fovea/core/error.h>
#include <fovea/io/image_io.h>
#include <fovea/io/inputs.h>
#include <fovea/io/npy.h>
#include <fovea/io/sink.h>
#include <fovea/mesh/segment.h>
#include <fovea/mesh/show.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/mesh/explain.h"
#include "cli/mesh/own_costs.h"
#include "cli/program/batch.h"
#include "cli/program/files.h"
#include "cli/program/result.h"
#include "core/words.h"

namespace fovea::cli {
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
  std::string output{};
  std::string seg{};
  std::string picture{};
  std::string page{};
  std::string memberships{};
  std::string tree{};
  OwnCosts costs{};
  Show show = Show::kParts;
  ExplainMesh explain{};
  mesh::SegmentOptions options{};
  mesh::RenderOptions render{.views = 4};
  io::MeshReadOptions read{};
  io::MeshWriteOptions write{};
};

void describe(OptionVisitor& visit, SegmentRequest& request) {
  visit.path(
      "output", request.output, TextUse::kOutput,
      "write the mesh with its parts: .ply and .glb with colored vertices, .obj with groups "
      "and materials, .off with colored faces; for several inputs give a folder or a pattern "
      "such as out/{}.ply");
  visit.path(
      "seg", request.seg, TextUse::kOutput,
      "write the labels: one line with one number for each face of the file; - is standard output");
  visit.path("picture", request.picture, TextUse::kOutput,
             "write a picture of the parts, seen from several sides");
  visit.path("page", request.page, TextUse::kOutput,
             "write an .html page on which the mesh can be turned by hand; with --division "
             "hierarchical a slider opens the levels");
  visit.path("memberships", request.memberships, TextUse::kOutput,
             "write how much each face belongs to each part, as an .npy array of faces x parts; a "
             "polygon of the file is several triangles, with one row each");
  visit.path("tree", request.tree, TextUse::kOutput,
             "write the tree of divisions as .json; needs --division hierarchical");
  visit("show", request.show,
        "color the picture by the parts, or by how surely each face belongs to its part");
  describe(visit, request.explain);
  describe(visit, request.options);
  describe(visit, request.costs);
  visit.group("picture", request.render);
  describe(visit, request.read);
  describe(visit, request.write);
}

std::vector<std::array<std::uint8_t, 3>> bytes_of(const std::vector<report::Color>& colors) {
  std::vector<std::array<std::uint8_t, 3>> bytes;
  bytes.reserve(colors.size());
  for (const report::Color& c : colors) bytes.push_back({c.r, c.g, c.b});
  return bytes;
}

// The output files of one input; those that are not written are empty.
struct SegmentFiles {
  std::string mesh{}, seg{}, picture{}, page{}, memberships{}, tree{};
};
void describe(FieldVisitor& visit, SegmentFiles& files) {
  visit("output", files.mesh, "the mesh with its parts", {.sparse = true});
  visit("seg", files.seg, "the labels of the file's faces", {.sparse = true});
  visit("picture", files.picture, "the picture of the parts", {.sparse = true});
  visit("page", files.page, "the page on which to turn the mesh", {.sparse = true});
  visit("memberships", files.memberships, "the array of faces x parts", {.sparse = true});
  visit("tree", files.tree, "the tree of divisions", {.sparse = true});
}

// The output files of each input.
struct Outputs {
  std::vector<std::string> mesh, seg, picture, page, memberships, tree;
  SegmentFiles at(std::size_t i) const {
    return {mesh[i], seg[i], picture[i], page[i], memberships[i], tree[i]};
  }
};

// What the JSON has of each input.
struct SegmentReport {
  mesh::Segmentation found{};
  SegmentFiles files{};
};
void describe(FieldVisitor& visit, SegmentReport& report) {
  describe(visit, report.found);
  describe(visit, report.files);
}

// Throws where an option names one file for several inputs; the message names the option.
void require_one_per_input(const char* option, const std::string& output, std::size_t inputs) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (inputs < 2 || output.find("{}") != std::string::npos || output.ends_with('/') ||
      fs::is_directory(output, ignored))
    return;
  const std::string extension = fs::path(output).extension().string();
  if (output == "-" || !extension.empty())
    throw InvalidArgument(
        fmt::format("{} {} names one file, but there are {} inputs; give a folder, or a pattern "
                    "such as out/{{}}{}",
                    option, output, inputs, extension));
}

Outputs outputs_of(const SegmentRequest& request, const Context& context,
                   const std::vector<std::string>& inputs) {
  const auto paths = [&](const char* option, const std::string& output, const char* extension) {
    require_one_per_input(option, output, inputs.size());
    return output.empty() ? std::vector<std::string>(inputs.size())
                          : output_paths(context, output, inputs, extension);
  };
  return {paths("-o", request.output, ".ply"),
          paths("--seg", request.seg, ".seg"),
          paths("--picture", request.picture, ".png"),
          paths("--page", request.page, ".html"),
          paths("--memberships", request.memberships, ".npy"),
          paths("--tree", request.tree, ".json")};
}

// Throws for unknown extensions before any work is done.
void check_extensions(const std::vector<std::string>& paths, std::span<const char* const> known,
                      const char* what) {
  for (const std::string& path : paths) {
    const std::string extension = std::filesystem::path(path).extension().string();
    if (!path.empty() && std::find(known.begin(), known.end(), extension) == known.end())
      throw InvalidArgument(fmt::format("{}: {} is written as {}", path, what,
                                        fmt::join(known.begin(), known.end(), ", ")));
  }
}

Image<std::uint8_t> picture_of(const SegmentRequest& request, const io::TriangleMesh& mesh,
                               const mesh::Segmentation& found) {
  mesh::RenderOptions options = request.render;
  options.parts = found.labels;
  if (request.show == Show::kParts)
    return mesh::render(mesh, mesh::part_colors(found.labels), options);
  return mesh::with_value_bar(
      mesh::render(mesh, mesh::value_colors(found.membership, report::ColorMap::kTide), options),
      found.membership, "membership");
}

// No file may be written twice, or replace the costs that are read.
void check_files(const SegmentRequest& request, const Outputs& outputs,
                 const std::vector<std::string>& inputs, Context& context) {
  std::vector<OutputFile> files;
  std::vector<std::string> costs;
  files.reserve(6 * inputs.size());
  costs.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    files.push_back({"-o", outputs.mesh[i]});
    files.push_back({"--seg", outputs.seg[i]});
    files.push_back({"--picture", outputs.picture[i]});
    files.push_back({"--page", outputs.page[i]});
    files.push_back({"--memberships", outputs.memberships[i]});
    files.push_back({"--tree", outputs.tree[i]});
    costs.push_back(costs_file_of(request.costs, inputs[i]));
  }
  check_outputs(context, files, costs);
}

void check_formats(const SegmentRequest& request, const Outputs& outputs, Context& context) {
  static constexpr std::array<const char*, 5> kMeshes{".ply", ".glb", ".obj", ".off", ".stl"};
  static constexpr std::array<const char*, 2> kPages{".html", ".htm"};
  check_extensions(outputs.mesh, kMeshes, "a mesh");
  check_extensions(outputs.page, kPages, "a page");
  static constexpr std::array<const char*, 1> kArrays{".npy"};
  static constexpr std::array<const char*, 1> kTrees{".json"};
  check_extensions(outputs.memberships, kArrays, "the array of memberships");
  check_extensions(outputs.tree, kTrees, "a tree");
  if (!request.tree.empty() && request.options.division != mesh::Division::kHierarchical)
    throw InvalidArgument("--tree needs --division hierarchical; k-way division makes no tree");
  if (request.show != Show::kParts && request.picture.empty())
    throw InvalidArgument("--show says what --picture shows; give --picture FILE too");
  const bool loses = std::ranges::any_of(
      outputs.mesh, [](const std::string& path) { return path.ends_with(".stl"); });
  if (loses)
    context.console.note(
        "STL files have no colors and no labels, so that the parts are lost; write .ply, .glb, "
        ".obj or .off to keep them");
  const bool without = std::ranges::any_of(outputs.mesh, [](const std::string& path) {
    return !path.empty() && !path.ends_with(".ply");
  });
  if (request.options.keep_memberships && without)
    context.console.note("only .ply files have memberships; --memberships writes them as an array");
}

std::string parts_text(const io::TriangleMesh& mesh, const mesh::Segmentation& found) {
  return fmt::format("{} in {}", detail::counted(mesh.faces.size(), "face"),
                     detail::counted(found.count, "part"));
}

// An estimate from the length of the file, in which a face takes 20 to 50 bytes: the mesh with its
// graph, and for the method of Katz and Tal all distances between faces.
std::uint64_t memory_of(const std::string& path, const mesh::SegmentOptions& options) {
  const std::uint64_t bytes = file_bytes(path), faces = bytes / 20;
  return 64 * bytes + (options.method == mesh::Method::kFuzzy ? 4 * faces * faces : 0);
}

struct Divided {
  std::string input{};
  io::TriangleMesh mesh{};
  SegmentReport report{};
};

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

// Writes the files of numbers.
void write_numbers(const SegmentFiles& files, const mesh::Segmentation& found) {
  if (!files.memberships.empty()) {
    const std::size_t shape[] = {found.labels.size(), static_cast<std::size_t>(found.count)};
    io::write_array(files.memberships, io::DType::kFloat32, shape, found.memberships.data());
  }
  if (!files.tree.empty()) write_text(files.tree, mesh::hierarchy_json(found.hierarchy));
}

// Writes the files of one mesh.
Outcome write(const SegmentRequest& request, Divided& item, const Context& context) {
  const std::string& input = item.input;
  const io::TriangleMesh& mesh = item.mesh;
  const mesh::Segmentation& found = item.report.found;
  SegmentFiles& files = item.report.files;
  if (!files.mesh.empty()) {
    const auto colors = bytes_of(mesh::part_colors(found.labels));
    const MembershipColumns columns(found, request.options.keep_memberships);
    io::write_mesh(files.mesh, mesh,
                   {.labels = found.labels, .colors = colors, .attributes = columns.attributes},
                   request.write);
  }
  if (io::is_standard_output(files.seg)) files.seg.clear();
  if (!files.seg.empty()) io::write_labels(files.seg, io::file_labels(mesh, found.labels));
  if (!files.picture.empty())
    io::write_image(files.picture, picture_of(request, mesh, found).view());
  if (!files.page.empty()) {
    const std::string name = std::filesystem::path(input).filename().string();
    write_text(files.page,
               mesh::model_page(
                   mesh, found.labels,
                   {.title = name, .text = parts_text(mesh, found), .hierarchy = found.hierarchy}));
  }
  write_numbers(files, found);
  Outcome outcome{
      .members = io::record_members(record_ref(item.report), written_fields(context)),
      .files = {files.mesh, files.seg, files.picture, files.page, files.memberships, files.tree}};
  std::erase(outcome.files, "");
  outcome.line = fmt::format("{}: {}{}", input, parts_text(mesh, found),
                             found.piece_count == found.count
                                 ? ""
                                 : fmt::format(", {} connected pieces", found.piece_count));
  return outcome;
}

int run_explain_mesh(const SegmentRequest& request, Context& context) {
  for (const std::string& output : {request.output, request.seg, request.picture, request.page,
                                    request.memberships, request.tree})
    if (!output.empty())
      throw InvalidArgument(fmt::format(
          "--explain writes no parts that {} could get; take --explain-picture FILE", output));
  require_default_costs(request.costs, request.options.cost);
  settle_device(context);
  return explain_mesh({.request = request.explain,
                       .options = request.options,
                       .render = request.render,
                       .costs = request.costs,
                       .read = request.read},
                      io::expand_inputs(context.inputs, io::mesh_files()), context);
}

int run_segment(SegmentRequest& request, Context& context) {
  check_explain_mesh(request.explain);
  if (request.explain.asked()) return run_explain_mesh(request, context);
  if (request.output.empty() && request.seg.empty() && request.picture.empty() &&
      request.page.empty() && request.memberships.empty() && request.tree.empty())
    throw InvalidArgument(
        "mesh segment needs -o MESH, --seg, --picture, --page, --memberships or --tree");
  settle_device(context);
  const auto inputs = unit_inputs(context, io::mesh_files());
  const Outputs outputs = outputs_of(request, context, inputs);
  check_formats(request, outputs, context);
  check_files(request, outputs, inputs, context);
  check_own_costs(request.costs, inputs.size());
  require_default_costs(request.costs, request.options.cost);
  // A single segmenter may take the whole memory of a GPU.
  const bool cuda = context.exec.device.kind == DeviceKind::kCuda;
  const auto plan =
      io::plan_frame_workers(context.exec, static_cast<std::int64_t>(inputs.size()), cuda ? 1 : 0);
  request.options.exec = context.exec_without_progress();
  request.options.exec.threads = plan.threads;
  request.render.exec = request.options.exec;
  std::vector<mesh::Segmenter> segmenters;
  segmenters.reserve(static_cast<std::size_t>(plan.count));
  mesh::SegmentOptions options = request.options;
  options.keep_memberships = options.keep_memberships || !request.memberships.empty();
  for (int i = 0; i < plan.count; ++i) segmenters.emplace_back(options);
  Batch batch(context, inputs);
  batch.on_replay(
      [&](std::size_t, std::string_view labels) { context.console.print_data(labels); });
  batch.run_together<Divided, mesh::Segmenter>(
      inputs.size(), segmenters, plan,
      {.bytes = [&](const auto& item) { return memory_of(inputs[item.input], request.options); },
       .prepare =
           [&](auto& item) {
             item.value.input = inputs[item.input];
             item.value.mesh = io::read_mesh(inputs[item.input], request.read);
           },
       .work =
           [&](mesh::Segmenter& segmenter, auto& item) {
             Divided& divided = item.value;
             if (request.costs.file.empty()) {
               divided.report.found = segmenter.segment(divided.mesh);
               return;
             }
             const mesh::DualGraph graph = mesh::dual_graph(divided.mesh, 0, options.exec);
             divided.report.found = segmenter.segment(
                 divided.mesh, read_own_costs(request.costs, divided.input, graph));
           },
       .complete =
           [&](auto& item) {
             item.value.report.files = outputs.at(item.input);
             item.outcome = write(request, item.value, context);
           },
       .write =
           [&](const auto& item) {
             if (!io::is_standard_output(outputs.seg[item.input])) return;
             const std::string labels =
                 io::labels_text(io::file_labels(item.value.mesh, item.value.report.found.labels));
             context.console.print_data(labels);
             batch.record(labels);
           }});
  return batch.finish();
}

}  // namespace

Command mesh_segment_command() {
  return {
      .system = "mesh",
      .verb = "segment",
      .summary = "divide meshes into meaningful parts",
      .text =
          "Divides triangle meshes into the parts that people would name, such as limbs, handles "
          "and the legs of a table. Labels follow the order of the file's faces. Connected "
          "components are divided separately. A part may consist of several connected pieces, and "
          "the result counts both. Pictures are drawn without a display, and a page needs nothing "
          "but a browser.",
      .arguments = {{"MESH", "meshes (OFF, OBJ, PLY, STL): files, folders, globs or @list", 1,
                     kAnyNumber}},
      .examples = {{"fovea mesh segment ant.off -o parts.ply", "choose the number of parts"},
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
                    "say why a face belongs to its part, and draw its memberships"}},
      .request = make_request<SegmentRequest, run_segment>,
      .result = {.record = sample_record<SegmentReport>, .per_input = true},
      .batches = true,
      .shards = true};
}

}  // namespace fovea::cli
