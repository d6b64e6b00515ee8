// Every pixel of either image is traced back to the layer that it shows and to the place in that
// layer's texture. Layers move by similarity transforms, so that the motion is known exactly.
#include "cli/flow/scene.h"

#include <fovea/core/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "cli/flow/texture.h"
#include "core/parallel.h"

namespace fovea::cli {
namespace {

struct Vec {
  double x, y;
};

// The place of a layer at some time: its center, rotation and scale.
class Pose {
 public:
  Pose(Vec middle, double turn_radians, double growth)
      : middle_(middle),
        cosine_(std::cos(turn_radians)),
        sine_(std::sin(turn_radians)),
        growth_(growth) {}

  double growth() const { return growth_; }
  // Converts a place in the image to one in the layer, and back.
  Vec into(Vec p) const {
    const double dx = (p.x - middle_.x) / growth_, dy = (p.y - middle_.y) / growth_;
    return {cosine_ * dx + sine_ * dy, cosine_ * dy - sine_ * dx};
  }
  Vec out_of(Vec q) const {
    return {middle_.x + growth_ * (cosine_ * q.x - sine_ * q.y),
            middle_.y + growth_ * (cosine_ * q.y + sine_ * q.x)};
  }

 private:
  Vec middle_;
  double cosine_, sine_, growth_;
};

struct Layer {
  Texture texture;
  double radius;  // infinite for the ground
  Vec middle;
  Vec speed;       // pixels per step
  double turning;  // radians per step
  double growing;  // relative growth per step

  Pose at(double time) const {
    return {{middle.x + time * speed.x, middle.y + time * speed.y},
            time * turning,
            std::pow(1 + growing, time)};
  }
};

std::vector<Layer> layers_of(int width, int height) {
  constexpr int kDiscs = 9;
  const double unit = std::max(0.5, width / 640.0);  // motion and texture grow with the image
  const double coarsest = 96 * unit;
  Random random(20);
  const auto between = [&](double low, double high) {
    return low + (high - low) * random.uniform();
  };
  std::vector<Layer> layers;
  layers.push_back({Texture(1, coarsest),
                    INFINITY,
                    {width / 2.0, height / 2.0},
                    {1.6 * unit, -0.7 * unit},
                    0.004,
                    0.003});
  for (int i = 0; i < kDiscs; ++i) {
    const double angle = between(0, 6.2831853), speed = between(1, 6) * unit;
    layers.push_back({Texture(static_cast<std::uint64_t>(2 + i), coarsest),
                      between(28, 84) * std::min(width / 640.0, height / 480.0),
                      {between(0, width), between(0, height)},
                      {speed * std::cos(angle), speed * std::sin(angle)},
                      between(-0.02, 0.02),
                      between(-0.01, 0.01)});
  }
  return layers;
}

// The layers in their places at one time, the ground first.
class Picture {
 public:
  Picture(const std::vector<Layer>& layers, double time) : layers_(layers) {
    for (const Layer& layer : layers) poses_.push_back(layer.at(time));
  }

  float gray(Vec p) const {
    float value = layers_[0].texture.at(ground(p).x, ground(p).y);
    for (std::size_t k = 1; k < layers_.size(); ++k) {
      const Vec q = poses_[k].into(p);
      const double inside = (layers_[k].radius - std::hypot(q.x, q.y)) * poses_[k].growth() + 0.5;
      if (inside <= 0) continue;
      const auto cover = static_cast<float>(std::min(1.0, inside));  // share of a pixel on the rim
      value += cover * (layers_[k].texture.at(q.x + 1e3, q.y + 1e3) - value);
    }
    return value;
  }

  // The uppermost layer that covers at least half of the pixel.
  std::size_t layer_at(Vec p) const {
    for (std::size_t k = layers_.size(); k-- > 1;) {
      const Vec q = poses_[k].into(p);
      if (std::hypot(q.x, q.y) <= layers_[k].radius) return k;
    }
    return 0;
  }
  const Pose& pose(std::size_t layer) const { return poses_[layer]; }

 private:
  Vec ground(Vec p) const { return poses_[0].into(p); }

  const std::vector<Layer>& layers_;
  std::vector<Pose> poses_;
};

// Paints the gray values with some sensor noise; `sequence` differs between images.
void paint(const Picture& picture, ImageView<std::uint8_t> image, std::uint64_t sequence,
           const Exec& exec) {
  constexpr double kNoise = 1.5;  // gray levels
  parallel_for(exec, image.height, 8, [&](std::int64_t begin, std::int64_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      Random random(7, (sequence << 32U) + static_cast<std::uint64_t>(y));
      for (int x = 0; x < image.width; ++x) {
        const double value = 16 + 223 * static_cast<double>(picture.gray(
                                            {static_cast<double>(x), static_cast<double>(y)}));
        image.at(x, y) = static_cast<std::uint8_t>(
            std::clamp(value + kNoise * random.normal() + 0.5, 0.0, 255.0));
      }
    }
  });
}

}  // namespace

FlowScene flow_scene(int width, int height, const Exec& exec, int step) {
  FlowScene scene{Image<std::uint8_t>(width, height), Image<std::uint8_t>(width, height),
                  Image<float>(width, height), Image<float>(width, height),
                  Image<std::uint8_t>(width, height)};
  const std::vector<Layer> layers = layers_of(width, height);
  const Picture now(layers, step), next(layers, step + 1);
  paint(now, scene.first, static_cast<std::uint64_t>(step), exec);
  paint(next, scene.second, static_cast<std::uint64_t>(step) + 1, exec);
  parallel_for(exec, height, 8, [&](std::int64_t begin, std::int64_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      for (int x = 0; x < width; ++x) {
        const Vec from{static_cast<double>(x), static_cast<double>(y)};
        const std::size_t layer = now.layer_at(from);
        const Vec to = next.pose(layer).out_of(now.pose(layer).into(from));
        scene.layers.at(x, y) = static_cast<std::uint8_t>(layer + 1);
        scene.u.at(x, y) = static_cast<float>(to.x - from.x);
        scene.v.at(x, y) = static_cast<float>(to.y - from.y);
      }
    }
  });
  return scene;
}

}  // namespace fovea::cli
