#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/options_fwd.h>
#include <fovea/io/flow_io.h>

#include <cstdint>
#include <optional>

// Draws flow fields as pictures of 8-bit RGB. All data lies in host memory; InvalidArgument is
// thrown where sizes differ. A vector that is not known (FlowFieldView::is_known) is drawn as such,
// as each function says.
namespace fovea::flow {

struct WheelOptions {
  std::optional<double> longest{};  // motion in pixels that has the full color; longer motion is
                                    // darker. Without a value it is the longest of the field
  Exec exec{};
};
FOVEA_API void describe(OptionVisitor& visit, WheelOptions& options);

// Motion in the colors of Middlebury's wheel (Baker et al., IJCV 2011): the direction is the hue,
// the length is the saturation, and no motion is white. Vectors that are not known are black.
FOVEA_API Image<std::uint8_t> wheel_picture(const io::FlowFieldView& field,
                                            const WheelOptions& options = {});
// The wheel itself as a key to its colors, `size` pixels wide (8 to 4096); the rim is the longest
// motion.
FOVEA_API Image<std::uint8_t> wheel_key(int size);

struct ArrowOptions {
  std::optional<int> step{};  // pixels between arrows; without a value about 30 arrows fit along
                              // the longer side
  std::optional<double> scale{};  // drawn length over the motion; without a value the longest arrow
                                  // reaches a little past the next one
};
FOVEA_API void describe(OptionVisitor& visit, ArrowOptions& options);

// Arrows in the wheel's colors over the first image, which is gray or RGB. Each arrow is the mean
// motion of the cell around it; a cell without a known vector has none.
FOVEA_API Image<std::uint8_t> arrows_picture(ImageView<const std::uint8_t> image,
                                             const io::FlowFieldView& field,
                                             const ArrowOptions& options = {});

// The second image, of any number of channels, warped back along the flow: where the flow is right
// it looks like the first image. Pixels are interpolated bilinearly. They are black where the
// motion leaves the image or is not known.
FOVEA_API Image<std::uint8_t> warp_picture(ImageView<const std::uint8_t> second,
                                           const io::FlowFieldView& field, const Exec& exec = {});

// Confidence from 0 (dark) to 1 (bright).
FOVEA_API Image<std::uint8_t> confidence_picture(ImageView<const float> confidence);

// Errors in pixels as endpoint_errors() returns them, from 0 (dark) to `greatest` and above
// (bright). Pixels without an error (NaN) are bluish gray.
FOVEA_API Image<std::uint8_t> error_picture(ImageView<const float> errors, double greatest = 3);

}  // namespace fovea::flow
