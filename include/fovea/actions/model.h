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
FOVEA_API Nodes make_nodes(const PointSet& points, int most, const FeatureOptions& options);
FOVEA_API Scene make_scene(const PointSet& points, int most, const FeatureOptions& options);

// The same points as though the video were seen in a mirror.
FOVEA_API PointSet mirrored(const PointSet& points);

// What makes the distance of a video to a class.
enum class Score : unsigned char { kEnergy, kAppearance };
FOVEA_API std::span<const Choice> choices(Score);

struct ScoreOptions {
  Score score = Score::kEnergy;  // of a match, over the number of nodes
  int best = 3;                  // matches of a class whose mean is its distance
  bool symmetric = false;        // clips are matched both ways; for whole clips only
  double fusion = 0;             // weight of distances of single descriptors, by their z-scores
};
FOVEA_API void describe(OptionVisitor& visit, ScoreOptions& options);

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
  MatchOptions match{};
  ScoreOptions score{};
  std::vector<PointSet> clips;  // training clips, a point a frame at most
  std::vector<Prototype> prototypes;
  // Single descriptors for fusion, of all points of the training clips, and the label of each.
  Image<float> descriptors;
  std::vector<std::int32_t> descriptor_labels;
  std::map<std::string, std::string> facts;

  FOVEA_API Chain chain(int prototype) const;
  FOVEA_API std::vector<Chain> chains() const;

  // A safetensors file; descriptors are kept in 16 bits. Reading trusts nothing: what does not fit
  // is a ModelError, damage a FormatError.
  FOVEA_API static Model read(const std::string& path);
  FOVEA_API void write(const std::string& path) const;
};

}  // namespace fovea::actions
