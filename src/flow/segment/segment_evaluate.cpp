// Agreement of two divisions, labels that stay along a video, and the picture of regions.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/flow/segment.h>
#include <fovea/report/color.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "core/dispatch.h"

namespace fovea::flow {
namespace {

double pairs_of(std::int64_t count) {
  return static_cast<double>(count) * (static_cast<double>(count) - 1) / 2;
}

using Overlaps = std::map<std::pair<int, int>, std::int64_t>;  // of a true and a found region

}  // namespace

SegmentReport evaluate_segments(ImageView<const std::uint16_t> labels,
                                ImageView<const std::uint16_t> truth) {
  detail::require_host("segment", "the labels", labels.memory);
  detail::require_shape("segment", "the labels", labels, truth.width, truth.height, 1);
  Overlaps overlaps;
  std::map<int, std::int64_t> true_pixels, found_pixels;
  SegmentReport report;
  for (int y = 0; y < truth.height; ++y) {
    for (int x = 0; x < truth.width; ++x) {
      const int real = truth.at(x, y), found = labels.at(x, y);
      if (real == 0) continue;
      ++report.pixels;
      ++overlaps[{real, found}];
      ++true_pixels[real];
      ++found_pixels[found];
    }
  }
  if (report.pixels == 0)
    throw InvalidArgument("segment: every true label is 0, which means that nothing is known");
  double together = 0, true_together = 0, found_together = 0;
  for (const auto& [pair, count] : overlaps) together += pairs_of(count);
  for (const auto& [label, count] : true_pixels) true_together += pairs_of(count);
  for (const auto& [label, count] : found_pixels) found_together += pairs_of(count);
  const double all = pairs_of(report.pixels);
  if (all > 0) {
    report.rand_index = (all + 2 * together - true_together - found_together) / all;
    const double chance = true_together * found_together / all;
    const double most = (true_together + found_together) / 2;
    report.adjusted_rand_index = most > chance ? (together - chance) / (most - chance) : 1;
  } else {
    report.rand_index = report.adjusted_rand_index = 1;
  }
  std::map<int, double> best;
  for (const auto& [pair, count] : overlaps) {
    const auto [real, found] = pair;
    const auto both = static_cast<double>(true_pixels[real] + found_pixels[found] - count);
    best[real] = std::max(best[real], static_cast<double>(count) / both);
  }
  for (const auto& [real, overlap] : best)
    report.covering +=
        overlap * static_cast<double>(true_pixels[real]) / static_cast<double>(report.pixels);
  return report;
}

void keep_labels(const MotionSegments& before, MotionSegments& now, int& next_label) {
  constexpr int kMostLabel = 65535;
  std::map<int, const MotionRegion*> by_label;
  for (const MotionRegion& region : before.regions) by_label[region.label] = &region;
  Overlaps overlaps;  // of a label before and one now
  for (int y = 0; y < before.labels.height(); ++y) {
    for (int x = 0; x < before.labels.width(); ++x) {
      const auto found = by_label.find(before.labels.at(x, y));
      if (found == by_label.end()) continue;
      const AffineMotion& motion = found->second->motion;
      const double to_x = std::floor(x + motion.u_at(x, y) + 0.5);
      const double to_y = std::floor(y + motion.v_at(x, y) + 0.5);
      if (!(to_x >= 0 && to_y >= 0 && to_x < now.labels.width() && to_y < now.labels.height()))
        continue;
      const int label = now.labels.at(static_cast<int>(to_x), static_cast<int>(to_y));
      if (label != 0) ++overlaps[{found->first, label}];
    }
  }
  std::vector<std::tuple<std::int64_t, int, int>> order;  // the largest overlap first
  order.reserve(overlaps.size());
  for (const auto& [pair, count] : overlaps) order.emplace_back(-count, pair.first, pair.second);
  std::sort(order.begin(), order.end());
  std::map<int, int> kept;  // label now, label to have
  std::set<int> used;
  for (const auto& [count, old, label] : order)
    if (!kept.contains(label) && !used.contains(old)) {
      kept[label] = old;
      used.insert(old);
    }
  for (MotionRegion& region : now.regions) {
    const int own = region.label;
    if (!kept.contains(own)) {
      do {
        if (next_label > kMostLabel) next_label = 1;
      } while (used.contains(next_label++));
      kept[own] = next_label - 1;
      used.insert(next_label - 1);
    }
    region.label = kept[own];
  }
  for (int y = 0; y < now.labels.height(); ++y)
    for (int x = 0; x < now.labels.width(); ++x)
      if (std::uint16_t& label = now.labels.at(x, y); label != 0)
        label = static_cast<std::uint16_t>(kept[label]);
}

void LabelKeeper::label(MotionSegments& now) {
  if (next_label_ > 0) keep_labels(before_, now, next_label_);
  else next_label_ = static_cast<int>(now.regions.size()) + 1;
  before_.labels = clone(now.labels.view());
  before_.regions = now.regions;
}

Image<std::uint8_t> segments_picture(ImageView<const std::uint16_t> labels,
                                     ImageView<const std::uint8_t> image) {
  detail::require_host("segment", "the labels", labels.memory);
  if (!image.empty())
    detail::require_shape("segment", "the image", image, labels.width, labels.height,
                          image.channels);
  Image<std::uint8_t> picture(labels.width, labels.height, 3);
  const int share = image.empty() ? 256 : 120;  // of the color, in 256
  for (int y = 0; y < labels.height; ++y) {
    for (int x = 0; x < labels.width; ++x) {
      const int label = labels.at(x, y);
      const bool border = (x + 1 < labels.width && labels.at(x + 1, y) != label) ||
                          (y + 1 < labels.height && labels.at(x, y + 1) != label);
      const report::Color color =
          label == 0 || border ? report::kBlack : report::palette(label - 1);
      const std::array<int, 3> colors{color.r, color.g, color.b};
      for (int c = 0; c < 3; ++c) {
        const int under = image.empty() ? 0 : image.at(x, y, image.channels >= 3 ? c : 0);
        const int over = border ? 230 : share;
        picture.at(x, y, c) = static_cast<std::uint8_t>(
            (colors[static_cast<std::size_t>(c)] * over + under * (256 - over)) / 256);
      }
    }
  }
  return picture;
}

}  // namespace fovea::flow
