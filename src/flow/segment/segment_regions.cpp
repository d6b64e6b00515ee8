// Connected regions of a map of labels, those that are too small, and patches that no motion
// explains.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "flow/patches.h"
#include "flow/segment/segment_parts.h"

namespace fovea::flow::segment {
namespace {

Image<std::uint8_t> nothing_taken(int width, int height) {
  Image<std::uint8_t> taken(width, height);
  for (int y = 0; y < height; ++y) std::fill_n(taken.view().row(y), width, std::uint8_t{0});
  return taken;
}

}  // namespace

bool is_inside(const Image<std::uint16_t>& labels, int x, int y) {
  const std::uint16_t own = labels.at(x, y);
  const int left = std::max(0, x - kDepth), right = std::min(labels.width() - 1, x + kDepth);
  const int top = std::max(0, y - kDepth), bottom = std::min(labels.height() - 1, y + kDepth);
  return labels.at(left, y) == own && labels.at(right, y) == own && labels.at(x, top) == own &&
         labels.at(x, bottom) == own;
}

std::vector<std::int64_t> connected_regions(const Image<std::uint16_t>& labels,
                                            Image<std::int32_t>& regions) {
  if (regions.width() != labels.width() || regions.height() != labels.height())
    regions = Image<std::int32_t>(labels.width(), labels.height());
  Image<std::uint8_t> taken = nothing_taken(labels.width(), labels.height());
  std::vector<std::int64_t> sizes;
  for_each_patch(
      taken, [&](PatchPixel a, PatchPixel b) { return labels.at(a.x, a.y) == labels.at(b.x, b.y); },
      [&](const std::vector<PatchPixel>& patch) {
        for (const PatchPixel p : patch)
          regions.at(p.x, p.y) = static_cast<std::int32_t>(sizes.size());
        sizes.push_back(static_cast<std::int64_t>(patch.size()));
      });
  return sizes;
}

void absorb_small_regions(Image<std::uint16_t>& labels, std::int64_t least_pixels) {
  Image<std::int32_t> regions;
  const int width = labels.width(), height = labels.height();
  // Each round gives away every small region that is no larger than the small regions beside it, so
  // that few rounds are needed and no pair exchanges labels for ever.
  for (;;) {
    const std::vector<std::int64_t> sizes = connected_regions(labels, regions);
    std::map<std::pair<int, int>, std::int64_t> borders;  // of a small region with another one
    std::vector<std::int64_t> inside(sizes.size(), 0);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        if (is_inside(labels, x, y)) ++inside[static_cast<std::size_t>(regions.at(x, y))];
    const auto small = [&](int region) {
      const auto i = static_cast<std::size_t>(region);
      return sizes[i] < least_pixels ||
             static_cast<double>(inside[i]) < kLeastInside * static_cast<double>(sizes[i]);
    };
    const auto touch = [&](int a, int b) {
      if (a == b) return;
      if (small(a)) ++borders[{a, b}];
      if (small(b)) ++borders[{b, a}];
    };
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        if (x + 1 < width) touch(regions.at(x, y), regions.at(x + 1, y));
        if (y + 1 < height) touch(regions.at(x, y), regions.at(x, y + 1));
      }
    }
    std::vector<int> heir(sizes.size(), -1);
    std::vector<std::int64_t> longest(sizes.size(), 0);
    for (const auto& [pair, length] : borders) {
      const auto [from, to] = pair;
      const auto order = [&](int region) {
        return std::pair(sizes[static_cast<std::size_t>(region)], region);
      };
      if (order(to) < order(from)) continue;  // the other one goes first
      if (length <= longest[static_cast<std::size_t>(from)]) continue;
      longest[static_cast<std::size_t>(from)] = length;
      heir[static_cast<std::size_t>(from)] = to;
    }
    if (std::all_of(heir.begin(), heir.end(), [](int to) { return to < 0; })) return;
    // Labels of the heirs, which may be given away themselves.
    std::vector<int> label(sizes.size(), 0);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        label[static_cast<std::size_t>(regions.at(x, y))] = labels.at(x, y);
    for (std::size_t i = 0; i < heir.size(); ++i) {
      auto at = static_cast<int>(i);
      while (heir[static_cast<std::size_t>(at)] >= 0) at = heir[static_cast<std::size_t>(at)];
      if (heir[i] >= 0) longest[i] = label[static_cast<std::size_t>(at)];
    }
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        if (const auto i = static_cast<std::size_t>(regions.at(x, y)); heir[i] >= 0)
          labels.at(x, y) = static_cast<std::uint16_t>(longest[i]);
  }
}

std::vector<Moments> unexplained_motions(const WeightedField& field,
                                         const std::vector<AffineMotion>& motions,
                                         const Image<std::uint16_t>& labels,
                                         const SegmentOptions& options) {
  constexpr float kLeastTrust = 0.3F;
  constexpr double kFar = 3;  // tolerances
  const int width = field.width(), height = field.height();
  const double far = kFar * kFar * squared_tolerance(options);
  Image<std::uint8_t> taken(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const AffineMotion& motion = motions[labels.at(x, y)];
      const double px = field.frame.x(x), py = field.frame.y(y);
      const double du = motion.u_at(px, py) - static_cast<double>(field.u.at(x, y));
      const double dv = motion.v_at(px, py) - static_cast<double>(field.v.at(x, y));
      const bool odd = field.weight.at(x, y) >= kLeastTrust && du * du + dv * dv > far;
      taken.at(x, y) = odd ? 0 : 1;
    }
  }
  const double least = least_pixels(options, width, height);
  std::vector<Moments> found;
  const auto joined = [&](PatchPixel a, PatchPixel b) {
    const float du = field.u.at(a.x, a.y) - field.u.at(b.x, b.y);
    const float dv = field.v.at(a.x, a.y) - field.v.at(b.x, b.y);
    return static_cast<double>(du * du + dv * dv) <= squared_tolerance(options);
  };
  for_each_patch(taken, joined, [&](const std::vector<PatchPixel>& patch) {
    if (static_cast<double>(patch.size()) < least) return;
    Moments moments;
    for (const PatchPixel p : patch)
      moments.add(field.weight.at(p.x, p.y), field.frame.x(p.x), field.frame.y(p.y),
                  field.u.at(p.x, p.y), field.v.at(p.x, p.y));
    const Fit fit = fit_of(moments);
    if (fit.squares <= squared_tolerance(options) * moments.n) found.push_back(moments);
  });
  return found;
}

}  // namespace fovea::flow::segment
