// The arithmetic of block matching that both twins share. Sums over blocks are exact integers.
// Every floating-point expression rounds after each operation, in the order written, so that the
// twins agree to the bit.
#pragma once
#include <fovea/core/image.h>

#include <cmath>
#include <cstdint>

#include "flow/bm/block_matching_settings.h"

namespace fovea::flow::bm {

constexpr int kLeastBlock = 2;
constexpr int kGreatestBlock = 128;  // sums of products of bytes stay below 2^31
constexpr int kGreatestRange = 64;
constexpr int kMostLevels = 16;

// Blocks of at most this side have covariances that fit into 32 bits: n^2 * 255^2 / 4 < 2^31.
constexpr int kGreatestNarrowBlock = 19;
// The same for the sum of three channels.
constexpr int kGreatestNarrowColorBlock = 14;
constexpr int kColors = 3;

// Level k + 1 has half the width and height of level k, rounded up; its pixel x lies on pixel 2x.
FOVEA_HD inline int half(int pixels) { return (pixels + 1) / 2; }
int level_count(int width, int height, const Settings& options);
// Throws InvalidArgument unless `last` is one of the levels and below `before`.
void require_levels(int levels, int before, int last);
// Returns the options for an image that is this level of a larger one: if the number of levels is
// given, the image has fewer.
inline Settings below_base(Settings options, int base_level) {
  if (options.levels > 0)
    options.levels = options.levels > base_level ? options.levels - base_level : 1;
  return options;
}

// Returns the side in pixels of a tile of nodes.
int grid(const Settings& options);
// The values that Matcher asks for.
int reach(const Settings& options, int level);
std::uint64_t bytes_per_pixel(const Settings& options);

// Where blocks lie. Pixels are divided into cells of step x step. Each cell has a block around its
// middle and a node with the cell's flow. Nodes share candidates in tiles of about 8x8 pixels.
struct Layout {
  int block, step;
  int tile;    // nodes along a tile
  int offset;  // of a block's first pixel from the first pixel of its cell

