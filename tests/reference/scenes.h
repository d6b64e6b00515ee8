// Textbook descriptors of scenes: filters by correlation with the whole kernel, gradient words
// place by place, all in double precision.
#pragma once
#include <fovea/scenes/descriptors.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace fovea::reference {

// A plane of numbers whose border repeats.
struct Plane {
  int width = 0, height = 0;
  std::vector<double> values;

  Plane(int w, int h) : width(w), height(h), values(static_cast<std::size_t>(w) * h) {}
  double& at(int x, int y) { return values[static_cast<std::size_t>(y) * width + x]; }
  double operator()(int x, int y) const {
    return values[static_cast<std::size_t>(std::clamp(y, 0, height - 1)) * width +
                  std::clamp(x, 0, width - 1)];
  }
};

inline Plane gray_plane(ImageView<const std::uint8_t> image) {
  Plane plane(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const std::uint8_t* p = &image.at(x, y);
      plane.at(x, y) =
          (image.channels == 1 ? p[0]
                               : std::floor(0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2] + 0.5)) /
          255.0;
    }
  }
  return plane;
}

// L, a and b of CIE (D65), divided by 100.
inline std::array<double, 3> lab(int red, int green, int blue) {
  const auto linear = [](int byte) {
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  const double r = linear(red), g = linear(green), b = linear(blue);
  const auto f = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const double z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {1.16 * y - 0.16, 5 * (x - y), 2 * (y - z)};
}
inline Plane lab_plane(ImageView<const std::uint8_t> image, int channel) {
  Plane plane(image.width, image.height);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const std::uint8_t* p = &image.at(x, y);
      const bool gray = image.channels == 1;
      plane.at(x, y) =
          lab(p[0], p[gray ? 0 : 1], p[gray ? 0 : 2])[static_cast<std::size_t>(channel)];
    }
  }
  return plane;
}

inline double correlate(const Plane& plane, ImageView<const float> kernel, int x, int y) {
  const int reach = kernel.width / 2;
  double sum = 0;
  for (int j = -reach; j <= reach; ++j)
    for (int i = -reach; i <= reach; ++i)
      sum += plane(x + i, y + j) * kernel.at(i + reach, j + reach);
  return sum;
}

// 128 numbers about (px, py) of cells so wide.
class GradientWords {
 public:
  GradientWords(const Plane& plane, int cell) : cell_(cell), smoothed_(smooth(plane, cell)) {}

  std::array<double, 128> at(int px, int py) const {
    std::array<double, 128> numbers{};
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 4; ++j)
        add_cell(px, py, j, k, &numbers[static_cast<std::size_t>(4 * k + j) * 8]);
    const double length = norm(numbers);
    for (double& n : numbers) n = std::min(0.2, n / std::max(length, 0.01));
    if (length < 0.01) return numbers;
    const double clipped = norm(numbers);
    for (double& n : numbers) n /= clipped;
    return numbers;
  }

 private:
  static double norm(const std::array<double, 128>& numbers) {
    double sum = 0;
    for (const double n : numbers) sum += n * n;
    return std::sqrt(sum);
  }
  static Plane smooth(const Plane& plane, int cell) {
    const double variance = cell * cell / 36.0 - 0.25;
    if (variance <= 0) return plane;
    const int reach = static_cast<int>(std::ceil(3 * std::sqrt(variance)));
    Plane out(plane.width, plane.height);
    for (int y = 0; y < plane.height; ++y) {
      for (int x = 0; x < plane.width; ++x) {
        double sum = 0, weights = 0;
        for (int j = -reach; j <= reach; ++j) {
          for (int i = -reach; i <= reach; ++i) {
            const double w = std::exp(-(i * i + j * j) / (2 * variance));
            sum += w * plane(x + i, y + j);
            weights += w;
          }
        }
        out.at(x, y) = sum / weights;
      }
    }
    return out;
  }
  // The gradient of a pixel of the image, split along its two nearest directions.
  std::array<double, 8> votes(int x, int y) const {
    const double dx = smoothed_(x + 1, y) - smoothed_(x - 1, y);
    const double dy = smoothed_(x, y + 1) - smoothed_(x, y - 1);
    std::array<double, 8> votes{};
    constexpr double kEighth = 0.78539816339744830962;
    for (int n = 0; n < 8; ++n) {  // a e_n + b e_(n+1) = (dx, dy) with a, b >= 0
      const double c0 = std::cos(n * kEighth), s0 = std::sin(n * kEighth);
      const double c1 = std::cos((n + 1) * kEighth), s1 = std::sin((n + 1) * kEighth);
      const double determinant = c0 * s1 - c1 * s0;
      const double a = (dx * s1 - dy * c1) / determinant, b = (dy * c0 - dx * s0) / determinant;
      if (a < -1e-12 || b <= 1e-12) continue;
      votes[static_cast<std::size_t>(n)] += std::max(a, 0.0);
      votes[static_cast<std::size_t>((n + 1) % 8)] += b;
    }
    return votes;
  }
  void add_cell(int px, int py, int j, int k, double* to) const {
    const int mx = px + (j - 2) * cell_ + cell_ / 2, my = py + (k - 2) * cell_ + cell_ / 2;
    const auto window = [](int i) { return std::exp(-(i - 1.5) * (i - 1.5) / (2 * 1.5 * 1.5)); };
    const double fourth = std::pow(cell_, -4);
    for (int dy = 1 - cell_; dy < cell_; ++dy) {
      for (int dx = 1 - cell_; dx < cell_; ++dx) {
        const double weight = (cell_ - std::abs(dx)) * (cell_ - std::abs(dy)) * fourth;
        const auto vote = votes(std::clamp(mx + dx, 0, smoothed_.width - 1),
                                std::clamp(my + dy, 0, smoothed_.height - 1));
        for (int n = 0; n < 8; ++n)
          to[n] += weight * vote[static_cast<std::size_t>(n)] * window(j) * window(k);
      }
    }
  }

  int cell_;
  Plane smoothed_;
};

}  // namespace fovea::reference
