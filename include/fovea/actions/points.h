#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace fovea::actions {

// A place in a video where something happens in space and time at once.
struct SpaceTimePoint {
  float x = 0;  // pixels of the frame, from 0
  float y = 0;
  std::int32_t frame = 0;
  float sigma2 = 0;  // its extent: variance in space, pixels squared,
  float tau2 = 0;    // and in time, frames squared
  float confidence = 0;
};

// harris: corners of space-time (Laptev, IJCV 2005), as STIP-2.0 finds them. periodic: where
// a quadrature pair of temporal Gabor filters answers most (Dollar et al., VS-PETS 2005).
enum class Detector : unsigned char { kHarris, kPeriodic };
FOVEA_API std::span<const Choice> choices(Detector);

struct HarrisOptions {
  double k = 5e-4;          // of det - k trace^3
  double threshold = 1e-9;  // of the response, gray levels being 0 to 1
  double space_weight = 4;  // of derivatives in space beside those in time. STIP-2.0 has 4 (its
                            // Sobel operator sums to four times the derivative), the paper 1;
                            // thresholds mean something else then
  int levels = 3;           // of a pyramid, each half the size of the last
  double sigma2 = 4;        // first variance in space on a level; the next is twice it
  double tau2 = 2;          // first variance in time; the next is twice it
  int scales = 2;           // variances in space, and as many in time
  int border = 5;           // pixels of a level without points
};
FOVEA_API void describe(OptionVisitor& visit, HarrisOptions& options);

struct PeriodicOptions {
  double sigma = 2;         // of the Gaussian in space, pixels
  double tau = 2.5;         // half the length of the filters in time, frames
  double frequency = 0.2;   // cycles a frame; at most 0.5
  double threshold = 2e-5;  // of the response, gray levels being -1 to 1
  double overlap = 1.85;    // of neighboring maxima, 0 to 2: greater keeps more
};
FOVEA_API void describe(OptionVisitor& visit, PeriodicOptions& options);

// How pixels vote for the direction of their flow: each once, as STIP-2.0 has it, or with its
// length.
enum class FlowVotes : unsigned char { kCount, kMagnitude };
FOVEA_API std::span<const Choice> choices(FlowVotes);

struct PointOptions {
  Detector detector = Detector::kHarris;
  HarrisOptions harris{};
  PeriodicOptions periodic{};
  int most_per_frame = 0;  // the most confident are kept; 0: all. Matching takes time with its cube
  bool descriptors = true;
  FlowVotes votes = FlowVotes::kCount;
  double still = 0.4;  // pixels a frame: slower flow votes for "still"
  int block = 16;      // frames that a GPU works on at once, which a stream waits for; 64 is its
                       // best. The CPU takes each as it comes
};
FOVEA_API void describe(OptionVisitor& visit, PointOptions& options);

// Gradients (HoG) and flow (HoF) around a point, in 3 x 3 x 2 cells, x outermost, then y, then
// time; the patch reaches 9 sigma and 4 tau to each side, neighboring cells share their border,
// and what lies outside the video does not count. Flow is that of the frame before to this one. A
// cell of HoG has 4 directions of gradients modulo 180 degrees, centered on 0, 45, 90 and 135; one
// of HoF has "still" and the quadrants (+x +y), (-x +y), (-x -y), (+x -y), y downwards. Each cell
// sums to 1; one without any vote is uniform.
inline constexpr int kHogSize = 72;
inline constexpr int kHofSize = 90;
inline constexpr int kDescriptorSize = kHogSize + kHofSize;

// Points of a video in the order of their frames, of a frame the most confident first (equal ones
// by y, then x), and the descriptor of each, one a row (none where they were not asked for).
struct PointSet {
  int width = 0;
  int height = 0;
  std::int64_t frames = 0;
  double frame_rate = 25;
  std::vector<SpaceTimePoint> points;
  Image<float> descriptors;
};

// Points of an endless video in bounded memory. Frames are gray and of one size. A frame's points
// come latency() frames after it; finish() gives the rest, as though the last frame were repeated
// (before the first one it is the first that is). The same points for any number of threads and, to
// the bit, on any device.
class FOVEA_API PointStream {
 public:
  struct Ready {
    std::int64_t frame = -1;  // whose points these are; -1: not yet any
    std::span<const SpaceTimePoint> points;
    ImageView<const float> descriptors;  // in host memory, valid until the next call
  };

  explicit PointStream(const PointOptions& options = {}, const Exec& exec = {});
  ~PointStream();
  PointStream(PointStream&&) noexcept;
  PointStream& operator=(PointStream&&) noexcept;

  Ready push(ImageView<const std::uint8_t> gray);
  // Called until it gives frame -1, after the last frame.
  Ready finish();
  int latency() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// All points of a short video whose frames are in memory.
FOVEA_API PointSet find_points(std::span<const ImageView<const std::uint8_t>> frames,
                               const PointOptions& options = {}, const Exec& exec = {});

// Descriptors at points given, such as those of another program, one a row.
FOVEA_API Image<float> describe_points(std::span<const ImageView<const std::uint8_t>> frames,
                                       std::span<const SpaceTimePoint> points,
                                       const PointOptions& options = {}, const Exec& exec = {});

// The text of STIP-2.0: a line a point, "type y-norm x-norm t-norm y x t sigma2 tau2 hog hof",
// lines with # being comments. It has no confidence: ours stands in a comment that reading
// understands, else points have 1. Reading sorts by frame. FormatError names the line.
FOVEA_API PointSet read_points(const std::string& path);
FOVEA_API PointSet read_points(std::span<const std::byte> text, const std::string& name);
FOVEA_API std::string points_text(const PointSet& set);

}  // namespace fovea::actions
