// Pairs of images whose motion is known, for measuring flow without data files: textured discs that
// move, turn and grow over a textured ground that does the same.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea::cli {

struct FlowScene {
  Image<std::uint8_t> first;  // gray
  Image<std::uint8_t> second;
  Image<float> u;  // true motion of every pixel of the first, even if hidden in the second
  Image<float> v;
  Image<std::uint8_t> layers;  // which layer every pixel of the first shows; 1 is the ground
};

// The result is the same for every machine and thread count. Motion grows with the size, as it does
// in video: up to about 7 pixels at a width of 640, and half of that at 320 and below. `step`
// numbers the images of one sequence; the pair is step and step + 1.
FlowScene flow_scene(int width, int height, const Exec& exec = {}, int step = 0);

}  // namespace fovea::cli
