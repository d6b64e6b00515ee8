#pragma once
#include <fovea/actions/match.h>
#include <fovea/actions/points.h>

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace fovea::actions {

// What of a descriptor is compared.
enum class Appearance : unsigned char { kHogHof, kHog, kHof };
FOVEA_API std::span<const Choice> choices(Appearance);

// How descriptors become features. `scale` makes distances comparable whatever the choice: training
// sets it so that the median distance of two points drawn by chance is that of plain descriptors,
// 3.76, which lambdas and the cost of dummies are meant for.
struct FeatureOptions {
  Appearance appearance = Appearance::kHogHof;
  bool square_root = true;  // of each bin: Hellinger's distance
  double scale = 0;         // of features; 0: by the training data
};
FOVEA_API void describe(OptionVisitor& visit, FeatureOptions& options);

// Features of a video's points, of each frame the `most` most confident ones (0: all).
// InvalidArgument where points have no descriptors or are not in the order of their frames.
FOVEA_API Nodes make_nodes(const PointSet& points, int most, const FeatureOptions& options);
FOVEA_API Scene make_scene(const PointSet& points, int most, const FeatureOptions& options);

// The scale that features of these clips need, by the median distance of points of different clips;
// in two digits, since a median of a sample is no surer. 1 where fewer than two clips have points.
FOVEA_API double learn_scale(std::span<const PointSet> clips, int most,
                             const FeatureOptions& options, std::uint64_t seed = 1234);

// The same points as though the video were seen in a mirror.
FOVEA_API PointSet mirrored(const PointSet& points);

// What makes the distance of a video to a class.
enum class Score : unsigned char { kEnergy, kAppearance };
FOVEA_API std::span<const Choice> choices(Score);

// The distance of a clip to a class is the mean of the best matches of the class's prototypes; or,
// symmetric, of its best clips, where two clips are as far apart as the prototypes of each lie from
// the other on average. Fusion adds the distance of single descriptors: of each point's flow the
// squared distance to the nearest one of the class (Boiman, Shechtman and Irani, CVPR 2008), both
// as z-scores over the classes.
struct ScoreOptions {
  Score score = Score::kEnergy;  // of a match, over the number of nodes
  int best = 3;                  // matches of a class whose mean is its distance
  bool symmetric = false;        // clips are matched both ways; of whole clips, not of streams
  double fusion = 0;             // weight of single descriptors; of whole clips, not of streams
};
FOVEA_API void describe(OptionVisitor& visit, ScoreOptions& options);

// How prototypes are cut from clips: as many frames with a point as they have nodes, one point
// each. A clip that has fewer, but half of them or more, is one prototype.
struct CutOptions {
  int nodes = 20;      // of a prototype,
  int step = 8;        // and how many further the next one begins
  bool mirror = true;  // each once more as seen in a mirror: people act both ways
};
FOVEA_API void describe(OptionVisitor& visit, CutOptions& options);

// Where a prototype comes from: nodes of one clip.
struct Prototype {
  std::int32_t label = 0;
  std::int32_t clip = 0;   // of Model::clips
  std::int32_t first = 0;  // node of the clip,
  std::int32_t nodes = 0;  // and how many
  bool mirrored = false;
  float reject = 0;  // a match above this distance tells nothing
};

// All that is needed to tell actions.
struct Model {
  std::vector<std::string> classes;
  PointOptions points{};
  int scene_points = 1;  // of a frame that are matched, the most confident ones; 0: all
  FeatureOptions features{};
  CutOptions cut{};
  MatchOptions match{};
  ScoreOptions score{};
  std::vector<PointSet> clips;  // training clips, a point a frame at most
  std::vector<Prototype> prototypes;
  // Single descriptors of flow for fusion, one a row, and the label of each; none where the model
  // was trained without.
  Image<float> descriptors;
  std::vector<std::int32_t> descriptor_labels;
  std::map<std::string, std::string> facts;

  FOVEA_API Chain chain(int prototype) const;
  FOVEA_API std::vector<Chain> chains() const;

  // A safetensors file; descriptors are kept in 16 bits, as training makes them. Mirrored
  // prototypes take no room: they are made of the others. Reading trusts nothing: what does not fit
  // is a ModelError, damage a FormatError.
  FOVEA_API static Model read(const std::string& path);
  FOVEA_API void write(const std::string& path) const;
};

}  // namespace fovea::actions
