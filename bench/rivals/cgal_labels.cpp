// fovea_cgal_labels MESHES FOLDER: writes CGAL's parts of every mesh of a folder to
// FOLDER/NAME.seg, to be evaluated by fovea mesh eval --labels FOLDER. Prints the seconds that each
// mesh took.
#include <fovea/io/inputs.h>
#include <fovea/io/mesh_io.h>

#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>
#include <string>

#include "rivals/cgal_mesh.h"

namespace {

void write_parts(const std::string& path, const std::string& folder) {
  const fovea::io::TriangleMesh mesh = fovea::io::read_mesh(path);
  std::vector<std::array<double, 3>> vertices;
  for (const fovea::io::Vertex& v : mesh.vertices) vertices.push_back({v[0], v[1], v[2]});
  rivals::CgalMesh rival(vertices, {mesh.faces.begin(), mesh.faces.end()});
  const auto start = std::chrono::steady_clock::now();
  const std::vector<int>& parts = rival.run();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  const std::string name = std::filesystem::path(path).stem().string();
  fovea::io::write_labels(folder + "/" + name + ".seg", {parts.begin(), parts.end()});
  std::printf("%s %.3f\n", name.c_str(), spent.count());
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "usage: fovea_cgal_labels MESHES FOLDER\n");
    return 2;
  }
  try {
    const std::string meshes = words[1], folder = words[2];
    std::filesystem::create_directories(folder);
    for (const std::string& path :
         fovea::io::expand_inputs(std::span(&meshes, 1), fovea::io::mesh_files()))
      write_parts(path, folder);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fovea_cgal_labels: %s\n", error.what());
    return 1;
  }
}
