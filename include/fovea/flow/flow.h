#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>
#include <fovea/core/record_fwd.h>
#include <fovea/flow/block_matching.h>
#include <fovea/flow/lucas_kanade.h>
#include <fovea/flow/quality.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace fovea::flow {

// The motion of every pixel: pixel (x, y) of the first image is found at (x + u, y + v) of the
// second.
struct Flow {
  Image<float> u;           // pixels, to the right
  Image<float> v;           // pixels, downward
  Image<float> confidence;  // from 0 (a guess, or left out by the mask) to 1
};
FOVEA_API void describe(FieldVisitor& visit, Flow& flow);

enum class Method : unsigned char { kLucasKanade, kBlockMatching };
FOVEA_API std::span<const Choice> choices(Method);

// What is compared: gray values, or the three channels of color images, each with its own. Blocks
// of colors are compared on the CPU only. An image without colors counts as three equal channels.
enum class Channels : unsigned char { kGray, kColor };
FOVEA_API std::span<const Choice> choices(Channels);

// Whether both methods are used, each pixel with the flow that fits better. The best quality does.
enum class Fuse : unsigned char { kAuto, kOff, kOn };
FOVEA_API std::span<const Choice> choices(Fuse);

// Options that a paper has: kPaper is Marras, Mura, Gobbetti, Scateni and Scopigno, Two examples of
// GPGPU acceleration of memory-intensive algorithms, 2010, sections 3.2 and 3.3.
enum class Preset : unsigned char { kNone, kPaper };
FOVEA_API std::span<const Choice> choices(Preset);

struct FlowOptions {
  Method method = Method::kLucasKanade;
  Quality quality = Quality::kDefault;  // chooses the options of the method that have no value
  Channels channels = Channels::kGray;
  // Rounds of variational refinement at the finest level, 0 (none) to 20; coarser levels have
  // five more. Without a value Quality::kBest has 3, and the others have none.
  std::optional<int> warps{};
  Fuse fuse = Fuse::kAuto;  // whether the other method is used too, with its own options below
  // What `lk` and `bm` began with. Change it by use_preset(), which sets both; what is changed in
  // them afterwards counts.
  Preset preset = Preset::kNone;
  LucasKanadeOptions lk{};         // used by Method::kLucasKanade, and where both are fused
  BlockMatchingOptions bm{};       // used by Method::kBlockMatching, and where both are fused
  std::uint64_t memory_bytes = 0;  // limit of the device memory that an estimation takes; larger
                                   // images are estimated in tiles. 0 means what a GPU has free,
                                   // and no limit on the CPU
  Exec exec{};
};
// Lists all but the preset, which programs add.
FOVEA_API void describe(OptionVisitor& visit, FlowOptions& options);
// Sets the options of both methods: kPaper as the paper has them, kNone to the defaults.
FOVEA_API void use_preset(FlowOptions& options, Preset preset);
// Why options work on the CPU alone: "blocks of colors are compared", or empty where a GPU has them
// too. Device::kAuto is the CPU then, and another device throws InvalidArgument.
FOVEA_API std::string_view cpu_only(const FlowOptions& options);

// Estimates the flow of pairs of images, or along a video. It keeps its memory from one call to the
// next. One object serves one thread at a time.
//
// Images have 1, 3 or 4 channels (opacity is ignored) of 8 bits, 16 bits or float, in host or
// device memory. Their gray values or colors are compared, whatever their scale. Every value of a
// float image must be finite, except where the mask leaves the pixel out: a NaN or infinite value
// in host memory throws InvalidArgument that names the first such pixel, and in device memory,
// which is not searched for it, it counts as black or white.
class FOVEA_API Estimator {
 public:
  explicit Estimator(const FlowOptions& options = {});
  Estimator(Estimator&&) noexcept;
  Estimator& operator=(Estimator&&) noexcept;
  ~Estimator();

  // The flow from the first image to the second, which has the same size. A mask is empty or has
  // the size of the images and lies in host memory. Pixels of the first image where its mask is 0
  // get flow and confidence 0; pixels of either image where its mask is 0 are not compared. The
  // result lies in the memory of the first image.
  template <class T>
  Flow estimate(ImageView<const T> first, ImageView<const T> second,
                ImageView<const std::uint8_t> mask = {},
                ImageView<const std::uint8_t> second_mask = {}) {
    Flow flow;
    estimate(first, second, flow, mask, second_mask);
    return flow;
  }
  template <class T>
  Flow estimate(const Image<T>& first, const Image<T>& second,
                ImageView<const std::uint8_t> mask = {},
                ImageView<const std::uint8_t> second_mask = {}) {
    return estimate(first.view(), second.view(), mask, second_mask);
  }
  // The same into a field that exists already, whose memory is used again where it fits: to
  // allocate memory of a GPU takes as long as a small pair.
  template <class T>
  void estimate(ImageView<const T> first, ImageView<const T> second, Flow& flow,
                ImageView<const std::uint8_t> mask = {},
                ImageView<const std::uint8_t> second_mask = {});

  // Takes the next frame of a video and returns the flow from the frame before it, or nothing for
  // the first frame. A frame is prepared once, so that this is faster than estimate() for each
  // pair.
  template <class T>
  std::optional<Flow> push(ImageView<const T> frame, ImageView<const std::uint8_t> mask = {}) {
    Flow flow;
    if (!push(frame, flow, mask)) return {};
    return flow;
  }
  template <class T>
  std::optional<Flow> push(const Image<T>& frame, ImageView<const std::uint8_t> mask = {}) {
    return push(frame.view(), mask);
  }
  // The same into a field that exists already; returns false and leaves it alone for the first
  // frame.
  template <class T>
  bool push(ImageView<const T> frame, Flow& flow, ImageView<const std::uint8_t> mask = {});
  // Ends the video. No flow is left to return; the next frame that is pushed begins a new video.
  void finish();

  const FlowOptions& options() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The flow of a single pair: an Estimator that is used once.
template <class T>
Flow estimate_flow(const Image<T>& first, const Image<T>& second, const FlowOptions& options = {}) {
  return Estimator(options).estimate(first, second);
}

// Throws InvalidArgument that begins with `name` (such as the image's file) and gives the first
// pixel with a NaN or infinite value, where the image in host memory has one that the mask does not
// leave out.
FOVEA_API void require_finite(std::string_view name, ImageView<const float> image,
                              ImageView<const std::uint8_t> mask = {});

}  // namespace fovea::flow
