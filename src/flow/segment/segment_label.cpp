// The motion of every pixel: the one that explains the flow around it best, then sweeps that pull
// neighbors together (iterated conditional modes on a field of Potts; Besag, 1986). A sweep visits
// the squares of a chessboard of one color at a time, so that threads do not change the result.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "flow/segment/segment_parts.h"

namespace fovea::flow::segment {
namespace {

constexpr int kLabelRows = 16;  // rows of one task
constexpr int kAround = 3;      // radius of the window of the first choice
constexpr int kSweeps = 8;
constexpr float kMostCost = 9;  // squared distance in tolerances beyond which nothing gets worse
constexpr float kBorderCost = 1.5F;  // of a border between two pixels, times the smoothness
constexpr float kEdge = 12;  // difference of gray levels that lowers a border's cost to 60 %

struct Distance {
  const WeightedField& field;
  float per_square;  // 1 / tolerance^2

  // Weighted cost of a motion at a pixel.
  float at(const AffineMotion& motion, int x, int y) const {
    const float weight = field.weight.at(x, y);
    if (!(weight > 0)) return 0;
    const double px = field.frame.x(x), py = field.frame.y(y);
    const auto du = static_cast<float>(motion.u_at(px, py)) - field.u.at(x, y);
    const auto dv = static_cast<float>(motion.v_at(px, py)) - field.v.at(x, y);
    return weight * std::min((du * du + dv * dv) * per_square, kMostCost);
  }
};

// The costs of a motion along one row, computed in single precision without branches, so that the
// compiler vectorizes the loop.
void row_costs(const Distance& distance, const AffineMotion& motion, int y, float* out) {
  const WeightedField& field = distance.field;
  const double py = field.frame.y(y), px = field.frame.x(0), step = 1 / field.frame.unit;
  const auto u0 = static_cast<float>(motion.u_at(px, py));
  const auto v0 = static_cast<float>(motion.v_at(px, py));
  const auto u1 = static_cast<float>(motion.terms[1] * step);
  const auto v1 = static_cast<float>(motion.terms[4] * step);
  const float* u = field.u.row(y);
  const float* v = field.v.row(y);
  const float* weight = field.weight.view().row(y);
  const float per_square = distance.per_square;
  for (int x = 0; x < field.width(); ++x) {
    const auto at = static_cast<float>(x);
    const float du = u0 + u1 * at - u[x], dv = v0 + v1 * at - v[x];
    const float cost = (du * du + dv * dv) * per_square;
    // False for NaN, where nothing is known and the weight is 0.
    out[x] = weight[x] * (cost < kMostCost ? cost : kMostCost);
  }
}

// The motion whose costs in a window around a pixel are least.
void choose_first(const Distance& distance, const std::vector<AffineMotion>& motions,
                  const Exec& exec, Image<std::uint16_t>& labels) {
  const int width = distance.field.width(), height = distance.field.height();
  parallel_for(exec, height, kLabelRows, [&](std::int64_t first, std::int64_t last) {
    const int top = std::max(0, static_cast<int>(first) - kAround);
    const int bottom = std::min(height, static_cast<int>(last) + kAround);
    const auto columns = static_cast<std::size_t>(width);
    std::vector<float> costs(columns * static_cast<std::size_t>(bottom - top));
    std::vector<float> best(columns * static_cast<std::size_t>(last - first),
                            std::numeric_limits<float>::infinity());
    std::vector<float> line(columns + 2 * kAround, 0.F), sums(columns);
    const auto row = [&](int y) {
      return costs.data() + static_cast<std::size_t>(y - top) * columns;
    };
    for (std::size_t k = 0; k < motions.size(); ++k) {
      for (int y = top; y < bottom; ++y) row_costs(distance, motions[k], y, row(y));
      for (int y = static_cast<int>(first); y < last; ++y) {
        std::fill_n(line.begin() + kAround, columns, 0.F);
        for (int j = std::max(top, y - kAround); j < std::min(bottom, y + kAround + 1); ++j)
          for (std::size_t x = 0; x < columns; ++x) line[kAround + x] += row(j)[x];
        std::fill(sums.begin(), sums.end(), 0.F);
        for (std::size_t i = 0; i <= 2 * kAround; ++i)
          for (std::size_t x = 0; x < columns; ++x) sums[x] += line[i + x];
        float* least =
            best.data() + static_cast<std::size_t>(y - static_cast<int>(first)) * columns;
        std::uint16_t* label = labels.view().row(y);
        for (std::size_t x = 0; x < columns; ++x) {
          if (sums[x] >= least[x]) continue;
          least[x] = sums[x];
          label[x] = static_cast<std::uint16_t>(k);
        }
      }
    }
  });
}

// What a border between two neighbors costs.
class Borders {
 public:
  Borders(ImageView<const std::uint8_t> image, float strength)
      : image_(image), strength_(strength) {}
  float between(int ax, int ay, int bx, int by) const {
    if (image_.empty()) return strength_;
    const float step = gray(ax, ay) - gray(bx, by);
    return strength_ / (1 + step * step / (1.5F * kEdge * kEdge));
  }

