// Words and numbers of mesh files, and the checks that every reader's mesh goes through.
#include "io/mesh/mesh_format.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace fovea::io {
namespace {

constexpr std::int64_t kMostItems = std::numeric_limits<std::int32_t>::max();

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string_view trimmed_line(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

struct VertexHash {
  std::size_t operator()(const Vertex& vertex) const {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const float x : vertex) {
      std::uint32_t bits = 0;
      static_assert(sizeof bits == sizeof x);
      std::copy_n(reinterpret_cast<const char*>(&x), sizeof x, reinterpret_cast<char*>(&bits));
      hash = (hash ^ bits) * 0x9E3779B97F4A7C15U;
      hash ^= hash >> 29U;
    }
    return hash;
  }
};

}  // namespace

bool MeshLines::next() {
  while (!rest_.empty()) {
    const auto end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_number_;
    line_ = trimmed_line(line_.substr(0, line_.find('#')));
    if (!line_.empty()) return true;
  }
  return false;
}

std::string_view MeshLines::word() {
  line_ = trimmed_line(line_);
  const auto end = std::find_if(line_.begin(), line_.end(), is_space);
  const auto length = static_cast<std::size_t>(end - line_.begin());
  const std::string_view word = line_.substr(0, length);
  line_.remove_prefix(length);
  return word;
}

float MeshLines::number(const char* what) {
  std::string_view text = word();
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  // Numbers too small for a double become 0.
  const bool tiny =
      error == std::errc::result_out_of_range &&
      (text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos);
  if (tiny) value = 0;
  else if (error != std::errc() || end != text.data() + text.size() ||
           !std::isfinite(static_cast<float>(value)))
    fail(fmt::format("has '{}' where {} was expected", text.substr(0, 40), what));
  return static_cast<float>(value);
}

std::int64_t MeshLines::whole(const char* what) {
  const std::string_view text = word();
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(fmt::format("has '{}' where {} was expected", text.substr(0, 40), what));
  return value;
}

void MeshLines::fail(std::string_view cause) const {
  source_.fail(fmt::format("line {} {}", line_number_, cause));
}

void MeshBuilder::expect(std::int64_t vertices, std::int64_t faces, std::uint64_t bytes_left,
                         std::uint64_t vertex_bytes, std::uint64_t face_bytes) {
  if (vertices < 0 || faces < 0 || vertices > kMostItems || faces > kMostItems)
    source_.fail(fmt::format("announces {} vertices and {} faces; at most {} of each are read",
                             vertices, faces, kMostItems));
  const auto needed = static_cast<std::uint64_t>(vertices) * vertex_bytes +
                      static_cast<std::uint64_t>(faces) * face_bytes;
  if (needed > bytes_left)
    source_.fail(
        fmt::format("is truncated: {} vertices and {} faces take at least {} bytes, {} are left",
                    vertices, faces, needed, bytes_left));
  mesh_.vertices.reserve(static_cast<std::size_t>(vertices));
  mesh_.faces.reserve(static_cast<std::size_t>(faces));
}

void MeshBuilder::add_vertex(const Vertex& vertex) {
  for (const float x : vertex) {
    if (!std::isfinite(x))
      source_.fail(fmt::format("has vertex {} at ({}, {}, {}); expected finite coordinates",
                               vertices(), vertex[0], vertex[1], vertex[2]));
  }
  mesh_.vertices.push_back(vertex);
}

void MeshBuilder::add_face(std::span<const std::int64_t> corners) {
  if (corners.size() < 3)
    source_.fail(fmt::format("has face {} with {} corners; expected three or more", file_faces_,
                             corners.size()));
  if (corners.size() > 3) {
    if (options_.polygons == Polygons::kRefuse)
      source_.fail(fmt::format("has face {} with {} corners, but the options accept triangles only",
                               file_faces_, corners.size()));
    if (mesh_.polygons.empty())
      for (std::int32_t i = 0; i < file_faces_; ++i) mesh_.polygons.push_back(i);
  }
  if (static_cast<std::int64_t>(mesh_.faces.size() + corners.size() - 2) > kMostItems)
    source_.fail(fmt::format("has more than {} triangles, the most that are read", kMostItems));
  for (const std::int64_t corner : corners) {
    if (corner < 0 || corner > kMostItems)
      source_.fail(fmt::format("has face {} with vertex {}; expected 0 to {}", file_faces_, corner,
                               kMostItems));
  }
  const bool mixed = !mesh_.polygons.empty();
  for (std::size_t i = 2; i < corners.size(); ++i) {
    mesh_.faces.push_back({static_cast<std::int32_t>(corners[0]),
                           static_cast<std::int32_t>(corners[i - 1]),
                           static_cast<std::int32_t>(corners[i])});
    if (mixed || corners.size() > 3) mesh_.polygons.push_back(file_faces_);
  }
  ++file_faces_;
}

void MeshBuilder::weld() {
  std::unordered_map<Vertex, std::int32_t, VertexHash> places;
  places.reserve(mesh_.vertices.size() / 4);
  std::vector<Vertex> kept;
  std::vector<std::int32_t> place_of;
  place_of.reserve(mesh_.vertices.size());
  for (Vertex vertex : mesh_.vertices) {
    for (float& x : vertex) x += 0.0F;  // -0 and 0 are the same coordinate
    const auto [at, is_new] = places.emplace(vertex, static_cast<std::int32_t>(kept.size()));
    if (is_new) kept.push_back(vertex);
    place_of.push_back(at->second);
  }
  for (Triangle& face : mesh_.faces)
    for (std::int32_t& corner : face)
      if (const auto at = static_cast<std::size_t>(corner); at < place_of.size())
        corner = place_of[at];  // finish() refuses the others
  mesh_.vertices = std::move(kept);
}

TriangleMesh MeshBuilder::finish() {
  if (mesh_.faces.empty())
    source_.fail(fmt::format("has {} vertices and no face; expected at least one face",
                             mesh_.vertices.size()));
  for (std::size_t f = 0; f < mesh_.faces.size(); ++f) {
    for (const std::int32_t corner : mesh_.faces[f]) {
      if (corner >= vertices())
        source_.fail(
            fmt::format("has face {} with vertex {}; there are only {} vertices",
                        mesh_.polygons.empty() ? static_cast<std::int32_t>(f) : mesh_.polygons[f],
                        corner, vertices()));
    }
  }
  return std::move(mesh_);
}

}  // namespace fovea::io
