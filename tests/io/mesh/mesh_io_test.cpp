// Covers: mesh_format, mesh_obj, mesh_off, mesh_ply, mesh_stl, mesh_write_ply
#include <fovea/core/error.h>
#include <fovea/io/mesh_io.h>

#include <bit>

#include "support/files.h"
#include "support/images.h"

namespace fovea::io {
namespace {

using test::message_of;
using testing::HasSubstr;

TriangleMesh parse(std::string_view text, const MeshReadOptions& options = {}) {
  return read_mesh(std::as_bytes(std::span(text)), "mesh", options);
}
std::string refusal(std::string_view text, const MeshReadOptions& options = {}) {
  return message_of<FormatError>([&] { parse(text, options); });
}

// A pyramid over a square: four sides and two halves of the ground.
TriangleMesh pyramid() {
  return {.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5F, 0.5F, 0.75F}},
          .faces = {{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}, {0, 2, 1}, {0, 3, 2}},
          .polygons = {}};
}

class MeshRoundTrip : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Formats, MeshRoundTrip, testing::Values("off", "obj", "ply", "stl"));

TEST_P(MeshRoundTrip, KeepsVerticesAndTheOrderOfFaces) {
  const test::TempFolder folder;
  const std::string path = folder / ("mesh." + std::string(GetParam()));
  const TriangleMesh mesh = pyramid();
  write_mesh(path, mesh);
  const TriangleMesh read = read_mesh(path);
  ASSERT_EQ(read.faces.size(), mesh.faces.size());
  EXPECT_EQ(read.vertices.size(), mesh.vertices.size());  // STL: welded
  EXPECT_TRUE(read.polygons.empty());
  for (std::size_t f = 0; f < mesh.faces.size(); ++f)
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_EQ(read.vertices[static_cast<std::size_t>(read.faces[f][i])],
                mesh.vertices[static_cast<std::size_t>(mesh.faces[f][i])]);
}

TEST(MeshIo, OffInItsVariants) {
  EXPECT_EQ(parse("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n").faces.size(), 1U);
  EXPECT_EQ(parse("OFF 3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2").faces.size(), 1U);
  const auto colored = parse(
      "COFF # colors\n\n3 1 3\n0 0 0 255 0 0\n1e0 0 0 1 2 3\r\n0 +1 -1e-400 4 5 6\n# faces\n3 0 1 "
      "2 9 9 9\n");
  EXPECT_EQ(colored.vertices[2], (Vertex{0, 1, 0}));
  EXPECT_EQ(colored.format, MeshFormat::kOff);
}

TEST(MeshIo, PolygonsAreCutOrRefused) {
  const char* text =
      "OFF\n5 3 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n.5 .5 1\n3 0 1 4\n4 0 1 2 3\n3 1 2 4\n";
  const auto mesh = parse(text);
  EXPECT_EQ(mesh.faces, (std::vector<Triangle>{{0, 1, 4}, {0, 1, 2}, {0, 2, 3}, {1, 2, 4}}));
  EXPECT_EQ(mesh.polygons, (std::vector<std::int32_t>{0, 1, 1, 2}));
  EXPECT_EQ(mesh.file_faces(), 3);
  EXPECT_THAT(refusal(text, {.polygons = Polygons::kRefuse}), HasSubstr("face 1 with 4 corners"));
}

TEST(MeshIo, ObjInItsVariants) {
  const auto mesh = parse(
      "# made by hand\nmtllib x.mtl\no thing\nv 0 0 0\nv 1 0 0 1\nv 0 1 0\nvn 0 0 1\nvt 0 0\n"
      "f 1/1/1 2//1 3/1\nv 0 0 1\nf -1 -4 \\\n -3\nl 1 2\n");
  EXPECT_EQ(mesh.faces, (std::vector<Triangle>{{0, 1, 2}, {3, 0, 1}}));
  EXPECT_THAT(refusal("v 0 0 0\nf 1 0 1\n"), HasSubstr("line 2 has the corner '0'"));
  EXPECT_THAT(refusal("v 0 0 0\nf 1 1 -2\n"), HasSubstr("corner '-2'"));
  EXPECT_THAT(refusal("v 0 0 0\nf 1 1 -9223372036854775808\n"),
              HasSubstr("corner '-9223372036854775808'"));
  EXPECT_THAT(refusal("v 0 0 0\nf 1 1 9\n"), HasSubstr("vertex 8; there are only 1"));
}

std::string ply(const std::string& format, const std::string& body) {
  return "ply\nformat " + format +
         " 1.0\ncomment by hand\nelement vertex 3\nproperty double x\nproperty float y\n"
         "property float z\nproperty uchar red\nelement face 1\nproperty list uchar uint "
         "vertex_indices\nproperty short flags\nelement camera 0\nproperty float "
         "fov\nend_header\n" +
         body;
}

