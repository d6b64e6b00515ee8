// Every pixel of either image is traced to the uppermost plane that it shows and to the place in
// that plane's texture. Disparities are linear in the left image, so that the place in the left
// image that a pixel of the right one shows follows in closed form.
#include "cli/flow/stereo_scene.h"

#include <fovea/core/random.h>

#include <algorithm>
#include <cmath>

#include "cli/flow/texture.h"
#include "core/parallel.h"

namespace fovea::cli {
namespace {

// A photograph that is repeated in mirror images, interpolated by cubic splines through its pixels
// (Catmull and Rom).
class Photograph {
 public:
  Photograph(const Image<std::uint8_t>* image, double scale, double left, double top)
      : image_(image), scale_(scale), left_(left), top_(top) {}

  // Returns 0 to 1.
  float at(double x, double y) const {
    const double px = left_ + scale_ * x, py = top_ + scale_ * y;
    const double column = std::floor(px), row = std::floor(py);
    const auto across = weights(px - column), down = weights(py - row);
    double sum = 0;
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i)
        sum += across[static_cast<std::size_t>(i)] * down[static_cast<std::size_t>(j)] *
               image_->at(mirrored(static_cast<int>(column) + i - 1, image_->width()),
                          mirrored(static_cast<int>(row) + j - 1, image_->height()));
    return static_cast<float>(std::clamp(sum / 255, 0.0, 1.0));
  }

 private:
  static std::array<double, 4> weights(double t) {
    return {((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1,
            ((-1.5 * t + 2) * t + 0.5) * t, (0.5 * t - 0.5) * t * t};
  }
  static int mirrored(int at, int size) {
    const int period = 2 * size, inside = ((at % period) + period) % period;
    return inside < size ? inside : period - 1 - inside;
  }

  const Image<std::uint8_t>* image_;
  double scale_, left_, top_;
};

struct Plane {
  double middle_x = 0, middle_y = 0;
  double disparity = 0;                    // in the middle
  double across = 0, down = 0;             // its growth per pixel to the right and down
  double half_width = 0, half_height = 0;  // 0 for the ground
  bool round = false;
  const Texture* drawn = nullptr;
  const Photograph* photograph = nullptr;

  double disparity_at(double x, double y) const {
    return disparity + across * (x - middle_x) + down * (y - middle_y);
  }
  // The place in the left image whose disparity leads to x in the right one.
  double left_of(double x, double y) const {
    return (x + disparity - across * middle_x + down * (y - middle_y)) / (1 - across);
  }
  // The share of a pixel that the plane covers.
  double cover(double x, double y) const {
    if (half_width <= 0) return 1;
    const double dx = std::abs(x - middle_x), dy = std::abs(y - middle_y);
    const double inside =
        round ? half_width - std::hypot(dx, dy) : std::min(half_width - dx, half_height - dy);
    return std::clamp(inside + 0.5, 0.0, 1.0);
  }
  float gray(double x, double y) const {
    return photograph != nullptr ? photograph->at(x, y) : drawn->at(x, y);
  }
};

// The planes of a scene, the farthest first, and the textures on them.
class Planes {
 public:
  explicit Planes(const StereoSceneOptions& options) {
    constexpr int kShapes = 9;
    const double width = options.size.width, height = options.size.height;
    Random random(options.exec.seed);
    const auto between = [&](double low, double high) {
      return low + (high - low) * random.uniform();
    };
    drawn_.reserve(kShapes + 1);
    photographs_.reserve(kShapes + 1);
    planes_.reserve(kShapes + 1);
    const double unit = std::max(0.5, width / 640);
    const double nearest = options.nearest;
    planes_.push_back({.middle_x = width / 2,
                       .middle_y = height / 2,
                       .disparity = 0.22 * nearest,
                       .across = between(-0.04, 0.04) * nearest / width,
                       .down = 0.3 * nearest / height});
    for (int i = 0; i < kShapes; ++i) {
      const double far = 0.4 + 0.5 * i / (kShapes - 1);
      const double size = between(40, 80) * std::min(width / 640, height / 480);
      const double slant = 0.06 * nearest / size;  // keeps the disparity within 6 % on either side
      planes_.push_back({.middle_x = between(0.05, 0.95) * width,
                         .middle_y = between(0.05, 0.95) * height,
                         .disparity = far * nearest,
                         .across = between(-1, 1) * slant,
                         .down = between(-1, 1) * slant,
                         .half_width = size,
                         .half_height = size * between(0.4, 1.2),
                         .round = random.uniform() < 0.5});
    }
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      if (options.textures.empty()) {
        drawn_.emplace_back(options.exec.seed + i, 48 * unit);
        planes_[i].drawn = &drawn_.back();
        continue;
      }
      const Image<std::uint8_t>& image = options.textures[i % options.textures.size()];
      photographs_.emplace_back(&image, between(0.8, 1.2), between(0, image.width()),
                                between(0, image.height()));
      planes_[i].photograph = &photographs_.back();
    }
  }

  float left_gray(double x, double y) const {
    float value = 0;
    for (const Plane& plane : planes_) blend(plane, x, y, value);
    return value;
  }
  float right_gray(double x, double y) const {
    float value = 0;
    for (const Plane& plane : planes_) blend(plane, plane.left_of(x, y), y, value);
    return value;
  }
  double disparity(double x, double y) const {
    for (std::size_t i = planes_.size(); i-- > 1;)
      if (planes_[i].cover(x, y) >= 0.5) return planes_[i].disparity_at(x, y);
    return planes_[0].disparity_at(x, y);
  }

 private:
  static void blend(const Plane& plane, double x, double y, float& value) {
    const auto cover = static_cast<float>(plane.cover(x, y));
    if (cover > 0) value += cover * (plane.gray(x, y) - value);
  }

  std::vector<Plane> planes_{};
  std::vector<Texture> drawn_{};
  std::vector<Photograph> photographs_{};
};

}  // namespace

StereoScene stereo_scene(const StereoSceneOptions& options) {
  const int width = options.size.width, height = options.size.height;
  StereoScene scene{Image<std::uint8_t>(width, height), Image<std::uint8_t>(width, height),
                    Image<float>(width, height)};
  const Planes planes(options);
  parallel_for(options.exec, height, 8, [&](std::int64_t begin, std::int64_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      Random random(options.exec.seed, static_cast<std::uint64_t>(y) + 1);
      const auto level = [&](float gray, double gain) {
        const double value = gain * (16 + 223 * static_cast<double>(gray));
        return static_cast<std::uint8_t>(
            std::clamp(value + options.noise * random.normal() + 0.5, 0.0, 255.0));
      };
      for (int x = 0; x < width; ++x) {
        scene.left.at(x, y) = level(planes.left_gray(x, y), 1);
        scene.right.at(x, y) = level(planes.right_gray(x, y), options.gain);
        scene.disparity.at(x, y) = static_cast<float>(planes.disparity(x, y));
      }
    }
  });
  return scene;
}

}  // namespace fovea::cli
