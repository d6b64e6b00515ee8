#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/emd/map.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fovea::emd {

// How the next place of a target is chosen: exhaustive takes the best of all places within reach,
// meanshift climbs the map from the last place (Comaniciu and Meer).
enum class TrackSearch : unsigned char { kExhaustive, kMeanShift };
FOVEA_API std::span<const Choice> choices(TrackSearch);
// The distance between the histograms of windows and signatures. The Bhattacharyya distance ignores
// how similar two colors are. It is here for comparison and always runs on the CPU.
enum class TrackDistance : unsigned char { kEmd, kBhattacharyya };
FOVEA_API std::span<const Choice> choices(TrackDistance);
// Whether the six parts of a target (two columns, three rows) are compared too, from frame to frame
// and in the search for a lost target. auto compares them in frames with bands, and where colors
// alone do not separate the target from its surroundings, because it has none (a gray video) or the
// same ones. The mean shift search does not compare parts: with it auto means off, and on is
// refused.
enum class TrackParts : unsigned char { kAuto, kOff, kOn };
FOVEA_API std::span<const Choice> choices(TrackParts);

// What is compared of frames with bands: the values of their samples, or the shape of each pixel's
// spectrum, which is its samples divided by their root mean square. The shape does not change with
// the brightness of the light, and needs at least two bands. auto compares the shape where there
// are four bands or more, and else the values.
enum class TrackSpectra : unsigned char { kAuto, kValues, kShape };
FOVEA_API std::span<const Choice> choices(TrackSpectra);

// Whether a correlation filter of the target's edges, learned on in every sure frame, helps to find
// it; off: by its first colors alone. auto is on in frames of bytes with search exhaustive, except
// for a target whose texture is below a quarter of its ring's. Frames with bands and the mean shift
// search have no filter: there on is refused. One that has no weight and changes no sizes is off.
enum class TrackFilter : unsigned char { kAuto, kOff, kOn };
FOVEA_API std::span<const Choice> choices(TrackFilter);

struct TrackOptions {
  int colors = 16;  // number of colors learned in the first frame, the bins of signatures; 2 to 64
  int window = 5;   // side in pixels, odd, of the window that a pixel of the map describes. Large
                    // windows swallow small targets
  // Distance beyond which colors are equally different: in Lab (absent: 50) or, for bands, in
  // standard deviations of the first frame's spectra (absent: the mean distance of two colors)
  std::optional<double> tau{};
  TrackSpectra spectra = TrackSpectra::kAuto;  // for frames with bands
  TrackDistance distance = TrackDistance::kEmd;
  TrackSearch search = TrackSearch::kExhaustive;
  double reach = 0.7;    // how far a target moves between frames, in square roots of its area; at
                         // least 10 pixels
  double motion = 0.15;  // what a step as long as that square root costs in score; the cost grows
                         // with the square of the step
  double ring = 1.3;     // size, relative to the target, of the box whose ring must look unlike it
  double layout = 0.5;   // how much it matters where in the box the first frame's likelihood lay; 0
                         // only asks that it is inside
  TrackParts parts = TrackParts::kAuto;
  double part_weight = 0.25;  // weight of the parts' mean distance against the map's score
  TrackFilter filter = TrackFilter::kAuto;
  double filter_weight = 2;  // weight of the filter's response, 1 for the target as it was learned,
                             // against the map's score relative to the first frame's
  double filter_rate = 0.02;  // share of the filter that each sure frame replaces; 0 keeps the
                              // first frame's
  bool filter_scale =
      true;              // lets the box grow and shrink by up to 3 % per frame as the filter says
  bool scale = false;    // the same as the map says instead, by up to 5 %
  double adapt = 0;      // share of the target's signature that each new frame replaces; 0 never
                         // changes the signature
  bool redetect = true;  // searches the whole frame for a lost target
  double lost_below = 0.2;   // a score below this share of the first frame's is doubtful
  int lost_frames = 5;       // doubtful frames in a row after which a target counts as lost
  double found_above = 0.6;  // share of the first frame's score from which a lost target counts as
                             // found; its parts may then be at most 1 - found_above away
  bool whole_map = false;    // maps whole frames, to look at, instead of what lies within reach
  // Most memory for the distances that the two maps of a target keep from frame to frame; 0 keeps
  // none. Each map takes at most 512 bytes per mapped pixel (with 16 colors), so that only large
  // frames reach this limit.
  std::uint64_t cache_bytes = std::uint64_t{256} << 20;
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, TrackOptions& options);

// A target in a frame.
struct Track {
  int id = 0;             // from 1, in the order in which targets were added
  Rect<double> box{};     // the tracker works in whole pixels
  double score = 0;       // likelihood inside the box less that in the ring around it, -1 to 1
  double confidence = 0;  // score / the first frame's score, clamped to 0 to 1
  bool lost = false;      // the target is lost, and the box is where it was last seen
  bool operator==(const Track&) const = default;
};
FOVEA_API void describe(FieldVisitor& visit, Track& track);

struct TrackExplanation;  // explain.h

