// What explanations need to know of a scene's mapper.
#pragma once
#include <fovea/emd/scene.h>

#include <vector>

#include "emd/track/track_palette.h"

namespace fovea::emd {

struct SceneInsides {
  // The colors of the bins; empty unless colors are compared.
  static std::vector<LabColor> palette(const SceneMapper& mapper);
  // The number of bands of the scene, where spectra are compared; else 0.
  static int bands(const SceneMapper& mapper);
  // Whether a pixel is in the region of interest and in the mask.
  static bool maps(const SceneMapper& mapper, int x, int y);
  // The fused score of a pixel with this distance and these two angles, 1x1 in host memory.
  static float fused(const SceneMapper& mapper, ImageView<const float> angles, float distance);
};

}  // namespace fovea::emd
