// Space-time corners and the periodic response by the textbook: whole volumes, double precision,
// the first and last frame repeated without end.
#pragma once
#include <fovea/core/image.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

namespace fovea::test {

// Values at (x, y, t); t may lie any distance outside, x and y are repeated beyond the border.
struct Volume {
  int width = 0, height = 0, first = 0, frames = 0;  // of frames first, first + 1, ...
  std::vector<double> values;

  Volume(int w, int h, int from, int count)
      : width(w),
        height(h),
        first(from),
        frames(count),
        values(static_cast<std::size_t>(w) * h * count) {}
  double& at(int x, int y, int t) {
    x = std::clamp(x, 0, width - 1);
    y = std::clamp(y, 0, height - 1);
    t = std::clamp(t - first, 0, frames - 1);
    return values[(static_cast<std::size_t>(t) * height + y) * width + x];
  }
};

using Sum = std::function<double(int x, int y, int t)>;
inline Volume fill(const Volume& like, const Sum& sum) {
  Volume out(like.width, like.height, like.first, like.frames);
  for (int t = out.first; t < out.first + out.frames; ++t)
    for (int y = 0; y < out.height; ++y)
      for (int x = 0; x < out.width; ++x) out.at(x, y, t) = sum(x, y, t);
  return out;
}

inline std::vector<double> gaussian_taps(double variance) {
  const int radius = static_cast<int>(3 * std::sqrt(variance) + 1e-9);
  std::vector<double> taps;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    taps.push_back(std::exp(-0.5 * i * i / variance));
    sum += taps.back();
  }
  for (double& tap : taps) tap /= sum;
  return taps;
}
// Along axis 0 (x), 1 (y) or 2 (time).
inline Volume filtered(Volume& from, const std::vector<double>& taps, int axis) {
  const int radius = static_cast<int>(taps.size() / 2);
  return fill(from, [&](int x, int y, int t) {
    double sum = 0;
    for (int i = -radius; i <= radius; ++i)
      sum += taps[static_cast<std::size_t>(i + radius)] *
             from.at(x + (axis == 0 ? i : 0), y + (axis == 1 ? i : 0), t + (axis == 2 ? i : 0));
    return sum;
  });
}
inline Volume smoothed(Volume volume, double s2, double t2) {
  volume = filtered(volume, gaussian_taps(s2), 0);
  volume = filtered(volume, gaussian_taps(s2), 1);
  return filtered(volume, gaussian_taps(t2), 2);
}

// Frames and `margin` repetitions on both sides, so that nothing is clamped too early.
inline Volume volume_of(const std::vector<Image<std::uint8_t>>& frames, int margin) {
  const int count = static_cast<int>(frames.size());
  Volume out(frames[0].width(), frames[0].height(), -margin, count + 2 * margin);
  return fill(out, [&](int x, int y, int t) {
    return frames[static_cast<std::size_t>(std::clamp(t, 0, count - 1))].at(x, y) / 255.0;
  });
}

struct CornerScales {
  double s2, t2, k, space_weight;
};
inline Volume corner_response(const std::vector<Image<std::uint8_t>>& frames,
                              const CornerScales& scales) {
  Volume blurred = smoothed(volume_of(frames, 40), scales.s2, scales.t2);
  const double wx = scales.space_weight * std::sqrt(scales.s2) / 8, wt = std::sqrt(scales.t2) / 2;
  Volume dx = fill(blurred, [&](int x, int y, int t) {
    double sum = 0;
    for (int j = -1; j <= 1; ++j)
      sum += (2 - std::abs(j)) * (blurred.at(x + 1, y + j, t) - blurred.at(x - 1, y + j, t));
    return wx * sum;
  });
  Volume dy = fill(blurred, [&](int x, int y, int t) {
    double sum = 0;
    for (int i = -1; i <= 1; ++i)
      sum += (2 - std::abs(i)) * (blurred.at(x + i, y + 1, t) - blurred.at(x + i, y - 1, t));
    return wx * sum;
  });
  Volume dt = fill(blurred, [&](int x, int y, int t) {
    return wt * (blurred.at(x, y, t + 1) - blurred.at(x, y, t - 1));
  });
  const auto moment = [&](Volume& a, Volume& b) {
    return smoothed(fill(a, [&](int x, int y, int t) { return a.at(x, y, t) * b.at(x, y, t); }),
                    2 * scales.s2, 2 * scales.t2);
  };
  Volume xx = moment(dx, dx), yy = moment(dy, dy), tt = moment(dt, dt), xy = moment(dx, dy),
         xt = moment(dx, dt), yt = moment(dy, dt);
  return fill(xx, [&](int x, int y, int t) {
    const double a = xx.at(x, y, t), b = yy.at(x, y, t), c = tt.at(x, y, t), d = xy.at(x, y, t),
                 e = xt.at(x, y, t), f = yt.at(x, y, t);
    const double det = a * b * c + 2 * d * e * f - a * f * f - b * e * e - c * d * d;
    return det - scales.k * std::pow(a + b + c, 3);
  });
}

struct PeriodicFilters {
  double sigma, tau, frequency;
};
inline Volume periodic_response(const std::vector<Image<std::uint8_t>>& frames,
                                const PeriodicFilters& filters) {
  Volume gray = volume_of(frames, 40);
  for (double& value : gray.values) value = 2 * value - 1;
  const auto space = gaussian_taps(filters.sigma * filters.sigma);
  gray = filtered(gray, space, 0);
  gray = filtered(gray, space, 1);
  const int radius = static_cast<int>(std::ceil(2 * filters.tau));
  const auto answer = [&](const std::function<double(double)>& wave) {
    std::vector<double> taps;
    double mean = 0, sum = 0;
    for (int t = -radius; t <= radius; ++t) {
      taps.push_back(-wave(2 * std::numbers::pi * t * filters.frequency) *
                     std::exp(-t * t / (4 * filters.tau * filters.tau)));
      mean += taps.back();
    }
    mean /= static_cast<double>(taps.size());
    for (double& tap : taps) sum += std::abs(tap -= mean);
    for (double& tap : taps) tap /= sum;
    return filtered(gray, taps, 2);
  };
  Volume even = answer([](double phase) { return std::cos(phase); });
  Volume odd = answer([](double phase) { return std::sin(phase); });
  return fill(even, [&](int x, int y, int t) {
    return std::pow(even.at(x, y, t), 2) + std::pow(odd.at(x, y, t), 2);
  });
}

// Whether (x, y, t) is greater than all its neighbors in the volume.
inline bool is_peak(Volume& volume, std::array<int, 3> at, int space, int time) {
  const auto [x, y, t] = at;
  for (int dt = -time; dt <= time; ++dt)
    for (int j = y - space; j <= y + space; ++j)
      for (int i = x - space; i <= x + space; ++i)
        if ((dt != 0 || j != y || i != x) && i >= 0 && j >= 0 && i < volume.width &&
            j < volume.height && volume.at(i, j, t + dt) >= volume.at(x, y, t))
          return false;
  return true;
}

}  // namespace fovea::test
