// Non-maximum suppression by mean shift with a kernel of its own for each point (N. Dalal, "Finding
// people in images and videos", 2006, chapter 5; Comaniciu, 2003). A window i at y_i = (x, y, log
// s) has the diagonal covariance H_i = ((s wx)^2, (s wy)^2, (log ws)^2) and the weight t(score),
// which is max(score, 0) unless the options say otherwise.
// Every window climbs to
//   y <- (sum w_i(y) H_i^-1)^-1 sum w_i(y) H_i^-1 y_i,
//   w_i(y) = t_i |H_i|^-1/2 exp(-(y - y_i)' H_i^-1 (y - y_i) / 2)
// until it rests; windows that come to rest together are one person. Points farther than kReach
// widths weigh less than 2e-8 and are left out, so that with the cells below the cost is that of
// the neighbors.
#include "people/fuse_mean_shift.h"

#include <fovea/core/error.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace fovea::people {
namespace {

constexpr double kReach = 6;         // in widths
constexpr double kRest = 1e-8;       // squared length of a step, in widths, at which the climb ends
constexpr int kMostSteps = 200;      // steps of one climb
constexpr double kSamePlace = 0.25;  // squared distance, in widths, at which two modes are the same
constexpr double kMostCells = 1e9;   // cells along an axis; what lies beyond shares the last cell

struct Place {
  double x = 0;
  double y = 0;
  double log_scale = 0;
};

struct Point {
  Place at;
  double precision_x = 0;  // precision of the kernel: 1 / width^2
  double precision_y = 0;
  double weight = 0;  // t |H|^-1/2
};

double weight_of(const Detection& detection, const FuseOptions& options) {
  if (options.weights == FuseWeights::kOne) return 1;
  return std::max(detection.score - options.weight_from.value_or(0), 0.0);
}

class Density {
 public:
  Density(std::span<const Detection> detections, const FuseOptions& options)
      : precision_scale_(1 / squared(std::log(options.width_scale))),
        layer_height_(std::log(options.width_scale)) {
    points_.reserve(detections.size());
    for (const Detection& detection : detections) points_.push_back(point(detection, options));
    fill_layers(options);
  }

  const Place& start(std::size_t index) const { return points_[index].at; }

  // Where the climb from a place ends.
  Place mode(Place from) const {
    for (int step = 0; step < kMostSteps; ++step) {
      const Step next = climb(from);
      from = next.to;
      if (next.length < kRest) break;
    }
    return from;
  }

  // The squared distance of two places, in widths at the second place.
  double distance(const Place& a, const Place& b, const FuseOptions& options) const {
    const double scale = std::exp(b.log_scale);
    return squared((a.x - b.x) / (options.width_x * scale)) +
           squared((a.y - b.y) / (options.width_y * scale)) +
           squared(a.log_scale - b.log_scale) * precision_scale_;
  }

 private:
  // Points whose log scales lie within one width of each other, in square cells so large that no
  // kernel reaches beyond the neighboring ones.
  struct Layer {
    double cell_x = 1;
    double cell_y = 1;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells;
  };
  struct Step {
    Place to;
    double length = 0;
  };
  struct Sums {
    double x = 0, y = 0, scale = 0;              // sums of weighted precisions times places
    double weight_x = 0, weight_y = 0, all = 0;  // sums of weighted precisions, and of weights
  };

  static double squared(double value) { return value * value; }
  static std::int64_t cell(double at, double side) {
    return static_cast<std::int64_t>(std::floor(std::clamp(at / side, -kMostCells, kMostCells)));
  }
  static std::uint64_t key(std::int64_t column, std::int64_t row) {
    return (static_cast<std::uint64_t>(column) << 32U) ^ static_cast<std::uint32_t>(row);
  }

  static Point point(const Detection& detection, const FuseOptions& options) {
    const Rect<float>& window = detection.window;
    const double scale = detection.scale;
    Point result;
    result.at = {window.x + 0.5 * window.width, window.y + 0.5 * window.height, std::log(scale)};
    result.precision_x = 1 / squared(scale * options.width_x);
    result.precision_y = 1 / squared(scale * options.width_y);
    result.weight = weight_of(detection, options) /
                    squared(scale);  // the widths themselves are the same for all points
    return result;
  }

  std::int64_t layer_of(double log_scale) const {
    return static_cast<std::int64_t>(std::floor(log_scale / layer_height_));
  }

