// Half edges are put into buckets by their lower vertex; a bucket holds about six, so that sorting
// it costs little.
#include "mesh/graph/mesh_edges.h"

#include <fmt/format.h>
#include <fovea/core/error.h>

#include <algorithm>
#include <numeric>
#include <tuple>

namespace fovea::mesh {
namespace {

struct HalfEdge {
  std::int32_t high;
  EdgeFace face;
};

void require_corners(const io::TriangleMesh& mesh) {
  const auto vertices = static_cast<std::int64_t>(mesh.vertices.size());
  for (std::size_t face = 0; face < mesh.faces.size(); ++face)
    for (const std::int32_t vertex : mesh.faces[face])
      if (vertex < 0 || vertex >= vertices)
        throw InvalidArgument(fmt::format("mesh: face {} names vertex {}, expected 0 to {}", face,
                                          vertex, vertices - 1));
}

}  // namespace

MeshEdges::MeshEdges(const io::TriangleMesh& mesh) {
  require_corners(mesh);
  std::vector<std::int64_t> first(mesh.vertices.size() + 1, 0);
  const auto each = [&](auto&& take) {
    for (std::size_t face = 0; face < mesh.faces.size(); ++face) {
      const io::Triangle& corners = mesh.faces[face];
      for (std::size_t side = 0; side < 3; ++side) {
        const std::int32_t from = corners[side];
        const std::int32_t to = corners[(side + 1) % 3];
        if (from != to) take(static_cast<std::int32_t>(face), from, to);
      }
    }
  };
  each([&](std::int32_t, std::int32_t from, std::int32_t to) {
    ++first[static_cast<std::size_t>(std::min(from, to)) + 1];
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<HalfEdge> halves(static_cast<std::size_t>(first.back()));
  std::vector<std::int64_t> next(first.begin(), first.end() - 1);
  each([&](std::int32_t face, std::int32_t from, std::int32_t to) {
    const auto bucket = static_cast<std::size_t>(std::min(from, to));
    halves[static_cast<std::size_t>(next[bucket]++)] = {std::max(from, to), {face, from < to}};
  });

  faces_.reserve(halves.size());
  for (std::size_t vertex = 0; vertex + 1 < first.size(); ++vertex) {
    const auto begin = halves.begin() + first[vertex];
    const auto end = halves.begin() + first[vertex + 1];
    std::sort(begin, end, [](const HalfEdge& a, const HalfEdge& b) {
      return std::tie(a.high, a.face.face) < std::tie(b.high, b.face.face);
    });
    for (auto half = begin; half != end; ++half) {
      const bool same = half != begin && half->high == (half - 1)->high;
      if (same && half->face.face == faces_.back().face) continue;
      if (!same) {
        low_.push_back(static_cast<std::int32_t>(vertex));
        high_.push_back(half->high);
        first_.push_back(first_.back());
      }
      faces_.push_back(half->face);
      ++first_.back();
    }
  }
}

Components::Components(std::size_t nodes) : parent_(nodes) {
  std::iota(parent_.begin(), parent_.end(), 0);
}

std::int32_t Components::root(std::int32_t node) {
  auto at = static_cast<std::size_t>(node);
  while (parent_[at] != static_cast<std::int32_t>(at)) {
    parent_[at] = parent_[static_cast<std::size_t>(parent_[at])];
    at = static_cast<std::size_t>(parent_[at]);
  }
  return static_cast<std::int32_t>(at);
}

// The lower root stays a root, so that a component's root is its first node.
void Components::join(std::int32_t a, std::int32_t b) {
  a = root(a);
  b = root(b);
  parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
}

int Components::number(std::vector<std::int32_t>& components) {
  components.resize(parent_.size());
  int count = 0;
  for (std::size_t node = 0; node < parent_.size(); ++node) {
    const auto top = static_cast<std::size_t>(root(static_cast<std::int32_t>(node)));
    components[node] = top == node ? count++ : components[top];
  }
  return count;
}

}  // namespace fovea::mesh