TEST(MeshIo, PlyAsTextAndInBothByteOrders) {
  const auto text = parse(ply("ascii", "0 0 0 1\n1 0 0 2\n0 1 0 3\n3 0 1 2 -7\n"));
  EXPECT_EQ(text.faces, (std::vector<Triangle>{{0, 1, 2}}));
  for (const bool little : {true, false}) {
    std::string body;
    const auto put = [&](std::uint64_t bits, int bytes) {
      for (int i = 0; i < bytes; ++i)
        body += static_cast<char>(bits >> 8 * (little ? i : bytes - 1 - i));
    };
    const float places[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    for (const auto& place : places) {
      put(std::bit_cast<std::uint64_t>(static_cast<double>(place[0])), 8);
      put(std::bit_cast<std::uint32_t>(place[1]), 4);
      put(std::bit_cast<std::uint32_t>(place[2]), 4);
      put(9, 1);
    }
    put(3, 1);
    for (const int corner : {0, 1, 2}) put(static_cast<std::uint64_t>(corner), 4);
    put(0xfff9, 2);
    const std::string format = little ? "binary_little_endian" : "binary_big_endian";
    const auto mesh = parse(ply(format, body));
    EXPECT_EQ(mesh.faces, text.faces) << format;
    EXPECT_EQ(mesh.vertices, text.vertices) << format;
    body.pop_back();
    EXPECT_THAT(refusal(ply(format, body)), HasSubstr("truncated"));
  }
}

// Nothing is reserved for what the file has no room for.
TEST(MeshIo, PlyThatClaimsMoreThanItHolds) {
  const auto header = [](const char* format, const char* vertices, const char* faces) {
    return std::string("ply\nformat ") + format + " 1.0\nelement vertex " + vertices +
           "\nproperty float x\nproperty float y\nproperty float z\nelement face " + faces +
           "\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  };
  for (const char* format : {"ascii", "binary_little_endian"}) {
    EXPECT_THAT(refusal(header(format, "2147483647", "1")), HasSubstr("is truncated: 2147483647"));
    EXPECT_THAT(refusal(header(format, "1", "2147483647")),
                HasSubstr("0 vertices and 2147483647 faces"));
    EXPECT_THAT(refusal(header(format, "-1", "1")), HasSubstr("-1 elements 'vertex'"));
  }
  EXPECT_THAT(refusal("ply\nformat ascii 1.0\nelement vertex 2147483647\nelement face "
                      "1\nproperty list uchar int vertex_indices\nend_header\n3 0 0 0\n"),
              HasSubstr("'vertex' that have no properties"));
}

TEST(MeshIo, StlAsTextAndCornersAtOnePlace) {
  const char* text =
      "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
      "endfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 -0\nvertex 1 1 0\nvertex 0 1 "
      "0\nendloop\n"
      "endfacet\nendsolid x\n";
  EXPECT_EQ(parse(text).vertices.size(), 4U);
  EXPECT_EQ(parse(text, {.weld = false}).vertices.size(), 6U);
  EXPECT_THAT(refusal("solid x\nfacet\nvertex 0 0 0\nendfacet\nendsolid\n"),
              HasSubstr("facet of 1 corners"));
  EXPECT_THAT(refusal("solid x\nfacet\nvertex 0 0 0\n"), HasSubstr("truncated"));
}

TEST(MeshIo, BadFilesAreOneClearLine) {
  EXPECT_THAT(refusal(""), HasSubstr("is empty"));
  EXPECT_THAT(refusal("\x89PNG\r\n"), HasSubstr("is not a mesh"));
  EXPECT_THAT(refusal("OFF\n0 0 0\n"), HasSubstr("no face"));
  EXPECT_THAT(refusal("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"),
              HasSubstr("vertex 3; there are only 3"));
  EXPECT_THAT(refusal("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n"), HasSubstr("vertex -1"));
  EXPECT_THAT(refusal("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n"), HasSubstr("2 corners"));
  EXPECT_THAT(refusal("OFF\n2000000000 2000000000 0\n0 0 0\n"), HasSubstr("truncated"));
  EXPECT_THAT(refusal("OFF\n99999999999 1 0\n0 0 0\n"), HasSubstr("at most"));
  EXPECT_THAT(refusal("OFF\n1 1 0\n0 0 nan\n3 0 0 0\n"), HasSubstr("'nan'"));
  EXPECT_THAT(refusal("OFF\n1 1 0\n0 0 1e39\n3 0 0 0\n"), HasSubstr("'1e39'"));
  EXPECT_THAT(refusal("OFF BINARY\n"), HasSubstr("BINARY"));
  EXPECT_THAT(refusal("4OFF\n"), HasSubstr("4OFF"));
  EXPECT_THAT(refusal("ply\nformat ascii 1.0\nelement tristrips 1\nproperty list int int "
                      "vertex_indices\nend_header\n1 0\n"),
              HasSubstr("strips"));
  EXPECT_THAT(
      refusal("ply\nformat ascii 1.0\nelement vertex 9999999999\nproperty float x\nproperty "
              "float y\nproperty float z\nend_header\n"),
      HasSubstr("at most"));
  EXPECT_THROW(read_mesh("/nowhere/mesh.off"), IoError);
}

TEST(MeshIo, PolygonsHaveTheLabelOfTheirFirstTriangle) {
  TriangleMesh mesh;
  mesh.vertices.resize(5);
  mesh.faces = {{0, 1, 2}, {0, 2, 3}, {2, 3, 4}};
  const std::vector<std::int32_t> labels{7, 8, 9};
  EXPECT_EQ(file_labels(mesh, labels), labels);
  mesh.polygons = {0, 0, 1};
  EXPECT_EQ(file_labels(mesh, labels), (std::vector<std::int32_t>{7, 9}));
  EXPECT_THROW(file_labels(mesh, std::span(labels).first(2)), InvalidArgument);
}

TEST(MeshIo, LabelsAreOneNumberPerLine) {
  const test::TempFolder folder;
  const std::vector<std::int32_t> labels{3, 0, 7};
  write_labels(folder / "m.seg", labels);
  EXPECT_EQ(test::load(folder / "m.seg"), "3\n0\n7\n");
  EXPECT_EQ(read_labels(folder / "m.seg"), labels);
  test::save(folder / "m.seg", "1\ntwo\n");
  EXPECT_THAT(message_of<FormatError>([&] { read_labels(folder / "m.seg"); }), HasSubstr("'two'"));
  test::save(folder / "m.seg", "-1\n");
  EXPECT_THROW(read_labels(folder / "m.seg"), FormatError);
}

}  // namespace
}  // namespace fovea::io