  void fill_layers(const FuseOptions& options) {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const Place& at = points_[i].at;
      const std::int64_t number = layer_of(at.log_scale);
      Layer& layer = layers_[number];
      const double scale = std::exp(static_cast<double>(number + 1) * layer_height_);
      layer.cell_x = kReach * options.width_x * scale;
      layer.cell_y = kReach * options.width_y * scale;
      layer.cells[key(cell(at.x, layer.cell_x), cell(at.y, layer.cell_y))].push_back(
          static_cast<std::uint32_t>(i));
    }
  }

  void add(const Place& at, const std::vector<std::uint32_t>& indices, Sums& sums) const {
    for (const std::uint32_t index : indices) {
      const Point& point = points_[index];
      const double distance = squared(at.x - point.at.x) * point.precision_x +
                              squared(at.y - point.at.y) * point.precision_y +
                              squared(at.log_scale - point.at.log_scale) * precision_scale_;
      if (distance > kReach * kReach) continue;
      const double weight = point.weight * std::exp(-0.5 * distance);
      sums.x += weight * point.precision_x * point.at.x;
      sums.y += weight * point.precision_y * point.at.y;
      sums.scale += weight * point.at.log_scale;
      sums.weight_x += weight * point.precision_x;
      sums.weight_y += weight * point.precision_y;
      sums.all += weight;
    }
  }

  Step climb(const Place& at) const {
    Sums sums;
    const std::int64_t middle = layer_of(at.log_scale);
    const auto reach = static_cast<std::int64_t>(kReach);
    for (std::int64_t number = middle - reach; number <= middle + reach; ++number) {
      const auto layer = layers_.find(number);
      if (layer == layers_.end()) continue;
      const std::int64_t column = cell(at.x, layer->second.cell_x);
      const std::int64_t row = cell(at.y, layer->second.cell_y);
      for (std::int64_t dy = -1; dy <= 1; ++dy) {
        for (std::int64_t dx = -1; dx <= 1; ++dx) {
          const auto found = layer->second.cells.find(key(column + dx, row + dy));
          if (found != layer->second.cells.end()) add(at, found->second, sums);
        }
      }
    }
    if (!(sums.weight_x > 0) || !(sums.weight_y > 0))
      return {at, 0};  // the weights have underflowed
    const Place to{sums.x / sums.weight_x, sums.y / sums.weight_y, sums.scale / sums.all};
    return {to, squared(to.x - at.x) * sums.weight_x / sums.all +
                    squared(to.y - at.y) * sums.weight_y / sums.all +
                    squared(to.log_scale - at.log_scale) * precision_scale_};
  }

  double precision_scale_;
  double layer_height_;
  std::vector<Point> points_;
  std::unordered_map<std::int64_t, Layer> layers_;
};

// A detection moved to a place and scale; its box moves with its window.
Detection moved(const Detection& detection, const Place& to) {
  const auto center_x = [](const Rect<float>& box) { return box.x + 0.5 * box.width; };
  const auto center_y = [](const Rect<float>& box) { return box.y + 0.5 * box.height; };
  const double scale = std::exp(to.log_scale);
  const double ratio = scale / detection.scale;
  const auto at = [&](const Rect<float>& box) {
    const double width = box.width * ratio;
    const double height = box.height * ratio;
    const double x = to.x + (center_x(box) - center_x(detection.window)) * ratio;
    const double y = to.y + (center_y(box) - center_y(detection.window)) * ratio;
    return Rect<float>{static_cast<float>(x - 0.5 * width), static_cast<float>(y - 0.5 * height),
                       static_cast<float>(width), static_cast<float>(height)};
  };
  return {at(detection.box), at(detection.window), detection.score, static_cast<float>(scale)};
}

}  // namespace

std::vector<Detection> fuse_by_mean_shift(std::span<const Detection> detections,
                                          const FuseOptions& options,
                                          std::int64_t* zero_weight_windows) {
  if (options.weights == FuseWeights::kMargin && !options.weight_from)
    throw InvalidArgument(
        "fuse: weights that are margins need fuse-weight-from, the score that they count from");
  std::vector<Detection> heavy;
  for (const Detection& detection : detections)
    if (weight_of(detection, options) > 0) heavy.push_back(detection);
  if (zero_weight_windows)
    *zero_weight_windows = static_cast<std::int64_t>(detections.size() - heavy.size());
  const Density density(heavy, options);
  std::vector<Place> modes;
  std::vector<Detection> fused;
  for (std::size_t i = 0; i < heavy.size(); ++i) {
    const Place place = density.mode(density.start(i));
    const bool known = std::any_of(modes.begin(), modes.end(), [&](const Place& mode) {
      return density.distance(place, mode, options) < kSamePlace;
    });
    if (known) continue;
    modes.push_back(place);
    fused.push_back(moved(heavy[i], place));
  }
  return fused;
}

}  // namespace fovea::people
