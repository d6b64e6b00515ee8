#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/emd/map.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::emd {

// A rectangle in pixels of a frame; (0, 0) is the outer corner of its left top pixel. A tracker
// works in whole pixels and rounds.
struct TrackBox {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double area() const { return width * height; }
  bool operator==(const TrackBox&) const = default;
};

// How a target's next place is chosen: exhaustive takes the best of all within reach, meanshift
// climbs the map from the last one (Comaniciu and Meer).
enum class TrackSearch : unsigned char { kExhaustive, kMeanShift };
FOVEA_API std::span<const Choice> choices(TrackSearch);
// Between histograms of windows and signatures. Bhattacharyya's ignores how colors are related; it
// is here to be compared with, and computed on the CPU on any device.
enum class TrackDistance : unsigned char { kEmd, kBhattacharyya };
FOVEA_API std::span<const Choice> choices(TrackDistance);
// Whether the target's six parts (two columns, three rows) are compared too. auto: where colors
// alone are not enough to tell the target from what surrounds it, because it has none (a gray
// video) or the same ones. Of targets by box and by example, from frame to frame and where one that
// is lost is looked for. Mean shift climbs the map and compares no parts: auto is off with it, on
// refused.
enum class TrackParts : unsigned char { kAuto, kOff, kOn };
FOVEA_API std::span<const Choice> choices(TrackParts);

struct TrackOptions {
  int colors = 16;  // learned in the first frame: bins of the signatures; 2 to 64
  int window = 5;   // pixels across the window that a pixel of the map stands for; odd. Large ones
                    // swallow small targets
  double tau = 50;  // Lab distance from which on colors are simply different
  TrackDistance distance = TrackDistance::kEmd;
  TrackSearch search = TrackSearch::kExhaustive;
  double reach = 0.7;    // how far a target moves between frames, in square roots of its area; at
                         // least 10 pixels
  double motion = 0.15;  // what a step of that square root costs in score, growing as its square
  double ring = 1.3;     // size of the box whose ring is to look unlike the target
  double layout = 0.5;  // how much it matters where in the box the first frame's likelihood lay; 0:
                        // only that it is inside
  TrackParts parts = TrackParts::kAuto;
  double part_weight = 0.25;  // of the parts' mean distance against the map's score
  bool scale = false;         // let the box grow and shrink, 5 % a frame
  double adapt =
      0;  // share of the target's signature taken from each new frame; 0 never changes it
  bool redetect = true;      // look for a lost target in the whole frame
  double lost_below = 0.2;   // a score of less than this part of the first frame's is doubtful
  int lost_frames = 5;       // doubtful frames in a row until a target counts as lost
  double found_above = 0.6;  // the part of the first frame's score that finds a lost target again;
                             // its parts are then at most 1 less this away
  bool whole_map = false;    // map whole frames, to look at, instead of what lies within reach
  // Most memory for distances that the two maps of a target keep from frame to frame. Each takes at
  // most 512 bytes a pixel that it maps (16 colors), so that only large frames come to it. 0 keeps
  // none.
  std::uint64_t cache_bytes = std::uint64_t{256} << 20;
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, TrackOptions& options);

// A target in a frame.
struct Track {
  int id = 0;  // from 1, in the order of targets
  TrackBox box{};
  double score = 0;       // of the map inside the box, less in the ring around it: -1 to 1
  double confidence = 0;  // score / the first frame's, between 0 and 1
  bool lost = false;      // the box is where it was last seen
  bool operator==(const Track&) const = default;
};

// Follows targets through frames by their colors. The first frame teaches a palette and, in it,
// each target's signature and that of its surround; both stay as they are. Every frame is mapped
// twice, window by window: Earth Mover's Distance d to the target's signature and e to the
// surround's, with a thresholded color distance as ground distance. e / (d + e) says how much a
// window looks like the target, and the best place is the box with the most of it inside and the
// least in a ring around it.
//
// Frames have one channel or three (RGB), all the same size, in host or device memory. Results are
// the same on every device and for any number of threads. One object serves one thread at a time.
class FOVEA_API Tracker {
 public:
  explicit Tracker(const TrackOptions& options = {});
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;
  ~Tracker();

  // Adds targets by their boxes in a frame, at least 4x4 pixels within it; those of one call share
  // a palette. Returns them with their ids. InvalidArgument names a box that does not fit.
  std::vector<Track> add(ImageView<const std::uint8_t> frame, std::span<const TrackBox> boxes);
  // Adds a target by an example picture, and looks for it in a frame at half to twice its size.
  // The surround is the whole frame. A target that is not there starts as lost.
  Track add_example(ImageView<const std::uint8_t> frame, ImageView<const std::uint8_t> example);

  // The next frame: where all targets are.
  std::vector<Track> next(ImageView<const std::uint8_t> frame);

  int targets() const;
  // Whether a target's parts are compared, as `parts` asked for or decided.
  bool uses_parts(int id) const;
  // How much each pixel of the last frame looked like a target, 0 to 1, as e / (d + e); 0 outside
  // what was mapped (all is with whole_map).
  Image<float> likelihood(int id) const;
  // Of all maps so far; entries and cache_bytes of all targets together.
  MapStats stats() const;

  const TrackOptions& options() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Overlap of two boxes: intersection over union.
FOVEA_API double overlap(const TrackBox& a, const TrackBox& b);
FOVEA_API double center_distance(const TrackBox& a, const TrackBox& b);

// Of a track against its truth, as the Online Tracking Benchmark counts (Wu, Lim and Yang, 2013).
// Frames without a truth (a box without area) do not count.
struct TrackEvaluation {
  std::int64_t frames = 0;
  double mean_overlap = 0;
  double precision_20px = 0;  // share of frames with at most 20 pixels between the centers
  double success_50 = 0;      // share of frames with an overlap above a half
  double success_area = 0;    // mean success over 21 thresholds from 0 to 1
};
FOVEA_API TrackEvaluation evaluate_track(std::span<const TrackBox> track,
                                         std::span<const TrackBox> truth);

// One target's boxes from a file: a line a frame with x, y, width and height, parted by commas,
// tabs or spaces, or in MOT challenge's form (frame, id, x, y, width, height, ...), told by seven
// or more numbers a line, of which `id` is taken and frames that are not there have no area.
// `origin` is the coordinate of the first pixel, 0 or 1 (the Online Tracking Benchmark's and
// MOT's), and taken away. Lines of nan have no area. FormatError names file and line.
FOVEA_API std::vector<TrackBox> read_boxes(const std::string& path, int origin = 0, int id = 1);

// MOT challenge text, a line a target and frame: frame and coordinates from 1, confidence,
// -1,-1,-1.
FOVEA_API std::string mot_line(std::int64_t frame, const Track& track);

}  // namespace fovea::emd
