#include "cli/emd/cube_scene.h"

#include <fovea/core/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/parallel.h"

namespace fovea::cli {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kTilt = 0.3;  // how much of the change of light differs between the first and last
                               // band

float deviation_of(ImageView<const float> band) {
  double sum = 0, squares = 0;
  std::int64_t count = 0;
  for (int y = 0; y < band.height; ++y)
    for (int x = 0; x < band.width; ++x) {
      const auto value = static_cast<double>(band.at(x, y));
      if (!std::isfinite(value)) continue;
      sum += value;
      squares += value * value;
      ++count;
    }
  if (count == 0) return 0;
  const double mean = sum / static_cast<double>(count);
  return static_cast<float>(
      std::sqrt(std::max(0.0, squares / static_cast<double>(count) - mean * mean)));
}

// About normal, with variance 1: a sum of four uniform variables.
float noise_of(Random& random) {
  const float sum = random.uniform() + random.uniform() + random.uniform() + random.uniform();
  return (sum - 2.0F) * 1.7320508F;
}

double phase_of(Random& random) { return kTurn * static_cast<double>(random.uniform()); }

}  // namespace

// Light swells as a whole, wanders over the frame as a wide wave, and changes its color.
struct CubeScene::Light {
  double amount, swell, tilt, wave;
  double across, down;  // the wave's phase per pixel

  double at(int x, int y) const {
    return 1 + amount * 0.5 * (swell + std::sin(wave + across * x + down * y));
  }
  double color(int band, int bands) const {
    return bands < 2 ? 1.0 : 1 + amount * kTilt * tilt * (2.0 * band / (bands - 1) - 1);
  }
};

CubeScene::CubeScene(Stack<float> cube, ImageView<const std::uint8_t> mask,
                     const CubeSceneOptions& options)
    : ground_(std::move(cube)),
      target_(options.target.width, options.target.height, ground_.count()),
      mask_(options.target.width, options.target.height),
      options_(options) {
  const Rect<int>& box = options_.target;
  for (int b = 0; b < ground_.count(); ++b) {
    copy(std::as_const(ground_).plane(b).crop(box.x, box.y, box.width, box.height),
         target_.plane(b));
    deviations_.push_back(deviation_of(ground_.plane(b)));
  }
  for (int y = 0; y < box.height; ++y)
    for (int x = 0; x < box.width; ++x)
      mask_.at(x, y) = mask.empty() || mask.at(box.x + x, box.y + y) != 0 ? 1 : 0;
  fill_place();
  find_boxes();
}

// Mirrors what lies left or right of the box, where there is more room, into its pixels.
void CubeScene::fill_place() {
  const Rect<int>& box = options_.target;
  const int right_room = ground_.width() - box.right();
  const bool from_left = box.x >= right_room;
  const int room = std::max(1, std::max(box.x, right_room));
  for (int b = 0; b < ground_.count(); ++b)
    for (int y = 0; y < box.height; ++y) {
      float* const row = ground_.plane(b).row(box.y + y);
      for (int x = 0; x < box.width; ++x) {
        if (mask_.at(x, y) == 0) continue;
        const int away = (from_left ? x : box.width - 1 - x) % room;
        const int source = from_left ? box.x - 1 - away : box.right() + away;
        if (source >= 0 && source < ground_.width()) row[box.x + x] = row[source];
      }
    }
}

// A walk from the target's own place that turns by chance and is reflected by the borders.
void CubeScene::find_boxes() {
  Random random(options_.seed, 1);
  const Rect<int>& box = options_.target;
  const double right = ground_.width() - box.width, bottom = ground_.height() - box.height;
  double x = box.x, y = box.y, heading = phase_of(random), bend = 0;
  for (int i = 0; i < options_.frames; ++i) {
    boxes_.push_back({static_cast<int>(std::lround(x)), static_cast<int>(std::lround(y)), box.width,
                      box.height});
    bend = 0.8 * bend + 0.15 * (static_cast<double>(random.uniform()) * 2 - 1);
    heading += bend;
    x += options_.speed * std::cos(heading);
    y += options_.speed * std::sin(heading);
    if (x < 0 || x > right) heading = kTurn / 2 - heading;
    if (y < 0 || y > bottom) heading = -heading;
    x = std::clamp(x < 0 ? -x : x > right ? 2 * right - x : x, 0.0, std::max(0.0, right));
    y = std::clamp(y < 0 ? -y : y > bottom ? 2 * bottom - y : y, 0.0, std::max(0.0, bottom));
  }
}

