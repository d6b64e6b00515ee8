// Meshes as files: chooses the format by the extension, and writes OFF, OBJ and STL.
#include <fovea/core/error.h>
#include <fovea/io/mesh_io.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <numeric>
#include <string_view>

#include "core/words.h"
#include "io/mesh/mesh_writer.h"
#include "io/text/extension.h"

namespace fovea::io {
namespace {

void write_off(MeshWriter& to, const TriangleMesh& mesh, const FaceMarks& marks) {
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

constexpr const char* kNameLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

// The name of a label's group and material.
std::string part_name(std::int64_t label) { return fmt::format("part_{}", label); }

// One material per label, with the color of its first face.
void write_mtl(const std::string& path, const FaceMarks& marks) {
  std::map<std::int32_t, std::array<std::uint8_t, 3>> colors;
  for (std::size_t f = 0; f < marks.labels.size(); ++f)
    colors.try_emplace(marks.labels[f], marks.colors[f]);
  MeshWriter to(path);
  for (const auto& [label, c] : colors)
    to.text("newmtl {}\nKd {:.4f} {:.4f} {:.4f}\nKs 0 0 0\nd 1\nillum 1\n", part_name(label),
            c[0] / 255.0, c[1] / 255.0, c[2] / 255.0);
  to.commit();
}

// Consecutive faces with one label form a group.
void write_obj(MeshWriter& to, const TriangleMesh& mesh, const FaceMarks& marks,
               const std::string& materials) {
  if (!materials.empty()) to.text("mtllib {}\n", materials);
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
      to.text("g {}\n", part_name(group));
      if (!materials.empty()) to.text("usemtl {}\n", part_name(group));
    }
    const Triangle& face = mesh.faces[f];
    to.text("f {} {} {}\n", face[0] + 1, face[1] + 1, face[2] + 1);
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

void write_stl(MeshWriter& to, const TriangleMesh& mesh) {
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

void write_mesh(const std::string& path, const TriangleMesh& mesh, const FaceMarks& marks,
                const MeshWriteOptions& options) {
  const std::string extension = extension_of(path);
  constexpr std::array<std::string_view, 5> kKnown{".off", ".obj", ".ply", ".stl", ".glb"};
  if (std::find(kKnown.begin(), kKnown.end(), extension) == kKnown.end())
    throw InvalidArgument(
        fmt::format("{}: extension '{}' names no mesh format; use .ply, .glb, .obj, .off or .stl",
                    path, extension));
  const auto fits = [&](std::size_t count) { return count == 0 || count == mesh.faces.size(); };
  if (!fits(marks.labels.size()) || !fits(marks.colors.size()))
    throw InvalidArgument(
        fmt::format("{}: {} labels and {} colors for {} faces; expected one per face or none", path,
                    marks.labels.size(), marks.colors.size(), mesh.faces.size()));
  for (const FaceAttribute& each : marks.attributes) {
    if (each.values.size() != mesh.faces.size())
      throw InvalidArgument(fmt::format("{}: attribute {} has {} values for {} faces", path,
                                        each.name, each.values.size(), mesh.faces.size()));
    if (each.name.empty() || each.name.find_first_not_of(kNameLetters) != std::string::npos)
      throw InvalidArgument(fmt::format(
          "{}: attribute '{}' cannot be a property; expected letters, digits and underscores", path,
          detail::shown(each.name)));
  }
  MeshWriter to(path);
  if (extension == ".obj") {
    std::filesystem::path materials;
    if (!marks.labels.empty() && !marks.colors.empty())
      materials = std::filesystem::path(path).replace_extension(".mtl");
    write_obj(to, mesh, marks, materials.filename().string());
    if (!materials.empty()) write_mtl(materials.string(), marks);
  } else if (extension == ".off") {
    write_off(to, mesh, marks);
  } else if (extension == ".ply") {
    write_ply(to, mesh, marks, options.ascii);
  } else if (extension == ".glb") {
    write_glb(to, mesh, marks);
  } else {
    write_stl(to, mesh);
  }
  to.commit();
}

}  // namespace fovea::io
