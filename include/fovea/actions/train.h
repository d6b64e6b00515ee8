#pragma once
#include <fovea/actions/model.h>
#include <fovea/io/video.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fovea::actions {

// A piece of a video that shows one action.
struct Clip {
  std::string path;  // a video, or a file of points: see is_points_file()
  std::int32_t label = 0;
  std::string subject;      // the person who acts
  std::string scenario;     // the circumstances, such as outdoors; may be empty
  std::int32_t first = 0;   // first frame of the video that belongs to the clip, from 0
  std::int32_t frames = 0;  // number of frames; 0: up to the end
};

struct Corpus {
  std::vector<Clip> clips;
  std::vector<std::string> classes;  // names of the actions, by label
  std::vector<std::string> subjects() const;
};
// Reads a folder that has one folder of videos per action, in natural order, where the subject is
// the file name up to its first '_'; files of points (is_points_file()) stand for videos; or a list
// with lines "file class subject [first-last [scenario]]", where frames count from 1 and both ends
// are included, files are relative to the list's folder and in quotes where they contain spaces,
// and # begins a comment. Throws InvalidArgument where there are fewer than two classes, and
// IoError and FormatError that name file and line.
FOVEA_API Corpus read_corpus(const std::string& folder_or_list);

// KTH's sequence file, with lines such as "person01_boxing_d1 frames 1-95, 96-185, ..." (599 videos
// and 2391 clips in the whole set), and its split of the people into training, validation and test.
struct KthSequences {
  Corpus corpus;  // paths are FOLDER/action/person01_boxing_d1_uncomp.avi
  int videos = 0;
  std::vector<std::int32_t> train, validation, test;  // indices of clips
};
// With `whole`, throws FormatError unless the counts are those of the whole set (599 videos, 2391
// clips, 760 / 768 / 863 of them for training, validation and test).
FOVEA_API KthSequences read_kth(const std::string& sequences, const std::string& folder,
                                bool whole);

// The points of each clip, with frames counted from the first of the clip. Points are found in the
// whole video and then divided among its clips, so that filters see what lies before and after a
// clip, unless each clip is cut out first and is a video of its own. Of a file of points, those of
// the clip's frames are taken; they must have descriptors and, where the file tells its detector,
// be those of `points`. A clip that ends after its video ends with it. Several videos are worked on
// at a time. `failed` is called by the calling thread for a clip that cannot be read, which then
// has no frames; without such a function the error is thrown.
struct ClipOptions {
  PointOptions points{};   // its exec is not used
  bool cut_first = false;  // cut clips out of their videos before points are found
  // Refuse videos whose frames have more pixels; 0: no such limit
  std::uint64_t max_pixels = io::VideoReadOptions{}.max_pixels;
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, ClipOptions& options);
using ClipFailure = std::function<void(int clip, const std::string& why)>;
FOVEA_API std::vector<PointSet> clip_points(std::span<const Clip> clips, const ClipOptions& options,
                                            const ClipFailure& failed = {});

// The points of many clips in half the memory: descriptors have 16 bits per number, the precision
// of model files. Two thousand clips of a hundred frames take some hundred megabytes.
class FOVEA_API PackedClips {
 public:
  explicit PackedClips(int clips = 0) : clips_(static_cast<std::size_t>(clips)) {}
  // Sets the points of a clip, or adds a clip. Throws InvalidArgument where points have no
  // descriptors.
  void set(int clip, const PointSet& points);
  void add(const PointSet& points);
  // Keeps the clips whose place is not negative.
  void keep(std::span<const std::int32_t> places);
  int size() const { return static_cast<int>(clips_.size()); }
  std::span<const SpaceTimePoint> points(int clip) const {
    return clips_[static_cast<std::size_t>(clip)].points;
  }
  PointSet unpacked(int clip) const;

 private:
  struct Packed {
    Extent size{};
    std::int64_t frames = 0;
    double frame_rate = 25;
    std::optional<PointDetector> detector{};
    std::optional<FlowVotes> votes{};
    std::vector<SpaceTimePoint> points{};
    std::vector<std::uint16_t> descriptors{};
  };
  std::vector<Packed> clips_;
};
// clip_points() that packs each clip as soon as its video has been read.
FOVEA_API PackedClips packed_clip_points(std::span<const Clip> clips, const ClipOptions& options,
                                         const ClipFailure& failed = {});

// all keeps every prototype of the training clips. floating is sequential floating forward
// selection (Pudil, Novovicova and Kittler, 1994) on subjects that are set aside, as in the paper;
// it overfits small sets.
enum class Selection : unsigned char { kAll, kFloating };
FOVEA_API std::span<const Choice> choices(Selection);

// `exec` is that of the whole training; the ones inside `points` and `match` are not used.
struct TrainOptions {
  // Many points, slow motion included, because chains need a point in most frames.
  PointOptions points{.harris = {.threshold = 1e-11, .space_weight = 1},
                      .votes = FlowVotes::kMagnitude};
  FeatureOptions features{};
  CutOptions cut{};
  MatchOptions match{};
  ScoreOptions score{};
  int scene_points = 1;  // points of each frame that are matched, the most confident; 0: all
  Selection selection = Selection::kAll;
  int prototypes = 50;             // greatest number of prototypes that floating selection keeps
  double validation = 0.5;         // share of the subjects that floating selection sets aside
  double reject_share = 0.05;      // share of correctly classified training clips that the reject
                                   // levels may lose
  double clip_reject_share = 0.1;  // share of known clips that the rule for whole clips may reject
  int reject_points = 120;  // points per clip whose descriptors are kept for that rule where there
                            // is no fusion, the most confident; 0 keeps none, and the rule
                            // goes by matches alone
  // Whole clips are classified by matching, single descriptors and words together, with weights
  // that are learned by leaving out each training subject in turn (LateFusion). This needs two
  // subjects or more, selection all, and a `fusion` of 0, and does not change streams.
  bool late_fusion = true;
  int fusion_points = 0;  // points per clip whose descriptors are kept for fusion, the most
                          // confident, 180 bytes each; 0 keeps all, which is the most accurate
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, TrainOptions& options);
// The options of the paper: points of STIP-2.0 with plain descriptors, 30 nodes, no mirror images,
// lambdas 0.6, 0.2 and 5, T 10, all points of a scene frame, no dummies, the nearest prototype by
// the sum of appearances, and floating selection of 50 prototypes. What the paper does not tell,
// such as the step between prototypes, is as usual.
FOVEA_API TrainOptions paper_options();

// Trains a model. The same clips, options and seed give the same model on any device and for any
// number of threads.
FOVEA_API Model train(const Corpus& corpus, std::span<const PointSet> points,
                      const TrainOptions& options = {});
FOVEA_API Model train(const Corpus& corpus, const PackedClips& points,
                      const TrainOptions& options = {});

}  // namespace fovea::actions
