// A drawn street with the statistics of photographs, which bench verbs measure on where no
// photograph is given. The time of a cascade, of a map or of interest points depends on what an
// image shows; noise and flat drawings flatter or punish methods in ways that photographs do not.
#pragma once
#include <fovea/core/exec.h>
#include <fovea/core/geometry.h>
#include <fovea/core/image.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace fovea::cli {

struct Layer;

// Sky, houses, trees, a road, clutter of all sizes that occludes other clutter, and people who
// walk. Like photographs, scenes have a spectrum whose amplitude falls with frequency, few strong
// edges between many weak gradients, channels that rise and fall together, and the blur and noise
// of a camera.
class NaturalScene {
 public:
  // Another seed is another street. Objects grow with the size and detail stays as fine as pixels.
  explicit NaturalScene(Extent size, std::uint64_t seed = 1);
  ~NaturalScene();
  NaturalScene(NaturalScene&&) noexcept;
  NaturalScene& operator=(NaturalScene&&) noexcept;

  // Frames of one course, in RGB; `number` may be any. People walk, and the camera moves by about
  // `camera` pixels per frame at a width of 640, in proportion to the width (at 320 and below as at
  // 320). Frames are the same for every number of threads.
  struct Moment {
    int number = 0;
    double camera = 0;
  };
  Image<std::uint8_t> frame(const Moment& moment, const Exec& exec = {}) const;
  Image<std::uint8_t> frame() const { return frame({}); }

  // The motion of every pixel from this frame to the next, hidden there or not.
  struct Motion {
    Image<float> u;
    Image<float> v;
  };
  Motion motion(const Moment& moment, const Exec& exec = {}) const;

  Extent size() const { return size_; }

 private:
  Extent size_;
  std::vector<Layer> layers_;  // the farthest first
};

}  // namespace fovea::cli
