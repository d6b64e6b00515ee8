// Meshes as files: OFF and OBJ as text, PLY and STL in little-endian binary.
#include <fovea/core/error.h>
#include <fovea/io/mesh_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "io/text/extension.h"
#include "io/text/output_file.h"

namespace fovea::io {
namespace {

// Text and numbers, handed to the file in large pieces.
class Writer {
 public:
  explicit Writer(const std::string& path) : file_(path) {}

  template <class... Args>
  void text(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    flush_if_full();
  }
  void u8(std::uint8_t value) { buffer_ += static_cast<char>(value); }
  void u32(std::uint32_t value) {
    for (int i = 0; i < 4; ++i) u8(static_cast<std::uint8_t>(value >> (8 * i)));
    flush_if_full();
  }
  void f32(float value) { u32(std::bit_cast<std::uint32_t>(value)); }
  void commit() {
    file_.write(buffer_);
    file_.commit();
  }

 private:
  void flush_if_full() {
    constexpr std::size_t kPiece = 1 << 16;
    if (buffer_.size() < kPiece) return;
    file_.write(buffer_);
    buffer_.clear();
  }
  OutputFile file_;
  std::string buffer_;
};

void write_off(Writer& to, const TriangleMesh& mesh, const FaceMarks& marks) {
  to.text("OFF\n{} {} 0\n", mesh.vertices.size(), mesh.faces.size());
  for (const Vertex& v : mesh.vertices) to.text("{} {} {}\n", v[0], v[1], v[2]);
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const Triangle& face = mesh.faces[f];
    to.text("3 {} {} {}", face[0], face[1], face[2]);
    if (!marks.colors.empty()) {
      const auto& c = marks.colors[f];
      to.text(" {} {} {}", c[0], c[1], c[2]);
    }
    to.text("\n");
  }
}

// Faces of one label follow each other, each label a group.
void write_obj(Writer& to, const TriangleMesh& mesh, const FaceMarks& marks) {
  for (const Vertex& v : mesh.vertices) to.text("v {} {} {}\n", v[0], v[1], v[2]);
  std::vector<std::size_t> order(mesh.faces.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!marks.labels.empty())
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return marks.labels[a] < marks.labels[b];
    });
  std::int64_t group = -1;
  for (const std::size_t f : order) {
    if (!marks.labels.empty() && marks.labels[f] != group) {
      group = marks.labels[f];
      to.text("g segment_{}\n", group);
    }
    const Triangle& face = mesh.faces[f];
    to.text("f {} {} {}\n", face[0] + 1, face[1] + 1, face[2] + 1);
  }
}

void write_ply(Writer& to, const TriangleMesh& mesh, const FaceMarks& marks) {
  to.text("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", mesh.vertices.size());
  to.text("property float x\nproperty float y\nproperty float z\nelement face {}\n",
          mesh.faces.size());
  to.text("property list uchar int vertex_indices\n");
  if (!marks.colors.empty())
    to.text("property uchar red\nproperty uchar green\nproperty uchar blue\n");
  if (!marks.labels.empty()) to.text("property int label\n");
  to.text("end_header\n");
  for (const Vertex& vertex : mesh.vertices)
    for (const float x : vertex) to.f32(x);
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    to.u8(3);
    for (const std::int32_t corner : mesh.faces[f]) to.u32(static_cast<std::uint32_t>(corner));
    if (!marks.colors.empty())
      for (const std::uint8_t c : marks.colors[f]) to.u8(c);
    if (!marks.labels.empty()) to.u32(static_cast<std::uint32_t>(marks.labels[f]));
  }
}

Vertex normal_of(const TriangleMesh& mesh, const Triangle& face) {
  const auto corner = [&](int i) {
    return mesh.vertices[static_cast<std::size_t>(face[static_cast<std::size_t>(i)])];
  };
  const Vertex a = corner(0), b = corner(1), c = corner(2);
  const double u[3] = {double{b[0]} - a[0], double{b[1]} - a[1], double{b[2]} - a[2]};
  const double v[3] = {double{c[0]} - a[0], double{c[1]} - a[1], double{c[2]} - a[2]};
  const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                       u[0] * v[1] - u[1] * v[0]};
  const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  if (!(length > 0)) return {0, 0, 0};
  return {static_cast<float>(n[0] / length), static_cast<float>(n[1] / length),
          static_cast<float>(n[2] / length)};
}

void write_stl(Writer& to, const TriangleMesh& mesh) {
  to.text("{:<80}", "fovea");
  to.u32(static_cast<std::uint32_t>(mesh.faces.size()));
  for (const Triangle& face : mesh.faces) {
    for (const float x : normal_of(mesh, face)) to.f32(x);
    for (const std::int32_t corner : face)
      for (const float x : mesh.vertices[static_cast<std::size_t>(corner)]) to.f32(x);
    to.u8(0);
    to.u8(0);
  }
}

}  // namespace

void write_mesh(const std::string& path, const TriangleMesh& mesh, const FaceMarks& marks) {
  const std::string extension = extension_of(path);
  if (extension != ".off" && extension != ".obj" && extension != ".ply" && extension != ".stl")
    throw InvalidArgument(
        fmt::format("{}: extension '{}' names no mesh; use .off, .obj, .ply or "
                    ".stl",
                    path, extension));
  const auto fits = [&](std::size_t count) { return count == 0 || count == mesh.faces.size(); };
  if (!fits(marks.labels.size()) || !fits(marks.colors.size()))
    throw InvalidArgument(fmt::format("{}: {} labels and {} colors for {} faces", path,
                                      marks.labels.size(), marks.colors.size(), mesh.faces.size()));
  Writer to(path);
  if (extension == ".off") write_off(to, mesh, marks);
  else if (extension == ".obj") write_obj(to, mesh, marks);
  else if (extension == ".ply") write_ply(to, mesh, marks);
  else write_stl(to, mesh);
  to.commit();
}

}  // namespace fovea::io
