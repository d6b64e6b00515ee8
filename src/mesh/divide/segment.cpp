// The face of both methods: checks options, divides each component separately and puts the parts
// together.
#include <fovea/mesh/segment.h>

#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <queue>
#include <utility>

#include "core/dispatch.h"
#include "core/words.h"
#include "mesh/divide/clusters.h"
#include "mesh/divide/seams.h"
#include "mesh/graph/mesh_edges.h"

namespace fovea::mesh {
namespace {

// Components with less than this share of the area stay whole if the number of parts is chosen
// automatically.
constexpr double kLeastShare = 0.01;

class Stopwatch {
 public:
  // Returns the seconds since the last call.
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> spent = now - start_;
    start_ = now;
    return spent.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void check_mesh(const io::TriangleMesh& mesh, int parts) {
  if (mesh.faces.empty()) throw InvalidArgument("segment: the mesh has no faces");
  if (static_cast<std::size_t>(parts) > mesh.faces.size())
    throw InvalidArgument(fmt::format("segment: cannot make {} of {}",
                                      fovea::detail::counted(parts, "part"),
                                      fovea::detail::counted(mesh.faces.size(), "face")));
}

// Returns the power of two by which coordinates are multiplied so that squares and areas neither
// overflow nor vanish in a float; 1 for every mesh of a usual size. A power of two keeps all
// digits.
float scale_of(const io::TriangleMesh& mesh) {
  constexpr int kLargest = 40;
  float greatest = 0;
  for (const io::Vertex& vertex : mesh.vertices)
    for (const float x : vertex) greatest = std::max(greatest, std::abs(x));
  if (!(greatest > 0)) return 1;
  const int exponent = std::ilogb(greatest);
  return std::abs(exponent) <= kLargest ? 1.0F : std::ldexp(1.0F, std::clamp(-exponent, -126, 126));
}

io::TriangleMesh scaled(const io::TriangleMesh& mesh, float scale) {
  io::TriangleMesh result{.vertices = mesh.vertices, .faces = mesh.faces, .polygons = {}};
  for (io::Vertex& vertex : result.vertices)
    for (float& x : vertex) x *= scale;
  return result;
}

std::vector<std::vector<std::int32_t>> faces_of_components(const DualGraph& graph) {
  std::vector<std::vector<std::int32_t>> faces;
  for (std::size_t face = 0; face < graph.components.size(); ++face) {
    const auto component = static_cast<std::size_t>(graph.components[face]);
    if (component == faces.size()) faces.emplace_back();
    faces[component].push_back(static_cast<std::int32_t>(face));
  }
  return faces;
}

// Returns how many parts each component gets. If a number is given, each component gets one part,
// and every further part goes to the component with the most area per part, the first of equals. If
// it is 0, large components choose their own number, which is 0 in the result too.
std::vector<int> budgets(const DualGraph& graph,
                         const std::vector<std::vector<std::int32_t>>& components, int parts) {
  std::vector<double> areas(components.size(), 0);
  for (std::size_t i = 0; i < components.size(); ++i)
    for (const std::int32_t face : components[i])
      areas[i] += static_cast<double>(graph.areas[static_cast<std::size_t>(face)]);
  std::vector<int> result(components.size(), 1);
  if (parts == 0) {
    const double all = std::accumulate(areas.begin(), areas.end(), 0.0);
    for (std::size_t i = 0; i < result.size(); ++i)
      if (areas[i] >= kLeastShare * all) result[i] = 0;
    return result;
  }
  using Claim = std::pair<double, std::size_t>;  // area per part, component
  const auto later = [](const Claim& a, const Claim& b) {
    return a.first < b.first || (a.first == b.first && a.second > b.second);
  };
  std::priority_queue<Claim, std::vector<Claim>, decltype(later)> claims(later);
  const auto claim = [&](std::size_t i) {
    if (static_cast<std::size_t>(result[i]) < components[i].size())
      claims.emplace(areas[i] / result[i], i);
  };
  for (std::size_t i = 0; i < components.size(); ++i) claim(i);
  for (auto given = static_cast<int>(components.size()); given < parts; ++given) {
    const std::size_t next = claims.top().second;
    claims.pop();
    ++result[next];
    claim(next);
  }
  return result;
}

void put_in(const std::vector<std::int32_t>& faces, const Clusters& clusters,
            Segmentation& result) {
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const auto face = static_cast<std::size_t>(faces[i]);
    result.labels[face] = result.count + clusters.labels[i];
    result.membership[face] =
        std::clamp(clusters.membership[i], 1 / static_cast<float>(clusters.count), 1.0F);
  }
  for (const std::int32_t face : clusters.representatives)
    result.representatives.push_back(faces[static_cast<std::size_t>(face)]);
  result.count += clusters.count;
  result.distance_seconds += clusters.seconds;
  if (!clusters.engine.empty()) result.engine = clusters.engine;
}

}  // namespace

Clusters one_cluster(const Part& part) {
  Clusters clusters;
  clusters.labels.assign(part.faces(), 0);
  clusters.membership.assign(part.faces(), 1);
  clusters.second.assign(part.faces(), -1);
  clusters.representatives.assign(
      1,
      static_cast<std::int32_t>(std::max_element(part.graph.areas.begin(), part.graph.areas.end()) -
                                part.graph.areas.begin()));
  return clusters;
}

struct Segmenter::Impl {
  explicit Impl(const SegmentOptions& given) : options(given) {
    check_options(options);
    options.exec = detail::resolve_exec("segment", options.exec, {});
    divider = options.method == Method::kFuzzy ? make_fuzzy(options) : make_resistance(options);
  }
  Segmentation segment(const io::TriangleMesh& mesh);

