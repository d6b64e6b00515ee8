// The parts of stereo matching on the CPU: the costs of a row, the paths through a strip of rows,
// the choice of disparities in a row, and what cleans a whole map.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/flow/stereo.h>

#include <cstdint>
#include <vector>

namespace fovea::flow::cpu {

inline constexpr int kStereoLanes = 32;  // numbers of disparities are rounded up to this
// Costs for paths reach up to 127, and penalties up to 128, so that the costs of paths fit a byte:
// they exceed the least one at their pixel by no more than both together.
inline constexpr int kCostScale = 4;          // of one bit of the census, in costs
inline constexpr std::uint8_t kNoCost = 127;  // cost of a place outside the right image
inline constexpr double kMostPenalty = 32;    // in bits of the census
inline constexpr int kWarmUp = 32;  // rows around a strip through which paths run before it

// What does not change between rows.
struct StereoPlan {
  StereoMethod method = StereoMethod::kSemiGlobal;
  StereoCost cost = StereoCost::kAdCensus;
  int width = 0, height = 0;
  int least = 0;   // the least disparity
  int count = 0;   // disparities that are searched
  int padded = 0;  // `count` rounded up
  int block = 1;
  int small_penalty = 0, large_penalty = 0;  // in costs
  float uniqueness = 0;
  float check = -1;  // below 0: none
  bool subpixel = true;

  int radius() const { return block / 2; }
  bool census() const { return cost == StereoCost::kCensus || cost == StereoCost::kAdCensus; }
  bool paths() const { return method == StereoMethod::kSemiGlobal; }
  std::size_t row_elements() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(padded);
  }
};

// One image, prepared: gray levels, and what its cost needs.
struct StereoFrame {
  Image<std::uint8_t> gray;
  Image<std::uint32_t> census;
  Image<std::int32_t> sums;  // over blocks around every pixel, for NCC; borders repeat
  Image<float> inverse;      // inverse of the deviation of such blocks; 0 without texture
};
// Rows of the right image are stored in reverse order between margins, so that the places x - d lie
// behind each other for growing d: place x stands at right_place(plan, x).
void prepare_stereo_frame(const StereoPlan& plan, bool right, const Exec& exec, StereoFrame& frame);
// How bright the left image is, as a function of the right one: gain * gray + offset.
struct StereoLight {
  float gain = 1, offset = 0;
  bool explained = true;  // whether this explains most differences
};
// Measures it on some rows of prepared frames with a census.
StereoLight measure_light(const StereoPlan& plan, const StereoFrame& left,
                          const StereoFrame& right);
void apply_light(const StereoLight& light, Image<std::uint8_t>& gray);

inline int right_margin(const StereoPlan& plan) {
  return plan.padded + (plan.least < 0 ? -plan.least : plan.least) + 1;
}
// Where the candidates of pixel x begin in a reversed row.
inline int right_place(const StereoPlan& plan, int x) {
  return right_margin(plan) + plan.width - 1 - x + plan.least;
}

// The costs of one row after the other: candidate d of pixel x stands at [x * padded + d].
class CostRows {
 public:
  CostRows(const StereoPlan& plan, const StereoFrame& left, const StereoFrame& right);
  // Costs from 0 to 127 for the paths.
  void row(int y, std::uint8_t* costs);
  // Sums over blocks, for a choice without paths.
  void row(int y, std::uint16_t* sums);

 private:
  template <class Out>
  void write(int y, Out* out);
  template <class Pixel, class Sum>
  void slide_to(int y, std::vector<Pixel>& ring, std::vector<Sum>& columns);

  const StereoPlan& plan_;
  const StereoFrame& left_;
  const StereoFrame& right_;
  int last_ = -1;  // the row that was computed last
  // Costs (or products, for NCC) of single pixels in the rows of a block, their sums along columns,
  // and the sum around one pixel.
  std::vector<std::uint8_t> ring_{};
  std::vector<std::uint16_t> product_ring_{};
  std::vector<std::uint16_t> columns_{}, window_{};
  std::vector<std::uint32_t> product_columns_{}, product_window_{};
};

// Sums of the costs of paths, row by row of a strip.
struct StripPaths {
  const StereoPlan& plan;
  ImageView<const std::uint8_t> gray;  // the left image
  int top = 0, rows = 0;               // rows of the image that the strip covers
  const std::uint8_t* costs = nullptr;
  std::uint16_t* sums = nullptr;  // sums over all eight paths
};
void sum_paths(const StripPaths& strip);

// Strips of rows are matched one by one, or by several threads.
int strip_rows(const StereoPlan& plan);
// The memory of a strip at work.
std::uint64_t strip_bytes(const StereoPlan& plan);
// The number of threads whose strips take no more memory together; one at least.
int strip_threads(const StereoPlan& plan, std::uint64_t memory_bytes, int threads);

// Where the results of one row go.
struct RowChoice {
  float* disparity;
  float* confidence;
};
class RowChooser {
 public:
  explicit RowChooser(const StereoPlan& plan);
  void choose(const std::uint16_t* sums, const RowChoice& out);

 private:
  // Whether no better pixel of another disparity found the same place of the right image.
  bool is_unique_match(int x, int disparity) const;

  const StereoPlan& plan_;
  std::vector<std::uint16_t> right_cost_, right_candidate_;
  std::vector<std::uint16_t> line_;
};

// What follows on the whole map.
void median_disparity(Image<float>& disparity, const Exec& exec);
// Marks patches of fewer pixels as not known; neighbors within one pixel of disparity are in one
// patch.
void remove_speckles(Image<float>& disparity, int least_pixels);
void fill_disparity(Image<float>& disparity, const Exec& exec);

}  // namespace fovea::flow::cpu
