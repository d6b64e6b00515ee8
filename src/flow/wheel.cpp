#include "flow/wheel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace fovea::flow {
namespace {

using Rgb = std::array<float, 3>;

// How many hues lie between a primary or secondary color and the next.
constexpr int kRedYellow = 15, kYellowGreen = 6, kGreenCyan = 4, kCyanBlue = 11, kBlueMagenta = 13,
              kMagentaRed = 6;
constexpr int kHues =
    kRedYellow + kYellowGreen + kGreenCyan + kCyanBlue + kBlueMagenta + kMagentaRed;

constexpr std::array<Rgb, kHues> make_wheel() {
  struct Arc {
    int hues;
    Rgb from, to;
  };
  constexpr std::array<Arc, 6> kArcs{{{kRedYellow, {1, 0, 0}, {1, 1, 0}},
                                      {kYellowGreen, {1, 1, 0}, {0, 1, 0}},
                                      {kGreenCyan, {0, 1, 0}, {0, 1, 1}},
                                      {kCyanBlue, {0, 1, 1}, {0, 0, 1}},
                                      {kBlueMagenta, {0, 0, 1}, {1, 0, 1}},
                                      {kMagentaRed, {1, 0, 1}, {1, 0, 0}}}};
  std::array<Rgb, kHues> wheel{};
  std::size_t next = 0;
  for (const Arc& arc : kArcs) {
    for (int i = 0; i < arc.hues; ++i, ++next) {
      const float t = static_cast<float>(i) / static_cast<float>(arc.hues);
      for (std::size_t c = 0; c < 3; ++c)
        wheel[next][c] = arc.from[c] + t * (arc.to[c] - arc.from[c]);
    }
  }
  return wheel;
}

constexpr std::array<Rgb, kHues> kWheel = make_wheel();

}  // namespace

report::Color wheel_color(float u, float v) {
  constexpr float kBeyond = 0.75F;   // lengths beyond the full one are this bright
  constexpr float kFull = 1.00001F;  // the full length may be exceeded by a rounding error
  const float length = std::hypot(u, v);
  if (!(length > 0)) return report::kWhite;
  const float turn = (std::atan2(-v, -u) / std::numbers::pi_v<float> + 1) / 2;
  const float place = turn * static_cast<float>(kHues - 1);
  const auto first = static_cast<std::size_t>(place);
  const Rgb& a = kWheel[first % kHues];
  const Rgb& b = kWheel[(first + 1) % kHues];
  const float t = place - static_cast<float>(first);
  const auto channel = [&](std::size_t c) {
    const float hue = a[c] + t * (b[c] - a[c]);
    const float value = length <= kFull ? 1 - std::min(length, 1.F) * (1 - hue) : hue * kBeyond;
    return static_cast<std::uint8_t>(255 * value);
  };
  return {channel(0), channel(1), channel(2)};
}

}  // namespace fovea::flow
