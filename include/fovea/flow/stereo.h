#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/options_fwd.h>
#include <fovea/core/record_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

// Disparities of rectified pairs of images: motion along the rows only. All work is done on the
// CPU, on images in host memory.
namespace fovea::flow {

// How a disparity is chosen: by a smoothness term along eight paths through every pixel
// (Hirschmueller, PAMI 2008), or by the best block alone.
enum class StereoMethod : unsigned char { kSemiGlobal, kBlock };
FOVEA_API std::span<const Choice> choices(StereoMethod);

// How two places are compared: by which pixels of a window of 9x7 are brighter than those opposite
// by more than 2 gray levels of 255 (center-symmetric census), by absolute differences of gray
// levels, which are cut off at 63, by normalized cross correlation of blocks, or by the census and
// differences up to 16 together (Mei, Sun, Zhou, Jiao, Wang and Zhang, 2011). For the differences
// of kAdCensus, gain and offset between the images are measured at places of which the census is
// sure; where they do not explain the light, the census counts alone.
enum class StereoCost : unsigned char { kCensus, kSad, kNcc, kAdCensus };
FOVEA_API std::span<const Choice> choices(StereoCost);

struct StereoOptions {
  StereoMethod method = StereoMethod::kSemiGlobal;
  StereoCost cost = StereoCost::kAdCensus;
  int min_disparity = 0;       // least disparity that is searched, in pixels; -1024 to 1023
  int max_disparity = 63;      // greatest one, at most 1023 above the least
  std::optional<int> block{};  // side of the block over which costs are summed, odd, 1 to 31 (NCC:
                               // 3 at least); without a value 5 with paths, 3 with paths and
                               // kAdCensus, and 11 with blocks alone
  double small_penalty = 4;    // costs of a step of one pixel between neighbors along a path; 31 is
                               // the cost of a census that differs in all its bits; 0 to 32
  double large_penalty = 30;   // costs of a larger step, lowered where gray levels step too
  double uniqueness = 0.02;    // share by which the next best place must cost more, or the pixel is
                               // not known; 0 to 1
  std::optional<double> check = 1.0;  // where two pixels find the same place of the right image
                                      // and differ by more pixels of disparity than this, the one
                                      // of higher cost is not known; without a value both stay
  bool subpixel = true;               // interpolate, so that disparities have parts of a pixel
  bool median = true;  // replace every disparity by the median of the 3x3 pixels around it
  int speckle = 100;   // smaller patches of disparities are not known; in pixels, 0 turns it off
  bool fill = false;   // fill in what is not known from the farther of its sides
  // Memory for the costs of the strips of rows that are worked on at a time, in bytes: fewer
  // threads work where they would take more, and at least one does. The result stays the same.
  std::uint64_t memory_bytes = std::uint64_t{2} << 30U;
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, StereoOptions& options);

// What pixel (x, y) of the left image shows is found at (x - disparity, y) of the right one.
struct Disparity {
  Image<float> disparity;   // pixels; infinity where it is not known
  Image<float> confidence;  // from 0 (not known, or filled in) to 1
};
FOVEA_API void describe(FieldVisitor& visit, Disparity& found);

// Finds disparities of pairs. Its options are checked once. Images have 1, 3 or 4 channels (opacity
// is ignored) of 8 bits, 16 bits or float; their gray values are compared. NaN and infinity throw
// InvalidArgument. The result is the same for every number of threads.
class FOVEA_API StereoMatcher {
 public:
  explicit StereoMatcher(const StereoOptions& options = {});
  StereoMatcher(StereoMatcher&&) noexcept;
  StereoMatcher& operator=(StereoMatcher&&) noexcept;
  ~StereoMatcher();

  // Throws InvalidArgument where the images differ in size.
  template <class T>
  Disparity match(ImageView<const T> left, ImageView<const T> right);
  template <class T>
  Disparity match(const Image<T>& left, const Image<T>& right) {
    return match(left.view(), right.view());
  }

  const StereoOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The disparities of a single pair: a StereoMatcher that is used once.
template <class T>
Disparity match_stereo(const Image<T>& left, const Image<T>& right,
                       const StereoOptions& options = {}) {
  return StereoMatcher(options).match(left, right);
}

// Errors over a set of pixels whose true disparity is known, as Middlebury counts them (Scharstein
// and Szeliski, IJCV 2002): shares of all pixels of the set lie between 0 and 1, and a pixel that
// is not known in the estimate counts in `unknown` alone. Everything is 0 for an empty set.
struct StereoErrors {
  std::int64_t pixels = 0;
  double mean = 0;     // mean absolute error in pixels, where the estimate is known
  double bad05 = 0;    // share with an error above 0.5 pixels
  double bad1 = 0;     // the same above 1 pixel
  double bad2 = 0;     // the same above 2 pixels
  double bad4 = 0;     // the same above 4 pixels
  double unknown = 0;  // share without an estimate
};
FOVEA_API void describe(FieldVisitor& visit, StereoErrors& errors);

struct StereoReport {
  StereoErrors all{};      // pixels whose true disparity is known
  StereoErrors visible{};  // those of them that the right image shows too
};
FOVEA_API void describe(FieldVisitor& visit, StereoReport& report);

// Compares disparities, which are infinite or NaN where they are not known. `visible` is not 0
// where the right image shows the pixel; where it is empty it is visible_pixels(truth). Throws
// InvalidArgument where sizes differ or no true disparity is known.
FOVEA_API StereoReport evaluate_stereo(ImageView<const float> estimate,
                                       ImageView<const float> truth,
                                       ImageView<const std::uint8_t> visible = {});

// 255 where the right image shows what a pixel of the left image shows, by its true disparities:
// it lies inside, and no pixel that is nearer by more than one pixel of disparity is found at
// the same place. 0 elsewhere and where the disparity is not known.
FOVEA_API Image<std::uint8_t> visible_pixels(ImageView<const float> disparity);

struct DisparityPictureOptions {
  std::optional<double> nearest{};   // disparity of the brightest color; the greatest of the map
  std::optional<double> farthest{};  // disparity of the darkest color; the least of the map
};
FOVEA_API void describe(OptionVisitor& visit, DisparityPictureOptions& options);
// Throws InvalidArgument where the nearest is not above the farthest, or a value is out of range.
FOVEA_API void check_picture(const DisparityPictureOptions& options);

// An RGB picture: near is bright, and what is not known is gray.
FOVEA_API Image<std::uint8_t> disparity_picture(ImageView<const float> disparity,
                                                const DisparityPictureOptions& options = {});

}  // namespace fovea::flow
