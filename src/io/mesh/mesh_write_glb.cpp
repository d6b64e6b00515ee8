// Binary glTF 2.0: a header, one chunk of JSON and one chunk of numbers (positions, colors,
// corners). There are no normals, so that viewers shade every face flat, as the specification
// demands.
#include <fovea/core/error.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/mesh/mesh_writer.h"

namespace fovea::io {
namespace {

// glTF has linear colors in COLOR_0; ours are sRGB.
std::uint8_t linear(std::uint8_t value) {
  const double c = value / 255.0;
  const double light = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  return static_cast<std::uint8_t>(std::lround(255 * light));
}

std::string json_of(const MarkedVertices& mesh) {
  Vertex low = mesh.vertices.front();
  Vertex high = low;
  for (const Vertex& vertex : mesh.vertices) {
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], vertex[i]);
      high[i] = std::max(high[i], vertex[i]);
    }
  }
  const bool colored = !mesh.colors.empty();
  const std::size_t places = 12 * mesh.vertices.size();
  const std::size_t colors = colored ? 4 * mesh.vertices.size() : 0;
  const std::size_t corners = 12 * mesh.faces.size();
  std::string views =
      fmt::format(R"({{"buffer":0,"byteOffset":0,"byteLength":{},"target":34962}},)"
                  R"({{"buffer":0,"byteOffset":{},"byteLength":{},"target":34963}})",
                  places, places + colors, corners);
  std::string accessors = fmt::format(
      R"({{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3","min":[{},{},{}],)"
      R"("max":[{},{},{}]}},{{"bufferView":1,"componentType":5125,"count":{},"type":"SCALAR"}})",
      mesh.vertices.size(), low[0], low[1], low[2], high[0], high[1], high[2],
      3 * mesh.faces.size());
  if (colored) {
    views += fmt::format(R"(,{{"buffer":0,"byteOffset":{},"byteLength":{},"target":34962}})",
                         places, colors);
    accessors += fmt::format(
        R"(,{{"bufferView":2,"componentType":5121,"normalized":true,"count":{},"type":"VEC4"}})",
        mesh.vertices.size());
  }
  return fmt::format(
      R"({{"asset":{{"version":"2.0","generator":"fovea"}},"scene":0,"scenes":[{{"nodes":[0]}}],)"
      R"("nodes":[{{"mesh":0}}],"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0{}}},)"
      R"("indices":1,"material":0,"mode":4}}]}}],"materials":[{{"doubleSided":true,)"
      R"("pbrMetallicRoughness":{{"metallicFactor":0,"roughnessFactor":1}}}}],)"
      R"("buffers":[{{"byteLength":{}}}],"bufferViews":[{}],"accessors":[{}]}})",
      colored ? R"(,"COLOR_0":2)" : "", places + colors + corners, views, accessors);
}

}  // namespace

void write_glb(MeshWriter& to, const TriangleMesh& mesh, const FaceMarks& marks) {
  if (mesh.vertices.empty() || mesh.faces.empty())
    throw InvalidArgument("a .glb file needs at least one vertex and one face; the mesh is empty");
  const MarkedVertices marked = split_at_seams(mesh, marks);
  std::string json = json_of(marked);
  json.append((4 - json.size() % 4) % 4, ' ');
  const std::uint64_t bytes =
      (marked.colors.empty() ? 12U : 16U) * marked.vertices.size() + 12 * marked.faces.size();
  constexpr std::uint64_t kHeaders = 12 + 8 + 8;
  const std::uint64_t whole = kHeaders + json.size() + bytes;
  if (whole > std::numeric_limits<std::uint32_t>::max())
    throw InvalidArgument(fmt::format(
        "a .glb file holds at most 4 GB and the mesh takes {} bytes; write .ply", whole));
  to.text("glTF");
  to.u32(2);
  to.u32(static_cast<std::uint32_t>(whole));
  to.u32(static_cast<std::uint32_t>(json.size()));
  to.text("JSON{}", json);
  to.u32(static_cast<std::uint32_t>(bytes));
  to.text("BIN");
  to.u8(0);
  for (const Vertex& vertex : marked.vertices)
    for (const float x : vertex) to.f32(x);
  for (const auto& color : marked.colors) {
    for (const std::uint8_t c : color) to.u8(linear(c));
    to.u8(255);
  }
  for (const Triangle& face : marked.faces)
    for (const std::int32_t corner : face) to.u32(static_cast<std::uint32_t>(corner));
}

}  // namespace fovea::io
