// Pairs of pictures whose motion is known, for measuring flow where no data is at hand: textured
// discs that move, turn and grow over a textured ground that does so too.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/image.h>

#include <cstdint>

namespace fovea::cli {

struct FlowScene {
  Image<std::uint8_t> first;  // gray
  Image<std::uint8_t> second;
  Image<float> u;  // the true motion of every pixel of the first, hidden in the second or not
  Image<float> v;
};

// The same for every machine and thread count. Motion grows with the size, as it does in video: up
// to about 7 pixels at a width of 640, and half of that at 320 and below. `step` numbers the
// pictures of one course; the pair is step and step + 1.
FlowScene flow_scene(int width, int height, const Exec& exec = {}, int step = 0);

}  // namespace fovea::cli
