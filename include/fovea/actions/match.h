#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

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

// Points of a video with their features, one a row, in the order of their frames.
struct Nodes {
  std::vector<Node> nodes;
  Image<float> features;

  int size() const { return static_cast<int>(nodes.size()); }
};

// A model is a chain: a node a frame at most, each tied to the two before it. 3 nodes or more.
using Chain = Nodes;

// What chains are searched in. Frames from the first to the last may be passed over by a dummy.
struct Scene {
  Nodes points;
  std::int32_t first_frame = 0;
  std::int32_t frames = 0;
};

// How near scene nodes of a hyperedge (i, i-1, i-2) must be in time, in frames, all gaps being 1 or
// more. span: the first to the last less than T (eq. 14). pair: neighbors less than T (eq. 8).
enum class Closeness : unsigned char { kSpan, kPair };
FOVEA_API std::span<const Choice> choices(Closeness);

// The energy of an assignment z of M model nodes to scene nodes (Lombardi, Wolf, Celiktutan and
// Sankur, 2015, eq. 1 to 6):
//   E(z) = l1 sum_i U(z_i) + l2 sum_{i >= 3} (Dt(z_i, z_i-1, z_i-2) + l3 Dg(z_i, z_i-1, z_i-2))
// U is the Euclidean distance of features. Dt is the sum over both pairs of neighbors of
// |gap in the model - gap in the scene|, frames. Dg is the length of the two differences of angles,
// at i-1 and at i, of the triangle's projection on the image: signed angles, differences around the
// circle, radians. The direction from a point to a later one at the same place counts as 0.
//
// A dummy stands for a node that is not seen: one a scene frame, with a time but without place and
// features. U is then dummy_cost, Dt as ever, and Dg of a triangle with a dummy 0. Causality
// (strictly growing frames) and closeness hold for dummies as for points.
struct MatchOptions {
  double appearance = 0.6;  // lambda 1
  double geometry = 0.2;    // lambda 2
  double angles = 5;        // lambda 3
  int window = 10;          // T, frames; 0: without limit
  Closeness closeness = Closeness::kSpan;
  bool dummies = true;
  double dummy_cost = 2.4;  // W_d
};
FOVEA_API void describe(OptionVisitor& visit, MatchOptions& options);

struct MatchedNode {
  std::int32_t point = -1;  // of the scene; -1: a dummy
  std::int32_t frame = 0;
};

// The least energy of all assignments, exactly. Of equal ones the one whose nodes come first in the
// scene, compared from the last node backwards, points before the frame's dummy.
struct Match {
  bool found = false;    // without dummies, or in short scenes, there may be no assignment
  float energy = 0;      // the sum of the four below, within rounding
  float appearance = 0;  // l1 sum of U over points,
  float dummies = 0;     // and over dummies
  float time = 0;        // l2 sum of Dt
  float angles = 0;      // l2 l3 sum of Dg
  int dummy_count = 0;
  std::vector<MatchedNode> path;  // one a model node
};

// What a class is told by, without the path.
struct MatchScore {
  float energy = 0;      // infinite where nothing was found
  float appearance = 0;  // l1 sum of U, dummies included
  std::int32_t first_frame = 0;
  std::int32_t last_frame = 0;
};

// Finds chains in scenes. Models are prepared once; many are matched at a time, with SIMD lanes on
// the CPU and all of them times all scenes in one launch on a GPU. The energies are the same to the
// bit for any number of threads and on any device. InvalidArgument for models of fewer than three
// nodes, nodes out of order, features of another length or that are not finite.
class FOVEA_API Matcher {
 public:
  Matcher(std::span<const Chain> models, const MatchOptions& options = {}, const Exec& exec = {});
  ~Matcher();
  Matcher(Matcher&&) noexcept;
  Matcher& operator=(Matcher&&) noexcept;

  int models() const;
  // One a model.
  std::vector<Match> match(const Scene& scene) const;
  // A row a scene, a column a model; no paths.
  Image<MatchScore> scores(std::span<const Scene> scenes) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The same over a stream without end, exactly and without blocks: states that may still grow are
// kept, window x window a node, and what it takes to tell their paths, (nodes - 1) x window frames.
// The window must be limited. Works on the CPU whatever the device: a frame is less work than
// asking a GPU for it.
class FOVEA_API StreamMatcher {
 public:
  StreamMatcher(std::span<const Chain> models, const MatchOptions& options = {},
                const Exec& exec = {});
  ~StreamMatcher();
  StreamMatcher(StreamMatcher&&) noexcept;
  StreamMatcher& operator=(StreamMatcher&&) noexcept;

  // The points of one frame, whose number is greater than the last's; frames in between are taken
  // as empty. The stream begins with the first. Gives, for each model, the best match whose last
  // node lies in this frame: valid until the next call.
  std::span<const MatchScore> push(std::int32_t frame, const Nodes& points);
  // The nodes of the match that push() just gave for a model, empty where it found none. A point
  // counts within its frame.
  std::vector<MatchedNode> path(int model) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Variants for several points a model frame (the paper's section 4, table 4). `single`: the most
// salient point of each frame. `chains`: the n-th most salient points of the frames that have so
// many form the n-th chain, of three nodes or more; energies of the chains are averaged, and the
// frames are those of all of them. `greedy`: the points of a model frame, the most salient first,
// each take the nearest by features of the points of a scene frame that are left, and frames are
// then matched as nodes are. U of a frame is the mean over its points, of which one that found none
// left counts dummy_cost, or without dummies nothing; Dg is the mean over the ranks that have a
// point in all three frames, 0 where there is none.
enum class Variant : unsigned char { kSingle, kChains, kGreedy };
FOVEA_API std::span<const Choice> choices(Variant);

// The frames of a model in their order, each with its points, one or more, the most salient first.
struct FrameModel {
  std::vector<Nodes> frames;
};
// InvalidArgument as Matcher, and for frames without points. greedy works on the CPU.
FOVEA_API MatchScore match_frames(const FrameModel& model, const Scene& scene, Variant variant,
                                  const MatchOptions& options = {}, const Exec& exec = {});

}  // namespace fovea::actions
