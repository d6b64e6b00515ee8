#pragma once
#include <fovea/emd/solver.h>
#include <fovea/ops/window_histogram.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fovea::emd {

// The solver options of a map: histograms are scaled to mass 1, because windows and targets have
// different numbers of pixels.
inline SolverOptions normalizing() {
  SolverOptions options;
  options.mass = MassPolicy::kNormalize;
  return options;
}

struct MapOptions {
  Ground ground{};  // cost of moving mass between bins: a name such as "threshold:3" or "l1", a
                    // file of costs, or a GroundDistance. Its columns are the target's bins and its
                    // rows the labels' bins
  int window = 11;  // side in pixels, odd, 1 to 255, of the window whose histogram a pixel has
  WindowBorder border = WindowBorder::kRepeat;  // what a window counts beyond the image's border
  float threshold = 0;  // above 0, distances up to the threshold are exact, and greater ones may be
                        // lower bounds that lie above the threshold, so that most of them need not
                        // be solved for. A detector with this threshold finds the same pixels.
                        // Needs MassPolicy::kNormalize
  // Most memory for distances that are kept from frame to frame; 0 keeps none. The table starts
  // with 4 slots per pixel and grows, whenever it is full, to at most 32 per pixel. A slot takes 16
  // bytes, and 1.5 bytes more per bin where whole histograms are kept (see report().cache_bytes).
  // With 0, at most 2^21 pixels (2^25 / bins) are worked on at a time, with 4 slots of 16 bytes
  // each.
  std::uint64_t cache_bytes = std::uint64_t{256} << 20;
  SolverOptions solver = normalizing();  // its exec is not used
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, MapOptions& options);

// How the pixels of a frame got their distances, in the order in which the ways are tried:
// pixels = cached + duplicate + skipped + solved.
struct MapReport {
  std::int64_t pixels = 0;
  std::int64_t cached = 0;        // pixels whose histogram was known from an earlier frame
  std::int64_t duplicate = 0;     // pixels whose histogram occurs elsewhere in this frame
  std::int64_t skipped = 0;       // new histograms proved to lie above the threshold
  std::int64_t solved = 0;        // new histograms given to the solver. A histogram counts again
                                  // where it could not be kept: where its key is too large (windows
                                  // of 15 bins cut by the border), or after the cache was emptied
  SolvedCounts solved_by{};       // which solver took how many of the solved ones
  std::int64_t pivots = 0;        // simplex pivots for the solved ones
  std::int64_t unproved = 0;      // solved ones stopped by SolverOptions::max_pivots: upper bounds
  std::int64_t resets = 0;        // how often the cache was full and was emptied
  std::int64_t entries = 0;       // histograms in the cache afterwards
  std::uint64_t cache_bytes = 0;  // memory of the cache afterwards

  double hit_rate() const {  // share of pixels that needed neither bound nor solver
    return pixels > 0 ? static_cast<double>(cached + duplicate) / static_cast<double>(pixels) : 0;
  }
  // Adds the counts of later frames; entries and cache_bytes become those of `later`.
  FOVEA_API MapReport& operator+=(const MapReport& later);
};
FOVEA_API void describe(FieldVisitor& visit, MapReport& report);

// The map of a frame of a video.
struct MappedFrame {
  std::int64_t frame = 0;        // number of the frame, from 0
  ImageView<float> distances{};  // as Mapper::map() returns them
  MapReport report{};
};

// Computes, for every pixel of a frame, the Earth Mover's Distance between the histogram of the
// window around it and a target's histogram. It follows Shaffer's three steps ("Optimization of the
// Earth-Mover's Distance algorithm for a GPU-based real-time multispectral computer vision system",
// 2011): distances known from earlier frames are looked up, duplicates within the frame are found,
// and the exact solver gets the rest.
//
// The mapper keeps its memory and the known distances from frame to frame, in no more than
// cache_bytes (or what one row of a frame needs). When there is no room left for the histograms of
// another frame, all are forgotten. What is known, the number of threads and the device change the
// time a map takes, but never the map.
//
// One object serves one thread at a time.
class FOVEA_API Mapper {
 public:
  // `target` is the target's histogram, such as label_histogram() counts it: one mass per bin.
  // Whole masses up to 65535 are taken as they are. Others are scaled so that the greatest is 65535
  // and rounded (for MassPolicy::kNormalize only); target() returns the result. Throws
  // InvalidArgument for masses that are negative, not finite or all 0.
  explicit Mapper(std::span<const double> target, const MapOptions& options = {});
  Mapper(Mapper&&) noexcept;
  Mapper& operator=(Mapper&&) noexcept;
  ~Mapper();

  // Replaces the target and forgets the distances to the one before.
  void set_target(std::span<const double> target);

  // `labels` holds the bin of every pixel, as quantize() makes them. Pixels without a bin (255,
  // which quantize() makes of NaN) are not counted. A window that counts no pixel gets the distance
  // of Status::kEmpty, the greatest cost. Labels may lie in host or device memory; the result lies
  // where they do.
  Image<float> map(ImageView<const std::uint8_t> labels);
  void map(ImageView<const std::uint8_t> labels, ImageView<float> distances);
  // Maps only pixels where `mask` is not 0; the distances of all others stay as they are. A
  // distance is that of the whole map: windows reach beyond the mask. All three lie in host memory.
  // On a GPU the box around these pixels is mapped, and report() counts its pixels.
  void map(ImageView<const std::uint8_t> labels, ImageView<const std::uint8_t> mask,
           ImageView<float> distances);

  // The same for given histograms: one channel per bin. The values of a pixel in the bands of a
  // multispectral image are such a histogram.
  Image<float> map_histograms(ImageView<const std::uint8_t> masses);
  Image<float> map_histograms(ImageView<const std::uint16_t> masses);
  void map_histograms(ImageView<const std::uint8_t> masses, ImageView<float> distances);
  void map_histograms(ImageView<const std::uint16_t> masses, ImageView<float> distances);
  void map_histograms(ImageView<const std::uint16_t> masses, ImageView<const std::uint8_t> mask,
                      ImageView<float> distances);

  // Takes the next frame of a video and returns the maps that are ready: on the CPU the one of this
  // frame, on a GPU the one of the frame latency() frames before, because the transfers of
  // neighboring frames overlap the work on one. `labels` must stay as they are until their frame is
  // returned. What is returned is valid until the next call.
  std::span<const MappedFrame> push(ImageView<const std::uint8_t> labels);
  // The same into `distances`, which must not be used until their frame is returned. A ring of
  // latency() + 1 maps is enough.
  std::span<const MappedFrame> push(ImageView<const std::uint8_t> labels,
                                    ImageView<float> distances);
  // Ends the video and returns the maps of the remaining frames. Known distances are kept; the next
  // frame that is pushed begins a new video.
  std::span<const MappedFrame> finish();
  // The number of frames that are pushed after a frame before its map is returned.
  int latency() const;
  static constexpr int kFramesInFlight = 3;  // latency() on a GPU

  MapReport report() const;  // for the last frame that was mapped or returned
  void forget();             // drops all known distances

  std::span<const std::uint16_t> target() const;
  const GroundDistance& ground() const;
  const MapOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// How many pixels of an image lie in each bin. For a box of it, pass labels.crop(...).
FOVEA_API std::vector<double> label_histogram(ImageView<const std::uint8_t> labels, int bins);

}  // namespace fovea::emd
