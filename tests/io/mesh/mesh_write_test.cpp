// Covers: mesh_write_glb
#include <fovea/core/error.h>
#include <fovea/io/mesh_io.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using nlohmann::json;
using test::message_of;
using testing::HasSubstr;
using testing::Not;
using Rgb = std::array<std::uint8_t, 3>;

// Two squares over one edge, one part each.
struct Marked {
  TriangleMesh mesh{.vertices = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {1, 1, 0}, {2, 1, 0}},
                    .faces = {{0, 1, 4}, {0, 4, 3}, {1, 2, 5}, {1, 5, 4}},
                    .polygons = {}};
  std::vector<std::int32_t> labels{0, 0, 7, 7};
  std::vector<Rgb> colors{{255, 0, 0}, {255, 0, 0}, {0, 128, 255}, {0, 128, 255}};

  FaceMarks marks() const { return {.labels = labels, .colors = colors}; }
};

TEST(MeshWrite, AsciiPlyHasColorsAndLabelsAtVerticesSplitAlongTheSeam) {
  const test::TempFolder folder;
  const Marked marked;
  write_mesh(folder / "m.ply", marked.mesh, marked.marks(), {.ascii = true});
  std::istringstream text(test::load(folder / "m.ply"));
  std::string line;
  std::vector<std::string> header;
  while (std::getline(text, line) && line != "end_header") header.push_back(line);
  EXPECT_EQ(header, (std::vector<std::string>{
                        "ply", "format ascii 1.0", "element vertex 8", "property float x",
                        "property float y", "property float z", "property uchar red",
                        "property uchar green", "property uchar blue", "property int label",
                        "element face 4", "property list uchar int vertex_indices"}));
  std::vector<std::string> rows;
  while (std::getline(text, line)) rows.push_back(line);
  ASSERT_EQ(rows.size(), 12U);
  EXPECT_EQ(rows[1], "1 0 0 255 0 0 0");
  EXPECT_EQ(rows[2], "2 0 0 0 128 255 7");
  EXPECT_EQ(rows[6], "1 0 0 0 128 255 7");  // the second part's own copy of vertex 1
  EXPECT_EQ(rows[8], "3 0 1 4");
  EXPECT_EQ(rows[10], "3 6 2 5");
}

TEST(MeshWrite, BothEncodingsOfPlyAreReadAlike) {
  const test::TempFolder folder;
  const Marked marked;
  write_mesh(folder / "a.ply", marked.mesh, marked.marks(), {.ascii = true});
  write_mesh(folder / "b.ply", marked.mesh, marked.marks());
  const TriangleMesh text = read_mesh(folder / "a.ply");
  const TriangleMesh binary = read_mesh(folder / "b.ply");
  EXPECT_EQ(text.vertices, binary.vertices);
  EXPECT_EQ(text.faces, binary.faces);
  // Faces hold nothing but corners: meshio reads no binary PLY otherwise.
  EXPECT_THAT(test::load(folder / "b.ply"),
              HasSubstr("property list uchar int vertex_indices\nend_header\n"));
}

TEST(MeshWrite, LabelsInsideOfPlyAreReadAgain) {
  const test::TempFolder folder;
  const Marked marked;
  const std::vector<float> numbers(marked.mesh.faces.size());
  const std::vector<FaceAttribute> attributes{{"depth", numbers}};
  write_mesh(folder / "a.ply", marked.mesh, marked.marks(), {.ascii = true});
  write_mesh(folder / "b.ply", marked.mesh, marked.marks());
  FaceMarks on_faces = marked.marks();
  on_faces.attributes = attributes;
  write_mesh(folder / "c.ply", marked.mesh, on_faces);
  for (const char* name : {"a.ply", "b.ply", "c.ply"}) {
    EXPECT_TRUE(holds_labels(folder / name)) << name;
    EXPECT_EQ(read_labels(folder / name), marked.labels) << name;
  }
  write_mesh(folder / "none.ply", marked.mesh);
  EXPECT_FALSE(holds_labels(folder / "none.ply"));
  EXPECT_THAT(test::message_of<FormatError>([&] { read_labels(folder / "none.ply"); }),
              HasSubstr("has no labels"));
  write_mesh(folder / "other.off", marked.mesh);
  EXPECT_FALSE(holds_labels(folder / "other.off"));
  EXPECT_THROW(holds_labels(folder / "gone.ply"), IoError);
}

