// Rectified pairs of images whose disparities are known, for measuring stereo without data files:
// slanted shapes in front of a slanted ground, with drawn textures or with photographs on them.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <vector>

namespace fovea::cli {

struct StereoScene {
  Image<std::uint8_t> left;  // gray
  Image<std::uint8_t> right;
  Image<float> disparity;  // of every pixel of the left image, even if the right one hides it
};

struct StereoSceneOptions {
  Extent size{640, 480};
  double nearest = 48;  // greatest disparity in pixels
  double noise = 1.5;   // standard deviation of the noise of either image, in gray levels
  double gain = 1;      // brightness of the right image over that of the left one
  // Gray photographs that take the place of drawn textures, in turns
  std::vector<Image<std::uint8_t>> textures{};
  Exec exec{};  // the seed chooses shapes and places
};

// The result is the same for every machine and thread count.
StereoScene stereo_scene(const StereoSceneOptions& options);

}  // namespace fovea::cli
