#pragma once
#include <fovea/core/options.h>
#include <fovea/io/inputs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Triangle meshes: OFF, OBJ, PLY (ascii, both byte orders) and STL (ascii, binary). A file's format
// is told by its content, never by its name. Errors are FormatError (the file is damaged, lies or
// is of another format), IoError and WriteError, each one line with the file and the cause. No more
// memory is taken than the file's length can justify.
namespace fovea::io {

using Vertex = std::array<float, 3>;
using Triangle = std::array<std::int32_t, 3>;

enum class MeshFormat : unsigned char { kOff, kObj, kPly, kStl };
FOVEA_API const char* to_string(MeshFormat format);

struct TriangleMesh {
  std::vector<Vertex> vertices;
  std::vector<Triangle> faces;  // in the file's order, corners as it turns them
  // Of each triangle the face of the file that it is a part of; empty where all of them are
  // triangles.
  std::vector<std::int32_t> polygons;
  MeshFormat format = MeshFormat::kOff;

  // Faces of the file.
  std::int32_t file_faces() const {
    return polygons.empty() ? static_cast<std::int32_t>(faces.size()) : polygons.back() + 1;
  }
};

enum class Polygons : unsigned char { kTriangulate, kRefuse };
FOVEA_API std::span<const Choice> choices(Polygons);

struct MeshReadOptions {
  Polygons polygons = Polygons::kTriangulate;  // faces of more than three corners: cut into a fan
                                               // of triangles, or refused by name
  bool weld = true;  // STL, which has no shared corners: those at the same place become one
};
FOVEA_API void describe(OptionVisitor& visit, MeshReadOptions& options);

// Vertices are finite, indices in range; everything else is legal: no faces at all is refused, but
// borders, several components, isolated vertices, faces that name a vertex twice, edges of many
// faces are not.
FOVEA_API TriangleMesh read_mesh(const std::string& path, const MeshReadOptions& options = {});
FOVEA_API TriangleMesh read_mesh(std::span<const std::byte> data, const std::string& name,
                                 const MeshReadOptions& options = {});

// What is said of each triangle besides its corners.
struct FaceMarks {
  std::span<const std::int32_t> labels{};  // OBJ: groups of that number; PLY: property "label"
  std::span<const std::array<std::uint8_t, 3>> colors{};  // PLY, OFF
};
// Writes by extension: .off, .obj, .ply (binary, little endian), .stl (binary). The file appears
// whole or not at all.
FOVEA_API void write_mesh(const std::string& path, const TriangleMesh& mesh,
                          const FaceMarks& marks = {});

// Labels as the Princeton benchmark has them: a number a line and face.
FOVEA_API std::vector<std::int32_t> read_labels(const std::string& path);
FOVEA_API void write_labels(const std::string& path, std::span<const std::int32_t> labels);

FOVEA_API InputKind mesh_files();

}  // namespace fovea::io
