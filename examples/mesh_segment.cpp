// Divides a mesh into parts and writes it in colors: mesh_segment IN OUT.ply [PARTS]
#include <fovea/core/error.h>
#include <fovea/mesh.h>

#include <cstdio>
#include <cstdlib>

using namespace fovea;

int main(int argc, char** argv) try {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s IN OUT.ply [PARTS]\n", argv[0]);
    return 2;
  }
  const io::TriangleMesh mesh = io::read_mesh(argv[1]);
  mesh::Segmenter segmenter({.parts = argc > 3 ? std::atoi(argv[3]) : 0});  // 0 chooses the number
  const mesh::Segmentation parts = segmenter.segment(mesh);

  std::vector<std::array<std::uint8_t, 3>> colors;
  for (const report::Color& color : mesh::part_colors(parts.labels))
    colors.push_back({color.r, color.g, color.b});
  io::write_mesh(argv[2], mesh, {.labels = parts.labels, .colors = colors});
  std::printf("%s: %zu faces in %d parts\n", argv[2], mesh.faces.size(), parts.count);
  return 0;
} catch (const Error& error) {
  std::fprintf(stderr, "mesh_segment: %s\n", error.what());
  return 1;
}
