#pragma once
#include <fovea/core/options_fwd.h>
#include <fovea/io/inputs.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Reads and writes files of triangle meshes: OFF, OBJ, PLY and STL, and GLB for writing only. The
// content of a file decides its format, never its name. A reader throws FormatError for a file that
// is damaged or has another format, a writer throws WriteError; each message is one line that names
// the file and the cause. Readers never allocate more memory than the length of the file can
// justify.
namespace fovea::io {

using Vertex = std::array<float, 3>;
using Triangle = std::array<std::int32_t, 3>;

enum class MeshFormat : unsigned char { kOff, kObj, kPly, kStl };
FOVEA_API const char* to_string(MeshFormat format);

struct TriangleMesh {
  std::vector<Vertex> vertices;
  std::vector<Triangle> faces;  // in the order of the file, with the corners in their order
  // One per triangle: the face of the file that it is a part of. Empty where every face of the file
  // is a triangle.
  std::vector<std::int32_t> polygons;
  MeshFormat format = MeshFormat::kOff;  // the format that it was read from

  // How many faces the file has.
  std::int32_t file_faces() const {
    return polygons.empty() ? static_cast<std::int32_t>(faces.size()) : polygons.back() + 1;
  }
};

// What to do with faces that have more than three corners.
enum class Polygons : unsigned char { kTriangulate, kRefuse };
FOVEA_API std::span<const Choice> choices(Polygons);

struct MeshReadOptions {
  Polygons polygons =
      Polygons::kTriangulate;  // cut polygons into fans of triangles, or refuse them
  // Join corners that lie at the same place: of STL, which has no shared corners, and of .ply with
  // labels on its vertices, whose seams between parts were written once per part.
  bool weld = true;
};
FOVEA_API void describe(OptionVisitor& visit, MeshReadOptions& options);

// All vertices are finite and all corners are vertices of the mesh. A file without faces is
// refused. Borders, several components, isolated vertices, faces that use a vertex twice and edges
// with many faces are legal.
FOVEA_API TriangleMesh read_mesh(const std::string& path, const MeshReadOptions& options = {});
// Reads from memory; `name` stands for the file in messages.
FOVEA_API TriangleMesh read_mesh(std::span<const std::byte> data, const std::string& name,
                                 const MeshReadOptions& options = {});

// A number per triangle, with a name of letters, digits and underscores.
struct FaceAttribute {
  std::string name;
  std::span<const float> values;
};

// What is known about each triangle besides its corners. Any span may be empty.
struct FaceMarks {
  std::span<const std::int32_t> labels{};
  std::span<const std::array<std::uint8_t, 3>> colors{};  // red, green and blue
  std::span<const FaceAttribute> attributes{};            // only .ply has a place for them
};

struct MeshWriteOptions {
  bool ascii = false;  // write PLY as text; OFF and OBJ always are text, STL and GLB never
};
FOVEA_API void describe(OptionVisitor& visit, MeshWriteOptions& options);

// Writes a mesh in the format that the extension names. A file appears whole or not at all.
//   .ply  Vertices have colors and a property "label". A vertex between two parts is written once
//         per part, because viewers and libraries read colors of vertices more often than colors of
//         faces. Without marks the vertices stay as they are. Attributes are float properties of
//         faces; where there are any, faces also have the property "label".
//   .glb  Binary glTF 2.0 with vertex colors (COLOR_0, linear as glTF requires); vertices between
//   two
//         parts are written as in .ply.
//   .obj  One group and one material per label, with faces ordered by label. The materials go to a
//         file beside it, with the same name and the extension .mtl.
//   .off  One color per face.
//   .stl  The geometry alone; the format has no place for labels and colors.
FOVEA_API void write_mesh(const std::string& path, const TriangleMesh& mesh,
                          const FaceMarks& marks = {}, const MeshWriteOptions& options = {});

// Labels as the Princeton benchmark stores them: a text file with one number per line and face. The
// labels inside of a .ply mesh, as write_mesh() writes them, are read as well; where only vertices
// have some, a face has that of its first corner.
FOVEA_API std::vector<std::int32_t> read_labels(const std::string& path);
// Whether a file is a .ply mesh with labels inside, by its header alone. Throws IoError where it
// cannot be read.
FOVEA_API bool holds_labels(const std::string& path);
FOVEA_API void write_labels(const std::string& path, std::span<const std::int32_t> labels);
// One label per face of the file, from one per triangle. A polygon that was cut into triangles has
// the label of its first triangle.
FOVEA_API std::vector<std::int32_t> file_labels(const TriangleMesh& mesh,
                                                std::span<const std::int32_t> labels);
// The text that write_labels() writes.
FOVEA_API std::string labels_text(std::span<const std::int32_t> labels);

// The extensions of mesh files, for expand_inputs().
FOVEA_API InputKind mesh_files();

}  // namespace fovea::io
