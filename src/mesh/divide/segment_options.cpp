// Describes the options by name.
#include <fovea/mesh/segment.h>

#include <fovea/core/options.h>

namespace fovea::mesh {
namespace {

constexpr Choice kMethods[] = {{"resistance", static_cast<int>(Method::kResistance)},
                               {"fuzzy", static_cast<int>(Method::kFuzzy)}};
constexpr Choice kDivisions[] = {{"k-way", static_cast<int>(Division::kKWay)},
                                 {"hierarchical", static_cast<int>(Division::kHierarchical)}};

constexpr double kMostParts = 10000;

}  // namespace

std::span<const Choice> choices(Method) { return kMethods; }
std::span<const Choice> choices(Division) { return kDivisions; }

void describe(OptionVisitor& visit, HierarchyOptions& options) {
  visit("depth", options.depth, "the most divisions one below the other; 1 cuts once", 1, 30);
  visit("least-distance", options.least_distance,
        "a part stays whole if its halves are nearer to each other than this share of the distance "
        "in the first division",
        0, 1);
  visit("least-angle", options.least_angle,
        "a part stays whole if it bends less than this share of the whole mesh's average", 0, 1);
  visit("least-faces", options.least_faces, "a part with fewer faces stays whole", 2, 1e9);
}

void describe(OptionVisitor& visit, FuzzyOptions& options) {
  describe(visit, options.costs);
  visit("most-parts", options.most_parts, "the most parts, where their number is chosen", 2,
        kMostParts);
  visit("rounds", options.rounds,
        "how often representatives may move; 0 leaves them where they start", 0, 1000);
  visit("candidates", options.candidates,
        "how many faces may become representatives; 0 lets every face, in 4 bytes of memory times "
        "the square of the number of faces",
        0, 1e6);
  visit("power", options.power,
        "the power of distances in memberships; Katz and Tal use 1, and more makes parts less "
        "fuzzy",
        1, 16);
  visit("fuzziness", options.fuzziness,
        "the minimum cut decides about faces whose two best memberships differ by less", 0, 1);
}

void describe(OptionVisitor& visit, ResistanceOptions& options) {
  describe(visit, options.costs);
  visit("smoothing", options.smoothing,
        "how many times normals are averaged with their neighbors on a mesh of 10000 faces; other "
        "meshes are smoothed over the same length",
        0, 1000);
  visit("superfaces", options.superfaces,
        "how many patches of faces are divided in place of the faces", 2, 100000);
  visit("power", options.power, "coordinates are divided by this power of their eigenvalues", 0, 4);
  visit("restarts", options.restarts,
        "how many more groupings are tried, from representatives drawn at random", 0, 1000);
  visit("most-parts", options.most_parts, "the most parts, where their number is chosen", 2,
        kMostParts);
}

void describe(OptionVisitor& visit, SegmentOptions& options) {
  visit("parts", options.parts, "how many parts to make; 0 chooses the number", 0, 1e9);
  visit("method", options.method,
        "resistance groups faces by spectral coordinates of an electrical network; fuzzy uses "
        "shortest paths and memberships, as Katz and Tal do");
  visit("division", options.division,
        "k-way divides the mesh into all parts at once, hierarchical into two parts again and "
        "again");
  visit("cost", options.cost,
        "what a step between faces costs besides its length: katz-tal 1 - cos angle, angle a power "
        "of the angle, minima-rule the curvature of valleys, diameter the change of the shape "
        "diameter, random-walk and feature the costs of Lai et al.");
  visit("keep-memberships", options.keep_memberships,
        "keep how much every face belongs to every part; .ply files then have these as properties "
        "of faces");
  visit("cut", options.cut, "move borders between parts into valleys by a minimum cut",
        {.off_help = "leave borders between parts where the clustering puts them"});
  visit("least-island", options.least_island,
        "a stray piece of a part with fewer faces joins the part around it", 0, 1e9);
  visit.group("resistance", options.resistance);
  visit.group("fuzzy", options.fuzzy);
  visit.group("hierarchy", options.hierarchy);
  visit.group("diameter", options.diameter);
  visit.group("paths", options.paths);
}

}  // namespace fovea::mesh
