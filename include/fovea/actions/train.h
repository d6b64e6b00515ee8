#pragma once
#include <fovea/actions/model.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fovea::actions {

// A piece of a video that shows one action.
struct Clip {
  std::string path;
  std::int32_t label = 0;
  std::string subject;      // who acts
  std::string scenario;     // where; may be empty
  std::int32_t first = 0;   // frame,
  std::int32_t frames = 0;  // and how many; 0: to the end
};

struct Corpus {
  std::vector<Clip> clips;
  std::vector<std::string> classes;  // names, by label
  std::vector<std::string> subjects() const;
};
// A folder with a folder of videos an action, in natural order; the subject is the file name up to
// its first '_'. Or a list of lines "file class subject [first-last [scenario]]", frames from 1 and
// both included, files named from the list's folder on and in quotes where they have spaces, # for
// comments. InvalidArgument where there are fewer than two classes; IoError and FormatError that
// name file and line.
FOVEA_API Corpus read_corpus(const std::string& folder_or_list);

// KTH's sequence file: "person01_boxing_d1 frames 1-95, 96-185, ...", 599 videos and 2391 pieces in
// the whole set, and its split: people to train with, to choose with, to test with.
struct KthSequences {
  Corpus corpus;  // paths FOLDER/action/person01_boxing_d1_uncomp.avi
  int videos = 0;
  std::vector<std::int32_t> train, validation, test;  // clips
};
// `whole`: FormatError unless the counts are those of the whole set (599, 2391, 760 / 768 / 863).
FOVEA_API KthSequences read_kth(const std::string& sequences, const std::string& folder,
                                bool whole);

// Points of each clip, frames counted from its first. Clips of one video are cut from the points of
// all of it, so that filters see what lies before and after a piece, unless `cut_first`. A piece
// that ends after its video ends with it. Videos are worked on several at a time. Called by the
// calling thread: a clip that cannot be read, which then has no frames; without such a function the
// error is thrown.
using ClipFailure = std::function<void(int clip, const std::string& why)>;
FOVEA_API std::vector<PointSet> clip_points(std::span<const Clip> clips,
                                            const PointOptions& options, bool cut_first,
                                            const Exec& exec = {}, const ClipFailure& failed = {});

// all: every window of the training clips. floating: sequential floating forward selection (Pudil,
// Novovicova and Kittler, 1994) on subjects kept aside, the paper's way; it overfits small sets.
enum class Selection : unsigned char { kAll, kFloating };
FOVEA_API std::span<const Choice> choices(Selection);

struct TrainOptions {
  // Many points, also of slow motion: chains need one in most frames.
  PointOptions points{.harris = {.threshold = 1e-11, .space_weight = 1},
                      .votes = FlowVotes::kMagnitude};
  FeatureOptions features{};
  CutOptions cut{};
  MatchOptions match{};
  ScoreOptions score{};
  int scene_points = 1;  // of a frame that are matched, the most confident; 0: all
  Selection selection = Selection::kAll;
  int prototypes = 50;         // of floating selection, at most
  double validation = 0.5;     // share of the subjects kept aside for floating selection
  double reject_share = 0.05;  // of training clips that reject levels lose though told right
  int fusion_points = 0;       // of a clip whose descriptors are kept for fusion, the most
                               // confident, 180 bytes each; 0: all, which tells most
};
FOVEA_API void describe(OptionVisitor& visit, TrainOptions& options);
// The paper's letter: 30 nodes, STIP-2.0's threshold, all points of a frame, no dummies, the sum of
// appearances, plain descriptors, floating selection.
FOVEA_API TrainOptions paper_options();

// Deterministic: the same clips, options and seed give the same model on any device and for any
// number of threads.
FOVEA_API Model train(const Corpus& corpus, std::span<const PointSet> points,
                      const TrainOptions& options = {}, const Exec& exec = {});

}  // namespace fovea::actions
