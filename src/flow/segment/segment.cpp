// Divides a field by motion: motions are gathered from cells, pixels are assigned to them and the
// motions fitted again in turns, and connected sets of pixels become regions.
#include <fmt/format.h>
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/flow/segment.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/dispatch.h"
#include "flow/segment/segment_parts.h"

namespace fovea::flow {
namespace {

using segment::Moments;
using segment::WeightedField;

// The confidence that three quarters of the known pixels do not exceed. Methods differ in what
// values they give, while their order tells which pixels to trust.
float high_confidence(const io::FlowFieldView& field, ImageView<const float> confidence) {
  std::vector<float> values;
  values.reserve(static_cast<std::size_t>(field.u.width) *
                 static_cast<std::size_t>(field.u.height));
  for (int y = 0; y < field.u.height; ++y)
    for (int x = 0; x < field.u.width; ++x)
      if (field.is_known(x, y) && confidence.at(x, y) > 0) values.push_back(confidence.at(x, y));
  if (values.empty()) return 1;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4 * 3);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

WeightedField weigh(const io::FlowFieldView& field, ImageView<const float> confidence) {
  constexpr float kTrust = 0.05F;  // of a pixel whose confidence is 0
  WeightedField weighted{field.u, field.v, Image<float>(field.u.width, field.u.height),
                         segment::frame_of(field.u.width, field.u.height)};
  const float high = confidence.empty() ? 1.F : high_confidence(field, confidence);
  for (int y = 0; y < field.u.height; ++y) {
    for (int x = 0; x < field.u.width; ++x) {
      float weight = 0;
      if (field.is_known(x, y)) {
        const float given = confidence.empty() ? 1.F : confidence.at(x, y) / high;
        weight = given > kTrust ? std::min(given, 1.F) : kTrust;  // NaN is no confidence
      }
      weighted.weight.at(x, y) = weight;
    }
  }
  return weighted;
}

std::vector<AffineMotion> motions_of(const std::vector<Moments>& moments) {
  std::vector<AffineMotion> motions;
  motions.reserve(moments.size());
  for (const Moments& each : moments) motions.push_back(segment::fit_of(each).motion);
  return motions;
}

// Removes motions that too few pixels or only strips follow; the largest stays in any case.
void drop_small(std::vector<Moments>& motions, const Image<std::uint16_t>& labels,
                double least_pixels) {
  std::vector<std::int64_t> pixels(motions.size(), 0), inside(motions.size(), 0);
  for (int y = 0; y < labels.height(); ++y) {
    for (int x = 0; x < labels.width(); ++x) {
      ++pixels[labels.at(x, y)];
      if (segment::is_inside(labels, x, y)) ++inside[labels.at(x, y)];
    }
  }
  const auto is_strip = [&](std::size_t k) {
    return static_cast<double>(inside[k]) < segment::kLeastInside * static_cast<double>(pixels[k]);
  };
  std::vector<Moments> kept;
  kept.reserve(motions.size());
  for (std::size_t k = 0; k < motions.size(); ++k)
    if (static_cast<double>(pixels[k]) >= least_pixels && motions[k].n > 0 && !is_strip(k))
      kept.push_back(motions[k]);
  if (kept.empty())
    kept.push_back(motions[static_cast<std::size_t>(std::max_element(pixels.begin(), pixels.end()) -
                                                    pixels.begin())]);
  motions = std::move(kept);
}

// The numbers of one region, while its pixels are visited.
struct Measure {
  int left, top, right = 0, bottom = 0;
  std::int64_t pixels = 0;
  double u = 0, v = 0;
  int layer = 0;
  std::vector<float> distances{};
};

std::vector<MotionRegion> regions_of(const WeightedField& field,
                                     const std::vector<AffineMotion>& motions,
                                     const Image<std::uint16_t>& labels,
                                     const Image<std::int32_t>& numbers, std::size_t count) {
  std::vector<Measure> measures(count, {field.width(), field.height()});
  for (int y = 0; y < field.height(); ++y) {
    for (int x = 0; x < field.width(); ++x) {
      if (!(field.weight.at(x, y) > 0)) continue;  // not known: it has no label
      Measure& m = measures[static_cast<std::size_t>(numbers.at(x, y))];
      m.left = std::min(m.left, x);
      m.top = std::min(m.top, y);
      m.right = std::max(m.right, x + 1);
      m.bottom = std::max(m.bottom, y + 1);
      ++m.pixels;
      m.layer = labels.at(x, y);
      const AffineMotion& motion = motions[labels.at(x, y)];
      const double u = motion.u_at(field.frame.x(x), field.frame.y(y));
      const double v = motion.v_at(field.frame.x(x), field.frame.y(y));
      m.u += u;
      m.v += v;
      m.distances.push_back(static_cast<float>(std::hypot(
          u - static_cast<double>(field.u.at(x, y)), v - static_cast<double>(field.v.at(x, y)))));
    }
  }
  std::vector<MotionRegion> regions(count);
  const double all = static_cast<double>(field.width()) * field.height();
  for (std::size_t i = 0; i < count; ++i) {
    Measure& m = measures[i];
    if (m.pixels == 0) continue;
    const auto pixels = static_cast<double>(m.pixels);
    MotionRegion& region = regions[i];
    region.layer = m.layer;
    region.box = {m.left, m.top, m.right - m.left, m.bottom - m.top};
    region.pixels = m.pixels;
    region.share = pixels / all;
    region.u = m.u / pixels;
    region.v = m.v / pixels;
    region.motion = field.frame.to_pixels(motions[static_cast<std::size_t>(m.layer)]);
    const auto middle = m.distances.begin() + static_cast<std::ptrdiff_t>(m.distances.size() / 2);
    std::nth_element(m.distances.begin(), middle, m.distances.end());
    region.residual = *middle;
  }
  return regions;
}

// Numbers regions with a known pixel by size, layers by the order in which regions first show them,
// and writes labels.
MotionSegments numbered(std::vector<MotionRegion> regions, const Image<std::int32_t>& numbers,
                        const WeightedField& field, std::size_t layer_count) {
  constexpr std::size_t kMostRegions = 65535;
  std::vector<std::size_t> order(regions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return regions[a].pixels > regions[b].pixels;
  });
  while (!order.empty() && regions[order.back()].pixels == 0) order.pop_back();
  std::vector<std::int64_t> layer_pixels(layer_count, 0);
  for (const MotionRegion& region : regions)
    layer_pixels[static_cast<std::size_t>(region.layer)] += region.pixels;
  std::vector<int> by_size(layer_count);
  std::iota(by_size.begin(), by_size.end(), 0);
  std::stable_sort(by_size.begin(), by_size.end(), [&](int a, int b) {
    return layer_pixels[static_cast<std::size_t>(a)] > layer_pixels[static_cast<std::size_t>(b)];
  });
  std::vector<int> layer_number(layer_count);
  MotionSegments result;
  for (std::size_t i = 0; i < layer_count; ++i) {
    layer_number[static_cast<std::size_t>(by_size[i])] = static_cast<int>(i);
    if (layer_pixels[static_cast<std::size_t>(by_size[i])] > 0) ++result.layers;
  }
  if (order.size() > kMostRegions)
    throw InvalidArgument(fmt::format(
        "segment: there are {} regions; expected {} at most. Use a greater least share or more "
        "smoothness",
        order.size(), kMostRegions));
  std::vector<std::uint16_t> label(regions.size());
  result.regions.reserve(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    MotionRegion& region = regions[order[i]];
    label[order[i]] = static_cast<std::uint16_t>(i + 1);
    region.label = static_cast<int>(i) + 1;
    region.layer = layer_number[static_cast<std::size_t>(region.layer)];
    result.regions.push_back(region);
  }
  result.labels = Image<std::uint16_t>(field.width(), field.height());
  for (int y = 0; y < field.height(); ++y)
    for (int x = 0; x < field.width(); ++x)
      result.labels.at(x, y) = field.weight.at(x, y) > 0
                                   ? label[static_cast<std::size_t>(numbers.at(x, y))]
                                   : std::uint16_t{0};
  return result;
}

void check_segment(const io::FlowFieldView& field, ImageView<const float> confidence,
                   ImageView<const std::uint8_t> image) {
  const int width = field.u.width, height = field.u.height;
  if (field.u.empty())
    throw InvalidArgument(
        fmt::format("segment: the field has {}x{} pixels; expected 1x1 at least", width, height));
  detail::require_host("segment", "the field", field.u.memory);
  detail::require_shape("segment", "the field's v", field.v, width, height, 1);
  if (!confidence.empty())
    detail::require_shape("segment", "the confidence", confidence, width, height, 1);
  if (!image.empty())
    detail::require_shape("segment", "the image", image, width, height, image.channels);
}

}  // namespace