  SegmentOptions options;
  std::unique_ptr<Divider> divider;  // refers to the options
};

Segmentation Segmenter::Impl::segment(const io::TriangleMesh& mesh) {
  Stopwatch watch;
  Segmentation result;
  const DualGraph graph = dual_graph_unbent(mesh, options.exec);
  const std::vector<std::vector<std::int32_t>> components = faces_of_components(graph);
  const std::vector<int> counts = budgets(graph, components, options.parts);
  std::vector<std::int32_t> places(mesh.faces.size());
  const Adjacency adjacency =
      components.size() == 1 ? Adjacency() : Adjacency(graph.areas.size(), graph.arcs);
  result.labels.resize(mesh.faces.size());
  result.membership.resize(mesh.faces.size());
  result.chosen = options.parts == 0;
  result.graph_seconds = watch.seconds();

  for (std::size_t i = 0; i < components.size(); ++i) {
    throw_if_stopped(options.exec);
    const Part part = divider->prepare(
        components.size() == 1 ? graph : component_of(graph, adjacency, components[i], places));
    result.graph_seconds += watch.seconds();
    Clusters clusters = options.division == Division::kHierarchical && counts[i] != 1
                            ? divide_by_halves(*divider, part, options, counts[i])
                            : divider->divide(part, counts[i]);
    result.cluster_seconds += watch.seconds() - clusters.seconds;
    if (options.cut && clusters.count > 1) {
      divider->doubt(part, clusters);
      result.cut_value += cut_seams(part, divider->capacities(part), clusters);
    }
    give_islands_away(part, options.least_island, clusters);
    put_in(components[i], clusters, result);
    result.cut_seconds += watch.seconds();
  }
  result.piece_count = connected_pieces(graph, result.labels, result.pieces);
  return result;
}

Segmenter::Segmenter(const SegmentOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Segmenter::~Segmenter() = default;
Segmenter::Segmenter(Segmenter&&) noexcept = default;
Segmenter& Segmenter::operator=(Segmenter&&) noexcept = default;

const SegmentOptions& Segmenter::options() const { return impl_->options; }

Segmentation Segmenter::segment(const io::TriangleMesh& mesh) {
  check_mesh(mesh, impl_->options.parts);
  const float scale = scale_of(mesh);
  if (scale == 1) return impl_->segment(mesh);
  Segmentation result = impl_->segment(scaled(mesh, scale));
  // The cut values of this method are lengths.
  if (impl_->options.method == Method::kResistance) result.cut_value /= static_cast<double>(scale);
  return result;
}

Segmentation segment(const io::TriangleMesh& mesh, const SegmentOptions& options) {
  return Segmenter(options).segment(mesh);
}

}  // namespace fovea::mesh
