// Gaussian blur of a level before gradients are computed: gamma-corrected planes, rows below each
// other first, then neighbors in a row. Beyond the border a line is mirrored about its last pixel.
// Every sum has the same order everywhere, so that a part of a level is blurred as the whole.
#include <algorithm>

#include "core/parallel.h"
#include "people/hog/hog_band.h"

namespace fovea::people::cpu {
namespace {

struct Blur {
  std::vector<float> weights;  // from the middle outwards
  int radius() const { return static_cast<int>(weights.size()) - 1; }

  // The weighted sum of the rows around row y; `line` has room for its width.
  void down(ImageView<const float> plane, int y, float* line) const {
    const float* center = plane.row(y);
    for (int x = 0; x < plane.width; ++x) line[x] = weights[0] * center[x];
    for (int k = 1; k <= radius(); ++k) {
      const float* above = plane.row(mirrored_pixel(y - k, plane.height));
      const float* below = plane.row(mirrored_pixel(y + k, plane.height));
      const float weight = weights[static_cast<std::size_t>(k)];
      for (int x = 0; x < plane.width; ++x) line[x] += weight * (above[x] + below[x]);
    }
  }

  // The same along a line, which has `radius` numbers more on both sides.
  void across(float* line, int width, float* out) const {
    for (int k = 1; k <= radius(); ++k) {
      line[-k] = line[mirrored_pixel(-k, width)];
      line[width - 1 + k] = line[mirrored_pixel(width - 1 + k, width)];
    }
    for (int x = 0; x < width; ++x) out[x] = weights[0] * line[x];
    for (int k = 1; k <= radius(); ++k) {
      const float weight = weights[static_cast<std::size_t>(k)];
      for (int x = 0; x < width; ++x) out[x] += weight * (line[x - k] + line[x + k]);
    }
  }
};

}  // namespace

Stack<float> smoothed_planes(ImageView<const std::uint8_t> image, const HogOptions& hog,
                             const std::vector<float>& gamma, const Exec& exec) {
  if (hog.smooth <= 0) return {};
  const int channels = hog.color && image.channels >= 3 ? 3 : 1;
  Stack<float> planes(image.width, image.height, channels),
      blurred(image.width, image.height, channels);
  parallel_for(exec, image.height, 64, [&](std::int64_t first, std::int64_t last) {
    for (int c = 0; c < channels; ++c)
      for (auto y = static_cast<int>(first); y < static_cast<int>(last); ++y) {
        float* out = planes.view().plane(c).row(y);
        for (int x = 0; x < image.width; ++x) out[x] = gamma[image.at(x, y, c)];
      }
  });
  const Blur blur{smoothing_weights(hog)};
  parallel_for(exec, image.height, 32, [&](std::int64_t first, std::int64_t last) {
    std::vector<float> line(static_cast<std::size_t>(image.width + 2 * blur.radius()));
    for (int c = 0; c < channels; ++c)
      for (auto y = static_cast<int>(first); y < static_cast<int>(last); ++y) {
        blur.down(planes.view().plane(c), y, line.data() + blur.radius());
        blur.across(line.data() + blur.radius(), image.width, blurred.view().plane(c).row(y));
      }
  });
  return blurred;
}

}  // namespace fovea::people::cpu
