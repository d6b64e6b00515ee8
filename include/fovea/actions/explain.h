#pragma once
#include <fovea/actions/classify.h>
#include <fovea/actions/match_example.h>
#include <fovea/actions/recognize.h>
#include <fovea/core/record_fwd.h>
#include <fovea/report/explanation.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Why a clip or an event counts as an action: the matched chain with what each node and triangle
// adds to its energy, the runner-up, the reject level, and with late fusion what each method says.
// Explanations are computed on the host, whatever the device: the CPU and a GPU find the same
// matches to the bit.
namespace fovea::actions {

// A node of the model and where it was found.
struct NodeShare {
  int strand = 0;
  Node model{};            // place and frame in the model's clip
  std::int32_t frame = 0;  // of the scene
  bool seen = false;       // false: a dummy, which has no place
  float x = 0;             // place in the scene
  float y = 0;
  double appearance = 0;  // l1 U of a point; 0 for a dummy
  double dummy = 0;       // l1 U of a dummy; 0 for a point
  double energy() const { return appearance + dummy; }
};
// Three consecutive nodes of a strand, a hyperedge of the graph.
struct TriangleShare {
  int strand = 0;
  std::array<int, 3> nodes{};  // indices in ChainShares::nodes
  double time = 0;
  double angles = 0;
  double energy() const { return time + angles; }
};

// A model found in a scene. The energies of all nodes and triangles add up to `energy`. With
// several points per frame they count as the variant says: with Variant::kChains by the strand's
// share in the mean of all strands, with kGreedy by the mean over the points of a frame, where the
// first strand has the times.
struct ChainShares {
  bool found = false;
  int prototype = -1;  // index in Model::prototypes; -1 for an example of the caller
  std::int32_t label = -1;
  int frames = 0;  // of the model that have points, by which energies are divided
  bool mirrored = false;
  double energy = 0;    // as the matcher gives it
  double distance = 0;  // per frame of the model: of the energy, or of its appearance and dummies
                        // where the model compares these (Score::kAppearance)
  std::vector<NodeShare> nodes{};
  std::vector<TriangleShare> triangles{};
};

// How far a class is.
struct ClassShare {
  std::int32_t label = -1;
  std::string name{};
  double distance = 0;  // by which classes are compared: ClipClass::distances, or for an event the
                        // least one of the class's prototypes in the last frames
  int prototype = -1;   // the class's nearest prototype; -1: none fits
  double nearest = 0;   // distance of that prototype
};

// What one of the methods of a fusion says: parts add up to the logarithm of the odds of the first
// class against the second (late fusion), or to how much farther the second is (fusion).
struct FusionShare {
  std::string name{};  // matching, descriptors, votes, words
  double weight = 0;
  double first = 0;    // score of the first class, standardized over the classes; with fusion a
  double second = 0;   // distance
  double value = 0;    // what it speaks for the first class: weight times the difference
  bool speaks = true;  // false: the method says nothing about this clip
};

// One feature of the rule that rejects whole clips.
struct RejectShare {
  std::string name{};
  double weight = 0;
  double feature = 0;
  double value = 0;  // weight * feature
};
// How far the clip or event was from being rejected.
struct RejectExplanation {
  bool by_rule = false;  // by the model's rule for clips, otherwise by the level of the prototype
  double distance = 0;   // by level: the distance of the match
  double level = 0;      // by level: the greatest distance that is accepted, with the factor of the
                         // options; infinite where there is none
  double sum = 0;        // by rule: the weighted sum of features,
  double limit = 0;      // and the greatest one that is accepted, without the factor of the options
  double factor = 1;     // of the options; 0 accepts everything
  double allowance = 0;  // how many times farther the clip might be: 1 or more is accepted
  bool accepted = false;
  std::vector<RejectShare> features{};  // by rule; they add up to `sum`
};

struct ClipExplanation {
  ClipClass result{};                 // as Classifier::classify() gives it
  std::vector<ClassShare> classes{};  // the nearest first
  ChainShares match{};                // of the nearest class's nearest prototype
  ChainShares runner_up{};            // of the second class's
  std::vector<FusionShare> fusion{};  // empty where matching decides alone
  RejectExplanation reject{};
  std::vector<std::string> names{};  // of all classes, by label
  Extent size{};                     // of the video
};
// Classifier::explain() computes it.
FOVEA_API report::Explanation present(const ClipExplanation& explanation);
FOVEA_API void describe(FieldVisitor& visit, ClipExplanation& why);

// What the explanation of an event needs; RecognizeOptions::explain keeps it.
struct EventEvidence {
  Scene scene{};                    // the points of the event's place, from its first frame on
  std::vector<MatchedNode> path{};  // points are those of `scene`
  int prototype = -1;               // of the match; that of the event where it was not classified
  double distance = 0;              // of the match
  double limit = 0;                 // the greatest distance that is reported
  std::vector<double> classes{};    // distances of the classes with which the margin was computed
};
struct EventExplanation {
  Event event{};
  std::vector<ClassShare> classes{};  // the nearest first; prototypes are known for two classes
  ChainShares match{};
  ChainShares runner_up{};  // the second class's best prototype within the frames of the event
  RejectExplanation reject{};
  std::vector<std::string> names{};  // of all classes, by label
};
// Throws InvalidArgument for an event without evidence: set RecognizeOptions::explain.
FOVEA_API EventExplanation explain(const Model& model, const Event& event);
FOVEA_API report::Explanation present(const EventExplanation& explanation);
FOVEA_API void describe(FieldVisitor& visit, EventExplanation& why);

// The best match of an example.
struct ExampleExplanation {
  ChainShares match{};
  double appearance = 0;  // the four terms, which add up to the energy
  double dummies = 0;
  double time = 0;
  double angles = 0;
};
FOVEA_API ExampleExplanation explain(const ExampleMatch& match, const ExampleOptions& options);
FOVEA_API report::Explanation present(const ExampleExplanation& explanation);
FOVEA_API void describe(FieldVisitor& visit, ExampleExplanation& why);

}  // namespace fovea::actions
