// The street is composed from back to front. Sizes of clutter follow the law that makes images of
// occluding objects look alike at every scale (Lee, Mumford and Huang, "Occlusion models for
// natural images", IJCV 2001): the number of objects of a radius falls with its third power.
#include "bench/natural_layers.h"

#include <fovea/core/random.h>

#include <algorithm>
#include <cmath>

namespace fovea::cli {
namespace {

using Shape = Layer::Shape;
using Rgb = std::array<float, 3>;

constexpr double kFinest = 2.5;  // pixels of the finest lattice

std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ (h >> 30U)) * 0xBF58476D1CE4E5B9U;
  h = (h ^ (h >> 27U)) * 0x94D049BB133111EBU;
  return h ^ (h >> 31U);
}

// -1 to 1 at the corners of a lattice.
float lattice(std::uint64_t seed, std::int64_t i, std::int64_t j) {
  const std::uint64_t h = mixed(seed + static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15U +
                                static_cast<std::uint64_t>(j) * 0xC2B2AE3D27D4EB4FU);
  return static_cast<float>(h >> 40U) * 0x1p-23F - 1;
}

float octave(std::uint64_t seed, double x, double y) {
  const double left = std::floor(x), top = std::floor(y);
  const auto i = static_cast<std::int64_t>(left), j = static_cast<std::int64_t>(top);
  const auto ease = [](double t) { return static_cast<float>(t * t * (3 - 2 * t)); };
  const float fx = ease(x - left), fy = ease(y - top);
  const auto between = [&](std::int64_t row) {
    const float from = lattice(seed, i, row);
    return from + fx * (lattice(seed, i + 1, row) - from);
  };
  const float upper = between(j);
  return upper + fy * (between(j + 1) - upper);
}

// Everything that is drawn by chance.
class Street {
 public:
  Street(Extent size, std::uint64_t seed)
      : width_(size.width), height_(size.height), random_(seed), seed_(seed) {}

  std::vector<Layer> layers() {
    sky();
    houses();
    trees();
    ground();
    clutter();
    poles();
    people();
    return std::move(layers_);
  }

 private:
  static constexpr double kHorizon = 0.45;  // of the height

  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  float shade(double low, double high) { return static_cast<float>(between(low, high)); }

  // A color of some brightness, more or less gray.
  Rgb color(double brightness, double colorful) {
    const double warm = between(-1, 1), green = between(-1, 1);
    return {static_cast<float>(brightness * (1 + colorful * warm)),
            static_cast<float>(brightness * (1 + 0.5 * colorful * green)),
            static_cast<float>(brightness * (1 - colorful * warm))};
  }

  Layer& add(Shape shape, Vec middle, Vec half, const Rgb& rgb) {
    Layer layer;
    layer.shape = shape;
    layer.middle = middle;
    layer.half = half;
    layer.color = rgb;
    layer.seed = mixed(seed_ * 1000003U + layers_.size());
    layer.coarsest = std::clamp(2 * std::max(half.x, half.y), 2 * kFinest, height_ / 8);
    layers_.push_back(layer);
    return layers_.back();
  }

  void sky() {
    Layer& sky = add(Shape::kEverywhere, {width_ / 2, 0}, {width_, height_}, {190, 206, 222});
    sky.contrast = 0.10F;
    sky.shade = -0.12F;
    sky.coarsest = height_ / 3;
  }

  void houses() {
    for (double x = between(-0.1, 0) * width_; x < width_;) {
      const double wide = between(0.12, 0.34) * width_, tall = between(0.22, 0.5) * height_;
      const Rgb wall = color(between(75, 165), 0.14);
      const double base = kHorizon * height_ + 0.04 * height_;
      Layer& house = add(Shape::kBox, {x + wide / 2, base - tall / 2}, {wide / 2, tall / 2}, wall);
      house.contrast = shade(0.04, 0.16);
      house.shade = shade(-0.15, 0.15);
      windows({x, base - tall}, {wide, tall}, wall);
      x += wide * between(0.85, 1.2);
    }
  }

  void windows(Vec corner, Vec size, const Rgb& wall) {
    const double step = between(0.05, 0.1) * height_, share = between(0.5, 0.75);
    const Rgb glass = color(between(45, 100), 0.2);
    for (double y = corner.y + 0.5 * step; y + step < corner.y + size.y; y += 1.25 * step)
      for (double x = corner.x + 0.3 * step; x + step < corner.x + size.x; x += step) {
        const Vec middle{x + step / 2, y + step / 2}, half{share * step / 2, 0.28 * step};
        Layer& frame = add(Shape::kBox, middle, {1.18 * half.x, 1.12 * half.y}, wall);
        for (float& channel : frame.color) channel = std::min(245.F, 1.25F * channel);
        Layer& pane = add(Shape::kBox, middle, half, glass);
        pane.contrast = 0.35F;
        pane.shade = shade(-0.3, 0.3);
      }
  }

