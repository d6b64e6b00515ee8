// The arithmetic of the cascade that both twins share to the bit: the vote of a pixel, the 36
// numbers of a block, and the margin of a classifier. Histograms are integers. Floating-point sums
// have one order of additions, and fused multiply-adds are called explicitly.
#pragma once
#include <fovea/people/cascade.h>

#include <cmath>
#include <cstdint>

namespace fovea::people::cascade {

constexpr int kBins = CascadeModel::bins;
constexpr int kCells = 4;
constexpr int kNumbers = kCells * kBins;
constexpr int kEarlyBlocks = 32;  // stages up to so many blocks are early: most windows end there
constexpr int kPatch = 2;         // pixels per side: the resolution of the integral histogram
constexpr int kWeightShift =
    2;  // a vote has 5 fractional bits, so that the votes of a patch fit into 16 bits
constexpr float kNoise = 16;  // mean vote of a pixel at which a block fades: half a gray level

// A pixel votes for the bin onto whose middle direction its gradient has the longest projection,
// with the length of that projection. This is at most 1.5 % below the length of the gradient and
// needs no square root. Directions are those of the first quadrant, with 7 fractional bits; the
// second quadrant mirrors the first.
constexpr int kDirections = 5;
constexpr int kProjectX[kDirections] = {126, 111, 82, 44, 0};
constexpr int kProjectY[kDirections] = {22, 64, 98, 120, 128};

struct Vote {
  int bin = 0;
  int weight = 0;
};

// For the gradient (dx, dy) of a byte image: the weight with all its fractional bits, by which the
// strongest channel is found.
FOVEA_HD inline Vote projection(int dx, int dy) {
  // Device code can only use constants that are local to a function.
  constexpr int along_x[kDirections] = {kProjectX[0], kProjectX[1], kProjectX[2], kProjectX[3],
                                        kProjectX[4]};
  constexpr int along_y[kDirections] = {kProjectY[0], kProjectY[1], kProjectY[2], kProjectY[3],
                                        kProjectY[4]};
  const int x = dx < 0 ? -dx : dx, y = dy < 0 ? -dy : dy;
  int best = x * along_x[0] + y * along_y[0], k = 0;
  for (int i = 1; i < kDirections; ++i) {
    const int length = x * along_x[i] + y * along_y[i];
    if (length <= best) continue;
    best = length;
    k = i;
  }
  const bool mirrored = y != 0 && (dx < 0) != (dy < 0);
  return {mirrored ? kBins - 1 - k : k, best};
}
FOVEA_HD inline Vote pixel_vote(int dx, int dy) {
  const Vote vote = projection(dx, dy);
  return {vote.bin, vote.weight >> kWeightShift};
}

// The brightness of a color, for gray models.
FOVEA_HD inline std::uint8_t gray(int r, int g, int b) {
  return static_cast<std::uint8_t>((77 * r + 150 * g + 29 * b + 128) >> 8);
}

// The places of the 36 numbers of a block: the first eight bins of each cell, then the ninth bins
// of all four cells, which makes nine vectors of four.
FOVEA_HD inline int place_of(int cell, int bin) {
  return bin == kBins - 1 ? kCells * (kBins - 1) + cell : cell * (kBins - 1) + bin;
}

// A classifier as it is evaluated. Corners are in patches; where a block has an odd number of
// patches, its middle line lies half a patch up or left.
struct BlockPlan {
  int x[3];
  int y[3];
  float fade;  // added to the squared length of the 36 numbers
  float bias;
  float vote;
  float weights[kNumbers];  // in the order of place_of()
};

// The size without the classifier's weights.
inline BlockPlan block_geometry(const Block& b) {
  const float noise = kNoise * static_cast<float>(b.width) * static_cast<float>(b.height) / kCells;
  return {{b.x / 2, b.x / 2 + b.width / 4, (b.x + b.width) / 2},
          {b.y / 2, b.y / 2 + b.height / 4, (b.y + b.height) / 2},
          noise * noise,
          0,
          0,
          {}};
}
inline BlockPlan block_plan(const BlockClassifier& from) {
  BlockPlan plan = block_geometry(from.block);
  plan.bias = from.bias;
  plan.vote = from.vote;
  for (int cell = 0; cell < kCells; ++cell)
    for (int bin = 0; bin < kBins; ++bin)
      plan.weights[place_of(cell, bin)] =
          from.weights[static_cast<std::size_t>(cell) * kBins + static_cast<std::size_t>(bin)];
  return plan;
}

// The product of a block's numbers with the weights, and the squared length of the numbers, each in
// eight partial sums.
struct BlockSums {
  float product[8] = {0, 0, 0, 0, 0, 0, 0, 0};
  float square[8] = {0, 0, 0, 0, 0, 0, 0, 0};
};
FOVEA_HD inline void add_number(BlockSums& sums, int place, float number, float weight) {
  const int lane = place % 8;
  sums.product[lane] = std::fma(number, weight, sums.product[lane]);
  sums.square[lane] = std::fma(number, number, sums.square[lane]);
}
FOVEA_HD inline float lane_sum(const float* lane) {
  return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}
// weights . block / length, without the bias.
FOVEA_HD inline float block_response(const BlockSums& sums, float fade) {
  return lane_sum(sums.product) / std::sqrt(lane_sum(sums.square) + fade);
}
FOVEA_HD inline float block_vote(float margin, float vote, bool graded) {
  const float cut = margin < -1.0F ? -1.0F : margin > 1.0F ? 1.0F : margin;
  return vote * (graded ? cut : margin < 0 ? -1.0F : 1.0F);
}

// The scores of windows that pass stay within these limits. Below them are the scores of rejected
// windows, which `left` stages, including the one that rejected it, did not let pass; `margin`
// (negative) is the distance from the threshold.
constexpr float kScoreLimit = 50;
FOVEA_HD inline float passed_score(float score) {
  return score < -kScoreLimit ? -kScoreLimit : score > kScoreLimit ? kScoreLimit : score;
}
constexpr float kBestRejected = -100;
FOVEA_HD inline float rejected_score(int left, float margin) {
  return kBestRejected - static_cast<float>(left) + margin / (1.0F - margin);
}

}  // namespace fovea::people::cascade
