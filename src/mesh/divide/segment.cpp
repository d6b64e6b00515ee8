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
#include "mesh/divide/trace.h"
#include "mesh/graph/mesh_edges.h"
#include "mesh/graph/normals.h"

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

// The memberships and the tree of one component, until all components are known.
struct Found {
  std::size_t component = 0;
  std::int32_t first = 0;  // the label of its first part
  std::vector<std::vector<float>> shares{};
  std::vector<HierarchyNode> tree{};
};

void put_memberships_in(const std::vector<std::vector<std::int32_t>>& components,
                        const std::vector<Found>& found, Segmentation& result) {
  const auto count = static_cast<std::size_t>(result.count);
  result.memberships.assign(result.labels.size() * count, 0);
  for (const Found& one : found) {
    const std::vector<std::int32_t>& faces = components[one.component];
    for (std::size_t part = 0; part < one.shares.size(); ++part)
      for (std::size_t i = 0; i < faces.size(); ++i)
        result.memberships[static_cast<std::size_t>(faces[i]) * count + part +
                           static_cast<std::size_t>(one.first)] = one.shares[part][i];
  }
}

// Joins the trees of the components: roots first, then each component's divisions.
void put_hierarchy_in(const std::vector<std::vector<std::int32_t>>& components,
                      const std::vector<Found>& found, const DualGraph& graph,
                      Segmentation& result) {
  auto next = static_cast<std::int32_t>(found.size());
  std::vector<HierarchyNode> below;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Found& one = found[i];
    const auto place = [&](std::int32_t node) {
      return node < 0 ? -1 : node == 0 ? static_cast<std::int32_t>(i) : next + node - 1;
    };
    for (std::size_t n = 0; n < one.tree.size(); ++n) {
      HierarchyNode node = one.tree[n];
      node.parent = place(node.parent);
      for (std::int32_t& child : node.children) child = place(child);
      node.part += one.first;
      node.representative =
          components[one.component][static_cast<std::size_t>(node.representative)];
      (n == 0 ? result.hierarchy : below).push_back(node);
    }
    next += static_cast<std::int32_t>(one.tree.size()) - 1;
  }
  result.hierarchy.insert(result.hierarchy.end(), below.begin(), below.end());
  std::vector<std::int32_t> leaves(static_cast<std::size_t>(result.count));
  for (std::size_t n = 0; n < result.hierarchy.size(); ++n)
    if (result.hierarchy[n].is_part())
      leaves[static_cast<std::size_t>(result.hierarchy[n].part)] = static_cast<std::int32_t>(n);
  double whole = 0;
  for (std::size_t face = 0; face < result.labels.size(); ++face) {
    HierarchyNode& leaf = result.hierarchy[static_cast<std::size_t>(
        leaves[static_cast<std::size_t>(result.labels[face])])];
    ++leaf.faces;
    leaf.area += static_cast<double>(graph.areas[face]);
    whole += static_cast<double>(graph.areas[face]);
  }
  // Children stand behind their parents.
  for (std::size_t n = result.hierarchy.size(); n-- > 0;) {
    HierarchyNode& node = result.hierarchy[n];
    if (node.parent >= 0) {
      HierarchyNode& parent = result.hierarchy[static_cast<std::size_t>(node.parent)];
      parent.faces += node.faces;
      parent.area += node.area;
    }
    node.area = whole > 0 ? node.area / whole : 0;
  }
}

}  // namespace

Part prepare_part(const DualGraph& component, std::span<const float> own, double rounds,
                  const ArcCosts& costs, const SegmentOptions& options) {
  Part part;
  part.graph = component;
  part.adjacency = Adjacency(component.areas.size(), component.arcs);
  smooth_and_measure(part.graph, part.adjacency, rounds, options.exec);
  if (own.empty()) {
    part.costs = arc_costs(part.graph, costs, options.cost);
    if (!costs_length_alone(costs, options.cost)) return part;
  } else {
    part.costs.assign(own.begin(), own.end());
    part.own_costs = true;
  }
  const std::vector<double> shares = relative_costs(part);
  std::transform(shares.begin(), shares.end(), part.costs.begin(),
                 [](double cost) { return static_cast<float>(cost); });
  return part;
}

