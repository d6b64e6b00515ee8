#pragma once
#include <fovea/mesh/dual_graph.h>
#include <fovea/mesh/shape_diameter.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fovea::mesh {

// What a step from a face to its neighbor costs. Every kind but kRandomWalk adds a share alpha for
// the distance between the faces and 1 - alpha for how much the surface changes there, each
// relative to its mean over all arcs. Convex edges count eta times as much as concave ones. With an
// alpha of 1 a step costs its length alone, in the unit of the mesh.
enum class CostKind : unsigned char {
  kKatzTal,     // 1 - cos angle (Katz and Tal, SIGGRAPH 2003)
  kAngle,       // the angle to the power angle_power
  kMinimaRule,  // the curvature of valleys, angle per length; convex edges cost distance alone
                // (the minima rule of Hoffman and Richards, 1984)
  kDiameter,    // the change of the shape diameter (Shapira, Shamir and Cohen-Or 2008), with
                // 1 - cos angle for the rest of its weight
  kRandomWalk,  // e to the power of the relative 1 - cos angle, up to 5: the inverse of the
                // probability of a step in the random walks of Lai, Hu, Martin and Rosin (2008);
                // alpha is not used
  kFeature      // the length of the step in a space that also holds the normal (the feature
                // sensitive distance of Lai, Zhou, Hu and Martin 2006)
};
FOVEA_API std::span<const Choice> choices(CostKind);

struct ArcCosts {
  double alpha = 0.5;      // 0 to 1: the weight of the distance; the rest is that of the angle
  double eta = 0.1;        // 0 to 1: how much a convex edge counts compared with a concave one
  double angle_power = 1;  // 0.1 to 8: the power of the angle in CostKind::kAngle
  double diameter_weight = 0.5;  // 0 to 1: the weight of the diameter against the angle in
                                 // CostKind::kDiameter
};
FOVEA_API void describe(OptionVisitor& visit, ArcCosts& costs);

// Whether steps cost their length alone, which is then not relative to its mean.
FOVEA_API bool costs_length_alone(const ArcCosts& costs, CostKind kind);

// One cost per arc. On a mesh without any angle the distance is the whole cost. kDiameter throws
// InvalidArgument where the graph has no diameters.
FOVEA_API std::vector<float> arc_costs(const DualGraph& graph, const ArcCosts& costs = {},
                                       CostKind kind = CostKind::kKatzTal);
// The same costs as a graph for shortest paths.
FOVEA_API Graph path_graph(const DualGraph& graph, const ArcCosts& costs = {},
                           CostKind kind = CostKind::kKatzTal);

// Costs that the caller chooses, one per arc. Each is 0 to kMostArcCost; others and wrong numbers
// of costs throw InvalidArgument.
constexpr float kMostArcCost = 1e30F;
using ArcCostFunction = std::function<float(const DualArc&)>;
FOVEA_API std::vector<float> own_arc_costs(const DualGraph& graph, const ArcCostFunction& cost);
FOVEA_API void check_arc_costs(const DualGraph& graph, std::span<const float> costs);
FOVEA_API Graph path_graph(const DualGraph& graph, std::span<const float> costs);

// Reads one cost per arc from a file:
//   .npy of shape (n)     one cost per arc, in the order of DualGraph::arcs
//   .npy of shape (n, 3)  rows of two faces that share an edge, and the cost
//   other files           text with commas, semicolons, tabs or blanks between columns. Its first
//                         line may name the columns: face_a, face_b and cost, or vertex_a,
//                         vertex_b and cost; other columns are ignored. Without names, one column
//                         has costs in the order of the arcs and three have two faces and a cost.
// Numbers of faces count triangles, as DualGraph does. Each pair may stand in either order. Arcs
// that the file leaves out get `absent`; without it they are an error. Throws FormatError with the
// line, and IoError for a file that cannot be read.
FOVEA_API std::vector<float> read_arc_costs(const std::string& path, const DualGraph& graph,
                                            std::optional<double> absent = {});

// Writes the arcs of a graph as CSV, in a form that read_arc_costs() reads: face_a, face_b,
// vertex_a, vertex_b, geodesic, angle, concave, edge and cost.
FOVEA_API void write_arc_costs(const std::string& path, const DualGraph& graph,
                               std::span<const float> costs);

}  // namespace fovea::mesh
