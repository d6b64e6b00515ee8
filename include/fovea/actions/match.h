#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fovea::actions {

struct Node {
  float x = 0;
  float y = 0;
  std::int32_t frame = 0;
};

// Points of a video in the order of their frames, with their features, one per row.
struct Nodes {
  std::vector<Node> nodes;
  Image<float> features;

  int size() const { return static_cast<int>(nodes.size()); }
};

// What is searched for: three or more nodes, at most one per frame, each tied to the two before it.
using Chain = Nodes;

// What chains are searched in. A dummy may stand in any frame from the first to the last.
struct Scene {
  Nodes points;
  std::int32_t first_frame = 0;
  std::int32_t frames = 0;
};

// How near the scene nodes of a hyperedge (i, i-1, i-2) must be in time. Gaps are 1 frame or more.
// span: the first and the last are less than T frames apart (eq. 14). pair: neighbors are (eq. 8).
enum class Closeness : unsigned char { kSpan, kPair };
FOVEA_API std::span<const Choice> choices(Closeness);

// The energy of an assignment z of M chain nodes to scene nodes (Lombardi, Wolf, Celiktutan and
// Sankur, 2015, eq. 1 to 6):
//   E(z) = l1 sum_i U(z_i) + l2 sum_{i >= 3} (Dt(z_i, z_i-1, z_i-2) + l3 Dg(z_i, z_i-1, z_i-2))
// U is the Euclidean distance of features. Dt is the sum over both pairs of neighbors of
// |gap in the chain - gap in the scene|, in frames. Dg is the length of the two differences of
// angles, at i-1 and at i, of the triangle's projection on the image: angles are signed,
// differences go around the circle, and the unit is the radian. The direction from a point to a
// later one at the same place counts as 0.
//
// A dummy stands for a node that is not seen. Each scene frame has one, which has a time but
// neither place nor features. Its U is dummy_cost, Dt is as for points, and Dg of a triangle with a
// dummy is 0. Causality (strictly growing frames) and closeness hold for dummies as for points.
struct MatchOptions {
  double appearance = 0.6;  // lambda 1
  double geometry = 0.2;    // lambda 2
  double angles = 5;        // lambda 3
  int window = 10;          // T in frames; 0 sets no limit
  Closeness closeness = Closeness::kSpan;
  bool dummies = true;
  double dummy_cost = 2.4;  // W_d
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, MatchOptions& options);

struct MatchedNode {
  std::int32_t point = -1;  // a point of the scene; -1: a dummy
  std::int32_t frame = 0;
};
FOVEA_API void describe(FieldVisitor& visit, MatchedNode& node);

// The assignment of least energy among all that are allowed, exactly. Among equal ones it is the
// one whose nodes come first in the scene, compared from the last node backwards, points before the
// dummy of their frame.
struct Match {
  bool found = false;    // without dummies, or in short scenes, there may be no assignment
  float energy = 0;      // the sum of the four parts below, within rounding
  float appearance = 0;  // l1 sum of U over points
  float dummies = 0;     // l1 sum of U over dummies
  float time = 0;        // l2 sum of Dt
  float angles = 0;      // l2 l3 sum of Dg
  int dummy_count = 0;
  std::vector<MatchedNode> path;  // one per chain node
};

// A match without its path.
struct MatchScore {
  float energy = 0;      // infinite where there is no match
  float appearance = 0;  // l1 sum of U, dummies included
  std::int32_t first_frame = 0;
  std::int32_t last_frame = 0;
};

// Finds chains in scenes. Chains are prepared once; many are matched at a time, in SIMD lanes on
// the CPU, and all of them with all scenes in one launch on a GPU. The energies are equal to the
// bit for any number of threads and on any device. Throws InvalidArgument for chains of fewer than
// three nodes, nodes out of order, and features of different lengths or that are not finite.
class FOVEA_API Matcher {
 public:
  explicit Matcher(std::span<const Chain> chains, const MatchOptions& options = {});
  ~Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;

