#pragma once
#include <fovea/mesh/dual_graph.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace fovea::mesh {

// resistance: costs of steps read as electrical resistances, spectral coordinates, representatives.
// fuzzy: shortest paths, representatives and memberships of Katz and Tal.
enum class Method : unsigned char { kResistance, kFuzzy };
FOVEA_API std::span<const Choice> choices(Method);
// At once into k parts, or by halves of halves until a rule stops it.
enum class Division : unsigned char { kKWay, kHierarchical };
FOVEA_API std::span<const Choice> choices(Division);

struct HierarchyOptions {
  int depth = 6;                // of divisions, at most; 1 is a binary cut
  double least_distance = 0.1;  // between representatives, of the first division's: below, a part
                                // stays whole
  double least_angle =
      0.02;              // mean angular step of a part, of the whole mesh's: below it stays whole
  int least_faces = 50;  // parts with fewer stay whole
};
FOVEA_API void describe(OptionVisitor& visit, HierarchyOptions& options);

struct FuzzyOptions {
  ArcCosts costs{};        // alpha 0.5, eta 0.1
  int most_segments = 20;  // where the number is chosen
  int rounds = 10;         // of updating representatives
  int candidates = 0;      // faces that may represent, spread evenly; 0: all of them, which takes 4
                           // bytes times the square of the faces
  int power = 1;           // of distances in memberships; Katz and Tal have 1, with more of it
                           // representatives are drawn less towards the middle
  double fuzziness = 0.1;  // faces whose two best memberships differ by less are left to the cut
};
FOVEA_API void describe(OptionVisitor& visit, FuzzyOptions& options);

struct ResistanceOptions {
  ArcCosts costs{.alpha = 0.04, .eta = 0};
  double smoothing = 6;    // of normals before angles are measured, in rounds on a mesh of 10000
                           // faces or as much length on others
  int superfaces = 800;    // patches that are divided instead of faces
  double power = 0.6;      // of the eigenvalues by which coordinates are divided
  int restarts = 0;        // of representatives
  int most_segments = 20;  // where the number is chosen
};
FOVEA_API void describe(OptionVisitor& visit, ResistanceOptions& options);

struct SegmentOptions {
  int segments = 0;  // parts; 0 chooses
  Method method = Method::kResistance;
  Division division = Division::kKWay;
  bool cut = true;        // seams along concave edges, by a minimum cut through the faces in doubt
  int least_island = 10;  // pieces of a part with fewer faces are given to the part around them
  ResistanceOptions resistance{};
  FuzzyOptions fuzzy{};
  HierarchyOptions hierarchy{};
  PathOptions paths{};  // of fuzzy; its exec is the one below
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, SegmentOptions& options);

struct Segmentation {
  std::vector<std::int32_t> labels;  // of each face: its cluster, from 0 on
  int clusters = 0;
  std::vector<std::int32_t> segments;  // of each face: its connected piece of a cluster, from 0 on
  int pieces = 0;
  std::vector<std::int32_t> representatives;  // a face a cluster
  std::vector<float> membership;  // of each face: how sure its cluster is, from 1 / clusters to 1
  bool chosen = false;            // the number of clusters was chosen
  double cut_value = 0;           // what the minimum cuts cost
  std::string engine;             // of distances, where there are some
  double graph_seconds = 0;
  double distance_seconds = 0;
  double cluster_seconds = 0;
  double cut_seconds = 0;
};

// Cuts a mesh into parts that people would name. Components are cut each by themselves; where a
// number is given it is shared out among them by area, at least one each. The same mesh, options
// and seed give the same parts for any number of threads and on any device. InvalidArgument for a
// mesh without faces and more segments than faces.
FOVEA_API Segmentation segment(const io::TriangleMesh& mesh, const SegmentOptions& options = {});

}  // namespace fovea::mesh
