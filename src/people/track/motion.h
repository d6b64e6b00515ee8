// The motion of a box: a Kalman filter of constant velocity in center, height and aspect. Noise
// grows with the person's height, with the shares of DeepSORT (Wojke, Bewley and Paulus, 2017).
// Since the noise of the four numbers is independent, the filter of eight states falls apart into
// four of two states each, which give the same result.
#pragma once
#include <fovea/core/geometry.h>

#include <algorithm>
#include <cmath>

namespace fovea::people {

// One number and its velocity, with their covariance.
class Moving {
 public:
  Moving() = default;
  Moving(double at, double position_deviation, double velocity_deviation)
      : at_(at),
        variance_(position_deviation * position_deviation),
        velocity_variance_(velocity_deviation * velocity_deviation) {}

  void predict(double position_deviation, double velocity_deviation) {
    at_ += velocity_;
    variance_ += 2 * covariance_ + velocity_variance_ + position_deviation * position_deviation;
    covariance_ += velocity_variance_;
    velocity_variance_ += velocity_deviation * velocity_deviation;
  }

  void measure(double value, double deviation) {
    const double whole = variance_ + deviation * deviation;
    const double gain = variance_ / whole, velocity_gain = covariance_ / whole;
    const double surprise = value - at_;
    at_ += gain * surprise;
    velocity_ += velocity_gain * surprise;
    velocity_variance_ -= velocity_gain * covariance_;
    covariance_ *= 1 - gain;
    variance_ *= 1 - gain;
  }

  void stop() { velocity_ = 0; }
  double at() const { return at_; }
  double velocity() const { return velocity_; }

 private:
  double at_ = 0, velocity_ = 0;
  double variance_ = 1, covariance_ = 0, velocity_variance_ = 1;
};

class BoxMotion {
 public:
  BoxMotion() = default;
  explicit BoxMotion(const Rect<double>& box)
      : x_(box.x + box.width / 2, 2 * kPlace * box.height, 10 * kSpeed * box.height),
        y_(box.y + box.height / 2, 2 * kPlace * box.height, 10 * kSpeed * box.height),
        height_(box.height, 2 * kPlace * box.height, 10 * kSpeed * box.height),
        aspect_(box.width / box.height, kAspect, kAspectSpeed) {}

  void predict() {
    const double h = height_.at();
    x_.predict(kPlace * h, kSpeed * h);
    y_.predict(kPlace * h, kSpeed * h);
    height_.predict(kPlace * h, kSpeed * h);
    aspect_.predict(kAspect, kAspectSpeed);
  }

  void measure(const Rect<double>& box) {
    const double deviation = kPlace * height_.at();
    x_.measure(box.x + box.width / 2, deviation);
    y_.measure(box.y + box.height / 2, deviation);
    height_.measure(box.height, deviation);
    aspect_.measure(box.width / box.height, kAspectNoise);
  }

  // People who are hidden neither grow nor shrink.
  void keep_size() {
    height_.stop();
    aspect_.stop();
  }

  Rect<double> box() const {
    const double height = std::max(1.0, height_.at());
    const double width = std::max(1.0, aspect_.at() * height);
    return {x_.at() - width / 2, y_.at() - height / 2, width, height};
  }
  double velocity_x() const { return x_.velocity(); }
  double velocity_y() const { return y_.velocity(); }

 private:
  static constexpr double kPlace = 1.0 / 20, kSpeed = 1.0 / 160;  // of the height
  static constexpr double kAspect = 1e-2, kAspectSpeed = 1e-5, kAspectNoise = 1e-1;

  Moving x_, y_, height_, aspect_;
};

// A box on the straight way between two.
inline Rect<double> between(const Rect<double>& a, const Rect<double>& b, double share) {
  const auto mix = [&](double from, double to) { return from + share * (to - from); };
  return {mix(a.x, b.x), mix(a.y, b.y), mix(a.width, b.width), mix(a.height, b.height)};
}

}  // namespace fovea::people
