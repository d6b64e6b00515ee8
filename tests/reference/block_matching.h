// Block matching as a textbook writes it: every block, every shift, every pixel of the block, one
// after another. What is defined as one expression in floating point (scores, peaks, interpolation)
// is taken from the shared arithmetic; how often and over what is counted here anew.
#pragma once
#include <fovea/flow/block_matching.h>
#include <fovea/ops/pyramid.h>

#include <algorithm>
#include <vector>

#include "flow/bm/block_matching_math.h"

namespace fovea::reference {

struct BlockImage {
  Image<std::uint8_t> gray, valid;
};

// Levels of an image, the finest first; `mask` may be empty.
inline std::vector<BlockImage> block_levels(ImageView<const float> image,
                                            ImageView<const std::uint8_t> mask, int count) {
  Image<float> gray(image.width, image.height), cover(image.width, image.height);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      cover.at(x, y) = mask.empty() || mask.at(x, y) != 0 ? 1.0F : 0.0F;
      gray.at(x, y) = cover.at(x, y) > 0 ? image.at(x, y) : 0.0F;
    }
  std::vector<BlockImage> levels;
  for (int k = 0; k < count; ++k) {
    const int width = gray.width(), height = gray.height();
    BlockImage level{Image<std::uint8_t>(width, height), Image<std::uint8_t>(width, height)};
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const bool counts = mask.empty() || cover.at(x, y) >= flow::bm::kLeastCover;
        const float value = mask.empty() ? gray.at(x, y) : gray.at(x, y) / cover.at(x, y);
        level.valid.at(x, y) = counts ? 255 : 0;
        level.gray.at(x, y) = counts ? flow::bm::quantized(value) : std::uint8_t{0};
      }
    levels.push_back(std::move(level));
    Image<float> next((width + 1) / 2, (height + 1) / 2), next_cover(next.width(), next.height());
    gaussian_halve(gray, next, {.device = Device::cpu()});
    gaussian_halve(cover, next_cover, {.device = Device::cpu()});
    gray = std::move(next);
    cover = std::move(next_cover);
  }
  return levels;
}

// A field that owns its planes.
struct Nodes {
  Image<float> u, v, confidence;
  int step;

  Nodes(int columns, int rows, int node_step)
      : u(columns, rows), v(columns, rows), confidence(columns, rows), step(node_step) {}
  flow::bm::NodeField view() { return {u.view(), v.view(), confidence.view(), step}; }
};

struct BlockAt {
  int x, y, size;
};

// Sums over the pixels of a block and of the block (u, v) away that count in both.
inline flow::bm::PairSums pair_sums(const BlockImage& a, const BlockImage& b, BlockAt at,
                                    flow::bm::Shift shift, flow::BlockCost cost) {
  const int left = std::max({at.x, 0, -shift.u}), top = std::max({at.y, 0, -shift.v});
  const int right = std::min({at.x + at.size, a.gray.width(), b.gray.width() - shift.u});
  const int bottom = std::min({at.y + at.size, a.gray.height(), b.gray.height() - shift.v});
  int n = 0, sx = 0, sy = 0, xx = 0, yy = 0, product = 0;
  for (int y = top; y < bottom; ++y) {
    const std::uint8_t *p = a.gray.row(y), *p_valid = a.valid.row(y);
    const std::uint8_t *q = b.gray.row(y + shift.v), *q_valid = b.valid.row(y + shift.v);
    for (int x = left; x < right; ++x) {
      if (p_valid[x] == 0 || q_valid[x + shift.u] == 0) continue;
      const int v = p[x], w = q[x + shift.u];
      n += 1;
      sx += v;
      sy += w;
      xx += v * v;
      yy += w * w;
      product += cost == flow::BlockCost::kSad ? std::abs(v - w) : v * w;
    }
  }
  return {n, sx, sy, xx, yy, product};
}

struct BlockSearchRequest {
  const BlockImage& first;
  const BlockImage& second;
  const flow::bm::Settings& options;
  int range;
  const flow::bm::CoarseField* prior;
};