std::vector<double> relative_costs(const Part& part) {
  const double sum = std::accumulate(part.costs.begin(), part.costs.end(), 0.0);
  std::vector<double> result(part.costs.size(), 0);
  const double scale = sum > 0 ? static_cast<double>(result.size()) / sum : 0;
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = scale * static_cast<double>(part.costs[i]);
  return result;
}

Clusters one_cluster(const Part& part, CountRule rule) {
  Clusters clusters;
  clusters.choice.rule = rule;
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
  // `own` are the caller's costs of arcs; empty where there are none.
  Segmentation segment(const io::TriangleMesh& mesh, std::span<const float> own);
  Segmentation segment_scaled(const io::TriangleMesh& mesh, std::span<const float> own);
  Segmentation segment_checked(const io::TriangleMesh& mesh);
  Segmentation segment_checked(const io::TriangleMesh& mesh, std::span<const float> own);
  // Segments by `work` and keeps what explains the result.
  template <class Work>
  SegmentExplanation explain(const Work& work);
  Part prepare_component(const DualGraph& graph, const Adjacency& adjacency,
                         const std::vector<std::int32_t>& faces, std::span<const float> own,
                         std::vector<std::int32_t>& places, std::vector<std::int32_t>& kept) const {
    const DualGraph component = component_of(graph, adjacency, faces, places, &kept);
    std::vector<float> costs;
    if (!own.empty()) {
      costs.reserve(kept.size());
      for (const std::int32_t arc : kept) costs.push_back(own[static_cast<std::size_t>(arc)]);
    }
    return divider->prepare(component, costs);
  }
  // Divides one component and adds it to the result.
  void divide(const Part& part, int count, const std::vector<std::int32_t>& faces, Found& found,
              Segmentation& result);

  SegmentOptions options;
  std::unique_ptr<Divider> divider;   // refers to the options
  SegmentExplanation* why = nullptr;  // null unless the result is explained
};

namespace {

CountRule rule_of_count(const SegmentOptions& options, int count, std::size_t components) {
  if (options.parts > 0) return components == 1 ? CountRule::kGiven : CountRule::kShare;
  return count == 1 ? CountRule::kSmall : CountRule::kHierarchy;
}

}  // namespace

void Segmenter::Impl::divide(const Part& part, int count, const std::vector<std::int32_t>& faces,
                             Found& found, Segmentation& result) {
  Stopwatch watch;
  const bool halves = options.division == Division::kHierarchical;
  Clusters clusters = halves && count != 1 ? divide_by_halves(*divider, part, options, count)
                                           : divider->divide(part, count);
  if (halves && clusters.tree.empty())
    clusters.tree.push_back({.part = 0, .representative = clusters.representatives[0]});
  if (options.keep_memberships && clusters.shares.empty())
    clusters.shares.emplace_back(part.faces(), 1.0F);
  result.cluster_seconds += watch.seconds() - clusters.seconds;
  if (options.cut && clusters.count > 1) divider->doubt(part, clusters);
  found.first = result.count;
  if (why != nullptr) note_clusters(part, faces, clusters, found.first, *why);
  if (options.cut && clusters.count > 1)
    result.cut_value += cut_seams(part, divider->capacities(part), clusters, options.exec);
  reassign_islands(part, options.least_island, clusters);
  if (why != nullptr) note_choice(clusters, found.first, *why);
  put_in(faces, clusters, result);
  found.shares = std::move(clusters.shares);
  found.tree = std::move(clusters.tree);
  result.cut_seconds += watch.seconds();
}

