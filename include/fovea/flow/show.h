#pragma once
#include <fovea/core/exec.h>
#include <fovea/io/flow_io.h>

#include <cstdint>

// Pictures of flow fields, in RGB bytes. Everything lies in host memory; throws InvalidArgument
// where sizes differ.
namespace fovea::flow {

// Motion as color, with Middlebury's wheel (Baker et al., IJCV 2011): direction is hue, length is
// saturation, no motion is white. `longest` pixels have the full color and longer ones are darker;
// 0 takes the longest motion of the field. What is not known is black.
FOVEA_API Image<std::uint8_t> wheel_picture(const io::FlowFieldView& field, double longest = 0,
                                            const Exec& exec = {});
// The wheel itself, as a key: `size` pixels wide, its rim the longest motion.
FOVEA_API Image<std::uint8_t> wheel_key(int size);

struct ArrowStyle {
  int step = 0;      // pixels from one arrow to the next; 0: some 30 along the longer side
  double scale = 0;  // length drawn over the motion; 0: the longest reaches past the next arrow
};
// Arrows over the first image (gray or RGB), in the wheel's colors.
FOVEA_API Image<std::uint8_t> arrows_picture(ImageView<const std::uint8_t> image,
                                             const io::FlowFieldView& field,
                                             const ArrowStyle& style = {});

// The second image (any channels) drawn back along the motion: it looks like the first where the
// flow is right. Sampled bilinearly; black where the motion leaves the image or is not known.
FOVEA_API Image<std::uint8_t> warp_picture(ImageView<const std::uint8_t> second,
                                           const io::FlowFieldView& field, const Exec& exec = {});

// Confidence from 0 (dark) to 1 (bright).
FOVEA_API Image<std::uint8_t> confidence_picture(ImageView<const float> confidence);

// Errors in pixels, as endpoint_errors() gives them: dark is none, bright `most` and beyond; gray
// blue where there is no error to tell.
FOVEA_API Image<std::uint8_t> error_picture(ImageView<const float> errors, double most = 3);

}  // namespace fovea::flow