// What was saved with parts is the mesh that it was before: one piece, and not one per part.
TEST(MeshWrite, SeamsOfALabeledPlyAreJoinedAgain) {
  const test::TempFolder folder;
  const Marked marked;
  for (const bool ascii : {true, false}) {
    write_mesh(folder / "m.ply", marked.mesh, marked.marks(), {.ascii = ascii});
    const TriangleMesh read = read_mesh(folder / "m.ply");
    EXPECT_EQ(read.vertices, marked.mesh.vertices);
    EXPECT_EQ(read.faces, marked.mesh.faces);
    EXPECT_EQ(read_mesh(folder / "m.ply", {.weld = false}).vertices.size(), 8U);
  }
  // Without labels nobody has split it: the doubles are the file's own.
  const TriangleMesh doubled{.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0}},
                             .faces = {{0, 1, 2}, {3, 1, 2}},
                             .polygons = {}};
  write_mesh(folder / "m.ply", doubled);
  EXPECT_EQ(read_mesh(folder / "m.ply").vertices.size(), 4U);
  test::save(folder / "m.ply",
             "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
             "property float z\nproperty int label\nelement face 1\n"
             "property list uchar int vertex_indices\nend_header\n"
             "0 0 0 4\n0 0 0 4\n0 1 0 4\n3 0 1 9\n");
  EXPECT_THROW(read_mesh(folder / "m.ply"), FormatError);
}

// Labels that do not fit their mesh are refused, whatever a file says.
TEST(MeshWrite, DamagedLabelsInsideOfPlyAreRefused) {
  const test::TempFolder folder;
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
      "property float z\nproperty int label\nelement face 1\n"
      "property list uchar int vertex_indices\nend_header\n";
  const std::string good = head + "0 0 0 4\n1 0 0 4\n0 1 0 4\n3 0 1 2\n";
  test::save(folder / "m.ply", good);
  EXPECT_EQ(read_labels(folder / "m.ply"), (std::vector<std::int32_t>{4}));
  for (const std::string& bad : std::vector<std::string>{
           head + "0 0 0 -4\n1 0 0 4\n0 1 0 4\n3 0 1 2\n",
           head + "0 0 0 4\n1 0 0 4\n0 1 0 4\n3 0 1 9\n",
           head + "0 0 0 99999999999\n1 0 0 4\n0 1 0 4\n3 0 1 2\n",
           head + "0 0 0 x\n1 0 0 4\n0 1 0 4\n3 0 1 2\n", head + "0 0 0 4\n1 0 0 4\n",
           // A second list of vertices without labels.
           "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
           "property float z\nproperty int label\nelement vertex 2\nproperty float x\nproperty "
           "float "
           "y\n"
           "property float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"
           "0 0 0 4\n1 0 0\n0 1 0\n3 0 1 2\n"}) {
    test::save(folder / "m.ply", bad);
    EXPECT_THROW(read_labels(folder / "m.ply"), FormatError) << bad;
  }
}

TEST(MeshWrite, PlyWithoutMarksKeepsItsVertices) {
  const test::TempFolder folder;
  const Marked marked;
  write_mesh(folder / "m.ply", marked.mesh);
  EXPECT_EQ(read_mesh(folder / "m.ply").vertices, marked.mesh.vertices);
  EXPECT_EQ(read_mesh(folder / "m.ply").faces, marked.mesh.faces);
  EXPECT_THAT(test::load(folder / "m.ply"), Not(HasSubstr("red")));
}

std::uint32_t u32(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

TEST(MeshWrite, GlbIsAWholeGltfWithColors) {
  const test::TempFolder folder;
  const Marked marked;
  write_mesh(folder / "m.glb", marked.mesh, marked.marks());
  const std::string bytes = test::load(folder / "m.glb");
  ASSERT_GT(bytes.size(), 28U);
  EXPECT_EQ(bytes.substr(0, 4), "glTF");
  EXPECT_EQ(u32(bytes, 4), 2U);
  EXPECT_EQ(u32(bytes, 8), bytes.size());
  const std::size_t length = u32(bytes, 12);
  EXPECT_EQ(length % 4, 0U);
  EXPECT_EQ(bytes.substr(16, 4), "JSON");
  const json scene = json::parse(bytes.substr(20, length));
  const std::size_t body = 20 + length + 8;
  EXPECT_EQ(u32(bytes, body - 8) + body, bytes.size());
  EXPECT_EQ(bytes.substr(body - 4, 4), std::string("BIN\0", 4));

  const json& primitive = scene["meshes"][0]["primitives"][0];
  const auto where = [&](const json& accessor) {
    const json& view = scene["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    return body + view["byteOffset"].get<std::size_t>();
  };
  const json& places = scene["accessors"][primitive["attributes"]["POSITION"].get<std::size_t>()];
  const json& colors = scene["accessors"][primitive["attributes"]["COLOR_0"].get<std::size_t>()];
  const json& corners = scene["accessors"][primitive["indices"].get<std::size_t>()];
  EXPECT_EQ(places["count"], 8);
  EXPECT_EQ(places["min"], (json{0.0, 0.0, 0.0}));
  EXPECT_EQ(places["max"], (json{2.0, 1.0, 0.0}));
  EXPECT_EQ(corners["count"], 12);
  EXPECT_TRUE(colors["normalized"]);
  // Every face has its place and, in linear light, its color.
  for (std::size_t f = 0; f < marked.mesh.faces.size(); ++f) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t vertex = u32(bytes, where(corners) + 4 * (3 * f + i));
      for (std::size_t axis = 0; axis < 3; ++axis)
        EXPECT_EQ(std::bit_cast<float>(u32(bytes, where(places) + 12 * vertex + 4 * axis)),
                  marked.mesh.vertices[static_cast<std::size_t>(marked.mesh.faces[f][i])][axis]);
      const std::string color = bytes.substr(where(colors) + 4 * vertex, 4);
      EXPECT_EQ(color, f < 2 ? std::string("\xff\0\0\xff", 4) : std::string("\0\x37\xff\xff", 4));
    }
  }
  write_mesh(folder / "plain.glb", marked.mesh);
  EXPECT_THAT(test::load(folder / "plain.glb"), Not(HasSubstr("COLOR_0")));
}