Segmentation Segmenter::Impl::segment(const io::TriangleMesh& mesh, std::span<const float> own) {
  Stopwatch watch;
  Segmentation result{.faces = static_cast<std::int64_t>(mesh.faces.size())};
  DualGraph graph = dual_graph_unbent(mesh, options.exec);
  if (!own.empty()) check_arc_costs(graph, own);
  if (own.empty() && options.cost == CostKind::kDiameter) {
    ShapeDiameterOptions how = options.diameter;
    how.exec = options.exec;
    graph.diameters = shape_diameters(mesh, how);
  }
  const std::vector<std::vector<std::int32_t>> components = faces_of_components(graph);
  const std::vector<int> counts = budgets(graph, components, options.parts);
  std::vector<std::int32_t> places(mesh.faces.size());
  const Adjacency adjacency =
      components.size() == 1 ? Adjacency() : Adjacency(graph.areas.size(), graph.arcs);
  if (why != nullptr) begin_explanation(graph, *why);
  result.labels.resize(mesh.faces.size());
  result.membership.resize(mesh.faces.size());
  result.chosen = options.parts == 0;
  result.graph_seconds = watch.seconds();

  std::vector<Found> found;
  found.reserve(components.size());
  for (std::size_t i = 0; i < components.size(); ++i) {
    throw_if_stopped(options.exec);
    watch.seconds();
    std::vector<std::int32_t> kept;  // the arcs of the component; empty: all
    const Part part = components.size() == 1
                          ? divider->prepare(graph, own)
                          : prepare_component(graph, adjacency, components[i], own, places, kept);
    result.graph_seconds += watch.seconds();
    divide(part, counts[i], components[i], found.emplace_back(Found{.component = i}), result);
    if (why == nullptr) continue;
    note_edges(part, components[i], kept, divider->capacities(part), *why);
    CountChoice& choice = why->counts.back();
    choice.component = static_cast<int>(i);
    if (options.parts > 0 || counts[i] == 1)
      choice = {.component = static_cast<int>(i),
                .count = choice.count,
                .rule = rule_of_count(options, counts[i], components.size())};
  }
  if (options.keep_memberships) put_memberships_in(components, found, result);
  if (options.division == Division::kHierarchical)
    put_hierarchy_in(components, found, graph, result);
  result.piece_count = connected_pieces(graph, result.labels, result.pieces);
  return result;
}

Segmenter::Segmenter(const SegmentOptions& options) : impl_(std::make_unique<Impl>(options)) {}
Segmenter::~Segmenter() = default;
Segmenter::Segmenter(Segmenter&&) noexcept = default;
Segmenter& Segmenter::operator=(Segmenter&&) noexcept = default;

const SegmentOptions& Segmenter::options() const { return impl_->options; }

Segmentation Segmenter::segment(const io::TriangleMesh& mesh) {
  return impl_->segment_checked(mesh);
}

Segmentation Segmenter::segment(const io::TriangleMesh& mesh, std::span<const float> arc_costs) {
  return impl_->segment_checked(mesh, arc_costs);
}

SegmentExplanation Segmenter::explain(const io::TriangleMesh& mesh) {
  return impl_->explain([&] { return impl_->segment_checked(mesh); });
}

SegmentExplanation Segmenter::explain(const io::TriangleMesh& mesh,
                                      std::span<const float> arc_costs) {
  return impl_->explain([&] { return impl_->segment_checked(mesh, arc_costs); });
}

Segmentation Segmenter::Impl::segment_checked(const io::TriangleMesh& mesh) {
  check_mesh(mesh, options.parts);
  if (!options.arc_cost) return segment_scaled(mesh, {});
  const DualGraph graph = dual_graph(mesh, 0, options.exec);
  return segment_scaled(mesh, own_arc_costs(graph, options.arc_cost));
}

Segmentation Segmenter::Impl::segment_checked(const io::TriangleMesh& mesh,
                                              std::span<const float> own) {
  check_mesh(mesh, options.parts);
  // A mesh without arcs has no costs, and nothing is left to choose.
  if (own.empty()) check_arc_costs(dual_graph_unbent(mesh, options.exec), own);
  return segment_scaled(mesh, own);
}

template <class Work>
SegmentExplanation Segmenter::Impl::explain(const Work& work) {
  SegmentExplanation result;
  const bool kept = options.keep_memberships;
  const auto end = [&] {
    why = nullptr;
    options.keep_memberships = kept;
  };
  why = &result;
  options.keep_memberships = true;
  try {
    result.segmentation = work();
  } catch (...) {
    end();
    throw;
  }
  end();
  result.method = options.method;
  result.cut = options.cut;
  find_seams(result);
  return result;
}

Segmentation Segmenter::Impl::segment_scaled(const io::TriangleMesh& mesh,
                                             std::span<const float> own) {
  const float scale = scale_of(mesh);
  if (scale == 1) return segment(mesh, own);
  Segmentation result = segment(scaled(mesh, scale), own);
  // The cut values of this method are lengths.
  const bool lengths = options.method == Method::kResistance;
  if (lengths) result.cut_value /= static_cast<double>(scale);
  if (why != nullptr) unscale(*why, lengths, static_cast<double>(scale));
  return result;
}

Segmentation segment(const io::TriangleMesh& mesh, const SegmentOptions& options) {
  return Segmenter(options).segment(mesh);
}

}  // namespace fovea::mesh
