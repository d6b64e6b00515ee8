#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/mesh/segment.h>
#include <fovea/report/explanation.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Why a mesh is divided as it is: what the seams between its parts cost, why there are so many
// parts, and why a face belongs to its part. Explanations are computed on the host, whatever the
// device: the CPU and a GPU make the same parts.
namespace fovea::mesh {

// An edge between two faces, as the minimum cut sees it.
struct CutEdge {
  std::int32_t face_a = -1;
  std::int32_t face_b = -1;
  std::int32_t vertex_a = -1;
  std::int32_t vertex_b = -1;
  double capacity = 0;   // what it costs to cut the mesh here. With Method::kResistance it is the
                         // length of the edge, less in a valley; with kFuzzy it has no unit and is
                         // 1 where the surface does not bend, less where it does
  double length = 0;     // of the edge
  double angle = 0;      // between the faces, in radians, after smoothing
  bool concave = false;  // the edge is a valley
};

// The border between two parts.
struct Seam {
  std::int32_t part_a = -1;  // the lower label
  std::int32_t part_b = -1;
  double capacity = 0;  // the sum over its edges
  double length = 0;
  double concave_length = 0;  // how much of it runs through valleys
  std::int64_t edges = 0;
  CutEdge weakest{};  // the edges with the least and the greatest capacity per length (kResistance)
  CutEdge strongest{};  // or capacity (kFuzzy)
};

// One minimum cut that was made between two parts.
struct SeamCut {
  std::int32_t part_a = -1;
  std::int32_t part_b = -1;
  std::int64_t faces = 0;  // in doubt between the two, which the cut divided
  double value = 0;        // what the cut cost; all of them add up to Segmentation::cut_value
};

// Who decided how many parts a component has.
enum class CountRule : unsigned char {
  kGiven,         // the caller gave the number of parts
  kShare,         // the caller gave the number for several components: shared out by area
  kSmall,         // the component has too little area to be divided
  kNoValley,      // the component has no valley at all
  kNoNeck,        // the slowest mode of the body is fast: it has no neck
  kSurfaceModes,  // the gap between the eigenvalues of modes of the surface
  kBodyModes,     // the same with links through the volume
  kDistances,     // where the distance of the next representative decreases most
  kHierarchy      // the rules of the hierarchical division, which stopped it earlier
};
FOVEA_API std::span<const Choice> choices(CountRule);

// A number of parts that was considered.
struct CountScore {
  int count = 0;
  double score = 0;  // the number with the greatest one is chosen. With modes: the logarithm of the
                     // ratio of the eigenvalues around the gap, less the distance from the limit of
                     // necks; with distances: by how much the distance of the next representative
                     // is less
};
// Why the hierarchical division left a part whole.
enum class StopRule : unsigned char {
  kDepth,     // divisions above it
  kFewFaces,  // its faces
  kFlat,      // how much its faces bend, relative to those of the whole component
  kNear,      // the distance of its halves, relative to those of the first division
  kWhole,     // it cannot be divided
  kEnough     // as many parts are there as a division of the whole at once gives
};
FOVEA_API std::span<const Choice> choices(StopRule);
struct PartStop {
  std::int32_t part = -1;
  StopRule rule = StopRule::kDepth;
  double value = 0;  // what was compared with the limit
  double limit = 0;
};
struct CountChoice {
  int component = 0;
  int count = 0;
  CountRule rule = CountRule::kGiven;
  std::vector<CountScore> scores{};  // in the order of counts; empty where nothing was compared
  std::vector<PartStop> stops{};     // of a hierarchical division, one per part
};

struct SegmentExplanation {
  Segmentation segmentation{};  // as segment() gives it, with memberships
  Method method = Method::kResistance;
  bool cut = true;  // whether minimum cuts moved the borders
  // All edges between two faces, in the order of DualGraph::arcs.
  std::vector<CutEdge> edges{};
  std::vector<Seam> seams{};  // in the order of parts; their capacities add up to `capacity`
  double capacity = 0;        // of all edges between two parts
  // The cuts that moved borders. Their sum is `capacity` unless islands were given away, a later
  // cut moved a border that an earlier one had made, or parts touch outside of all doubt.
  std::vector<SeamCut> cuts{};
  // One per face: the other part that the cut might have given it to; -1: it was in no doubt.
  std::vector<std::int32_t> doubt{};
  // One per face: the part it had by its membership, before cuts and islands.
  std::vector<std::int32_t> before{};
  std::vector<CountChoice> counts{};  // one per connected component
};

// Segments the mesh and keeps what explains the result. Throws as segment() does.
FOVEA_API SegmentExplanation explain(const io::TriangleMesh& mesh,
                                     const SegmentOptions& options = {});
// The same with costs of the caller, one per arc of dual_graph(mesh).
FOVEA_API SegmentExplanation explain(const io::TriangleMesh& mesh, const SegmentOptions& options,
                                     std::span<const float> arc_costs);

// How a face stands to one part.
struct FacePart {
  std::int32_t part = -1;
  double membership = 0;  // what clustering found, 0 to 1; those of all parts add up to 1
  bool touches = false;   // a neighbor of the face belongs to it
  // By how much the capacity of all seams would grow if the face were given to this part: the edges
  // to its own part would be cut, those to this part no longer. Negative where that would be
  // cheaper; 0 for its own part.
  double cost = 0;
};
struct FaceExplanation {
  std::int32_t face = -1;
  std::int32_t part = -1;
  std::int32_t runner_up = -1;  // the other part with the greatest membership; -1: there is none
  std::int32_t doubt = -1;      // see SegmentExplanation
  std::int32_t before = -1;
  double margin = 0;              // membership in its part minus that in the runner-up
  std::vector<FacePart> parts{};  // one per part
  std::vector<CutEdge> edges{};   // of the face
};
// Throws InvalidArgument for a face that the mesh does not have.
FOVEA_API FaceExplanation explain_face(const SegmentExplanation& explanation, std::int64_t face);

FOVEA_API void describe(FieldVisitor& visit, SegmentExplanation& why);
FOVEA_API void describe(FieldVisitor& visit, FaceExplanation& why);

// The explanations in the common form: seams as reasons that add up to the capacity of all, or
// parts as reasons by their memberships, which add up to 1, and values per face.
FOVEA_API report::Explanation present(const SegmentExplanation& explanation);
FOVEA_API report::Explanation present(const SegmentExplanation& explanation,
                                      const FaceExplanation& face);

}  // namespace fovea::mesh
