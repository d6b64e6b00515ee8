// What the readers of mesh files share: text that is read word by word, and a mesh that is checked
// while it grows.
#pragma once
#include <fovea/io/mesh_io.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/source.h"

namespace fovea::io {

// The lines of a text without comments. They are counted, so that messages can name them.
class MeshLines {
 public:
  MeshLines(const Source& source, std::string_view text) : source_(source), rest_(text) {}

  // Goes to the next line that is not blank; false at the end. word() and number() split it at
  // white space.
  bool next();
  // The next word of the line; empty at its end.
  std::string_view word();
  // The next word as a number; `what` names it in messages.
  float number(const char* what);
  std::int64_t whole(const char* what);
  std::size_t left() const { return rest_.size(); }  // bytes after this line
  std::size_t line_left() const { return line_.size(); }
  [[noreturn]] void fail(std::string_view cause) const;

 private:
  const Source& source_;
  std::string_view rest_;
  std::string_view line_;
  std::int64_t line_number_ = 0;
};

class MeshBuilder {
 public:
  MeshBuilder(const Source& source, const MeshReadOptions& options, MeshFormat format)
      : source_(source), options_(options) {
    mesh_.format = format;
  }

  // Takes the numbers that a header announces. Throws where the file has too few bytes left for
  // them.
  void expect(std::int64_t vertices, std::int64_t faces, std::uint64_t bytes_left,
              std::uint64_t vertex_bytes, std::uint64_t face_bytes);
  void add_vertex(const Vertex& vertex);
  // Corners count from 0. They are checked against the vertices in finish(), because a file may
  // list faces before vertices.
  void add_face(std::span<const std::int64_t> corners);
  std::int64_t vertices() const { return static_cast<std::int64_t>(mesh_.vertices.size()); }
  // Merges corners with equal coordinates into one vertex.
  void weld();
  TriangleMesh finish();

 private:
  const Source& source_;
  const MeshReadOptions& options_;
  TriangleMesh mesh_;
  std::int32_t file_faces_ = 0;
};

// Whether content may be of the format, according to its first bytes and its size.
bool is_off(std::string_view head);
bool is_ply(std::string_view head);
bool is_obj(std::string_view head);
bool is_stl_text(std::string_view head);
bool is_stl_binary(std::string_view content);

TriangleMesh read_off(const Source& source, std::string_view content,
                      const MeshReadOptions& options);
TriangleMesh read_obj(const Source& source, std::string_view content,
                      const MeshReadOptions& options);
TriangleMesh read_ply(const Source& source, std::string_view content,
                      const MeshReadOptions& options);
// Whether vertices or faces have labels, by the beginning of a file.
bool ply_has_labels(const Source& source, std::string_view head);
// One label per face of the file: its own, or that of its first corner.
std::vector<std::int32_t> read_ply_labels(const Source& source, std::string_view content);
TriangleMesh read_stl(const Source& source, std::string_view content,
                      const MeshReadOptions& options);

}  // namespace fovea::io