TEST(MeshWrite, ObjHasAGroupAndAMaterialPerLabel) {
  const test::TempFolder folder;
  const Marked marked;
  write_mesh(folder / "m.obj", marked.mesh, marked.marks());
  const std::string text = test::load(folder / "m.obj");
  EXPECT_THAT(text, HasSubstr("mtllib m.mtl\n"));
  EXPECT_THAT(text, HasSubstr("g part_7\nusemtl part_7\nf 2 3 6\n"));
  EXPECT_EQ(read_mesh(folder / "m.obj").vertices, marked.mesh.vertices);
  const std::string materials = test::load(folder / "m.mtl");
  EXPECT_THAT(materials, HasSubstr("newmtl part_0\nKd 1.0000 0.0000 0.0000\n"));
  EXPECT_THAT(materials, HasSubstr("newmtl part_7\nKd 0.0000 0.5020 1.0000\n"));
  // Labels alone are groups without materials.
  write_mesh(folder / "g.obj", marked.mesh, {.labels = marked.labels});
  EXPECT_THAT(test::load(folder / "g.obj"), HasSubstr("g part_0\nf 1 2 5\n"));
  EXPECT_THAT(test::load(folder / "g.obj"), Not(HasSubstr("mtl")));
}

TEST(MeshWrite, WrongMarksAndNamesAreRefused) {
  const test::TempFolder folder;
  const Marked marked;
  EXPECT_THAT(message_of<InvalidArgument>([&] {
                write_mesh(folder / "m.off", marked.mesh,
                           {.labels = std::span(marked.labels).first(2)});
              }),
              HasSubstr("2 labels"));
  EXPECT_THAT(message_of<InvalidArgument>([&] { write_mesh(folder / "m.png", marked.mesh); }),
              HasSubstr(".glb"));
}

TEST(MeshWrite, PlyHasAttributesOfFaces) {
  const test::TempFolder folder;
  const Marked marked;
  const std::vector<float> far{0, 0.25F, 1, 4};
  const std::vector<FaceAttribute> attributes{{"distance", far}};
  FaceMarks marks = marked.marks();
  marks.attributes = attributes;
  write_mesh(folder / "m.ply", marked.mesh, marks, {.ascii = true});
  const std::string text = test::load(folder / "m.ply");
  EXPECT_THAT(text, HasSubstr("property list uchar int vertex_indices\nproperty int label\n"
                              "property float distance\nend_header\n"));
  EXPECT_THAT(text, HasSubstr("\n3 0 1 4 0 0\n3 0 4 3 0 0.25\n"));
  for (const bool ascii : {false, true}) {
    write_mesh(folder / "m.ply", marked.mesh, marks, {.ascii = ascii});
    EXPECT_EQ(read_mesh(folder / "m.ply").faces.size(), 4U);
  }
  const std::vector<FaceAttribute> two_words{{"two words", far}};
  marks.attributes = two_words;
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { write_mesh(folder / "x.ply", marked.mesh, marks); }),
      HasSubstr("attribute 'two words' cannot be a property"));
  const std::vector<FaceAttribute> few{{"few", std::span(far).first(2)}};
  marks.attributes = few;
  EXPECT_THAT(
      message_of<InvalidArgument>([&] { write_mesh(folder / "x.ply", marked.mesh, marks); }),
      HasSubstr("attribute few has 2 values for 4 faces"));
}

}  // namespace
}  // namespace fovea::io