  void trees() {
    for (int tree = 0; tree < 2; ++tree) {
      const Vec middle{between(0, 1) * width_, between(0.12, 0.3) * height_};
      const double radius = between(0.1, 0.2) * height_;
      add(Shape::kBox, {middle.x, middle.y + 1.2 * radius}, {0.07 * radius, 1.1 * radius},
          {70, 60, 52})
          .contrast = 0.3F;
      Layer& crown = add(Shape::kBlob, middle, {1.1 * radius, radius}, {40, 48, 30});
      crown.contrast = 0.5F;
      const double finest = 1.6;
      const auto leaves = static_cast<int>(std::min(2500.0, 0.16 * radius * radius));
      for (int i = 0; i < leaves; ++i) {
        const double angle = between(0, 6.2831853), away = radius * std::sqrt(between(0, 1));
        const double leaf = finest / std::max(0.12, std::sqrt(between(0, 1)));
        const double light =
            between(30, 80) * (1.2 - 0.5 * (away * std::sin(angle) / radius + 1) / 2);
        Layer& blob = add(Shape::kBlob,
                          {middle.x + away * std::cos(angle), middle.y + away * std::sin(angle)},
                          {leaf * between(0.8, 2), leaf * between(0.6, 1.4)},
                          {static_cast<float>(0.82 * light), static_cast<float>(light),
                           static_cast<float>(0.6 * light)});
        blob.contrast = 0.25F;
        blob.turn_radians = angle;
      }
    }
  }

  void ground() {
    const double top = kHorizon * height_;
    Layer& pavement = add(Shape::kBox, {width_ / 2, (top + height_) / 2 + 0.05 * height_},
                          {width_, (height_ - top) / 2 + 0.05 * height_}, {128, 124, 118});
    pavement.contrast = 0.2F;
    pavement.shade = -0.12F;
    pavement.stretch = 2.5;
    pavement.coarsest = height_ / 4;
    Layer& road =
        add(Shape::kBox, {width_ / 2, 0.74 * height_}, {width_, 0.11 * height_}, {88, 88, 92});
    road.contrast = 0.10F;
    road.stretch = 3;
    for (const double y : {0.63, 0.85}) {
      Layer& curb =
          add(Shape::kBox, {width_ / 2, y * height_}, {width_, 0.006 * height_}, {164, 160, 152});
      curb.contrast = 0.2F;
    }
    for (double x = between(0, 0.1) * width_; x < width_; x += 0.16 * width_)
      add(Shape::kBox, {x, 0.74 * height_}, {0.04 * width_, 0.005 * height_}, {206, 204, 196})
          .contrast = 0.12F;
  }

  // Boxes, discs and irregular things around the horizon and in front of it, the large ones
  // behind.
  void clutter() {
    const double least = 1.5, most = 0.09 * height_;
    const auto count = static_cast<int>(kClutter * std::sqrt(width_ * height_));
    std::vector<double> radii;
    radii.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
      radii.push_back(least / std::sqrt(1 - between(0, 1) * (1 - std::pow(least / most, 2))));
    std::sort(radii.rbegin(), radii.rend());
    for (const double radius : radii) {
      const double spread = (between(0, 1) + between(0, 1) + between(0, 1)) / 3 - 0.5;
      const Vec at{between(0, 1) * width_, (kHorizon + 0.09 + 0.75 * spread) * height_};
      const double kind = between(0, 1), aspect = std::exp(between(-0.3, 0.9));
      const Shape shape = kind < 0.45 ? Shape::kBox : kind < 0.7 ? Shape::kEllipse : Shape::kBlob;
      // Small things resemble what is around them.
      const double rank = std::log(radius / least) / std::log(most / least);
      const double differs = kSmallContrast + (kLargeContrast - kSmallContrast) * rank;
      const double brightness = std::min(235.0, 95 * std::exp(differs * random_.normal()));
      Layer& thing = add(shape, at, {radius * aspect, radius / aspect},
                         color(brightness, between(0, 1) < 0.25 ? 0.55 : 0.18));
      thing.turn_radians = shape == Shape::kBox && between(0, 1) < 0.75 ? 0 : between(-1.6, 1.6);
      thing.contrast = shade(0.03, 0.25);
      thing.shade = shade(-0.25, 0.35);
    }
  }

