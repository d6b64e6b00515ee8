// Every pixel has four samples. Layers are written over each other into a buffer of which layer
// each sample shows; then each layer that a pixel shows is asked for its color once.
#include "bench/natural_scene.h"

#include <fovea/core/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bench/natural_layers.h"
#include "core/parallel.h"

namespace fovea::cli {
namespace {

constexpr int kRows = 16;  // of a band, which one thread draws
using Moment = NaturalScene::Moment;

// A turn, a growth and a shift.
struct Pose {
  double cosine = 1, sine = 0;  // both times the growth
  Vec to{};

  Vec out_of(Vec q) const {
    return {to.x + cosine * q.x - sine * q.y, to.y + cosine * q.y + sine * q.x};
  }
  Vec into(Vec p) const {
    const double x = p.x - to.x, y = p.y - to.y, square = cosine * cosine + sine * sine;
    return {(cosine * x + sine * y) / square, (cosine * y - sine * x) / square};
  }
  double growth() const { return std::hypot(cosine, sine); }
};

Pose turned(double radians, double growth, Vec to) {
  return {growth * std::cos(radians), growth * std::sin(radians), to};
}

// First `inner`, then `outer`.
Pose both(const Pose& outer, const Pose& inner) {
  return {outer.cosine * inner.cosine - outer.sine * inner.sine,
          outer.cosine * inner.sine + outer.sine * inner.cosine, outer.out_of(inner.to)};
}

Pose camera_at(Extent size, const Moment& moment) {
  const double way = moment.camera * moment.number * std::max(0.5, size.width / 640.0);
  const double turn = moment.camera * moment.number;
  const Vec center{size.width / 2.0, size.height / 2.0};
  Pose pose = turned(0.002 * turn, std::pow(1.0015, turn), {});
  const Vec moved = pose.out_of(center);
  pose.to = {center.x - moved.x + 0.9 * way, center.y - moved.y - 0.4 * way};
  return pose;
}

std::vector<Pose> poses_at(const std::vector<Layer>& layers, Extent size, const Moment& moment) {
  const Pose camera = camera_at(size, moment);
  std::vector<Pose> poses;
  poses.reserve(layers.size());
  for (const Layer& layer : layers) {
    const double time = moment.number;
    const double swing =
        layer.swing_radians * std::sin(layer.phase_radians + time * layer.pace_radians);
    poses.push_back(both(camera, turned(layer.turn_radians + swing, 1,
                                        {layer.middle.x + time * layer.speed.x,
                                         layer.middle.y + time * layer.speed.y})));
  }
  return poses;
}

// Which layer each sample of some rows shows. A pixel has `fine` times `fine` samples.
class Band {
 public:
  Band(int width, int fine) : width_(width), fine_(fine) {}

  void look(const std::vector<Layer>& layers, const std::vector<Pose>& poses, int first, int rows) {
    shown_.assign(static_cast<std::size_t>(width_) * fine_ * rows * fine_, 0);
    for (std::size_t k = 1; k < layers.size(); ++k) {
      const double reach = layers[k].reach() * poses[k].growth() + 1;
      const Vec at = poses[k].to;
      if (at.y + reach < first || at.y - reach > first + rows || at.x + reach < 0 ||
          at.x - reach > width_)
        continue;
      const auto sample = [&](double pixel, int most) {
        return static_cast<int>(std::clamp(pixel * fine_, 0.0, 1.0 * most));
      };
      const int left = sample(at.x - reach, width_ * fine_),
                right = sample(at.x + reach + 1, width_ * fine_),
                top = sample(at.y - reach - first, rows * fine_),
                bottom = sample(at.y + reach + 1 - first, rows * fine_);
      for (int y = top; y < bottom; ++y) {
        std::uint32_t* row = shown_.data() + static_cast<std::size_t>(y) * width_ * fine_;
        const Vec start = poses[k].into(place(left, y, first)),
                  next = poses[k].into(place(left + 1, y, first));
        for (int x = left; x < right; ++x) {
          const double steps = x - left;
          if (layers[k].covers(
                  {start.x + steps * (next.x - start.x), start.y + steps * (next.y - start.y)}))
            row[x] = static_cast<std::uint32_t>(k);
        }
      }
    }
  }

  std::uint32_t shown(int x, int y) const {
    return shown_[static_cast<std::size_t>(y) * width_ * fine_ + static_cast<std::size_t>(x)];
  }

 private:
  // Pixels have their middles at whole numbers.
  Vec place(int x, int y, int first) const {
    return {(x + 0.5) / fine_ - 0.5, first + (y + 0.5) / fine_ - 0.5};
  }

