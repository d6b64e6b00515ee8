#include "mesh/graph/dual_orient.h"

#include <algorithm>
#include <numeric>

namespace fovea::mesh {
namespace {

struct Turn {
  std::int32_t face;
  bool other;  // its orientation has to differ from its neighbor's
};

// Neighbors over edges that exactly two faces share.
class TwoFacedEdges {
 public:
  TwoFacedEdges(const MeshEdges& edges, std::size_t faces) : first_(faces + 1, 0) {
    const auto each = [&](auto&& take) {
      for (std::size_t edge = 0; edge < edges.count(); ++edge) {
        const auto at = edges.faces(edge);
        if (at.size() != 2) continue;
        const bool other = at[0].forward == at[1].forward;
        take(at[0].face, Turn{at[1].face, other});
        take(at[1].face, Turn{at[0].face, other});
      }
    };
    each([&](std::int32_t face, Turn) { ++first_[static_cast<std::size_t>(face) + 1]; });
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    turns_.resize(static_cast<std::size_t>(first_.back()));
    std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
    each([&](std::int32_t face, Turn turn) {
      turns_[static_cast<std::size_t>(next[static_cast<std::size_t>(face)]++)] = turn;
    });
  }
  std::span<const Turn> of(std::int32_t face) const {
    const auto at = static_cast<std::size_t>(face);
    return {turns_.data() + first_[at], static_cast<std::size_t>(first_[at + 1] - first_[at])};
  }

 private:
  std::vector<std::int64_t> first_;
  std::vector<Turn> turns_;
};

// Returns what a face contributes to the volume around a point.
double volume_share(const io::TriangleMesh& mesh, std::size_t face, const Vector& from) {
  return dot(corner(mesh, face, 0) - from,
             cross(corner(mesh, face, 1) - from, corner(mesh, face, 2) - from));
}

std::vector<Vector> middles(const io::TriangleMesh& mesh, std::span<const std::int32_t> components,
                            std::size_t count) {
  std::vector<Vector> sums(count);
  std::vector<double> corners(count, 0);
  for (std::size_t face = 0; face < mesh.faces.size(); ++face) {
    const auto component = static_cast<std::size_t>(components[face]);
    for (std::size_t which = 0; which < 3; ++which)
      sums[component] = sums[component] + corner(mesh, face, which);
    corners[component] += 3;
  }
  for (std::size_t i = 0; i < count; ++i) sums[i] = (1 / corners[i]) * sums[i];
  return sums;
}

}  // namespace

void turn_outwards(const io::TriangleMesh& mesh, const MeshEdges& edges,
                   std::span<const std::int32_t> components, std::vector<Vector>& normals) {
  const std::size_t faces = mesh.faces.size();
  if (faces == 0) return;
  const auto count =
      static_cast<std::size_t>(*std::max_element(components.begin(), components.end())) + 1;
  const std::vector<Vector> middle = middles(mesh, components, count);

  std::vector<bool> mixed(count, false);
  for (std::size_t edge = 0; edge < edges.count(); ++edge) {
    const auto at = edges.faces(edge);
    if (at.size() == 2 && at[0].forward == at[1].forward)
      mixed[static_cast<std::size_t>(components[static_cast<std::size_t>(at[0].face)])] = true;
  }
  std::vector<double> volume(count, 0);
  for (std::size_t face = 0; face < faces; ++face) {
    const auto component = static_cast<std::size_t>(components[face]);
    volume[component] += volume_share(mesh, face, middle[component]);
  }
  for (std::size_t face = 0; face < faces; ++face) {
    const auto component = static_cast<std::size_t>(components[face]);
    if (!mixed[component] && volume[component] < 0) normals[face] = -1 * normals[face];
  }
  if (std::find(mixed.begin(), mixed.end(), true) == mixed.end()) return;

  const TwoFacedEdges neighbors(edges, faces);
  std::vector<std::int8_t> sense(faces, 0);
  std::vector<std::int32_t> patch;
  for (std::size_t start = 0; start < faces; ++start) {
    const auto component = static_cast<std::size_t>(components[start]);
    if (!mixed[component] || sense[start] != 0) continue;
    patch.assign(1, static_cast<std::int32_t>(start));
    sense[start] = 1;
    double inside = 0;
    for (std::size_t next = 0; next < patch.size(); ++next) {
      const auto face = static_cast<std::size_t>(patch[next]);
      inside += sense[face] * volume_share(mesh, face, middle[component]);
      for (const Turn& turn : neighbors.of(patch[next])) {
        std::int8_t& other = sense[static_cast<std::size_t>(turn.face)];
        if (other != 0) continue;
        other = static_cast<std::int8_t>(turn.other ? -sense[face] : sense[face]);
        patch.push_back(turn.face);
      }
    }
    for (const std::int32_t face : patch)
      if ((sense[static_cast<std::size_t>(face)] < 0) != (inside < 0))
        normals[static_cast<std::size_t>(face)] = -1 * normals[static_cast<std::size_t>(face)];
  }
}

}  // namespace fovea::mesh