  void poles() {
    for (int i = 0; i < 3; ++i) {
      const double tall = between(0.15, 0.42) * height_, x = between(0, 1) * width_;
      const double foot = between(0.52, 0.9) * height_;
      Layer& pole = add(Shape::kBox, {x, foot - tall / 2},
                        {between(0.0015, 0.006) * height_, tall / 2}, color(between(30, 150), 0.1));
      pole.contrast = 0.15F;
      pole.shade = 0.2F;
    }
  }

  void people() {
    const int count = 7;
    for (int i = 0; i < count; ++i) {
      const double depth = (i + between(0, 0.8)) / count;
      const double tall = (0.13 + 0.38 * depth * depth) * height_;
      const double foot = (0.6 + 0.36 * depth) * height_;
      person({between(0.04, 0.96) * width_, foot}, tall);
    }
  }

  void person(Vec foot, double tall) {
    const Rgb coat = color(20 * std::exp(between(0, 2.2)), between(0, 0.4));
    const Rgb trousers = color(between(25, 90), 0.2);
    const Rgb skin{shade(150, 220), shade(110, 165), shade(90, 135)};
    const double way = between(0, 1) < 0.5 ? -1 : 1;
    const Vec speed{way * between(0.006, 0.012) * tall, 0};
    const double pace = between(0.2, 0.3), phase = between(0, 6.28), swing = between(0.2, 0.5);
    const auto part = [&](Shape shape, Vec pivot, Vec offset, Vec half, const Rgb& rgb) -> Layer& {
      Layer& layer = add(shape, {foot.x + tall * pivot.x, foot.y - tall * (1 - pivot.y)},
                         {tall * half.x, tall * half.y}, rgb);
      layer.offset = {tall * offset.x, tall * offset.y};
      layer.speed = speed;
      layer.contrast = shade(0.08, 0.2);
      layer.shade = shade(0.05, 0.3);
      return layer;
    };
    const auto limb = [&](Vec pivot, Vec half, double side, const Rgb& rgb) {
      Layer& layer = part(Shape::kLimb, pivot, {0, half.y}, half, rgb);
      layer.swing_radians = swing * side;
      layer.pace_radians = pace;
      layer.phase_radians = phase;
    };
    limb({0.02, 0.22}, {0.028, 0.17}, 0.9, coat);
    for (const double side : {-1.0, 1.0}) limb({0.035 * side, 0.5}, {0.045, 0.25}, side, trousers);
    part(Shape::kLimb, {0, 0.36}, {}, {0.1, 0.2}, coat);
    part(Shape::kBox, {0, 0.45}, {}, {0.085, 0.1}, coat);
    limb({-0.07, 0.21}, {0.032, 0.17}, -0.9, coat);
    part(Shape::kEllipse, {0, 0.08}, {}, {0.055, 0.075}, skin);
    part(Shape::kEllipse, {-0.01 * way, 0.05}, {}, {0.058, 0.05}, color(between(20, 90), 0.3));
  }

  static constexpr double kSmallContrast = 0.22, kLargeContrast = 0.65;
  static constexpr double kClutter = 1.5;  // things per side of the picture in pixels

  double width_, height_;
  Random random_;
  std::uint64_t seed_;
  std::vector<Layer> layers_{};
};

}  // namespace

bool Layer::covers(Vec point) const {
  const double x = std::abs(point.x - offset.x), y = std::abs(point.y - offset.y);
  switch (shape) {
    case Shape::kEverywhere: return true;
    case Shape::kBox: return x < half.x && y < half.y;
    case Shape::kLimb: {  // an upright bar with round ends
      const double beyond = std::max(0.0, y - (half.y - half.x));
      return x * x + beyond * beyond < half.x * half.x;
    }
    case Shape::kEllipse:
    case Shape::kBlob: break;
  }
  const double u = x / half.x, v = y / half.y, square = u * u + v * v;
  if (shape == Shape::kEllipse || square > 1) return square < 1;
  return square < 0.65 + 0.35 * static_cast<double>(octave(seed, 1.5 * (point.x / half.x + 8),
                                                           1.5 * (point.y / half.y + 8)));
}

double Layer::reach() const {
  return std::hypot(half.x + std::abs(offset.x), half.y + std::abs(offset.y));
}

float natural_texture(const Layer& layer, Vec point) {
  float sum = 0;
  int octaves = 0;
  float weight = 1, squares = 0;
  for (double period = kFinest; octaves == 0 || period <= layer.coarsest;
       period *= 2, ++octaves, weight *= 1.12F) {
    sum += weight * octave(layer.seed + static_cast<std::uint64_t>(octaves) * 0x51ED27U,
                           point.x / (period * layer.stretch), point.y / period);
    squares += weight * weight;
  }
  return sum / std::sqrt(squares);
}

std::vector<Layer> natural_layers(Extent size, std::uint64_t seed) {
  return Street(size, seed).layers();
}

}  // namespace fovea::cli
