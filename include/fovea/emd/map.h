#pragma once
#include <fovea/emd/solver.h>
#include <fovea/ops/window_histogram.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace fovea::emd {

// Windows and targets count differently many pixels.
inline SolverOptions normalizing() {
  SolverOptions options;
  options.mass = MassPolicy::kNormalize;
  return options;
}

struct MapOptions {
  int window = 11;  // pixels across the window whose histogram a pixel stands for; odd, 1 to 255
  WindowBorder border = WindowBorder::kRepeat;  // what a window beyond the border counts
  float threshold = 0;  // > 0: distances above it need not be known, so that most are not solved
                        // for: such a pixel holds a lower bound, itself above the threshold.
                        // Distances up to the threshold are exact, so that a detector with this
                        // threshold finds the same. Needs MassPolicy::kNormalize
  // Most memory for distances kept from frame to frame. The table follows the frames: it begins
  // with 4 slots a pixel and grows, when it is full, to at most 32; a slot takes 16 bytes, and 1.5
  // a bin where whole histograms are kept (see stats().cache_bytes). 0 keeps none: pixels of a
  // frame then meet in 4 slots of 16 bytes each, of at most 2^21 pixels (2^25 / bins) at a time.
  std::uint64_t cache_bytes = std::uint64_t{256} << 20;
  SolverOptions solver = normalizing();  // its exec is the one below
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, MapOptions& options);

// How the pixels of a frame came to their distances, in the order in which they are tried:
// pixels = cached + duplicate + skipped + solved.
struct MapStats {
  std::int64_t pixels = 0;
  std::int64_t cached = 0;        // histogram known from an earlier frame
  std::int64_t duplicate = 0;     // the same histogram elsewhere in this frame
  std::int64_t skipped = 0;       // new histograms proved to lie above the threshold
  std::int64_t solved = 0;        // new histograms given to the solver. The same one counts again
                                  // where it could not be kept: beyond the keys' reach (windows of
                                  // 15 bins cut by the border), or after the cache began anew
  std::int64_t pivots = 0;        // of the simplex in these
  std::int64_t unproved = 0;      // of these, stopped by SolverOptions::max_pivots: upper bounds
  std::int64_t resets = 0;        // times that the cache was full and begun anew
  std::int64_t entries = 0;       // histograms in the cache afterwards
  std::uint64_t cache_bytes = 0;  // memory of the cache afterwards

  double hit_rate() const {  // share of pixels that needed neither bound nor solver
    return pixels > 0 ? static_cast<double>(cached + duplicate) / static_cast<double>(pixels) : 0;
  }
  // Of both; entries and cache_bytes are those of `later`.
  FOVEA_API MapStats& operator+=(const MapStats& later);
};

// For every pixel of a frame the Earth Mover's Distance between the histogram around it and a
// target's, by Shaffer's three steps ("Optimization of the Earth-Mover's Distance algorithm for a
// GPU-based real-time multispectral computer vision system", 2011): distances known from earlier
// frames, duplicates within the frame, the exact solver for the rest. Keeps its memory and the
// known distances from frame to frame, never in more than cache_bytes (or what one row of a frame
// needs), and in no more than frames of their size have a use for: once there is no room left for
// another frame's histograms, all are forgotten. What is known, the number of threads and the
// device change the time a map takes and never the map.
//
// One object serves one thread at a time.
class FOVEA_API Mapper {
 public:
  // `target` has a mass for each column of the ground distance; the labels' bins are its rows.
  // Whole masses up to 65535 are taken as they are, others are scaled so that the greatest is 65535
  // and rounded (for MassPolicy::kNormalize only); target() tells. InvalidArgument for masses that
  // are negative, not finite or all 0.
  Mapper(GroundDistance ground, std::span<const double> target, const MapOptions& options = {});
  Mapper(Mapper&&) noexcept;
  Mapper& operator=(Mapper&&) noexcept;
  ~Mapper();

  // Another target; what is known of the one before is forgotten.
  void set_target(std::span<const double> target);

  // labels: the bin of every pixel, as quantize() makes them; those without a bin (255) are not
  // counted. A window that counts nothing has the distance that Status::kEmpty stands for. In host
  // or device memory; the result lies where the labels do.
  Image<float> map(ImageView<const std::uint8_t> labels);
  void map(ImageView<const std::uint8_t> labels, ImageView<float> distances);

  // The same for histograms that are given: one channel a bin. A pixel's values in the bands of a
  // multispectral image are such a histogram.
  Image<float> map_histograms(ImageView<const std::uint8_t> masses);
  Image<float> map_histograms(ImageView<const std::uint16_t> masses);
  void map_histograms(ImageView<const std::uint8_t> masses, ImageView<float> distances);
  void map_histograms(ImageView<const std::uint16_t> masses, ImageView<float> distances);

  // Frames in flight: on a GPU the transfers of neighboring frames go on beside the work on one.
  // submit() takes a frame whose views stay as they are until collect() has returned for it;
  // collect() waits for the oldest. At most kFramesInFlight are submitted and not collected.
  static constexpr int kFramesInFlight = 3;
  void submit(ImageView<const std::uint8_t> labels, ImageView<float> distances);
  MapStats collect();

  MapStats stats() const;  // of the last frame mapped or collected
  void forget();           // all known distances

  std::span<const std::uint16_t> target() const;
  const GroundDistance& ground() const;
  const MapOptions& options() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// How many pixels of an image, or of a box of it as crop() cuts it out, lie in each bin.
FOVEA_API std::vector<double> label_histogram(ImageView<const std::uint8_t> labels, int bins);

}  // namespace fovea::emd
