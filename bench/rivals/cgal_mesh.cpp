// The method of Shapira, Shamir and Cohen-Or as CGAL implements it. It computes distances in one
// thread.
#include "rivals/cgal_mesh.h"

#include <CGAL/Simple_cartesian.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/mesh_segmentation.h>

#include <cstddef>

#include "rivals/ready.h"

namespace rivals {

using Kernel = CGAL::Simple_cartesian<double>;
using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
using Face = Mesh::Face_index;

struct CgalMesh::State {
  Mesh mesh{};
  std::vector<Face> face_of{};  // per given face, CGAL's face or none
  std::vector<int> parts{};
};

CgalMesh::CgalMesh(const std::vector<std::array<double, 3>>& vertices,
                   const std::vector<std::array<int, 3>>& faces)
    : state_(std::make_unique<State>()) {
  std::vector<Mesh::Vertex_index> at;
  for (const auto& v : vertices) at.push_back(state_->mesh.add_vertex({v[0], v[1], v[2]}));
  for (const auto& face : faces)
    state_->face_of.push_back(state_->mesh.add_face(at[static_cast<std::size_t>(face[0])],
                                                    at[static_cast<std::size_t>(face[1])],
                                                    at[static_cast<std::size_t>(face[2])]));
  state_->parts.resize(faces.size());
}

CgalMesh::~CgalMesh() = default;

const std::vector<int>& CgalMesh::run() {
  Mesh& mesh = state_->mesh;
  const auto diameters = mesh.add_property_map<Face, double>("f:diameter", 0).first;
  const auto part = mesh.add_property_map<Face, std::size_t>("f:part", 0).first;
  CGAL::sdf_values(mesh, diameters);
  CGAL::segmentation_from_sdf_values(mesh, diameters, part);
  int before = 0;
  for (std::size_t f = 0; f < state_->parts.size(); ++f) {
    const Face face = state_->face_of[f];
    if (face != Mesh::null_face()) before = static_cast<int>(part[face]);
    state_->parts[f] = before;
  }
  return state_->parts;
}

}  // namespace rivals

FoveaRivalWork fovea_cgal_segments(const FoveaRivalShape* shape, int) {
  if (shape->mesh == nullptr) return {};
  const FoveaRivalMesh& given = *shape->mesh;
  std::vector<std::array<double, 3>> vertices(static_cast<std::size_t>(given.vertex_count));
  std::vector<std::array<int, 3>> faces(static_cast<std::size_t>(given.face_count));
  const double* place = given.vertices;
  for (auto& vertex : vertices)
    for (double& x : vertex) x = *place++;
  const int* from = given.corners;
  for (auto& face : faces)
    for (int& corner : face) corner = *from++;
  const auto mesh = std::make_shared<rivals::CgalMesh>(vertices, faces);
  return rivals::ready([mesh] { mesh->run(); });
}
