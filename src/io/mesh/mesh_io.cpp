// Recognizes the format of a mesh by its content, and reads and writes labels.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/io/mesh_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "io/mesh/mesh_format.h"
#include "io/text/output_file.h"

namespace fovea::io {
namespace {

constexpr std::array<Choice, 2> kPolygonChoices{
    {{"triangulate", static_cast<int>(Polygons::kTriangulate)},
     {"refuse", static_cast<int>(Polygons::kRefuse)}}};

std::string content_of(const Source& source) {
  std::string content(source.size(), '\0');
  const std::size_t got = source.read_at(0, std::as_writable_bytes(std::span(content)));
  content.resize(got);
  return content;
}

TriangleMesh read_mesh(const Source& source, const MeshReadOptions& options) {
  check_options(options);
  const std::string content = content_of(source);
  if (content.empty()) source.fail("is empty");
  if (is_ply(content)) return read_ply(source, content, options);
  if (is_off(content)) return read_off(source, content, options);
  if (is_stl_binary(content) || is_stl_text(content)) return read_stl(source, content, options);
  if (is_obj(content)) return read_obj(source, content, options);
  source.fail("is not a mesh; OFF, OBJ, PLY and STL files are read");
}

}  // namespace

const char* to_string(MeshFormat format) {
  static constexpr std::array<const char*, 4> kNames{"OFF", "OBJ", "PLY", "STL"};
  return kNames[static_cast<std::size_t>(format)];
}

std::span<const Choice> choices(Polygons) { return kPolygonChoices; }

void describe(OptionVisitor& visit, MeshReadOptions& options) {
  visit("polygons", options.polygons,
        "what to do with faces that have more than three corners: cut them into triangles, or "
        "refuse the file");
  visit("weld", options.weld,
        "join corners that lie at the same place: of an STL file, and along the seams of a .ply "
        "file with labels",
        {.off_help = "keep every triangle of an STL file, and every part of a .ply file with "
                     "labels, separate from its neighbors"});
}

TriangleMesh read_mesh(const std::string& path, const MeshReadOptions& options) {
  return read_mesh(Source(path), options);
}
TriangleMesh read_mesh(std::span<const std::byte> data, const std::string& name,
                       const MeshReadOptions& options) {
  return read_mesh(Source(data, name), options);
}

std::vector<std::int32_t> read_labels(const std::string& path) {
  const Source source(path);
  const std::string content = content_of(source);
  if (is_ply(content)) return read_ply_labels(source, content);
  MeshLines lines(source, content);
  std::vector<std::int32_t> labels;
  while (lines.next()) {
    const std::int64_t label = lines.whole("a label");
    if (label < 0 || label > INT32_MAX || !lines.word().empty())
      lines.fail("is not a label; expected one whole number per line, 0 or more");
    labels.push_back(static_cast<std::int32_t>(label));
  }
  if (labels.empty()) source.fail("has no labels");
  return labels;
}

void describe(OptionVisitor& visit, MeshWriteOptions& options) {
  visit("ascii", options.ascii, "write PLY files as text");
}

bool holds_labels(const std::string& path) {
  constexpr std::uint64_t kMostHeader = 1 << 16;
  const Source source(path);
  std::string head(std::min(source.size(), kMostHeader), '\0');
  head.resize(source.read_at(0, std::as_writable_bytes(std::span(head))));
  return ply_has_labels(source, head);
}

std::vector<std::int32_t> file_labels(const TriangleMesh& mesh,
                                      std::span<const std::int32_t> labels) {
  if (labels.size() != mesh.faces.size())
    throw InvalidArgument(fmt::format("{} labels for a mesh of {} triangles; expected one each",
                                      labels.size(), mesh.faces.size()));
  if (mesh.polygons.empty()) return {labels.begin(), labels.end()};
  std::vector<std::int32_t> result(static_cast<std::size_t>(mesh.file_faces()), -1);
  for (std::size_t f = labels.size(); f-- > 0;)
    result[static_cast<std::size_t>(mesh.polygons[f])] = labels[f];
  return result;
}

std::string labels_text(std::span<const std::int32_t> labels) {
  std::string text;
  for (const std::int32_t label : labels) text += fmt::format("{}\n", label);
  return text;
}

void write_labels(const std::string& path, std::span<const std::int32_t> labels) {
  OutputFile file(path);
  file.write(labels_text(labels));
  file.commit();
}

InputKind mesh_files() { return {"mesh", {"off", "obj", "ply", "stl"}}; }

}  // namespace fovea::io