  FOVEA_HD int nodes(int pixels) const { return (pixels + step - 1) / step; }
  FOVEA_HD int tiles(int pixels) const { return (nodes(pixels) + tile - 1) / tile; }
  FOVEA_HD int first(int node) const { return node * step + offset; }
  FOVEA_HD float middle(int node) const {
    return static_cast<float>(node * step) + 0.5F * static_cast<float>(step - 1);
  }
};
FOVEA_HD inline Layout layout_of(int block, int step) {
  const int tile = step > 8 ? 1 : 8 / step;
  const int around = block - step;
  return {block, step, tile, around > 0 ? -((around + 1) / 2) : -around / 2};
}

// A field of nodes, or of pixels if step is 1. A confidence below 0 means that nothing is known
// about a node, because all of its pixels are masked.
struct NodeField {
  ImageView<float> u, v, confidence;
  int step;
};
struct Motion {
  float u, v, confidence;
};

// Converts a gray value to 8 bits: rounded, halves up. NaN becomes 0.
FOVEA_HD inline std::uint8_t quantized(float gray) {
  const float rounded = std::floor(gray + 0.5F);
  return static_cast<std::uint8_t>(rounded >= 255.0F ? 255.0F : (rounded > 0.0F ? rounded : 0.0F));
}
// A coarse pixel counts if at least this share of the pixels under its kernel does; its gray is
// their mean.
constexpr float kLeastCover = 0.25F;

// --- Scores: greater means more similar; 1 means equal. ---

constexpr float kNoScore = -1e30F;

// Returns 1 / (n standard deviations) of n pixels with these sums; 0 if all pixels are equal.
FOVEA_HD inline float inverse_of_variance(std::int64_t variance) {
  return variance > 0 ? 1.0F / std::sqrt(static_cast<float>(variance)) : 0.0F;
}
FOVEA_HD inline float inverse_deviation(std::int64_t n, std::int64_t sum, std::int64_t squares) {
  return inverse_of_variance(n * squares - sum * sum);
}
FOVEA_HD inline bool has_texture(float inverse, int n, float least) {
  return inverse > 0 && inverse * (least * static_cast<float>(n)) <= 1.0F;
}
// Sums over the pixels that count in both blocks. For SAD, `product` is the sum of absolute
// differences.
struct PairSums {
  std::int64_t n, x, y, xx, yy, product;
};
FOVEA_HD inline float correlation(std::int64_t covariance, float inverse_x, float inverse_y) {
  if (!(inverse_x > 0) || !(inverse_y > 0)) return kNoScore;
  return static_cast<float>(covariance) * inverse_x * inverse_y;
}
FOVEA_HD inline float ncc_score(const PairSums& s, float inverse_x, float inverse_y) {
  return correlation(s.n * s.product - s.x * s.y, inverse_x, inverse_y);
}
// Differences are measured relative to those of unrelated blocks with the deviation of the first
// block: 2 deviation^2 per pixel if squared, otherwise 2 / sqrt(pi) deviation.
FOVEA_HD inline float difference_scale(BlockCost cost, int n, float inverse) {
  const float inverse_sigma = static_cast<float>(n) * inverse;
  return cost == BlockCost::kSsd ? 0.5F * (inverse_sigma * inverse_sigma)
                                 : 0.886227F * inverse_sigma;
}
FOVEA_HD inline float difference_score(std::int32_t difference, float inverse_n, float scale) {
  return 1.0F - static_cast<float>(difference) * inverse_n * scale;
}
// Computes the score from the sums alone; `scale` is difference_scale() of the whole first block.
FOVEA_HD inline float pair_score(BlockCost cost, const PairSums& s, float scale) {
  if (cost == BlockCost::kNcc)
    return ncc_score(s, inverse_deviation(s.n, s.x, s.xx), inverse_deviation(s.n, s.y, s.yy));
  const std::int64_t difference = cost == BlockCost::kSsd ? s.xx + s.yy - 2 * s.product : s.product;
  return difference_score(static_cast<std::int32_t>(difference), 1.0F / static_cast<float>(s.n),
                          scale);
}
// Colors: every channel has its own mean, and variances, covariances and differences are summed
// over the channels. Three channels of one deviation have sqrt(3) times the joint deviation and 3
// times the absolute difference of one.
constexpr float kColorDeviation = 1.7320508F;
FOVEA_HD inline float color_difference_scale(BlockCost cost, int n, float inverse) {
  const float scale = difference_scale(cost, n, inverse);
  return cost == BlockCost::kSad ? scale / kColorDeviation : scale;
}
// Sums over the pixels that count in both blocks and over their channels. `product` as above.
struct ColorSums {
  std::int64_t n, xx, yy, product;
  std::int64_t x_x, y_y, x_y;  // products of a channel's sums, added over the channels
};
FOVEA_HD inline float color_pair_score(BlockCost cost, const ColorSums& s, float scale) {
  if (cost == BlockCost::kNcc)
    return correlation(s.n * s.product - s.x_y, inverse_of_variance(s.n * s.xx - s.x_x),
                       inverse_of_variance(s.n * s.yy - s.y_y));
  const std::int64_t difference = cost == BlockCost::kSsd ? s.xx + s.yy - 2 * s.product : s.product;
  return 1.0F - static_cast<float>(difference) * (1.0F / static_cast<float>(s.n)) * scale;
}
// A block is matched if at least a quarter of its pixels count. A pair is scored if at least half
// of the pixels that count in the first block meet pixels that count.
FOVEA_HD inline bool enough_of_block(int n, int block) { return 4 * n >= block * block; }
FOVEA_HD inline bool enough_of_pair(int n, int of) { return 2 * n >= of; }

// --- The search. ---

struct Shift {
  int u, v;
};
FOVEA_HD inline int distance(int a, int b) { return a < b ? b - a : a - b; }
FOVEA_HD inline bool beside(Shift a, Shift b) {
  return distance(a.u, b.u) <= 1 && distance(a.v, b.v) <= 1;
}

// A tile is searched around its own prior and around those priors of its neighbors that differ from
// all before by more than a pixel.
constexpr int kMostWindows = 3;
struct Windows {
  Shift center[kMostWindows];
  int count;
};
// priors: those of all tiles, row by row.
FOVEA_HD inline Windows windows_of(const Shift* priors, int columns, int rows, int tx, int ty) {
  constexpr int kX[8] = {-1, 1, 0, 0, -1, 1, -1, 1}, kY[8] = {0, 0, -1, 1, -1, -1, 1, 1};
  Windows result{{priors[ty * columns + tx]}, 1};
  for (int k = 0; k < 8 && result.count < kMostWindows; ++k) {
    const int x = tx + kX[k], y = ty + kY[k];
    if (x < 0 || y < 0 || x >= columns || y >= rows) continue;
    const Shift prior = priors[y * columns + x];
    bool known = false;
    for (int i = 0; i < result.count; ++i) known = known || beside(result.center[i], prior);
    if (!known) result.center[result.count++] = prior;
  }
  return result;
}
// Of equal scores the one with the smaller rank wins: the earlier window, then the smaller distance
// from its center, then the upper one, then the left one.
FOVEA_HD inline std::int32_t rank_of(int window, int du, int dv, int range) {
  const int side = 2 * range + 1;
  return ((window * (2 * range * range + 1) + du * du + dv * dv) * side + dv + range) * side + du +
         range;
}

// The result of the search for a node. `around` holds the scores of the nine shifts around the
// best, row by row, with the best in the middle; kNoScore if one was not tried.
struct Peak {
  Shift shift;
  float second;  // the best score among shifts that are not adjacent to the best
  float around[9];
};
struct PeakParams {
  float margin;
  int subpixel;
};
constexpr float kHalfCurvature =
    0.2F;  // curvature of the scores at the peak that gives a confidence of one half
constexpr float kGreatestPlace = 0.75F;  // greatest distance of a peak from its best shift
constexpr float kLeastDeterminant = 0.02F;

FOVEA_HD inline bool tried(float score) { return score > kNoScore; }

// The top of the paraboloid through the scores around the best: its least curvature (almost 0 along
// an edge), and its position.
struct Top {
  float curvature, x, y;
};
FOVEA_HD inline Top top_of(const float (&s)[9]) {
  if (!tried(s[1]) || !tried(s[3]) || !tried(s[5]) || !tried(s[7])) return {0, 0, 0};
  const float across = (s[4] - s[3]) + (s[4] - s[5]), down = (s[4] - s[1]) + (s[4] - s[7]);
  if (!(across > 0) || !(down > 0)) return {0, 0, 0};
  const bool corners = tried(s[0]) && tried(s[2]) && tried(s[6]) && tried(s[8]);
  const float skew = corners ? 0.25F * ((s[8] - s[6]) - (s[2] - s[0])) : 0.0F;
  const float apart = 0.5F * (across - down);
  const float curvature = 0.5F * (across + down) - std::sqrt(apart * apart + skew * skew);
  const float slope_x = 0.5F * (s[5] - s[3]), slope_y = 0.5F * (s[7] - s[1]);
  const float both = across * down, determinant = both - skew * skew;
  if (!(determinant > kLeastDeterminant * both))
    return {curvature, slope_x / across, slope_y / down};
  float x = (down * slope_x + skew * slope_y) / determinant;
  float y = (across * slope_y + skew * slope_x) / determinant;
  const float far = std::fabs(x) > std::fabs(y) ? std::fabs(x) : std::fabs(y);
  if (far > kGreatestPlace) x *= kGreatestPlace / far, y *= kGreatestPlace / far;
  return {curvature, x, y};
}
// What makes a peak trustworthy, each from 0 to 1; a confidence is their product.
struct PeakTrust {
  float margin;     // how far the second peak is below it
  float sharpness;  // by the least curvature; 0 at the border of the shifts that were tried, since
                    // the score may be higher beyond it
  float likeness;   // by its score
};
FOVEA_HD inline float margin_of(const Peak& peak) {
  const float best = peak.around[4], second = peak.second > -1.0F ? peak.second : -1.0F;
  return best > second ? best - second : 0.0F;
}
// The best score, from 0 to 1.
FOVEA_HD inline float height_of(const Peak& peak) {
  const float best = peak.around[4];
  return best > 0 ? (best < 1.0F ? best : 1.0F) : 0.0F;
}
FOVEA_HD inline PeakTrust trust_of(const Peak& peak, const Top& top, float half_margin) {
  const float margin = margin_of(peak), height = height_of(peak);
  return {margin / (margin + half_margin),
          top.curvature > 0 ? top.curvature / (top.curvature + kHalfCurvature) : 0.0F,
          height * height};
}
FOVEA_HD inline Motion motion_of(const Peak& peak, const PeakParams& params) {
  const Top top = top_of(peak.around);
  if (!(top.curvature > 0) || !(peak.around[4] > 0)) return {0, 0, 0};
  const PeakTrust trust = trust_of(peak, top, params.margin);
  const float confidence = trust.margin * trust.sharpness * trust.likeness;
  const float u = static_cast<float>(peak.shift.u), v = static_cast<float>(peak.shift.v);
  if (!params.subpixel) return {u, v, confidence};
  return {u + top.x, v + top.y, confidence};
}

// Trusts the best score alone: its shift is the motion, wherever it lies.
FOVEA_HD inline Motion plain_motion_of(const Peak& peak, const PeakParams& params) {
  const float u = static_cast<float>(peak.shift.u), v = static_cast<float>(peak.shift.v);
  const float confidence = height_of(peak);
  if (!params.subpixel) return {u, v, confidence};
  const Top top = top_of(peak.around);
  return {u + top.x, v + top.y, confidence};
}

// --- Fields. ---

struct Between {
  int low, high;
  float share;  // weight of `high`
};
// Values are known every `step` pixels along an axis; beyond the outer ones they are constant.
FOVEA_HD inline Between between_nodes(float pixel, int step, int nodes) {
  const float place = (pixel - 0.5F * static_cast<float>(step - 1)) / static_cast<float>(step);
  if (!(place > 0)) return {0, 0, 0};
  if (place >= static_cast<float>(nodes - 1)) return {nodes - 1, nodes - 1, 0};
  const int low = static_cast<int>(place);
  return {low, low + 1, place - static_cast<float>(low)};
}
FOVEA_HD inline float blend(float low, float high, float share) {
  return low + share * (high - low);
}

// Blends the motions at the corners of a cell (row by row), first down, then across; corners
// without a known motion are left out.
FOVEA_HD inline Motion blend_corners(const Motion (&m)[4], float across, float down) {
  if (m[0].confidence >= 0 && m[1].confidence >= 0 && m[2].confidence >= 0 && m[3].confidence >= 0)
    return {blend(blend(m[0].u, m[2].u, down), blend(m[1].u, m[3].u, down), across),
            blend(blend(m[0].v, m[2].v, down), blend(m[1].v, m[3].v, down), across),
            blend(blend(m[0].confidence, m[2].confidence, down),
                  blend(m[1].confidence, m[3].confidence, down), across)};
  const float w[4] = {m[0].confidence >= 0 ? (1 - across) * (1 - down) : 0.0F,
                      m[1].confidence >= 0 ? across * (1 - down) : 0.0F,
                      m[2].confidence >= 0 ? (1 - across) * down : 0.0F,
                      m[3].confidence >= 0 ? across * down : 0.0F};
  const float sum = w[0] + w[1] + w[2] + w[3];
  if (!(sum > 0)) return {0, 0, -1};
  return {(w[0] * m[0].u + w[1] * m[1].u + w[2] * m[2].u + w[3] * m[3].u) / sum,
          (w[0] * m[0].v + w[1] * m[1].v + w[2] * m[2].v + w[3] * m[3].v) / sum,
          (w[0] * m[0].confidence + w[1] * m[1].confidence + w[2] * m[2].confidence +
           w[3] * m[3].confidence) /
              sum};
}
FOVEA_HD inline Motion node_at(const NodeField& field, int x, int y) {
  return {field.u.at(x, y), field.v.at(x, y), field.confidence.at(x, y)};
}
// Returns the field at pixel (x, y) of its level.
FOVEA_HD inline Motion field_at(const NodeField& field, float x, float y) {
  const Between across = between_nodes(x, field.step, field.u.width);
  const Between down = between_nodes(y, field.step, field.u.height);
  const Motion corners[4] = {
      node_at(field, across.low, down.low), node_at(field, across.high, down.low),
      node_at(field, across.low, down.high), node_at(field, across.high, down.high)};
  return blend_corners(corners, across.share, down.share);
}

// The result of a level whose pixels are `scale` times as large as those of the level that is
// searched.
struct CoarseField {
  NodeField nodes;
  ImageView<const std::uint8_t> valid;  // of that level; without data every pixel counts
  int width, height;                    // size of that level
  float scale;
};
FOVEA_HD inline Motion pixel_at(const CoarseField& coarse, int x, int y) {
  if (coarse.valid.data != nullptr && coarse.valid.at(x, y) == 0) return {0, 0, -1};
  if (coarse.nodes.step == 1) return node_at(coarse.nodes, x, y);
  return field_at(coarse.nodes, static_cast<float>(x), static_cast<float>(y));
}
// Returns its flow at pixel (x, y) of the finer level. It is read as a field of pixels even if it
// is a field of nodes, so that a start that the caller passes in, which has only pixels, gives the
// same result.
FOVEA_HD inline Motion prior_at(const CoarseField& coarse, float x, float y) {
  const Between across = between_nodes(x / coarse.scale, 1, coarse.width);
  const Between down = between_nodes(y / coarse.scale, 1, coarse.height);
  const Motion corners[4] = {
      pixel_at(coarse, across.low, down.low), pixel_at(coarse, across.high, down.low),
      pixel_at(coarse, across.low, down.high), pixel_at(coarse, across.high, down.high)};
  const Motion motion = blend_corners(corners, across.share, down.share);
  return {motion.u * coarse.scale, motion.v * coarse.scale, motion.confidence};
}
// Returns the whole shift around which the tile is searched: the prior of its middle, limited to
// the image.
FOVEA_HD inline int whole_shift(float shift, int at, int size) {
  const float rounded = std::floor(shift + 0.5F);
  const float least = static_cast<float>(-at), greatest = static_cast<float>(size - 1 - at);
  return static_cast<int>(rounded < least ? least : (rounded > greatest ? greatest : rounded));
}
FOVEA_HD inline int tile_middle(int tile, const Layout& layout, int size) {
  const int pixels = layout.tile * layout.step;
  const int middle = tile * pixels + (pixels - 1) / 2;
  return middle < size ? middle : size - 1;
}

// Smoothing: a node is averaged, by its own weight, with its neighbors, whose weights are
// multiplied by the triangle 1 2 3 2 1 in both directions (borders repeat). An unreliable node
// takes the flow of the reliable nodes around it.
constexpr float kLeastWeight = 1e-4F;
constexpr float kMiddleShare = 3.0F / 9, kNearShare = 2.0F / 9, kFarShare = 1.0F / 9;
FOVEA_HD inline float weight_of(float confidence) {
  return confidence >= 0 ? confidence * confidence + kLeastWeight : 0.0F;
}
FOVEA_HD inline float triangle(float a, float b, float c, float d, float e) {
  return kMiddleShare * c + kNearShare * (b + d) + kFarShare * (a + e);
}
FOVEA_HD inline float filled(float weight, float value, float around_weight, float around) {
  return (weight * value + around) / (weight + around_weight);
}

// Finds the median of nine by the part of a sorting network that decides it (Paeth, Graphics Gems,
// 1990).
FOVEA_HD inline void order(float& a, float& b) {
  const float low = b < a ? b : a;
  b = b < a ? a : b;
  a = low;
}
FOVEA_HD inline float median9(float (&p)[9]) {
  order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]);
  order(p[0], p[1]), order(p[3], p[4]), order(p[6], p[7]);
  order(p[1], p[2]), order(p[4], p[5]), order(p[7], p[8]);
  order(p[0], p[3]), order(p[5], p[8]), order(p[4], p[7]);
  order(p[3], p[6]), order(p[1], p[4]), order(p[2], p[5]);
  order(p[4], p[7]), order(p[4], p[2]), order(p[6], p[4]), order(p[4], p[2]);
  return p[4];
}

// Lowers a confidence if two estimates are (du, dv) pixels apart.
FOVEA_HD inline float doubted(float confidence, float du, float dv) {
  return confidence / (1.0F + (du * du + dv * dv));
}

}  // namespace fovea::flow::bm
