#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>
#include <fovea/io/sink.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fovea::actions {

// A place in a video where the picture changes in space and in time at once.
struct SpaceTimePoint {
  float x = 0;  // pixels, from the center of the frame's top left pixel
  float y = 0;
  std::int32_t frame = 0;
  float sigma2 = 0;      // extent in space: a variance in pixels squared
  float tau2 = 0;        // extent in time: a variance in frames squared
  float confidence = 0;  // the detector's response
};
FOVEA_API void describe(FieldVisitor& visit, SpaceTimePoint& point);

// harris finds corners of space-time (Laptev, IJCV 2005) as STIP-2.0 does. periodic finds maxima of
// the response of a quadrature pair of temporal Gabor filters (Dollar et al., VS-PETS 2005).
enum class PointDetector : unsigned char { kHarris, kPeriodic };
FOVEA_API std::span<const Choice> choices(PointDetector);

struct HarrisOptions {
  double k = 5e-4;          // the response is det - k trace^3; a greater k wants change in all
                            // directions alike
  double threshold = 1e-9;  // least response of a point, for gray levels from 0 to 1
  double space_weight = 4;  // weight of derivatives in space relative to those in time. It is 4 in
                            // STIP-2.0, whose Sobel operator sums to four times the derivative, and
                            // 1 in the paper; thresholds depend on it
  int levels = 3;           // levels of the pyramid, each half the size of the one before
  double sigma2 = 4;  // first variance in space on a level; each further one is twice as large
  double tau2 = 2;    // first variance in time; each further one is twice as large
  int scales = 2;     // number of variances in space, and also in time
  int border = 5;     // width of the margin of a level that has no points, in pixels
};
FOVEA_API void describe(OptionVisitor& visit, HarrisOptions& options);

struct PeriodicOptions {
  double sigma = 2;         // standard deviation of the Gaussian in space, pixels
  double tau = 2.5;         // half the length of the filters in time, frames
  double frequency = 0.2;   // cycles per frame; at most 0.5
  double threshold = 2e-5;  // least response of a point, for gray levels from -1 to 1
  double overlap = 1.85;    // how much neighboring maxima may overlap, 0 to 2: greater keeps more
};
FOVEA_API void describe(OptionVisitor& visit, PeriodicOptions& options);

// How a pixel votes for the direction of its flow: with weight 1 as in STIP-2.0 (count), or with
// the length of the flow (magnitude).
enum class FlowVotes : unsigned char { kCount, kMagnitude };
FOVEA_API std::span<const Choice> choices(FlowVotes);

struct PointOptions {
  PointDetector detector = PointDetector::kHarris;
  HarrisOptions harris{};
  PeriodicOptions periodic{};
  int most_per_frame = 0;   // keeps the most confident points of each frame; 0 keeps all. The time
                            // of matching grows with the cube of this number
  bool descriptors = true;  // whether points are described
  FlowVotes votes = FlowVotes::kCount;
  double still = 0.4;  // pixels per frame: slower flow votes for "still"
  int block = 16;  // frames that a GPU works on at a time, which a stream has to wait for; 64 is
                   // the fastest. The CPU takes each frame as it comes
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, PointOptions& options);
// The options on which points and descriptors depend, as words of the program: "--detector harris
// --harris-k 0.0005 ...". Points that were found with other words cannot be compared.
FOVEA_API std::string point_words(const PointOptions& options);

// A descriptor holds histograms of gradients (HoG) and of flow (HoF) around a point, in 3 x 3 x 2
// cells, x outermost, then y, then time. The patch reaches 9 sigma and 4 tau to each side,
// neighboring cells share their border, and what lies outside the video does not count. Flow leads
// from the frame before to this one. A HoG cell has 4 directions of gradients modulo 180 degrees,
// centered on 0, 45, 90 and 135. A HoF cell has "still" and the quadrants (+x +y), (-x +y),
// (-x -y), (+x -y), y downwards. Each cell sums to 1; one without any vote is uniform.
inline constexpr int kHogSize = 72;
inline constexpr int kHofSize = 90;
inline constexpr int kDescriptorSize = kHogSize + kHofSize;

