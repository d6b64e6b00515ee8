// Explains the flow of one pixel: what is left of the differences between the images, how firmly
// its surroundings determine it, and the factors of its confidence, as the matchers wrote them
// down.
#include <fovea/core/error.h>
#include <fovea/flow/explain.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "flow/bm/block_matching_settings.h"
#include "flow/explain/witnessed.h"
#include "flow/flow_gray.h"
#include "flow/lk/lucas_kanade_plan.h"
#include "flow/refine/refine_math.h"

namespace fovea::flow {
namespace {

float at_border(ImageView<const float> image, int x, int y) {
  return image.at(std::clamp(x, 0, image.width - 1), std::clamp(y, 0, image.height - 1));
}

double sample(ImageView<const float> image, double x, double y) {
  const double left = std::floor(x), top = std::floor(y);
  const auto column = static_cast<int>(std::clamp(left, -1e6, 1e6)),
             row = static_cast<int>(std::clamp(top, -1e6, 1e6));
  const double fx = x - left, fy = y - top;
  const auto value = [&](int dx, int dy) {
    return static_cast<double>(at_border(image, column + dx, row + dy));
  };
  return (1 - fy) * ((1 - fx) * value(0, 0) + fx * value(1, 0)) +
         fy * ((1 - fx) * value(0, 1) + fx * value(1, 1));
}

// The second image less the first in a window, with the window of the second image moved.
struct Differences {
  Image<float> image;
  double mean = 0;  // of absolute values
};
Differences differences(const Witnessed& seen, int radius, double u, double v) {
  const int side = 2 * radius + 1;
  Differences result{Image<float>(side, side), 0};
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const int x = seen.witness.x + dx, y = seen.witness.y + dy;
      const double difference =
          sample(seen.second, x + u, y + v) - static_cast<double>(at_border(seen.first, x, y));
      result.image.at(dx + radius, dy + radius) = static_cast<float>(difference);
      result.mean += std::abs(difference) / (side * side);
    }
  return result;
}

StructureTensor tensor_at(const Witnessed& seen, int radius) {
  StructureTensor tensor;
  tensor.radius = radius;
  const double weight = 1.0 / ((2 * radius + 1) * (2 * radius + 1));
  for (int y = seen.witness.y - radius; y <= seen.witness.y + radius; ++y)
    for (int x = seen.witness.x - radius; x <= seen.witness.x + radius; ++x) {
      const double gx = 0.5 * static_cast<double>(at_border(seen.first, x + 1, y) -
                                                  at_border(seen.first, x - 1, y)),
                   gy = 0.5 * static_cast<double>(at_border(seen.first, x, y + 1) -
                                                  at_border(seen.first, x, y - 1));
      tensor.xx += weight * gx * gx;
      tensor.xy += weight * gx * gy;
      tensor.yy += weight * gy * gy;
    }
  const double mean = 0.5 * (tensor.xx + tensor.yy), apart = 0.5 * (tensor.xx - tensor.yy);
  const double root = std::hypot(apart, tensor.xy);
  tensor.greater = mean + root;
  tensor.smaller = std::max(0.0, mean - root);
  const double angle = 0.5 * std::atan2(tensor.xy, apart);
  tensor.certain_x = std::cos(angle);
  tensor.certain_y = std::sin(angle);
  tensor.uncertain_x = -tensor.certain_y;
  tensor.uncertain_y = tensor.certain_x;
  return tensor;
}

void explain_windows(const Witness::Windows& seen, bool ranked, FlowExplanation& to) {
  to.level = seen.level;
  to.nearest = seen.confidence;
  to.doubt = seen.doubt;
  const double pixel = seen.evidence.pixel;
  to.doubts.push_back(
      {"difference left", lk::doubt_by_difference(seen.evidence),
       fmt::format("the matcher's windows of {0}x{0} pixels still differ by {1:.3g} {2} after the "
                   "motion, where the smaller eigenvalue of its own gradients is {3:.4g}",
                   2 * lk::kTrialRadius + 1, lk::mean_difference(seen.evidence),
                   ranked ? "levels of the rank transform" : "gray levels",
                   seen.evidence.eigenvalue)});
  to.doubts.push_back({"neighbors differ", lk::doubt_by_variation(seen.evidence),
                       fmt::format("the flow varies by {:.3g} pixels among nine pixels around",
                                   static_cast<double>(seen.evidence.variation) * pixel)});
  if (seen.there_and_back >= 0)
    to.doubts.push_back({"way back",
                         lk::doubt_both_ways(1, seen.there_and_back, seen.evidence.pixel),
                         fmt::format("following the flow back ends {:.3g} pixels from the start",
                                     static_cast<double>(seen.there_and_back) * pixel)});
  if (!seen.posed)
    to.factors.push_back(
        {"texture", 0,
         fmt::format("the smaller eigenvalue of the matcher's gradients, {:.3g}, is too small to "
                     "determine the flow",
                     seen.evidence.eigenvalue)});
  if (!seen.inside) to.factors.push_back({"border", 0, "the flow leaves the image"});
}

// The scores as an image over displacements.
MatchSurface surface_of(const Witness::Blocks& seen, int block) {
  MatchSurface surface;
  surface.block = {seen.x, seen.y, block, block};
  const auto deviation = [&] {
    return seen.inverse > 0 && seen.count > 0 ? 1 / (static_cast<double>(seen.inverse) * seen.count)
                                              : 0.0;
  };
  surface.texture = deviation();
  surface.moved = std::hypot(static_cast<double>(seen.moved_u), static_cast<double>(seen.moved_v));
  if (seen.shifts.empty()) return surface;
  int right = seen.shifts[0].u, bottom = seen.shifts[0].v;
  surface.left = right;
  surface.top = bottom;
  for (const bm::Shift& shift : seen.shifts) {
    surface.left = std::min(surface.left, shift.u);
    surface.top = std::min(surface.top, shift.v);
    right = std::max(right, shift.u);
    bottom = std::max(bottom, shift.v);
  }
  surface.scores = Image<float>(right - surface.left + 1, bottom - surface.top + 1);
  for (int y = 0; y < surface.scores.height(); ++y)
    std::fill_n(surface.scores.row(y), surface.scores.width(),
                std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < seen.shifts.size(); ++i)
    if (bm::tried(seen.scores[i]))
      surface.scores.at(seen.shifts[i].u - surface.left, seen.shifts[i].v - surface.top) =
          seen.scores[i];
  if (!seen.matched) return surface;
  surface.best_u = seen.peak.shift.u;
  surface.best_v = seen.peak.shift.v;
  surface.best = seen.peak.around[4];
  surface.second = std::max(seen.peak.second, -1.0F);
  surface.curvature = bm::top_of(seen.peak.around).curvature;
  return surface;
}

void explain_blocks(const Witness::Blocks& seen, const bm::Settings& settings,
                    FlowExplanation& to) {
  to.surface = surface_of(seen, settings.block);
  to.nearest = std::max(seen.confidence, 0.0F);  // below 0: none of its pixels counts
  const MatchSurface& surface = *to.surface;
  const auto add = [&](const char* name, double value, std::string text) {
    to.factors.push_back({name, value, std::move(text)});
  };
  if (!seen.matched) {
    add("texture", 0,
        fmt::format("the block varies by {:.3g} gray levels, less than {:.3g}, or few of its "
                    "pixels count",
                    surface.texture, settings.least_texture));
    return;
  }
  const std::string score = fmt::format("the best score is {:.3f}", surface.best);
  if (settings.trust == BlockTrust::kScore) {
    add("likeness", bm::height_of(seen.peak), score);
  } else {
    const bm::PeakTrust trust =
        bm::trust_of(seen.peak, bm::top_of(seen.peak.around), settings.margin);
    add("likeness", trust.likeness, score);
    add("only peak", trust.margin,
        fmt::format("the second peak is {:.3f} lower", bm::margin_of(seen.peak)));
    add("sharp peak", trust.sharpness,
        surface.curvature > 0
            ? fmt::format("the peak's least curvature is {:.3f}", surface.curvature)
            : "the best score lies at the border of what was searched, or along an edge");
  }
  if (seen.found.confidence > 0 && seen.followed_back) {
    const double back =
        std::hypot(static_cast<double>(seen.returned_u), static_cast<double>(seen.returned_v));
    add("way back", bm::doubted(1, seen.returned_u, seen.returned_v),
        fmt::format("matching back ends {:.3g} pixels from the start", back));
  }
  if (seen.found.confidence > 0)
    add("smoothing", bm::doubted(1, seen.moved_u, seen.moved_v),
        fmt::format("smoothing moved the vector by {:.3g} pixels", surface.moved));
}

void explain_refinement(const Witness::Refined& seen, FlowExplanation& to) {
  if (!seen.known) return;
  to.refined = true;
  const float du = seen.after.u - seen.before.u, dv = seen.after.v - seen.before.v;
  to.nearest = refine::doubted(static_cast<float>(to.nearest), du, dv);
  to.factors.push_back(
      {"refinement", refine::doubted(1, du, dv),
       fmt::format("fusion and refinement moved the vector by {:.3g} pixels", std::hypot(du, dv))});
}

int window_radius(const FlowOptions& options) {
  if (options.method == Method::kBlockMatching)
    return std::max(1, bm::settle(options.bm, options.quality).block / 2);
  return lk::make_plan(options.lk, options.quality).fine.narrow.radius;
}

}  // namespace

