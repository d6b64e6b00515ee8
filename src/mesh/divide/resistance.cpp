// Treats the costs of steps (those of Katz and Tal, at concave edges only) as electrical
// resistances. Two faces are near if many paths lead from one to the other, so that a part behind a
// narrow neck is far away however short the path through the neck is. Patches of faces are the
// nodes of the network. Its slowest modes, divided by a power of their eigenvalues, are
// coordinates, and groups of patches in these coordinates are the clusters. Patches take O(n log
// n); the rest depends only on their number. On CUDA the stages over all faces run on the device:
// smoothing, angles, seeds and owners of patches. The rest would not gain: the edges of the mesh
// are sorted once, modes and groups of 800 patches take a few milliseconds in steps that depend on
// each other, and cuts touch only the faces near seams.
#include "mesh/divide/resistance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "mesh/divide/seams.h"
#include "mesh/divide/volume_links.h"
#include "mesh/graph/surface_math.h"

namespace fovea::mesh {
namespace {

constexpr double kSeamWidth = 0.05;  // the band around seams, relative to the root of the area
constexpr int kModesApart = 8;       // number of modes that measure the distance between two halves
// The number of parts is chosen from this many modes. Modes slower than the share kNeck of the last
// one are slowed by necks, and gaps far from this limit count less. On the tuning meshes any share
// from 0.28 to 0.36 works equally well.
constexpr int kModesChosen = 25;
constexpr double kNeck = 0.3;
constexpr double kOffPenalty = 1.5;
// With links through the volume, a body whose slowest mode is faster than this share is one part:
// it has no neck at all. On bodies drawn with known parts, those of one part have 0.16 or more and
// the others 0.11 or less.
constexpr double kWhole = 0.125;
constexpr double kValueTolerance = 0.02;  // enough where only the values of modes are used
constexpr double kNeverWhole = std::numeric_limits<double>::infinity();
// A mesh whose valleys have a mean of 1 - cos below this is treated as one without valleys.
constexpr double kLeastValley = 1e-6;

bool has_valleys(const DualGraph& graph) {
  double sum = 0;
  for (const DualArc& arc : graph.arcs)
    if (arc.concave) sum += one_minus_cosine(arc.angle);
  return sum > kLeastValley * static_cast<double>(graph.arcs.size());
}

// Returns the effective resistance between two nodes, from the modes that are known.
double resistance_between(const Spectrum& spectrum, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t mode = 1; mode < spectrum.values.size(); ++mode) {
    const double apart = spectrum.at(a, mode) - spectrum.at(b, mode);
    if (spectrum.values[mode] > 0) sum += apart * apart / spectrum.values[mode];
  }
  return sum;
}

class Resistance final : public Divider {
 public:
  explicit Resistance(const SegmentOptions& options) : options_(options) {}

  Part prepare(const DualGraph& component, std::span<const float> own) const override {
    return prepare_part(component, own, rounds_by_length(component, options_.resistance.smoothing),
                        options_.resistance.costs, options_);
  }

  Clusters divide(const Part& part, int count) override {
    const ResistanceOptions& how = options_.resistance;
    if (count == 1 || part.faces() < 2) return one_cluster(part);
    if (count == 0 && !part.own_costs && !has_valleys(part.graph))
      return one_cluster(part, CountRule::kNoValley);
    const int most = count > 0 ? count : std::max(how.most_parts, kModesChosen - 1);
    const auto nodes = static_cast<int>(std::min<std::size_t>(
        part.faces(), static_cast<std::size_t>(std::max(how.superfaces, most))));
    const Superfaces superfaces = make_superfaces(part, nodes, options_.exec);
    const Network network = make_network(part, superfaces);
    CountChoice choice;
    if (count == 0) {
      count = count_in_volume(part, superfaces, network, choice.scores);
      if (count == 1) return one_cluster(part, CountRule::kNoNeck);
      choice.rule = CountRule::kBodyModes;
    }
    const Spectrum spectrum =
        slowest_modes(network, std::max((count > 0 ? count : most) + 1, kModesApart));
    throw_if_stopped(options_.exec);
    if (count == 0) {
      choice = {.rule = CountRule::kSurfaceModes};
      count = choose_count(spectrum, how.most_parts, kNeverWhole, &choice.scores);
    }
    if (count == 1) return one_cluster(part, choice.rule);
    const Points points = spectral_points(spectrum, network.masses, count, how.power);
    const Groups groups =
        group_points(points, network.links, {count, how.restarts, options_.exec.seed});
    Clusters clusters = clusters_of(superfaces, points, groups, spectrum);
    clusters.choice = std::move(choice);
    return clusters;
  }

  void doubt(const Part& part, Clusters& clusters) const override {
    double area = 0;
    for (const float one : part.graph.areas) area += static_cast<double>(one);
    doubt_near_seams(part, kSeamWidth * std::sqrt(area), clusters);
  }

  // A seam costs its length, reduced in a valley, or where the caller's costs are high.
  std::vector<double> capacities(const Part& part) const override {
    std::vector<double> result;
    if (part.own_costs) {
      result = relative_costs(part);
    } else {
      const std::vector<float> bends = arc_costs(part.graph, {0, options_.resistance.costs.eta});
      result.assign(bends.begin(), bends.end());
    }
    for (std::size_t i = 0; i < result.size(); ++i)
      result[i] = static_cast<double>(part.graph.arcs[i].edge) / (1 + result[i]);
    return result;
  }