 private:
  float gray(int x, int y) const {
    if (image_.channels < 3) return image_.at(x, y);
    return 0.299F * image_.at(x, y, 0) + 0.587F * image_.at(x, y, 1) + 0.114F * image_.at(x, y, 2);
  }
  ImageView<const std::uint8_t> image_;
  float strength_;
};

class Sweeper {
 public:
  Sweeper(const Distance& distance, const std::vector<AffineMotion>& motions,
          const Borders& borders)
      : distance_(distance), motions_(motions), borders_(borders) {}

  // The label, among those of a pixel and its neighbors, that costs least.
  std::uint16_t best(const Image<std::uint16_t>& labels, int x, int y) const {
    struct Neighbor {
      std::uint16_t label;
      float border;
    };
    std::array<Neighbor, 4> around{};
    std::size_t count = 0;
    const std::uint16_t own = labels.at(x, y);
    bool alike = true;
    const auto add = [&](int i, int j) {
      if (i < 0 || j < 0 || i >= labels.width() || j >= labels.height()) return;
      around[count++] = {labels.at(i, j), borders_.between(x, y, i, j)};
      alike = alike && around[count - 1].label == own;
    };
    add(x - 1, y);
    add(x + 1, y);
    add(x, y - 1);
    add(x, y + 1);
    if (alike) return own;
    const auto cost = [&](std::uint16_t label) {
      float sum = distance_.at(motions_[label], x, y);
      for (std::size_t k = 0; k < count; ++k)
        if (around[k].label != label) sum += around[k].border;
      return sum;
    };
    std::uint16_t chosen = own;
    float least = cost(own);
    for (std::size_t k = 0; k < count; ++k) {
      if (around[k].label == chosen || around[k].label == own) continue;
      const float other = cost(around[k].label);
      if (other < least || (other == least && around[k].label < chosen)) {
        least = other;
        chosen = around[k].label;
      }
    }
    return chosen;
  }

 private:
  const Distance& distance_;
  const std::vector<AffineMotion>& motions_;
  const Borders& borders_;
};

}  // namespace

void label_pixels(const WeightedField& field, const std::vector<AffineMotion>& motions,
                  ImageView<const std::uint8_t> image, const SegmentOptions& options,
                  Image<std::uint16_t>& labels) {
  const Distance distance{field, static_cast<float>(1 / (squared_tolerance(options)))};
  const Borders borders(image, kBorderCost * static_cast<float>(options.smoothness));
  choose_first(distance, motions, options.exec, labels);
  if (!(options.smoothness > 0)) return;
  const Sweeper sweeper(distance, motions, borders);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (const int color : {0, 1}) {
      throw_if_stopped(options.exec);
      parallel_for(options.exec, field.height(), kLabelRows,
                   [&](std::int64_t first, std::int64_t last) {
                     for (int y = static_cast<int>(first); y < last; ++y)
                       for (int x = (y + color) % 2; x < field.width(); x += 2)
                         labels.at(x, y) = sweeper.best(labels, x, y);
                   });
    }
  }
}

std::vector<Moments> fit_labels(const WeightedField& field,
                                const std::vector<AffineMotion>& motions,
                                const Image<std::uint16_t>& labels, const SegmentOptions& options) {
  const int height = field.height();
  const double per_square = 1 / (squared_tolerance(options));
  const auto chunks = static_cast<std::size_t>((height + kLabelRows - 1) / kLabelRows);
  std::vector<std::vector<Moments>> parts(chunks, std::vector<Moments>(motions.size()));
  parallel_for(options.exec, height, kLabelRows, [&](std::int64_t first, std::int64_t last) {
    std::vector<Moments>& sums = parts[static_cast<std::size_t>(first) / kLabelRows];
    for (int y = static_cast<int>(first); y < last; ++y) {
      for (int x = 0; x < field.width(); ++x) {
        const double weight = field.weight.at(x, y);
        if (!(weight > 0)) continue;
        const AffineMotion& motion = motions[labels.at(x, y)];
        const double px = field.frame.x(x), py = field.frame.y(y);
        const double u = field.u.at(x, y), v = field.v.at(x, y);
        const double du = motion.u_at(px, py) - u, dv = motion.v_at(px, py) - v;
        // The weights of Geman and McClure.
        const double doubt = 1 / (1 + (du * du + dv * dv) * per_square);
        sums[labels.at(x, y)].add(weight * doubt * doubt, px, py, u, v);
      }
    }
  });
  std::vector<Moments> fitted(motions.size());
  for (const std::vector<Moments>& part : parts)
    for (std::size_t k = 0; k < part.size(); ++k) fitted[k] += part[k];
  return fitted;
}

}  // namespace fovea::flow::segment
