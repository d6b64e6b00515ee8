// What the writers of mesh files share.
#pragma once
#include <fovea/io/mesh_io.h>

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "io/text/output_file.h"

namespace fovea::io {

// Buffers text and little-endian numbers and writes them to a file in large pieces.
class MeshWriter {
 public:
  explicit MeshWriter(const std::string& path) : file_(path) {}

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

// A mesh whose labels and colors belong to vertices. A vertex between faces with different marks is
// repeated once for each mark. The first vertices are those of the mesh, in their order.
struct MarkedVertices {
  std::vector<Vertex> vertices;
  std::vector<Triangle> faces;
  std::vector<std::int32_t> labels;                   // one per vertex, or none
  std::vector<std::array<std::uint8_t, 3>> colors{};  // one per vertex, or none
};
MarkedVertices split_at_seams(const TriangleMesh& mesh, const FaceMarks& marks);

void write_ply(MeshWriter& to, const TriangleMesh& mesh, const FaceMarks& marks, bool ascii);
void write_glb(MeshWriter& to, const TriangleMesh& mesh, const FaceMarks& marks);

}  // namespace fovea::io