  int width_, fine_;
  std::vector<std::uint32_t> shown_{};
};

using Rgb = std::array<float, 3>;

Rgb color_of(const Layer& layer, Vec point) {
  const float texture = layer.contrast * natural_texture(layer, point);
  const double across = (point.x - layer.offset.x) / std::max(1.0, layer.half.x),
               down = (point.y - layer.offset.y) / std::max(1.0, layer.half.y);
  const float light = (1 + texture) * (1 - layer.shade * static_cast<float>(across + down) / 2);
  // Bright parts are a little less colorful.
  const float gray = (layer.color[0] + layer.color[1] + layer.color[2]) / 3;
  Rgb color{};
  for (std::size_t c = 0; c < 3; ++c)
    color[c] = light * (layer.color[c] + 0.35F * texture * (gray - layer.color[c]));
  return color;
}

// The camera: some blur, then the noise of a sensor, most of which is common to the channels.
constexpr float kBlur = 0.18F;  // share that a pixel gives to each of its neighbors in a row
constexpr double kNoise = 1.5;  // gray levels

void develop(const Image<float>& light, ImageView<std::uint8_t> picture, std::uint64_t sequence,
             const Exec& exec) {
  const int width = light.width(), height = light.height();
  parallel_for(exec, height, kRows, [&](std::int64_t begin, std::int64_t end) {
    std::vector<float> column(static_cast<std::size_t>(width) * 3);
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      const float *above = light.row(std::max(0, y - 1)), *here = light.row(y),
                  *below = light.row(std::min(height - 1, y + 1));
      for (int i = 0; i < 3 * width; ++i)
        column[static_cast<std::size_t>(i)] = here[i] + kBlur * (above[i] + below[i] - 2 * here[i]);
      Random random(7, (sequence << 32U) + static_cast<std::uint64_t>(y));
      for (int x = 0; x < width; ++x) {
        const auto common = static_cast<float>(kNoise) * random.normal();
        const float* at = column.data() + static_cast<std::ptrdiff_t>(3) * x;
        const float *left = x > 0 ? at - 3 : at, *right = x + 1 < width ? at + 3 : at;
        for (int c = 0; c < 3; ++c) {
          const float own = 0.4F * static_cast<float>(kNoise) * (2 * random.uniform() - 1);
          const float value = at[c] + kBlur * (left[c] + right[c] - 2 * at[c]) + common + own;
          picture.at(x, y, c) = static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.F, 255.F));
        }
      }
    }
  });
}

}  // namespace

NaturalScene::NaturalScene(Extent size, std::uint64_t seed)
    : size_(size), layers_(natural_layers(size, seed)) {}
NaturalScene::~NaturalScene() = default;
NaturalScene::NaturalScene(NaturalScene&&) noexcept = default;
NaturalScene& NaturalScene::operator=(NaturalScene&&) noexcept = default;

Image<std::uint8_t> NaturalScene::frame(const Moment& moment, const Exec& exec) const {
  constexpr int kFine = 2;
  Exec host = exec;
  host.device = Device::cpu();
  const std::vector<Pose> poses = poses_at(layers_, size_, moment);
  Image<float> light(size_.width, size_.height, 3);
  parallel_for(host, size_.height, kRows, [&](std::int64_t begin, std::int64_t end) {
    const int first = static_cast<int>(begin), rows = static_cast<int>(end - begin);
    Band band(size_.width, kFine);
    band.look(layers_, poses, first, rows);
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < size_.width; ++x) {
        Rgb sum{}, color{};
        std::uint32_t last = 0;
        for (int sample = 0; sample < kFine * kFine; ++sample) {
          const std::uint32_t layer =
              band.shown(kFine * x + sample % kFine, kFine * y + sample / kFine);
          if (sample == 0 || layer != last)
            color = color_of(layers_[layer], poses[layer].into({1.0 * x, 1.0 * (first + y)}));
          last = layer;
          for (std::size_t c = 0; c < 3; ++c) sum[c] += color[c] / (kFine * kFine);
        }
        std::copy_n(sum.data(), 3, &light.at(x, first + y));
      }
  });
  Image<std::uint8_t> picture(size_.width, size_.height, 3);
  develop(light, picture, static_cast<std::uint64_t>(static_cast<std::uint32_t>(moment.number)),
          host);
  return picture;
}

NaturalScene::Motion NaturalScene::motion(const Moment& moment, const Exec& exec) const {
  Exec host = exec;
  host.device = Device::cpu();
  const std::vector<Pose> now = poses_at(layers_, size_, moment),
                          next = poses_at(layers_, size_, {moment.number + 1, moment.camera});
  Motion motion{Image<float>(size_.width, size_.height), Image<float>(size_.width, size_.height)};
  parallel_for(host, size_.height, kRows, [&](std::int64_t begin, std::int64_t end) {
    const int first = static_cast<int>(begin), rows = static_cast<int>(end - begin);
    Band band(size_.width, 1);
    band.look(layers_, now, first, rows);
    for (int y = 0; y < rows; ++y)
      for (int x = 0; x < size_.width; ++x) {
        const Vec from{1.0 * x, 1.0 * (first + y)};
        const std::uint32_t layer = band.shown(x, y);
        const Vec to = next[layer].out_of(now[layer].into(from));
        motion.u.at(x, first + y) = static_cast<float>(to.x - from.x);
        motion.v.at(x, first + y) = static_cast<float>(to.y - from.y);
      }
  });
  return motion;
}

}  // namespace fovea::cli