// One node: every shift of every window of its tile.
inline flow::bm::Motion match_block(const BlockSearchRequest& r, BlockAt at,
                                    const flow::bm::Windows& windows) {
  namespace bm = flow::bm;
  const auto own = pair_sums(r.first, r.first, at, {0, 0}, flow::BlockCost::kSsd);
  const auto n = static_cast<int>(own.n);
  if (n == 0) return {0, 0, -1};
  const float inverse = bm::inverse_deviation(own.n, own.x, own.xx);
  if (4 * n < at.size * at.size || !bm::has_texture(inverse, n, r.options.least_texture))
    return {0, 0, 0};
  const float scale = bm::difference_scale(r.options.cost, n, inverse);
  const auto score = [&](bm::Shift shift) {
    const auto sums = pair_sums(r.first, r.second, at, shift, r.options.cost);
    if (sums.n == 0 || 2 * sums.n < n) return bm::kNoScore;
    return bm::pair_score(r.options.cost, sums, scale);
  };
  struct Candidate {
    bm::Shift shift;
    float score;
    int window, du, dv;
  };
  std::vector<Candidate> all;
  for (int w = 0; w < windows.count; ++w)
    for (int dv = -r.range; dv <= r.range; ++dv)
      for (int du = -r.range; du <= r.range; ++du) {
        const bm::Shift shift{windows.center[w].u + du, windows.center[w].v + dv};
        all.push_back({shift, score(shift), w, du, dv});
      }
  const auto better = [&](const Candidate& a, const Candidate& b) {
    if (a.score != b.score) return a.score > b.score;
    return bm::rank_of(a.window, a.du, a.dv, r.range) < bm::rank_of(b.window, b.du, b.dv, r.range);
  };
  const Candidate best = *std::min_element(all.begin(), all.end(), better);
  if (best.score == bm::kNoScore) return {0, 0, 0};
  bm::Peak peak{best.shift, bm::kNoScore, {}};
  std::fill_n(peak.around, 9, bm::kNoScore);
  for (const Candidate& c : all) {
    if (!bm::beside(c.shift, best.shift)) peak.second = std::max(peak.second, c.score);
    else if (c.window == best.window)
      peak.around[(c.dv - best.dv + 1) * 3 + c.du - best.du + 1] = c.score;
  }
  return bm::motion_of(peak, {r.options.margin, r.options.subpixel ? 1 : 0});
}

inline Nodes search_blocks(const BlockSearchRequest& r) {
  namespace bm = flow::bm;
  const auto layout = bm::layout_of(r.options.block, r.options.step);
  const int width = r.first.gray.width(), height = r.first.gray.height();
  const int columns = layout.tiles(width), rows = layout.tiles(height);
  std::vector<bm::Shift> priors(static_cast<std::size_t>(columns) * rows);
  for (int ty = 0; ty < rows && r.prior != nullptr; ++ty)
    for (int tx = 0; tx < columns; ++tx) {
      const int x = bm::tile_middle(tx, layout, width), y = bm::tile_middle(ty, layout, height);
      const auto motion = bm::prior_at(*r.prior, static_cast<float>(x), static_cast<float>(y));
      priors[static_cast<std::size_t>(ty) * columns + tx] = {bm::whole_shift(motion.u, x, width),
                                                             bm::whole_shift(motion.v, y, height)};
    }
  Nodes found(layout.nodes(width), layout.nodes(height), layout.step);
  for (int y = 0; y < found.u.height(); ++y)
    for (int x = 0; x < found.u.width(); ++x) {
      const auto windows =
          bm::windows_of(priors.data(), columns, rows, x / layout.tile, y / layout.tile);
      auto motion = match_block(r, {layout.first(x), layout.first(y), layout.block}, windows);
      if (motion.confidence == 0) {
        motion = {0, 0, 0};
        if (r.prior != nullptr) motion = bm::prior_at(*r.prior, layout.middle(x), layout.middle(y));
        motion.confidence = 0;
      }
      found.u.at(x, y) = motion.u;
      found.v.at(x, y) = motion.v;
      found.confidence.at(x, y) = motion.confidence;
    }
  return found;
}

