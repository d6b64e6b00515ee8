// Dense Lucas-Kanade's stages as a textbook would write them: a pixel at a time, every neighbor
// fetched with its border rule, nothing shared between pixels.
#pragma once
#include <fovea/core/image.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "flow/lk/lucas_kanade_math.h"

namespace fovea::reference {

namespace lk = flow::lk;

// The soft rank of a pixel of gray units.
inline int rank_at(ImageView<const std::uint16_t> gray, int x, int y) {
  const int center = gray.at(x, y);
  int votes = 0;
  for (int j = -lk::kRankRadius; j <= lk::kRankRadius; ++j)
    for (int i = -lk::kRankRadius; i <= lk::kRankRadius; ++i) {
      const int neighbor =
          gray.at(lk::mirrored(x + i, gray.width), lk::mirrored(y + j, gray.height));
      if (neighbor != lk::kNoGray) votes += lk::rank_vote(center, neighbor);
    }
  return lk::ranked(votes);
}

inline int half_at(ImageView<const std::uint16_t> gray, int x, int y) {
  int sum = 0;
  for (int j = 0; j < 5; ++j)
    for (int i = 0; i < 5; ++i)
      sum += lk::kHalveTaps[i] * lk::kHalveTaps[j] *
             gray.at(lk::mirrored(2 * x + i - 2, gray.width),
                     lk::mirrored(2 * y + j - 2, gray.height));
  return lk::halved(sum);
}

struct Pair {
  ImageView<const std::uint8_t> first, second;
  ImageView<const float> u, v;
};

inline float byte_at(ImageView<const std::uint8_t> image, int x, int y) {
  return image.at(std::min(x, image.width - 1), std::min(y, image.height - 1));
}

// The second image where the pixel lands, and whether that is inside.
inline float warped_at(const Pair& pair, int x, int y, bool* inside = nullptr) {
  const auto across = lk::landing(x, pair.u.at(x, y), pair.first.width);
  const auto down = lk::landing(y, pair.v.at(x, y), pair.first.height);
  if (inside) *inside = across.inside && down.inside;
  const auto row = [&](int j) {
    return lk::blended(byte_at(pair.second, across.index, j),
                       byte_at(pair.second, across.index + 1, j), across.fraction);
  };
  return lk::blended(row(down.index), row(down.index + 1), down.fraction);
}

inline lk::Products products_at(const Pair& pair, int x, int y, float robust) {
  const int width = pair.first.width, height = pair.first.height;
  if (x < 0 || y < 0 || x >= width || y >= height) return {0, 0, 0, 0, 0};
  const auto sum = [&](int i, int j) {
    i = lk::clamped(i, width);
    j = lk::clamped(j, height);
    return static_cast<float>(pair.first.at(i, j)) + warped_at(pair, i, j);
  };
  bool inside = false;
  const float difference = warped_at(pair, x, y, &inside) - pair.first.at(x, y);
  const float weight = (inside ? 1.0F : 0.0F) * lk::robust_weight(difference, robust);
  return lk::products(lk::gradient(sum(x - 1, y), sum(x + 1, y)),
                      lk::gradient(sum(x, y - 1), sum(x, y + 1)), difference, weight);
}

// The windowed sums around a pixel: along the rows, then down the columns.
inline lk::Products sums_at(const Pair& pair, int x, int y, std::span<const float> taps,
                            float robust) {
  const int radius = static_cast<int>(taps.size()) / 2;
  std::array<float, 5> total{};
  for (int j = -radius; j <= radius; ++j) {
    std::array<float, 5> row{};
    for (int i = -radius; i <= radius; ++i) {
      const lk::Products p = products_at(pair, x + i, y + j, robust);
      const std::array<float, 5> values{p.xx, p.xy, p.yy, p.xt, p.yt};
      for (std::size_t c = 0; c < 5; ++c)
        row[c] = std::fma(taps[static_cast<std::size_t>(i + radius)], values[c], row[c]);
    }
    for (std::size_t c = 0; c < 5; ++c)
      total[c] = std::fma(taps[static_cast<std::size_t>(j + radius)], row[c], total[c]);
  }
  return {total[0], total[1], total[2], total[3], total[4]};
}

// The sum of differences around a pixel under the flow of the pixel (x + dx, y + dy) of each.
inline int trial_at(const Pair& pair, int x, int y, lk::Offset offset) {
  const int width = pair.first.width, height = pair.first.height;
  int sum = 0;
  for (int j = y - lk::kTrialRadius; j <= y + lk::kTrialRadius; ++j)
    for (int i = x - lk::kTrialRadius; i <= x + lk::kTrialRadius; ++i) {
      if (i < 0 || j < 0 || i >= width || j >= height) continue;
      const int from_x = lk::clamped(i + offset.x, width),
                from_y = lk::clamped(j + offset.y, height);
      const int u = lk::trial_position(pair.u.at(from_x, from_y));
      const int v = lk::trial_position(pair.v.at(from_x, from_y));
      const int at_x = i + (u >> 4), at_y = j + (v >> 4);
      if (at_x < 0 || at_y < 0 || at_x >= width || at_y >= height) {
        sum += lk::kTrialMost;
        continue;
      }
      const int fx = at_x < width - 1 ? u & 15 : 0, fy = at_y < height - 1 ? v & 15 : 0;
      const auto second = [&](int a, int b) {
        return static_cast<int>(byte_at(pair.second, a, b));
      };
      sum += lk::trial_difference(pair.first.at(i, j), second(at_x, at_y), second(at_x + 1, at_y),
                                  second(at_x, at_y + 1), second(at_x + 1, at_y + 1), fx, fy);
    }
  return sum;
}

inline float median_at(ImageView<const float> image, int x, int y, int radius) {
  std::vector<float> values;
  for (int j = -radius; j <= radius; ++j)
    for (int i = -radius; i <= radius; ++i)
      values.push_back(image.at(lk::clamped(x + i, image.width), lk::clamped(y + j, image.height)));
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace fovea::reference