// Follows targets through frames by their colors:
//   Tracker tracker(first_frame, box);
//   for (...) std::vector<Track> tracks = tracker.track(frame);
//
// The first frame gives a palette and, in its colors, the signature of each target and of its
// surroundings; both stay as they are. Every frame is mapped twice, window by window: d is the
// Earth Mover's Distance to the target's signature and e the one to the surroundings', with a
// thresholded color distance as ground distance. e / (d + e) is the likelihood that a window
// belongs to the target, and the best place is the box with the most of it inside and the least in
// a ring around it.
//
// A target's place in a frame is known at once, so that track() returns it, and there is nothing
// left for a finish() to return.
//
// Frames are either images of bytes with one channel or three (RGB), whose colors are compared in
// Lab, or stacks of any number of bands of floats, one image per band: emd::bands_of() and
// emd::read_bands() (scene.h) make them of samples of any type. Bands are scaled by their variance
// around the target, less for those that are mostly noise, and colors are learned over all of them.
// NaN and infinite samples stand for missing measurements: a pixel counts as the color that is
// nearest by the bands that were measured, and a pixel without any does not count.
//
// All frames have the same size and bands, and they lie in host or device memory. Of bands on the
// host only the part within reach is copied to a device. Results are the same on every device and
// for any number of threads. One object serves one thread at a time.
class FOVEA_API Tracker {
 public:
  // Begins without targets.
  explicit Tracker(const TrackOptions& options = {});
  // Begins with one target, or with several, as add() does.
  Tracker(ImageView<const std::uint8_t> frame, const Rect<double>& box,
          const TrackOptions& options = {});
  Tracker(ImageView<const std::uint8_t> frame, std::span<const Rect<double>> boxes,
          const TrackOptions& options = {});
  Tracker(StackView<const float> bands, const Rect<double>& box, const TrackOptions& options = {});
  Tracker(StackView<const float> bands, std::span<const Rect<double>> boxes,
          const TrackOptions& options = {});
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;
  ~Tracker();

  // Adds targets by their boxes in a frame; each must have at least 4x4 pixels within it. Targets
  // of one call share a palette. Returns them with their ids. Throws InvalidArgument that names a
  // box that does not fit.
  std::vector<Track> add(ImageView<const std::uint8_t> frame, std::span<const Rect<double>> boxes);
  std::vector<Track> add(StackView<const float> bands, std::span<const Rect<double>> boxes);
  // Adds a target by an example image and looks for it in a frame at half to twice its size. Its
  // surroundings are the whole frame. A target that is not found starts as lost.
  Track add_example(ImageView<const std::uint8_t> frame, ImageView<const std::uint8_t> example);
  Track add_example(StackView<const float> bands, StackView<const float> example);

  // Follows all targets into the next frame and returns where they are, in the order of their ids.
  std::vector<Track> track(ImageView<const std::uint8_t> frame);
  std::vector<Track> track(StackView<const float> bands);
  // Does the same, and explains why target `id` is where it is. Throws InvalidArgument where there
  // is no such target.
  TrackExplanation explain(ImageView<const std::uint8_t> frame, int id = 1);
  TrackExplanation explain(StackView<const float> bands, int id = 1);

  std::vector<Track> tracks() const;  // where all targets were last
  int targets() const;
  // Whether the parts of a target are compared, as TrackOptions::parts says or decided.
  bool uses_parts(int id) const;
  // The likelihood that each pixel of the last frame belongs to a target, e / (d + e), 0 to 1. It
  // is 0 outside of what was mapped; with whole_map all is mapped.
  Image<float> likelihood(int id) const;
  // Statistics of all maps so far; entries and cache_bytes are sums over all targets.
  MapReport report() const;

  const TrackOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Whether a file is a cube of bands to a tracker, not a picture with colors: what is no image by
// its name (ENVI, .mat), and images with other samples than gray or RGB of 8 bits, beside opacity,
// or with several pages. Throws IoError or FormatError for an image that cannot be read.
FOVEA_API bool is_band_file(const std::string& path);

// The distance between the centers of two boxes, in pixels. overlap() is in core/geometry.h.
FOVEA_API double center_distance(const Rect<double>& a, const Rect<double>& b);

// How a track compares with the truth, by the measures of the Online Tracking Benchmark (Wu, Lim
// and Yang, 2013). Frames without a truth (a box without area) do not count.
struct TrackReport {
  std::int64_t frames = 0;
  double mean_overlap = 0;
  double precision_20px = 0;        // share of frames with at most 20 pixels between the centers
  double success_50 = 0;            // share of frames with an overlap above one half
  double success_area = 0;          // mean success over 21 thresholds from 0 to 1
  double mean_center_distance = 0;  // between the centers, in pixels
  std::int64_t missed = 0;          // frames in which the boxes have nothing in common
};
FOVEA_API void describe(FieldVisitor& visit, TrackReport& report);
FOVEA_API TrackReport evaluate_track(std::span<const Rect<double>> track,
                                     std::span<const Rect<double>> truth);

// Reads the boxes of one target from a file. Either there is one line per frame with x, y, width
// and height, separated by commas, tabs or spaces; or lines have the form of the MOT challenge
// (frame, id, x, y, width, height, ...), which is recognized by seven or more numbers per line:
// then the lines of `id` are taken, and frames without a line get a box without area. `origin` is
// the coordinate of the file's first pixel, 0 or 1, and is subtracted; where it is absent, a line
// "# origin 0" before the boxes says it, and without one it is 1, as in the Online Tracking
// Benchmark and in MOT. Other lines that begin with # are passed over. Lines of nan give boxes
// without area. Throws FormatError that names file and line.
FOVEA_API std::vector<Rect<double>> read_boxes(const std::string& path,
                                               std::optional<int> origin = {}, int id = 1);

// One line of MOT challenge text for one target in one frame. `frame` counts from 1, and so do the
// coordinates that are written; they are followed by the confidence and -1,-1,-1.
FOVEA_API std::string mot_line(std::int64_t frame, const Track& track);

}  // namespace fovea::emd