template <class T>
FlowExplanation explain(const Estimator& estimator, ImageView<const T> first,
                        ImageView<const T> second, FlowPixel pixel) {
  const FlowOptions& options = estimator.options();
  const Witnessed seen = witnessed_flow(options, first, second, pixel);
  FlowExplanation to;
  to.x = pixel.x;
  to.y = pixel.y;
  to.u = seen.flow.u.at(pixel.x, pixel.y);
  to.v = seen.flow.v.at(pixel.x, pixel.y);
  to.confidence = seen.flow.confidence.at(pixel.x, pixel.y);
  to.method = options.method;
  to.image = {first.width, first.height};
  const int radius = window_radius(options);
  to.tensor = tensor_at(seen, radius);
  Differences before = differences(seen, radius, 0, 0),
              after = differences(seen, radius, to.u, to.v);
  to.difference_before = before.mean;
  to.difference_after = after.mean;
  to.before = std::move(before.image);
  to.after = std::move(after.image);
  const bm::Settings settings = bm::settle(options.bm, options.quality);
  if (options.method == Method::kLucasKanade && seen.witness.windows.known)
    explain_windows(seen.witness.windows, lk::make_plan(options.lk, options.quality).rank, to);
  if (options.method == Method::kBlockMatching && seen.witness.blocks.known)
    explain_blocks(seen.witness.blocks, settings, to);
  else if (seen.witness.blocks.known) to.surface = surface_of(seen.witness.blocks, settings.block);
  explain_refinement(seen.witness.refined, to);
  return to;
}

#define FOVEA_FLOW_EXPLAIN(T)                                                      \
  template FOVEA_API FlowExplanation explain(const Estimator&, ImageView<const T>, \
                                             ImageView<const T>, FlowPixel);
FOVEA_FOR_EACH_FLOW_PIXEL(FOVEA_FLOW_EXPLAIN)
#undef FOVEA_FLOW_EXPLAIN

}  // namespace fovea::flow
