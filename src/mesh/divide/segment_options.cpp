// The options by name.
#include <fovea/mesh/segment.h>

namespace fovea::mesh {
namespace {

constexpr Choice kMethods[] = {{"resistance", static_cast<int>(Method::kResistance)},
                               {"fuzzy", static_cast<int>(Method::kFuzzy)}};
constexpr Choice kDivisions[] = {{"k-way", static_cast<int>(Division::kKWay)},
                                 {"hierarchical", static_cast<int>(Division::kHierarchical)}};

constexpr double kMostSegments = 10000;

void describe_costs(OptionVisitor& visit, ArcCosts& costs) {
  visit("alpha", costs.alpha, "share of the distance in what a step from face to face costs", 0, 1);
  visit("eta", costs.eta, "how much convex edges count beside concave ones", 0, 1);
}

}  // namespace

std::span<const Choice> choices(Method) { return kMethods; }
std::span<const Choice> choices(Division) { return kDivisions; }

void describe(OptionVisitor& visit, HierarchyOptions& options) {
  visit("depth", options.depth, "most divisions one below the other; 1 is a binary cut", 1, 30);
  visit("least-distance", options.least_distance,
        "parts whose representatives lie nearer stay whole, as a share of the first division's", 0,
        1);
  visit("least-angle", options.least_angle,
        "parts that bend less stay whole, as a share of the whole mesh's mean", 0, 1);
  visit("least-faces", options.least_faces, "parts with fewer faces stay whole", 2, 1e9);
}

void describe(OptionVisitor& visit, FuzzyOptions& options) {
  describe_costs(visit, options.costs);
  visit("most-segments", options.most_segments, "where the number is chosen, at most", 2,
        kMostSegments);
  visit("rounds", options.rounds, "of moving representatives; 0 leaves them where they begin", 0,
        1000);
  visit("candidates", options.candidates,
        "faces that may represent, spread evenly; 0: all, in 4 bytes times the square of the faces",
        0, 1e6);
  visit("power", options.power,
        "of distances in memberships: 1 as published, more for clusters that are less fuzzy", 1,
        16);
  visit("fuzziness", options.fuzziness,
        "faces whose two best memberships differ by less are left to the cut", 0, 1);
}

void describe(OptionVisitor& visit, ResistanceOptions& options) {
  describe_costs(visit, options.costs);
  visit("smoothing", options.smoothing,
        "of normals: rounds on a mesh of 10000 faces, as much length on others", 0, 1000);
  visit("superfaces", options.superfaces, "patches that are divided instead of faces", 2, 100000);
  visit("power", options.power, "of the modes' values by which coordinates are divided", 0, 4);
  visit("restarts", options.restarts, "tries from representatives drawn by chance", 0, 1000);
  visit("most-segments", options.most_segments, "where the number is chosen, at most", 2,
        kMostSegments);
}

void describe(OptionVisitor& visit, SegmentOptions& options) {
  visit("segments", options.segments, "parts to cut the mesh into; 0 chooses", 0, 1e9);
  visit("method", options.method,
        "resistance: spectral coordinates of an electrical network; fuzzy: shortest paths and "
        "memberships (Katz and Tal)");
  visit("division", options.division, "at once, or by halves of halves");
  visit("cut", options.cut, "put seams along valleys by a minimum cut");
  visit("least-island", options.least_island,
        "pieces of a part with fewer faces go to the part around them", 0, 1e9);
  visit.group("resistance", options.resistance);
  visit.group("fuzzy", options.fuzzy);
  visit.group("hierarchy", options.hierarchy);
  visit.group("paths", options.paths);
}

}  // namespace fovea::mesh
