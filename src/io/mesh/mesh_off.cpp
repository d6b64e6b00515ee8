// OFF: counts, vertices, faces, one per line. Colors, normals and texture coordinates behind a
// vertex or a face are skipped. OFF with another number of coordinates and binary OFF are refused
// with a message that names them.
#include <fmt/format.h>

#include <vector>

#include "io/mesh/mesh_format.h"

namespace fovea::io {
namespace {

// "OFF" after the letters that name what is stored beside the coordinates, as in "STCNOFF".
bool is_keyword(std::string_view word) {
  if (!word.ends_with("OFF")) return false;
  word.remove_suffix(3);
  return word.find_first_not_of("STCN4n") == std::string_view::npos && word.size() <= 6;
}

}  // namespace

bool is_off(std::string_view head) {
  const auto end = head.find_first_of(" \t\r\n");
  return is_keyword(head.substr(0, end));
}

TriangleMesh read_off(const Source& source, std::string_view content,
                      const MeshReadOptions& options) {
  MeshLines lines(source, content);
  lines.next();
  const std::string_view keyword = lines.word();
  if (keyword.find_first_of("4n") != std::string_view::npos)
    lines.fail(
        fmt::format("says {}: vertices of another number of coordinates than three are not "
                    "read",
                    keyword));
  std::string_view first = lines.word();
  if (first == "BINARY") lines.fail("says BINARY: binary OFF is not read; write it as text");
  // Texture coordinates, colors and normals follow the coordinates: x, y and z are always first.
  std::int64_t vertices = 0, faces = 0;
  if (first.empty()) {
    if (!lines.next()) source.fail("is truncated: it ends before its counts");
    vertices = lines.whole("the number of vertices");
  } else {
    MeshLines same(source, first);
    same.next();
    vertices = same.whole("the number of vertices");
  }
  faces = lines.whole("the number of faces");
  MeshBuilder builder(source, options, MeshFormat::kOff);
  builder.expect(vertices, faces, lines.left() + 1, 6, 4);
  for (std::int64_t v = 0; v < vertices; ++v) {
    if (!lines.next())
      source.fail(fmt::format("is truncated: {} of {} vertices are there", v, vertices));
    Vertex vertex{};
    for (float& x : vertex) x = lines.number("a coordinate");
    builder.add_vertex(vertex);
  }
  std::vector<std::int64_t> corners;
  for (std::int64_t f = 0; f < faces; ++f) {
    if (!lines.next()) source.fail(fmt::format("is truncated: {} of {} faces are there", f, faces));
    const std::int64_t count = lines.whole("the number of a face's corners");
    if (count < 3)
      lines.fail(fmt::format("has face {} with {} corners; expected three or more", f, count));
    corners.clear();
    for (std::int64_t i = 0; i < count; ++i) corners.push_back(lines.whole("a vertex"));
    builder.add_face(corners);
  }
  return builder.finish();
}

}  // namespace fovea::io