Stack<float> CubeScene::frame(int number, const Exec& exec) const {
  const int width = ground_.width(), height = ground_.height(), bands = ground_.count();
  Random random(options_.seed, 2);
  const double swell = phase_of(random), tilt = phase_of(random), wave = phase_of(random);
  const double heading = phase_of(random);
  // In the first frame the light is what the cube has, so that only later frames differ from it.
  const double begun = std::min(1.0, number / 10.0);
  const double pace = 0.13 * number;
  const double per_pixel = kTurn / (1.5 * std::max(width, height));
  const Light light{options_.light * begun,        std::sin(swell + pace),
                    std::sin(tilt + 0.7 * pace),   wave + 0.5 * pace,
                    per_pixel * std::cos(heading), per_pixel * std::sin(heading)};
  const Rect<int>& at = box(number);
  Stack<float> frame(width, height, bands);
  Exec here = exec;
  here.device = Device::cpu();
  parallel_for(here, bands, 1, [&](std::int64_t first, std::int64_t last) {
    for (auto b = static_cast<int>(first); b < last; ++b) {
      Random noise(options_.seed,
                   3 + static_cast<std::uint64_t>(number) * static_cast<std::uint64_t>(bands) +
                       static_cast<std::uint64_t>(b));
      const auto amount =
          static_cast<float>(options_.noise) * deviations_[static_cast<std::size_t>(b)];
      const double color = light.color(b, bands);
      for (int y = 0; y < height; ++y) {
        const float* const from = ground_.plane(b).row(y);
        float* const to = frame.plane(b).row(y);
        for (int x = 0; x < width; ++x) {
          const int left = x - at.x, top = y - at.y;
          const bool inside = left >= 0 && top >= 0 && left < at.width && top < at.height;
          const bool shown = inside && mask_.at(left, top) != 0;
          const float value = shown ? target_.plane(b).at(left, top) : from[x];
          to[x] = value * static_cast<float>(light.at(x, y) * color) + amount * noise_of(noise);
        }
      }
    }
  });
  return frame;
}

DrawnCube drawn_cube(Extent size, int bands, std::uint64_t seed) {
  constexpr int kMaterials = 6;
  constexpr double kFine = 0.35;  // how far the target's spectrum goes up and down
  Random random(seed, 11);
  DrawnCube cube;
  cube.bands = Stack<float>(size.width, size.height, bands);
  const int side = std::max(6, std::min(size.width, size.height) / 8);
  cube.target = {size.width / 2 - side / 2, size.height / 2 - side / 2, side, side};
  for (const int part : {1, 3, 5}) cube.color_bands.push_back((bands - 1) * part / 6);

  // A material's spectrum is a smooth curve, and fields of it have soft borders.
  struct Material {
    double level, slope, bump, place;
    std::array<double, 4> field;
  };
  std::array<Material, kMaterials> materials{};
  const auto uniform = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(random.uniform());
  };
  for (Material& material : materials) {
    material = {
        uniform(0.25, 0.6), uniform(-0.2, 0.2), uniform(-0.15, 0.15), uniform(0.2, 0.8), {}};
    for (double& number : material.field) number = uniform(0, kTurn);
  }
  const double waves = kTurn / std::max(size.width, size.height);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const Rect<int>& box = cube.target;
      const bool inside = x >= box.x && x < box.right() && y >= box.y && y < box.bottom();
      // All of the target lies on the material of its middle.
      const double u = waves * (inside ? box.x + box.width / 2 : x);
      const double v = waves * (inside ? box.y + box.height / 2 : y);
      const Material* best = nullptr;
      double most = -10;
      for (const Material& material : materials) {
        const auto& [a, b, c, d] = material.field;
        const double share = std::sin(2 * u + a) + std::sin(3 * v + b) +
                             std::sin(3 * u - 2 * v + c) + 0.5 * std::sin(7 * u + 5 * v + d);
        if (share > most) {
          most = share;
          best = &material;
        }
      }
      const double texture = 1 + 0.08 * (static_cast<double>(random.uniform()) * 2 - 1);
      for (int b = 0; b < bands; ++b) {
        const double t = bands < 2 ? 0.5 : static_cast<double>(b) / (bands - 1);
        const double away = (t - best->place) / 0.2;
        double value = best->level + best->slope * (t - 0.5) + best->bump * std::exp(-away * away);
        // This wave is 0 at 1/6, 3/6 and 5/6 of the spectrum, where the colors are, and on
        // average.
        if (inside) value *= 1 + kFine * std::cos(kTurn * 1.5 * t);
        cube.bands.plane(b).at(x, y) = static_cast<float>(value * texture);
      }
    }
  return cube;
}

}  // namespace fovea::cli
