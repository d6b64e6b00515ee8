// Sequences of cubes whose truth is known: a target is cut from a cube and moved through it, under
// light that changes, with noise.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <vector>

namespace fovea::cli {

struct CubeSceneOptions {
  Rect<int> target{};
  int frames = 60;
  double speed = 2;    // pixels per frame
  double light = 0.3;  // how far the light goes up and down, as a share of itself
  double noise = 0.1;  // standard deviation, in that of each band over the cube
  std::uint64_t seed = 0;
};

class CubeScene {
 public:
  // `mask` says which pixels of the box are the target; empty: all. The place that the target is
  // cut from is filled with what lies beside it. Samples that are NaN or infinite stay so.
  CubeScene(Stack<float> cube, ImageView<const std::uint8_t> mask, const CubeSceneOptions& options);

  Stack<float> frame(int number, const Exec& exec) const;
  const Rect<int>& box(int number) const { return boxes_[static_cast<std::size_t>(number)]; }

 private:
  struct Light;
  void fill_place();
  void find_boxes();

  Stack<float> ground_;  // the cube without the target
  Stack<float> target_;
  Image<std::uint8_t> mask_;
  CubeSceneOptions options_;
  std::vector<float> deviations_{};  // per band
  std::vector<Rect<int>> boxes_{};   // per frame
};

// A drawn landscape of materials with smooth spectra, 0 to 1. The target at `target` is as bright
// as the material that it lies on, on average and in the three bands that a color camera would
// take, and differs between them.
struct DrawnCube {
  Stack<float> bands{};
  Rect<int> target{};
  std::vector<int> color_bands{};  // three of them
};
DrawnCube drawn_cube(Extent size, int bands, std::uint64_t seed);

}  // namespace fovea::cli