void describe(OptionVisitor& visit, SegmentOptions& options) {
  visit("layers", options.layers, "greatest number of motions", 1, 64,
        {.absent = "as many as differ by more than the tolerance"});
  visit("tolerance", options.tolerance,
        "distance in pixels by which the flow of a pixel may differ from its motion", 0.01, 100,
        {.absent = "three times the noise of the flow, 0.3 to 1"});
  visit("smoothness", options.smoothness,
        "how much borders between regions cost; 0 decides each pixel alone", 0, 100);
  visit("least-share", options.least_share,
        "share of the image below which a region is given to its neighbors, as is one below two "
        "and a half cells",
        0, 1);
  visit("cell", options.cell, "side in pixels of the cells from which motions are gathered", 4, 64);
  visit("rounds", options.rounds, "how often pixels are assigned and motions fitted", 1, 20);
}

void describe(OptionVisitor& visit, SegmentPairOptions& options) {
  visit("method", options.method, "how the motion is estimated: lk is Lucas and Kanade, bm blocks");
  visit("quality", options.quality, "quality of the estimated motion");
  describe(visit, options.segment);
}

FlowOptions estimation_options(const SegmentPairOptions& options) {
  FlowOptions estimation;
  estimation.method = options.method;
  estimation.quality = options.quality;
  estimation.lk.forward_backward = true;
  estimation.bm.forward_backward = true;
  estimation.exec = options.exec;
  return estimation;
}