  int chains() const;
  // One match per chain.
  std::vector<Match> match(const Scene& scene) const;
  // One row per scene and one column per chain.
  Image<MatchScore> scores(std::span<const Scene> scenes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Finds chains in a stream without end, exactly and without cutting it into blocks. It keeps the
// states that may still grow, window x window per node, and what it takes to trace their paths,
// (nodes - 1) x window frames. The window must be limited. On a GPU, chains and states stay in its
// memory; a frame's points are uploaded and one score per chain comes back. Scores and paths are
// equal to the bit for any number of threads and on any device.
class FOVEA_API StreamMatcher {
 public:
  explicit StreamMatcher(std::span<const Chain> chains, const MatchOptions& options = {});
  ~StreamMatcher();
  StreamMatcher(StreamMatcher&&) noexcept;
  StreamMatcher& operator=(StreamMatcher&&) noexcept;

  // A matcher of the same chains, whose memory both share, for a stream of its own.
  StreamMatcher another() const;

  // Takes the points of one frame, whose number is greater than the last one's; frames in between
  // count as empty. The stream begins with the first frame that is pushed. Returns, for each chain,
  // the best match whose last node lies in this frame; valid until the next call.
  std::span<const MatchScore> push(std::int32_t frame, const Nodes& points);
  // The nodes of the match that push() has just returned for a chain; empty where there is none.
  // Points are numbered within their frame.
  std::vector<MatchedNode> path(int chain) const;

 private:
  struct Impl;
  explicit StreamMatcher(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// How models with several points per frame are matched (the paper's section 4, table 4).
//
// single: one chain of the most salient point of each frame.
// chains: the paper's second method. The n-th chain has the n-th most salient point of each frame
//   that has so many; it takes part if it has three nodes or more and at least half as many as the
//   model has frames. Each chain is matched by itself. Energies count per node and are averaged
//   over the chains, times the number of the model's frames.
// greedy: the paper's first method. Points are assigned before frames are. For model frame i and
//   each scene frame f, the point of rank n takes the point of f that has the least
//     l1 U + min l2 (Dt + l3 Dg),
//   where the minimum is over all pairs of scene frames that may precede f and in which rank n of
//   the model frames i-1 and i-2 has taken points; it is 0 where there is no such pair. Two points
//   may take the same one, as in the energy. With dummies, only points with U up to dummy_cost can
//   be taken; if there is none, the model point counts as not seen. Then frames are matched as if
//   they were nodes: U of a frame is the mean over its points, where one that is not seen counts
//   dummy_cost; Dg is the mean over the ranks that have a point in all three frames, or 0.
enum class Variant : unsigned char { kSingle, kChains, kGreedy };
FOVEA_API std::span<const Choice> choices(Variant);

// Points in the order of their frames, the most salient of each frame first.
using FrameModel = Nodes;
// Returns the number of different frames.
FOVEA_API int frame_count(const FrameModel& model);

// One point of each of some frames of a model, and where these points are in the scene.
struct Strand {
  std::vector<std::int32_t> points;  // points of the model, by index
  Match match;                       // one node of its path per point
};
// The strands are the chains, or the ranks of `greedy`, which lie in the same scene frames. With
// `chains` the parts are averaged like the energy.
struct FrameMatch {
  bool found = false;
  float energy = 0;
  float appearance = 0;
  float dummies = 0;
  float time = 0;
  float angles = 0;
  std::vector<Strand> strands{};
};

// Finds models with several points per frame in scenes, many at a time, with all variants on any
// device. Results are equal to the bit for any number of threads and on any device. Throws
// InvalidArgument as Matcher does, and for models with points in fewer than three frames.
class FOVEA_API FrameMatcher {
 public:
  FrameMatcher(std::span<const FrameModel> models, Variant variant,
               const MatchOptions& options = {});
  ~FrameMatcher();
  FrameMatcher(FrameMatcher&&) noexcept;
  FrameMatcher& operator=(FrameMatcher&&) noexcept;

  int models() const;
  // One match per model.
  std::vector<FrameMatch> match(const Scene& scene) const;
  // One row per scene and one column per model.
  Image<MatchScore> scores(std::span<const Scene> scenes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The score of one model in one scene.
FOVEA_API MatchScore match_frames(const FrameModel& model, const Scene& scene, Variant variant,
                                  const MatchOptions& options = {});

// What one node of a chain adds to the energy of a match; the parts of all nodes add up to those of
// the match. Times and angles are those of the triangle of which it is the last node.
struct NodeCost {
  float appearance = 0;  // l1 U of a point; 0 for a dummy
  float dummy = 0;       // l1 U of a dummy; 0 for a point
  float time = 0;
  float angles = 0;
};
FOVEA_API std::vector<NodeCost> node_costs(const Chain& chain, const Scene& scene,
                                           const Match& match, const MatchOptions& options = {});

}  // namespace fovea::actions