// Points of a video in the order of their frames, the most confident of a frame first (equal ones
// by y, then x), and their descriptors, one per row (no rows where descriptors are off).
struct PointSet {
  Extent size;  // of the video
  std::int64_t frames = 0;
  double frame_rate = 25;
  std::vector<SpaceTimePoint> points;
  Image<float> descriptors;
  std::optional<PointDetector> detector{};  // that found the points; absent where nobody knows
  std::optional<FlowVotes> votes{};         // that descriptors were made with
  std::string found_with{};  // point_words() of the options; empty where nobody knows
};
FOVEA_API void describe(FieldVisitor& visit, PointSet& set);

// The points of one frame.
struct FramePoints {
  std::int64_t frame = 0;  // number of the frame, from 0
  std::vector<SpaceTimePoint> points{};
  Image<float> descriptors{};  // one per row
};

// Finds the points of an endless video in bounded memory. Frames are gray or RGB and have one size.
// They lie in host memory, or on the GPU that does the work, where they must be complete before the
// call.
// The points of a frame are ready latency() frames after it. At its ends the video is continued
// with its first and its last frame. The points are equal to the bit for any number of threads and
// on any device.
class FOVEA_API PointStream {
 public:
  explicit PointStream(const PointOptions& options = {});
  ~PointStream();
  PointStream(PointStream&&) noexcept;
  PointStream& operator=(PointStream&&) noexcept;

  // Takes the next frame and returns the points of the frame latency() frames before it, once there
  // is one. They are valid until the next call.
  std::span<const FramePoints> push(ImageView<const std::uint8_t> frame);
  // Returns the points of the remaining frames after the last frame.
  std::span<const FramePoints> finish();
  int latency() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// All points of a short video whose frames are like those of a PointStream.
FOVEA_API PointSet find_points(std::span<const ImageView<const std::uint8_t>> frames,
                               const PointOptions& options = {});

// Descriptors at given points, such as those that another program has found, one per row. Frames
// are gray and lie in host memory.
FOVEA_API Image<float> describe_points(std::span<const ImageView<const std::uint8_t>> frames,
                                       std::span<const SpaceTimePoint> points,
                                       const PointOptions& options = {});

// The text format of STIP-2.0: one line per point, "type y-norm x-norm t-norm y x t sigma2 tau2 hog
// hof"; lines that begin with # are comments. The format has no confidence: points_text() writes it
// into a comment that read_points() understands; without that comment it is 1. Reading sorts points
// by frame and throws FormatError that names the line. Nor does the format have size and length of
// the video: where no comment of points_text() tells them, they follow from the normalized
// coordinates, and where these do not help, from the points: the video ends with the last of them.
FOVEA_API PointSet read_points(const std::string& path);
FOVEA_API PointSet read_points(std::span<const std::byte> text, const std::string& name);
// Whether a file contains points instead of a video: its name ends in .txt or .stip, and it has a
// comment of this format, or most words of its first line that is no comment are numbers. Verbs and
// functions that take videos take such files in their place, and refuse damaged ones.
FOVEA_API bool is_points_file(const std::string& path);
// All threads of `exec` turn numbers into text. write_points() needs memory for a few thousand
// points only and calls the sink from one thread at a time, though not always the same.
FOVEA_API std::string points_text(const PointSet& set, const Exec& exec = {});
FOVEA_API void write_points(const io::Sink& sink, const PointSet& set, const Exec& exec = {});

// Returns why points cannot be compared with those that options make, in words for a message that
// ends with the command that makes the right points: they have no descriptors, or are known to be
// found with other options. Returns an empty text where they can.
FOVEA_API std::string why_not_comparable(const PointSet& points, const PointOptions& expected);

// The same format piece by piece, for videos without end: the head, the lines of one frame after
// the other, and the foot. What reads the whole gets what write_points() writes, except that t-norm
// is 0 where the number of frames is not known beforehand.
struct PointVideo {
  Extent size;
  std::int64_t frames = 0;  // 0 where it is not known yet
  double frame_rate = 25;
  bool descriptors = true;  // whether points are described
  std::optional<PointDetector> detector{};
  std::optional<FlowVotes> votes{};
  std::string found_with{};
};
FOVEA_API std::string points_head(const PointVideo& video);
// Appends the lines of one frame. Throws InvalidArgument where points have no descriptors but the
// head promised them, or the other way round.
FOVEA_API void append_points(std::string& text, const FramePoints& frame, const PointVideo& video);
// A comment with the number of frames that there were; empty where the head has it already.
FOVEA_API std::string points_foot(const PointVideo& video, std::int64_t frames);

}  // namespace fovea::actions