SegmentOptions division_options(const SegmentPairOptions& options) {
  SegmentOptions division = options.segment;
  division.exec = options.exec;
  division.exec.device = Device::cpu();
  return division;
}

MotionSegments segment_motion(const io::FlowFieldView& field, ImageView<const float> confidence,
                              ImageView<const std::uint8_t> image, const SegmentOptions& given) {
  check_options(given);
  check_segment(field, confidence, image);
  SegmentOptions options = given;
  options.exec = detail::resolve_host_exec("segment", given.exec, {field.u});
  const WeightedField weighted = weigh(field, confidence);
  constexpr double kNoises = 3;
  if (!options.tolerance)
    options.tolerance = std::clamp(kNoises * segment::field_noise(weighted, options),
                                   segment::kLeastTolerance, segment::kMostTolerance);
  const double least = segment::least_pixels(options, field.u.width, field.u.height);
  std::vector<Moments> moments = segment::gather_motions(weighted, options);
  std::vector<AffineMotion> motions = motions_of(moments);
  Image<std::uint16_t> labels(field.u.width, field.u.height);
  for (int round = 0; round < options.rounds; ++round) {
    segment::label_pixels(weighted, motions, image, options, labels);
    if (round + 1 == options.rounds) break;
    moments = segment::fit_labels(weighted, motions, labels, options);
    std::vector<Moments> more = segment::unexplained_motions(weighted, motions, labels, options);
    drop_small(moments, labels, least);
    segment::add_motions(moments, std::move(more));
    segment::merge_motions(moments, options);
    motions = motions_of(moments);
  }
  segment::absorb_small_regions(labels,
                                std::max<std::int64_t>(1, static_cast<std::int64_t>(least)));
  moments = segment::fit_labels(weighted, motions, labels, options);
  for (std::size_t k = 0; k < moments.size(); ++k)
    if (moments[k].n > 0) motions[k] = segment::fit_of(moments[k]).motion;
  Image<std::int32_t> numbers;
  const std::size_t count = segment::connected_regions(labels, numbers).size();
  MotionSegments result = numbered(regions_of(weighted, motions, labels, numbers, count), numbers,
                                   weighted, motions.size());
  result.tolerance = *options.tolerance;
  return result;
}

}  // namespace fovea::flow
