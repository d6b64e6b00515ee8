// fovea_cgal_diameters MESH FILE RAYS: writes CGAL's shape diameters, one per line and face, before
// it smooths and scales them, to be compared with those of fovea mesh arcs --diameters. Prints the
// seconds that they took.
#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/mesh_segmentation.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>

int main(int count, char** words) {
  using Mesh = CGAL::Surface_mesh<CGAL::Simple_cartesian<double>::Point_3>;
  if (count != 4) {
    std::fprintf(stderr, "usage: fovea_cgal_diameters MESH.off FILE RAYS\n");
    return 2;
  }
  Mesh mesh;
  std::ifstream file(words[1]);
  if (!file || !CGAL::IO::read_OFF(file, mesh) || mesh.is_empty()) {
    std::fprintf(stderr, "fovea_cgal_diameters: %s: CGAL cannot read it\n", words[1]);
    return 1;
  }
  const auto diameters = mesh.add_property_map<Mesh::Face_index, double>("f:diameter", 0).first;
  const auto start = std::chrono::steady_clock::now();
  CGAL::sdf_values(mesh, diameters, 2.0 / 3 * CGAL_PI, std::strtoul(words[3], nullptr, 10), false);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  std::ofstream out(words[2]);
  for (const Mesh::Face_index face : mesh.faces()) out << diameters[face] << '\n';
  std::printf("%zu faces, %.3f s\n", static_cast<std::size_t>(mesh.number_of_faces()),
              spent.count());
  return out ? 0 : 1;
}
