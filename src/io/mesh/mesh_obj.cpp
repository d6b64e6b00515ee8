// Wavefront OBJ: vertices and faces. Normals, texture coordinates, groups, materials, lines and
// points are skipped. Indices count from 1, negative ones back from the last vertex.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "io/mesh/mesh_format.h"

namespace fovea::io {
namespace {

constexpr std::array<std::string_view, 14> kStatements{
    "v", "vt", "vn", "vp", "f", "g", "o", "s", "mtllib", "usemtl", "l", "p", "cstype", "deg"};

std::string_view first_word(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_first_of(" \t\r\n", begin) - begin);
}

// The vertex of a corner such as 7, 7/1, 7//3 or 7/1/3.
std::int64_t corner_of(MeshLines& lines, std::string_view word, std::int64_t vertices) {
  std::int64_t index = 0;
  const std::string_view text = word.substr(0, word.find('/'));
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index == 0 || index < -vertices)
    lines.fail(fmt::format("has the corner '{}', with {} vertices before it", word.substr(0, 40),
                           vertices));
  return index > 0 ? index - 1 : vertices + index;
}

}  // namespace

bool is_obj(std::string_view head) {
  while (true) {
    const std::string_view word = first_word(head);
    if (!word.starts_with('#'))
      return std::find(kStatements.begin(), kStatements.end(), word) != kStatements.end();
    const auto end = head.find('\n', head.find('#'));
    if (end == std::string_view::npos) return true;  // nothing but a comment so far
    head.remove_prefix(end + 1);
  }
}

TriangleMesh read_obj(const Source& source, std::string_view content,
                      const MeshReadOptions& options) {
  MeshLines lines(source, content);
  MeshBuilder builder(source, options, MeshFormat::kObj);
  std::vector<std::int64_t> corners;
  while (lines.next()) {
    const std::string_view statement = lines.word();
    if (statement == "v") {
      Vertex vertex{};
      for (float& x : vertex) x = lines.number("a coordinate");
      builder.add_vertex(vertex);
    } else if (statement == "f") {
      corners.clear();
      for (std::string_view word = lines.word(); !word.empty(); word = lines.word()) {
        if (word == "\\") {  // the statement continues on the next line
          lines.next();
          continue;
        }
        corners.push_back(corner_of(lines, word, builder.vertices()));
      }
      builder.add_face(corners);
    }
  }
  return builder.finish();
}

}  // namespace fovea::io
