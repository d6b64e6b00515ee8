#pragma once
#include <fovea/core/record_fwd.h>
#include <fovea/mesh/arc_costs.h>
#include <fovea/mesh/hierarchy.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fovea::mesh {

// kResistance reads the costs of steps between faces as electrical resistances and groups faces by
// spectral coordinates of that network. kFuzzy measures shortest paths and shares each face among
// representatives, as Katz and Tal do (SIGGRAPH 2003).
enum class Method : unsigned char { kResistance, kFuzzy };
FOVEA_API std::span<const Choice> choices(Method);
// kKWay divides a mesh into all parts at once. kHierarchical divides it into two, and goes on to
// divide one of the parts into two until there are enough or a rule of HierarchyOptions stops it.
enum class Division : unsigned char { kKWay, kHierarchical };
FOVEA_API std::span<const Choice> choices(Division);

// When the hierarchical division stops. The rules apply where the number of parts is chosen; a
// given number of parts overrules them.
struct HierarchyOptions {
  int depth = 6;                // the most divisions one below the other, 1 to 30; 1 cuts once
  double least_distance = 0.1;  // 0 to 1: a part stays whole if its two halves are nearer to each
                                // other than this share of the distance in the first division
  double least_angle = 0.02;    // 0 to 1: a part stays whole if its faces bend less, on average,
                                // than this share of the average over the whole mesh
  int least_faces = 50;         // a part with fewer faces stays whole
};
FOVEA_API void describe(OptionVisitor& visit, HierarchyOptions& options);

// Settings of Method::kFuzzy.
struct FuzzyOptions {
  ArcCosts costs{};     // what a step from face to face costs
  int most_parts = 20;  // the most parts, where their number is chosen
  int rounds = 10;      // how often representatives may move; 0 leaves them where they start
  int candidates = 0;   // how many faces may become representatives; 0 lets every face, which takes
                        // 4 bytes of memory times the square of the number of faces
  int power = 1;  // 1 to 16: the power of distances in memberships. Katz and Tal use 1; with a
                  // higher power representatives stay farther apart
  double fuzziness = 0.1;  // 0 to 1: the minimum cut decides about faces whose two best memberships
                           // differ by less
};
FOVEA_API void describe(OptionVisitor& visit, FuzzyOptions& options);

// Settings of Method::kResistance.
struct ResistanceOptions {
  ArcCosts costs{.alpha = 0.04, .eta = 0};  // what a step from face to face costs
  double smoothing = 6;  // how often normals are averaged with their neighbors' before angles are
                         // measured, on a mesh of 10000 faces; other meshes are smoothed over the
                         // same length
  int superfaces = 800;  // how many patches of faces are divided in place of the faces
  double power = 0.6;    // 0 to 4: coordinates are divided by this power of their eigenvalues
  int restarts = 0;      // how many more groupings are tried, from representatives drawn at random
  int most_parts = 20;   // the most parts, where their number is chosen
};
FOVEA_API void describe(OptionVisitor& visit, ResistanceOptions& options);

struct SegmentOptions {
  int parts = 0;  // how many parts to make; 0 chooses the number
  Method method = Method::kResistance;
  Division division = Division::kKWay;
  CostKind cost = CostKind::kKatzTal;  // what a step from face to face costs: a length with
                                       // kFuzzy, a resistance with kResistance
  bool keep_memberships = false;       // fills Segmentation::memberships: 4 bytes per face and part
  bool cut = true;        // moves borders between parts into concave edges, by a minimum cut
  int least_island = 10;  // a stray piece of a part with fewer faces joins the part around it
  ResistanceOptions resistance{};
  FuzzyOptions fuzzy{};
  HierarchyOptions hierarchy{};
  ShapeDiameterOptions diameter{};  // how CostKind::kDiameter measures; its exec is not used
  ArcCostFunction arc_cost{};  // where it is set, this is the cost of a step in place of `cost`,
                               // alpha and eta. It gets the arcs of dual_graph(mesh)
  PathOptions paths{};         // how Method::kFuzzy finds shortest paths; its exec is not used
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, SegmentOptions& options);

struct Segmentation {
  std::int64_t faces = 0;              // how many faces the mesh has
  std::vector<std::int32_t> labels{};  // one per face: the part that it belongs to, from 0
  int count = 0;                       // how many parts there are
  std::vector<std::int32_t> pieces{};  // one per face: the connected piece of a part, from 0. A
                                       // part may consist of several pieces
  int piece_count = 0;
  std::vector<std::int32_t> representatives{};  // one face per part
  std::vector<float> membership{};  // one per face: how surely it belongs to its part, up to 1
  // One per face and part, those of a face next to each other, where keep_memberships asks for
  // them. Those of a face add up to 1. They are what clustering found: 1 / distance to each
  // representative along paths (kFuzzy), 1 / squared distance between spectral coordinates
  // (kResistance), scaled to a sum of 1; 0 for parts of other components. Cuts and islands may
  // move a face to a part in which it has less than its most. In a hierarchy, the memberships of
  // all divisions above a part are multiplied; what a face has in the other half of a division
  // goes to the parts there by area.
  std::vector<float> memberships{};
  std::vector<HierarchyNode> hierarchy{};  // the tree of Division::kHierarchical; else empty
  bool chosen = false;                     // whether the number of parts was chosen
  double cut_value = 0;                    // what the minimum cuts cost
  std::string engine{};  // the engine that found shortest paths; empty where none did
  double graph_seconds = 0;
  double distance_seconds = 0;
  double cluster_seconds = 0;
  double cut_seconds = 0;
};
FOVEA_API void describe(FieldVisitor& visit, Segmentation& result);

struct SegmentExplanation;  // fovea/mesh/explain.h

// Divides meshes into parts that people would name. It keeps its memory from one mesh to the next.
// Connected components of a mesh are divided separately; a given number of parts is shared among
// them by area, and each has at least one. Equal meshes, options and seeds give equal parts, for
// any number of threads and on any device. One thread at a time may use a segmenter.
class FOVEA_API Segmenter {
 public:
  // Throws InvalidArgument for an option outside its range.
  explicit Segmenter(const SegmentOptions& options = {});
  ~Segmenter();
  Segmenter(Segmenter&&) noexcept;
  Segmenter& operator=(Segmenter&&) noexcept;

  // Throws InvalidArgument for a mesh that has no face or fewer faces than parts to make.
  Segmentation segment(const io::TriangleMesh& mesh);
  // Takes the cost of every step from the caller, one per arc of dual_graph(mesh), as lengths
  // (kFuzzy) or resistances (kResistance; only their ratios matter). Minimum cuts then run over
  // arcs with high costs instead of valleys. Throws InvalidArgument for another number of costs
  // and for costs outside 0 to kMostArcCost.
  Segmentation segment(const io::TriangleMesh& mesh, std::span<const float> arc_costs);

  // Segments a mesh, with costs of the caller or without, and keeps what explains the result. It is
  // the very result of segment(), with memberships.
  SegmentExplanation explain(const io::TriangleMesh& mesh);
  SegmentExplanation explain(const io::TriangleMesh& mesh, std::span<const float> arc_costs);

  const SegmentOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A Segmenter that is used once.
FOVEA_API Segmentation segment(const io::TriangleMesh& mesh, const SegmentOptions& options = {});

}  // namespace fovea::mesh
