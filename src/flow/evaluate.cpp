// Endpoint and angular errors, and the sparsification curve: how the mean error decreases when the
// least confident pixels are left out.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/flow/evaluate.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/dispatch.h"

namespace fovea::flow {
namespace {

template <class Plane>
void require_plane(const char* what, const Plane& plane, const io::FlowFieldView& truth) {
  if (plane.width != truth.u.width || plane.height != truth.u.height || plane.channels != 1)
    throw InvalidArgument(fmt::format("{} is {}, but the true flow is {}; expected one size", what,
                                      detail::shape_text(plane), detail::shape_text(truth.u)));
  detail::require_host("evaluate", what, plane.memory);
}

void require_planes(const io::FlowFieldView& estimate, const io::FlowFieldView& truth) {
  if (truth.u.empty()) throw InvalidArgument("the true flow is empty; expected 1x1 at least");
  require_plane("the true flow's u", truth.u, truth);
  require_plane("the true flow's v", truth.v, truth);
  require_plane("the flow's u", estimate.u, truth);
  require_plane("the flow's v", estimate.v, truth);
  if (!truth.known.empty()) require_plane("the true flow's known", truth.known, truth);
  if (!estimate.known.empty()) require_plane("the flow's known", estimate.known, truth);
}

// The estimated and the true motion of one pixel.
struct Vectors {
  double u, v, true_u, true_v;

  double endpoint() const { return std::hypot(u - true_u, v - true_v); }
  double angle_degrees() const {
    const double cosine = (1 + u * true_u + v * true_v) /
                          std::sqrt((1 + u * u + v * v) * (1 + true_u * true_u + true_v * true_v));
    return std::acos(std::clamp(cosine, -1.0, 1.0)) * 180 / std::numbers::pi;
  }
  double true_length() const { return std::hypot(true_u, true_v); }
};

class ErrorSums {
 public:
  void add(const Vectors& vectors) {
    const double endpoint = vectors.endpoint();
    ++sums_.pixels;
    sums_.endpoint += endpoint;
    sums_.angular += vectors.angle_degrees();
    sums_.r05 += endpoint > 0.5 ? 1 : 0;
    sums_.r1 += endpoint > 1 ? 1 : 0;
    sums_.r2 += endpoint > 2 ? 1 : 0;
    sums_.fl += endpoint > 3 && endpoint > 0.05 * vectors.true_length() ? 1 : 0;
  }
  FlowErrors means() const {
    FlowErrors means = sums_;
    const auto count = static_cast<double>(std::max<std::int64_t>(1, sums_.pixels));
    for (double* sum :
         {&means.endpoint, &means.angular, &means.r05, &means.r1, &means.r2, &means.fl})
      *sum /= count;
    return means;
  }

 private:
  FlowErrors sums_;
};

struct Pixel {
  float confidence;
  float error;
};

// sums[i] is the error of the first i pixels in the order of `key`. Pixels with equal keys get the
// mean of their errors.
template <class Key>
std::vector<double> running_sums(std::vector<Pixel>& pixels, Key key) {
  std::sort(pixels.begin(), pixels.end(), [&](const Pixel& a, const Pixel& b) {
    return key(a) != key(b) ? key(a) < key(b) : a.error < b.error;
  });
  std::vector<double> sums(pixels.size() + 1, 0.0);
  for (std::size_t begin = 0; begin < pixels.size();) {
    std::size_t end = begin;
    double sum = 0;
    for (; end < pixels.size() && key(pixels[end]) == key(pixels[begin]); ++end)
      sum += static_cast<double>(pixels[end].error);
    for (std::size_t i = begin; i < end; ++i)
      sums[i + 1] =
          sums[begin] + sum * static_cast<double>(i + 1 - begin) / static_cast<double>(end - begin);
    begin = end;
  }
  return sums;
}

std::vector<SparsificationPoint> sparsification(std::vector<Pixel>& pixels, int points) {
  const auto by_confidence = running_sums(pixels, [](const Pixel& p) { return p.confidence; });
  const auto by_error = running_sums(pixels, [](const Pixel& p) { return -p.error; });
  const std::size_t count = pixels.size();
  std::vector<SparsificationPoint> curve;
  for (int i = 0; i < points; ++i) {
    const std::size_t removed =
        count * static_cast<std::size_t>(i) / static_cast<std::size_t>(points);
    const auto left = static_cast<double>(count - removed);
    curve.push_back({static_cast<double>(i) / points,
                     (by_confidence[count] - by_confidence[removed]) / left,
                     (by_error[count] - by_error[removed]) / left});
  }
  return curve;
}

double area_between(const std::vector<SparsificationPoint>& curve) {
  double area = 0;
  for (const SparsificationPoint& point : curve) area += point.endpoint - point.oracle;
  const double scale = static_cast<double>(curve.size()) * curve.front().endpoint;
  return scale > 0 ? area / scale : 0;
}

}  // namespace

void describe(OptionVisitor& visit, EvaluateOptions& options) {
  visit("confident", options.confident, "confidence from which a pixel counts as confident", 0, 1);
  visit("curve-points", options.curve_points,
        "points of the curve of errors over the share of pixels left out", 2, 1000);
}

FlowReport evaluate_flow(const io::FlowFieldView& estimate, ImageView<const float> confidence,
                         const io::FlowFieldView& truth, const EvaluateOptions& options) {
  check_options(options);
  require_planes(estimate, truth);
  if (!confidence.empty()) require_plane("the confidence", confidence, truth);
  ErrorSums all, confident;
  std::vector<Pixel> pixels;
  std::int64_t known = 0;
  for (int y = 0; y < truth.u.height; ++y) {
    for (int x = 0; x < truth.u.width; ++x) {
      if (!truth.is_known(x, y)) continue;
      ++known;
      if (!estimate.is_known(x, y)) continue;
      const Vectors vectors{estimate.u.at(x, y), estimate.v.at(x, y), truth.u.at(x, y),
                            truth.v.at(x, y)};
      all.add(vectors);
      const float given = confidence.empty() ? 1.0F : confidence.at(x, y);
      const float sure = std::isnan(given) ? 0.0F : given;
      if (confidence.empty() || sure >= options.confident) confident.add(vectors);
      if (!confidence.empty()) pixels.push_back({sure, static_cast<float>(vectors.endpoint())});
    }
  }
  if (known == 0) throw InvalidArgument("the true flow is not known at any pixel");
  FlowReport result{.all = all.means(), .confident = confident.means()};
  result.density = static_cast<double>(result.all.pixels) / static_cast<double>(known);
  if (result.all.pixels > 0)
    result.confident_share =
        static_cast<double>(result.confident.pixels) / static_cast<double>(result.all.pixels);
  if (!pixels.empty()) {
    result.curve = sparsification(pixels, options.curve_points);
    result.sparsification_error = area_between(result.curve);
  }
  return result;
}

Image<float> endpoint_errors(const io::FlowFieldView& estimate, const io::FlowFieldView& truth) {
  require_planes(estimate, truth);
  Image<float> errors(truth.u.width, truth.u.height);
  for (int y = 0; y < truth.u.height; ++y) {
    for (int x = 0; x < truth.u.width; ++x) {
      errors.at(x, y) = truth.is_known(x, y) && estimate.is_known(x, y)
                            ? std::hypot(estimate.u.at(x, y) - truth.u.at(x, y),
                                         estimate.v.at(x, y) - truth.v.at(x, y))
                            : std::numeric_limits<float>::quiet_NaN();
    }
  }
  return errors;
}

}  // namespace fovea::flow
