// STL: triangles that share no corners, as text or as 50 bytes each. Normals are not read, because
// they follow from the corners.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "io/mesh/mesh_format.h"

namespace fovea::io {
namespace {

constexpr std::size_t kStlHeaderBytes = 84;
constexpr std::size_t kFaceBytes = 50;

std::uint32_t little_u32(const char* from) {
  std::uint32_t value = 0;
  for (int i = 3; i >= 0; --i) value = value << 8U | static_cast<unsigned char>(from[i]);
  return value;
}

TriangleMesh finished(MeshBuilder& builder, const MeshReadOptions& options) {
  if (options.weld) builder.weld();
  return builder.finish();
}

void add_triangle(MeshBuilder& builder) {
  const std::int64_t first = builder.vertices() - 3;
  const std::int64_t corners[] = {first, first + 1, first + 2};
  builder.add_face(corners);
}

TriangleMesh read_binary(const Source& source, std::string_view content,
                         const MeshReadOptions& options) {
  MeshBuilder builder(source, options, MeshFormat::kStl);
  const std::uint32_t faces = little_u32(content.data() + 80);
  builder.expect(0, faces, content.size() - kStlHeaderBytes, 0, kFaceBytes);
  const char* at = content.data() + kStlHeaderBytes;
  for (std::uint32_t f = 0; f < faces; ++f, at += kFaceBytes) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      Vertex vertex{};
      for (std::size_t i = 0; i < 3; ++i)
        vertex[i] = std::bit_cast<float>(little_u32(at + 12 + 12 * corner + 4 * i));
      builder.add_vertex(vertex);
    }
    add_triangle(builder);
  }
  return finished(builder, options);
}

}  // namespace

bool is_stl_text(std::string_view head) { return head.starts_with("solid"); }

// Text files begin with "solid", but so do some binary ones, which are recognized by their length.
bool is_stl_binary(std::string_view content) {
  if (content.size() < kStlHeaderBytes) return false;
  const std::uint64_t faces = little_u32(content.data() + 80);
  return content.size() == kStlHeaderBytes + faces * kFaceBytes;
}

TriangleMesh read_stl(const Source& source, std::string_view content,
                      const MeshReadOptions& options) {
  if (is_stl_binary(content)) return read_binary(source, content, options);
  MeshLines lines(source, content);
  lines.next();  // skips the line "solid NAME"
  MeshBuilder builder(source, options, MeshFormat::kStl);
  int corners = 0;
  bool ended = false;
  while (lines.next()) {
    const std::string_view statement = lines.word();
    ended = statement == "endsolid";
    if (statement == "vertex") {
      Vertex vertex{};
      for (float& x : vertex) x = lines.number("a coordinate");
      builder.add_vertex(vertex);
      if (++corners > 3) lines.fail("is the fourth corner of a facet; expected three");
    } else if (statement == "endfacet") {
      if (corners != 3)
        lines.fail(fmt::format("ends a facet of {} corners; expected three", corners));
      add_triangle(builder);
      corners = 0;
    }
  }
  if (!ended) source.fail("is truncated: it ends before its endsolid");
  return finished(builder, options);
}

}  // namespace fovea::io