// Weighted means of what lies around, then the median of nine.
inline void smooth_blocks(Nodes& nodes) {
  namespace bm = flow::bm;
  const int width = nodes.u.width(), height = nodes.u.height();
  const auto clamped = [](const Image<float>& image, int x, int y) {
    return image.at(std::clamp(x, 0, image.width() - 1), std::clamp(y, 0, image.height() - 1));
  };
  const auto around = [&](const Image<float>& values, int x, int y) {
    float column[5];
    for (int i = -2; i <= 2; ++i)
      column[i + 2] = bm::triangle(clamped(values, x + i, y - 2), clamped(values, x + i, y - 1),
                                   clamped(values, x + i, y), clamped(values, x + i, y + 1),
                                   clamped(values, x + i, y + 2));
    return bm::triangle(column[0], column[1], column[2], column[3], column[4]);
  };
  Image<float> weight(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) weight.at(x, y) = bm::weight_of(nodes.confidence.at(x, y));
  for (Image<float>* plane : {&nodes.u, &nodes.v}) {
    Image<float> product(width, height), filled(width, height);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) product.at(x, y) = weight.at(x, y) * plane->at(x, y);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        filled.at(x, y) = nodes.confidence.at(x, y) < 0
                              ? 0.0F
                              : bm::filled(weight.at(x, y), plane->at(x, y), around(weight, x, y),
                                           around(product, x, y));
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        std::vector<float> values;
        for (int j = -1; j <= 1; ++j)
          for (int i = -1; i <= 1; ++i)
            values.push_back(clamped(nodes.confidence, x + i, y + j) < 0
                                 ? filled.at(x, y)
                                 : clamped(filled, x + i, y + j));
        std::sort(values.begin(), values.end());
        plane->at(x, y) = values[4];
      }
  }
}

inline void doubt(Nodes& nodes, const flow::bm::NodeField& back) {
  const auto layout = flow::bm::layout_of(1, nodes.step);
  for (int y = 0; y < nodes.u.height(); ++y)
    for (int x = 0; x < nodes.u.width(); ++x) {
      if (!(nodes.confidence.at(x, y) > 0)) continue;
      const float u = nodes.u.at(x, y), v = nodes.v.at(x, y);
      const auto there = flow::bm::field_at(back, layout.middle(x) + u, layout.middle(y) + v);
      nodes.confidence.at(x, y) =
          flow::bm::doubted(nodes.confidence.at(x, y), u + there.u, v + there.v);
    }
}

struct BlockPair {
  ImageView<const float> first, second;
  ImageView<const std::uint8_t> mask{};
};

// The whole method, all levels; u, v and confidence of every pixel.
inline Nodes block_matching(const BlockPair& pair, const flow::bm::Settings& options) {
  namespace bm = flow::bm;
  const int count = bm::level_count(pair.first.width, pair.first.height, options);
  const auto first = block_levels(pair.first, pair.mask, count);
  const auto second = block_levels(pair.second, pair.mask, count);
  Nodes there(1, 1, 1), back(1, 1, 1), raw(1, 1, 1);
  for (int k = count - 1; k >= 0; --k) {
    const bool top = k == count - 1;
    const auto search = [&](const auto& a, const auto& b, Nodes& before) {
      const auto& coarser = a[std::min(k + 1, count - 1)];
      const bm::CoarseField prior{before.view(), coarser.valid.view(), coarser.gray.width(),
                                  coarser.gray.height(), 2};
      return search_blocks(
          {a[k], b[k], options, top ? options.range : options.refine, top ? nullptr : &prior});
    };
    Nodes forward = search(first, second, there);
    if (options.forward_backward) {
      Nodes backward = search(second, first, back);
      Nodes undoubted = search(first, second, there);
      doubt(forward, backward.view());
      doubt(backward, undoubted.view());
      for (int i = 0; i < options.passes; ++i) smooth_blocks(backward);
      back = std::move(backward);
    }
    raw = Nodes(forward.u.width(), forward.u.height(), forward.step);
    copy(forward.u.view(), raw.u.view());
    copy(forward.v.view(), raw.v.view());
    copy(forward.confidence.view(), raw.confidence.view());
    for (int i = 0; i < options.passes; ++i) smooth_blocks(forward);
    there = std::move(forward);
  }
  for (int y = 0; y < raw.u.height(); ++y)
    for (int x = 0; x < raw.u.width(); ++x)
      if (float& c = there.confidence.at(x, y); c > 0)
        c = bm::doubted(raw.confidence.at(x, y), raw.u.at(x, y) - there.u.at(x, y),
                        raw.v.at(x, y) - there.v.at(x, y));
  Nodes out(pair.first.width, pair.first.height, 1);
  for (int y = 0; y < pair.first.height; ++y)
    for (int x = 0; x < pair.first.width; ++x) {
      bm::Motion motion{0, 0, 0};
      if (first[0].valid.at(x, y) != 0)
        motion = bm::field_at(there.view(), static_cast<float>(x), static_cast<float>(y));
      out.u.at(x, y) = motion.u;
      out.v.at(x, y) = motion.v;
      out.confidence.at(x, y) = std::max(motion.confidence, 0.0F);
    }
  return out;
}

}  // namespace fovea::reference