 private:
  // Returns the number of clusters from the network with links through the volume, or 0 where it
  // has none. The clusters themselves come from the network without these links, so that a number
  // that is chosen gives the same clusters as the same number that is given.
  int count_in_volume(const Part& part, const Superfaces& superfaces, Network network,
                      std::vector<CountScore>& scores) const {
    if (part.own_costs || !add_volume_links(part, superfaces, network)) return 0;
    throw_if_stopped(options_.exec);
    return choose_count(slowest_modes(network, kModesChosen, kValueTolerance),
                        options_.resistance.most_parts, kWhole, &scores);
  }

  Clusters clusters_of(const Superfaces& superfaces, const Points& points, const Groups& groups,
                       const Spectrum& spectrum) const {
    const auto dimensions = static_cast<std::size_t>(points.dimensions);
    const std::size_t count = groups.centers.size() / dimensions;
    Clusters clusters;
    clusters.count = static_cast<int>(count);
    std::vector<std::size_t> nearest(count, points.count());
    std::vector<double> least(count, std::numeric_limits<double>::infinity());
    for (std::size_t point = 0; point < points.count(); ++point) {
      const auto label = static_cast<std::size_t>(groups.labels[point]);
      const double distance = squared_distance(
          points.at(point), groups.centers.data() + label * dimensions, points.dimensions);
      if (distance >= least[label] && nearest[label] < points.count()) continue;
      least[label] = distance;
      nearest[label] = point;
    }
    for (const std::size_t point : nearest)
      clusters.representatives.push_back(superfaces.seeds[point]);
    std::vector<float> share(points.count());
    std::vector<std::vector<float>> shares(options_.keep_memberships ? count : 0,
                                           std::vector<float>(points.count()));
    for (std::size_t point = 0; point < points.count(); ++point) {
      double own = 0;
      double sum = 0;
      std::vector<double> all(shares.size());
      for (std::size_t label = 0; label < count; ++label) {
        const double distance =
            squared_distance(points.at(point), points.at(nearest[label]), points.dimensions);
        const double one = 1 / std::max(distance, 1e-12);
        sum += one;
        if (groups.labels[point] == static_cast<std::int32_t>(label)) own = one;
        if (!all.empty()) all[label] = one;
      }
      for (std::size_t label = 0; label < all.size(); ++label)
        shares[label][point] = static_cast<float>(all[label] / sum);
      share[point] = static_cast<float>(own / sum);
    }
    for (const std::int32_t superface : superfaces.of) {
      clusters.labels.push_back(groups.labels[static_cast<std::size_t>(superface)]);
      clusters.membership.push_back(share[static_cast<std::size_t>(superface)]);
    }
    for (const std::vector<float>& of_points : shares) {
      clusters.shares.emplace_back().reserve(superfaces.of.size());
      for (const std::int32_t superface : superfaces.of)
        clusters.shares.back().push_back(of_points[static_cast<std::size_t>(superface)]);
    }
    clusters.second.assign(superfaces.of.size(), -1);
    if (count == 2) clusters.apart = resistance_between(spectrum, nearest[0], nearest[1]);
    return clusters;
  }

  const SegmentOptions& options_;
};

}  // namespace

double rounds_by_length(const DualGraph& graph, double rounds) {
  return rounds * static_cast<double>(graph.faces()) / 10000;
}

Points spectral_points(const Spectrum& spectrum, std::vector<double> weights, int count,
                       double power) {
  Points points;
  points.dimensions = std::min(count - 1, static_cast<int>(spectrum.values.size()) - 1);
  points.weights = std::move(weights);
  const double slowest = std::max(spectrum.values[1], 1e-300);
  for (std::size_t node = 0; node < points.count(); ++node)
    for (int mode = 1; mode <= points.dimensions; ++mode)
      points.numbers.push_back(
          spectrum.at(node, static_cast<std::size_t>(mode)) *
          std::pow(std::max(spectrum.values[static_cast<std::size_t>(mode)] / slowest, 1e-12),
                   -power));
  return points;
}

int choose_count(const Spectrum& spectrum, int most, double whole_above,
                 std::vector<CountScore>* scores) {
  const std::size_t modes = spectrum.values.size();
  if (modes < 3) return static_cast<int>(modes);
  // On a surface without necks, eigenvalues grow in proportion to their index (Weyl), so that the
  // last known value predicts the value at another index.
  const std::size_t last = std::min<std::size_t>(modes - 1, kModesChosen - 1);
  const double whole =
      spectrum.values[last] * static_cast<double>(kModesChosen - 1) / static_cast<double>(last);
  if (spectrum.values[1] > whole_above * whole) return 1;
  int best = 1;
  double best_score = -std::numeric_limits<double>::infinity();
  for (std::size_t count = 2; count <= std::min<std::size_t>(last, static_cast<std::size_t>(most));
       ++count) {
    const double below = std::max(spectrum.values[count - 1], 1e-300);
    const double above = std::max(spectrum.values[count], 1e-300);
    const double off = 0.5 * (std::log(below) + std::log(above)) - std::log(kNeck * whole + 1e-300);
    const double score = std::log(above / below) - kOffPenalty * std::abs(off);
    if (scores != nullptr) scores->push_back({static_cast<int>(count), score});
    if (score <= best_score) continue;
    best_score = score;
    best = static_cast<int>(count);
  }
  return best;
}

std::unique_ptr<Divider> make_resistance(const SegmentOptions& options) {
  return std::make_unique<Resistance>(options);
}

}  // namespace fovea::mesh
