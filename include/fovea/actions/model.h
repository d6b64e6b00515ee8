#pragma once
#include <fovea/actions/match.h>
#include <fovea/actions/points.h>
#include <fovea/scenes/trained_classifier.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::actions {

// Which part of a descriptor is compared.
enum class Appearance : unsigned char { kHogHof, kHog, kHof };
FOVEA_API std::span<const Choice> choices(Appearance);

// How descriptors become features. `scale` makes distances comparable for every choice: training
// sets it so that the median distance of two random points is 3.76, the median of plain
// descriptors, for which the default lambdas and the default cost of dummies were chosen.
struct FeatureOptions {
  Appearance appearance = Appearance::kHogHof;
  bool square_root = true;  // takes the square root of each bin, which gives Hellinger's distance
  double scale = 0;         // factor of all features; 0: learned from the training data
};
FOVEA_API void describe(OptionVisitor& visit, FeatureOptions& options);

// Features of a video's points, using the `most` most confident points of each frame (0: all).
// Throws InvalidArgument where points have no descriptors or are not in the order of their frames.
FOVEA_API Nodes make_nodes(const PointSet& points, int most, const FeatureOptions& options);
FOVEA_API Scene make_scene(const PointSet& points, int most, const FeatureOptions& options);

// The scale that features of these clips need, from the median distance of points of different
// clips, rounded to two digits because the median of a sample is no more exact. It is 1 where fewer
// than two clips have points.
FOVEA_API double learn_scale(std::span<const PointSet> clips, int most,
                             const FeatureOptions& options, std::uint64_t seed = 1234);

// The same points as if the video were seen in a mirror.
FOVEA_API PointSet mirrored(const PointSet& points);

// Which part of a match is the distance of a video to a class.
enum class Score : unsigned char { kEnergy, kAppearance };
FOVEA_API std::span<const Choice> choices(Score);

// The distance of a clip to a class is the mean distance of the class's best prototypes. With
// `symmetric` it is the mean distance of the class's best clips, where the distance of two clips is
// the mean distance of the prototypes of each to the other. Fusion adds the distance of single
// descriptors: the squared distance of each point's flow descriptor to the nearest one of the class
// (Boiman, Shechtman and Irani, CVPR 2008), both as z-scores over the classes.
struct ScoreOptions {
  Score score = Score::kEnergy;  // divided by the number of nodes
  int best = 3;                  // number of best matches of a class that are averaged
  bool symmetric = false;        // matches clips both ways; for whole clips, not for streams
  double fusion = 0;             // weight of single descriptors; for whole clips, not for streams
};
FOVEA_API void describe(OptionVisitor& visit, ScoreOptions& options);

// How prototypes are cut from clips, and how they are matched. A node is a frame that has a point;
// a prototype has up to `points` points in each of its frames. A clip with fewer such frames, but
// at least half as many as `nodes`, is one prototype.
struct CutOptions {
  int nodes = 20;      // nodes of a prototype
  int step = 8;        // nodes from the beginning of a prototype to the beginning of the next
  bool mirror = true;  // adds the mirror image of each prototype, because people act both ways
  int points = 1;      // most points of a frame, the most confident; more than 1 needs a variant
  Variant variant = Variant::kSingle;  // how prototypes with several points per frame are matched
};
FOVEA_API void describe(OptionVisitor& visit, CutOptions& options);
// Throws InvalidArgument for several points per frame without a variant that uses them.
FOVEA_API void check_cut(const CutOptions& options);

// A chain of a model: consecutive nodes of one training clip, which are its frames with points.
struct Prototype {
  std::int32_t label = 0;
  std::int32_t clip = 0;   // index in Model::clips
  std::int32_t first = 0;  // first node of the clip
  std::int32_t nodes = 0;  // number of nodes
  bool mirrored = false;
  float reject = 0;  // reject level: a match with a greater distance is not reported
};

// Which whole clips are rejected because they show none of the known actions. Rejected is a clip
// whose weighted sum of features is above the limit. The features are: the logarithm of the
// distance to the nearest class; the mean over n of the logarithm of its ratio to the mean distance
// of the n next classes; and the same two of single descriptors, where the rule uses them. A
// logistic regression learns the weights from training clips whose action was left out.
struct RejectRule {
  static constexpr int kFeatures = 4;
  std::array<double, kFeatures> weights{};
  double limit = 0;
  bool singles = false;  // single descriptors are compared, which the model then contains
};

// How whole clips are classified by several methods at once. The probability of a class is the
// softmax over classes of a weighted sum of scores: minus the logarithm of the distance by matching
// and of that of single descriptors, the logarithm of the share of their votes, and the margin of a
// support vector machine over a histogram of visual words, each with the mean 0 and the deviation 1
// over the classes. Weights are learned from training clips whose person was left out.
struct LateFusion {
  static constexpr int kParts = 4;
  std::array<double, kParts> weights{};    // in the order above; none is negative
  Image<float> words;                      // descriptors, one per row
  scenes::TrainedClassifier classifier{};  // of histograms of these words, svm without calibration
};

// All that is needed to recognize actions. The `exec` of its options is not used: whoever works
// with a model has an Exec of its own.
struct Model {
  std::vector<std::string> classes;
  PointOptions points{};
  int scene_points = 1;  // points of each frame that are matched, the most confident; 0: all
  FeatureOptions features{};
  CutOptions cut{};
  MatchOptions match{};
  ScoreOptions score{};
  std::vector<PointSet> clips;  // training clips with at most cut.points points per frame
  std::vector<Prototype> prototypes;
  // Single flow descriptors for fusion, late fusion and the reject rule, one per row, and the label
  // of each.
  // They are empty where the model was trained without them.
  Image<float> descriptors;
  std::vector<std::int32_t> descriptor_labels;
  // For whole clips; streams go by the reject levels of prototypes, and so do whole clips where
  // there is no rule.
  std::optional<RejectRule> reject_rule{};
  // For whole clips; where there is none, they are classified by matching, and by single
  // descriptors where score.fusion says so.
  std::optional<LateFusion> late_fusion{};
  std::map<std::string, std::string> facts;

  // The points of a prototype, a FrameModel where the model has several points per frame.
  FOVEA_API Chain chain(int prototype) const;
  FOVEA_API std::vector<Chain> chains() const;

  // Models are safetensors files with descriptors in 16 bits, the precision that training works
  // with. Mirrored prototypes take no room, because they are made from the others. read() checks
  // everything: it throws ModelError for contents that do not fit together and FormatError for a
  // damaged file.
  FOVEA_API static Model read(const std::string& path);
  FOVEA_API void write(const std::string& path) const;
};

// Reads a model by the name of a shipped one ("actions/weizmann", or "weizmann" alone) or by its
// file. Throws IoError that lists the shipped models where there is neither.
FOVEA_API std::shared_ptr<const Model> load_model(std::string_view name);

}  // namespace fovea::actions
