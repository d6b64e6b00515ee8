// The loops over a window are simple enough for the compiler to vectorize.
#include "flow/follow/follow_cpu.h"

#include <fovea/ops/pyramid.h>

#include <algorithm>
#include <cmath>

namespace fovea::flow::cpu {
namespace {

// A step that undoes the one before it up to so many pixels ends a level halfway between both.
constexpr float kToAndFro = 0.01F;

// Rows of windows have a multiple of this many numbers; those behind the window have no gradient.
constexpr std::size_t kLanes = 8;

// About the outermost pixels, however often.
int mirrored_index(int i, int count) {
  if (count == 1) return 0;
  const int period = 2 * (count - 1), place = ((i % period) + period) % period;
  return std::min(place, period - place);
}

void fill_border(FollowLevel& level) {
  const int border = level.border;
  for (int y = 0; y < level.height; ++y) {
    float* row = level.pixels.row(y + border) + border;
    for (int x = 1; x <= border; ++x) {
      row[-x] = row[mirrored_index(-x, level.width)];
      row[level.width - 1 + x] = row[mirrored_index(level.width - 1 + x, level.width)];
    }
  }
  const auto copy_row = [&](int to) {
    const float* from = level.pixels.row(mirrored_index(to, level.height) + border);
    std::copy_n(from, level.width + 2 * border, level.pixels.row(to + border));
  };
  for (int y = 1; y <= border; ++y) {
    copy_row(-y);
    copy_row(level.height - 1 + y);
  }
}

FollowLevel empty_level(int width, int height, int border) {
  return {Image<float>(width + 2 * border, height + 2 * border), width, height, border};
}
ImageView<float> interior(FollowLevel& level) {
  return level.pixels.view().crop(level.border, level.border, level.width, level.height);
}

bool holds(const FollowLevel& level, Position place) {
  return place.x >= 0 && place.y >= 0 && place.x <= static_cast<float>(level.width - 1) &&
         place.y <= static_cast<float>(level.height - 1);
}

// A square around a place that is inside, each of its pixels interpolated between four.
struct Square {
  int left, top;
  float weights[4];

  Square(const FollowLevel& level, Position center, int around) {
    const auto column = static_cast<int>(center.x), row = static_cast<int>(center.y);
    const float x = center.x - static_cast<float>(column), y = center.y - static_cast<float>(row);
    left = column - around + level.border;
    top = row - around;
    weights[0] = (1 - x) * (1 - y);
    weights[1] = x * (1 - y);
    weights[2] = (1 - x) * y;
    weights[3] = x * y;
  }
  // The pixels of row j by their column.
  auto row(const FollowLevel& level, int j) const {
    const float *upper = level.row(top + j) + left, *lower = level.row(top + j + 1) + left;
    return [w = weights, upper, lower](std::size_t i) {
      return (w[0] * upper[i] + w[1] * upper[i + 1]) + (w[2] * lower[i] + w[3] * lower[i + 1]);
    };
  }
};

// Sums in lanes, so that vectors keep their order.
struct LaneSums {
  float lanes[kLanes] = {};
  double total() const {
    double sum = 0;
    for (const float lane : lanes) sum += static_cast<double>(lane);
    return sum;
  }
};

double product(const std::vector<float>& a, const std::vector<float>& b) {
  LaneSums sums;
  for (std::size_t i = 0; i < a.size(); i += kLanes)
    for (std::size_t k = 0; k < kLanes; ++k) sums.lanes[k] += a[i + k] * b[i + k];
  return sums.total();
}

Position scaled(Position place, float by) { return {place.x * by, place.y * by}; }

}  // namespace

int follow_levels(const FollowOptions& options, int width, int height) {
  const int side = 2 * options.radius + 1;
  int levels = 1;
  while (levels < options.levels && width > 1 && height > 1) {
    width = (width + 1) / 2, height = (height + 1) / 2;
    if (width <= side || height <= side) break;
    ++levels;
  }
  return levels;
}

FollowPyramid follow_pyramid(ImageView<const float> gray, const FollowOptions& options) {
  // A ring for gradients, one for interpolation, and what rows of windows are longer than windows.
  const int border = options.radius + 2 + static_cast<int>(kLanes);
  FollowPyramid pyramid;
  const int levels = follow_levels(options, gray.width, gray.height);
  for (int k = 0; k < levels; ++k) {
    const bool whole = k == 0;
    const int width = whole ? gray.width : (pyramid.back().width + 1) / 2;
    const int height = whole ? gray.height : (pyramid.back().height + 1) / 2;
    FollowLevel level = empty_level(width, height, border);
    if (whole) copy(gray, interior(level));
    else
      gaussian_halve(ImageView<const float>(interior(pyramid.back())), interior(level),
                     options.exec);
    fill_border(level);
    pyramid.push_back(std::move(level));
  }
  return pyramid;
}

double PointFollower::Tensor::smaller_eigenvalue() const {
  return (xx + yy - std::sqrt((xx - yy) * (xx - yy) + 4 * xy * xy)) / 2;
}

PointFollower::PointFollower(const FollowPyramid& first, const FollowPyramid& second,
                             const FollowOptions& options)
    : first_(first),
      second_(second),
      options_(options),
      side_(static_cast<std::size_t>(2 * options.radius + 1)),
      stride_((side_ + kLanes - 1) / kLanes * kLanes),
      patch_((side_ + 2) * (side_ + 2)),
      gray_(side_ * stride_),
      gradient_x_(gray_.size()),
      gradient_y_(gray_.size()) {}

// Gradients after Scharr: 3 10 3 across the difference of the neighbors on both sides, over 32.
PointFollower::Tensor PointFollower::prepare(const FollowLevel& level, Position point) {
  const Square square(level, point, options_.radius + 1);
  const std::size_t ring = side_ + 2;
  for (std::size_t j = 0; j < ring; ++j) {
    const auto pixel = square.row(level, static_cast<int>(j));
    for (std::size_t i = 0; i < ring; ++i) patch_[j * ring + i] = pixel(i);
  }
  for (std::size_t j = 0; j < side_; ++j) {
    const float *above = patch_.data() + j * ring, *here = above + ring, *below = here + ring;
    float* gray = gray_.data() + j * stride_;
    float *x = gradient_x_.data() + j * stride_, *y = gradient_y_.data() + j * stride_;
    for (std::size_t i = 0; i < side_; ++i) {
      gray[i] = here[i + 1];
      x[i] = (3 * ((above[i + 2] - above[i]) + (below[i + 2] - below[i])) +
              10 * (here[i + 2] - here[i])) /
             32;
      y[i] = (3 * ((below[i] - above[i]) + (below[i + 2] - above[i + 2])) +
              10 * (below[i + 1] - above[i + 1])) /
             32;
    }
  }
  return {product(gradient_x_, gradient_x_), product(gradient_x_, gradient_y_),
          product(gradient_y_, gradient_y_)};
}

// The sums of the differences between both images, times the gradients.
PointFollower::Slopes PointFollower::slopes(const FollowLevel& level, Position place) const {
  const Square square(level, place, options_.radius);
  LaneSums x, y;
  for (std::size_t j = 0; j < side_; ++j) {
    const auto pixel = square.row(level, static_cast<int>(j));
    const float* gray = gray_.data() + j * stride_;
    const float *along = gradient_x_.data() + j * stride_, *down = gradient_y_.data() + j * stride_;
    for (std::size_t i = 0; i < stride_; i += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k) {
        const float difference = pixel(i + k) - gray[i + k];
        x.lanes[k] += difference * along[i + k];
        y.lanes[k] += difference * down[i + k];
      }
  }
  return {x.total(), y.total()};
}

double PointFollower::mean_difference(const FollowLevel& level, Position place) const {
  const Square square(level, place, options_.radius);
  double sum = 0;
  for (std::size_t j = 0; j < side_; ++j) {
    const auto pixel = square.row(level, static_cast<int>(j));
    for (std::size_t i = 0; i < side_; ++i)
      sum += static_cast<double>(std::abs(pixel(i) - gray_[j * stride_ + i]));
  }
  return sum / static_cast<double>(side_ * side_);
}

// Steps of Newton's method from `place`, until they are short or go to and fro between two places.
// Returns false where they leave the image; `place` is the last one inside then.
bool PointFollower::search(const FollowLevel& level, const Tensor& tensor, Position& place) const {
  const double determinant = tensor.xx * tensor.yy - tensor.xy * tensor.xy;
  Position before{};
  for (int round = 0; round < options_.iterations; ++round) {
    const auto [x, y] = slopes(level, place);
    const Position step{static_cast<float>((tensor.xy * y - tensor.yy * x) / determinant),
                        static_cast<float>((tensor.xy * x - tensor.xx * y) / determinant)};
    const Position next{place.x + step.x, place.y + step.y};
    if (!holds(level, next)) return false;
    place = next;
    if (std::hypot(step.x, step.y) <= options_.epsilon) break;
    if (round > 0 && std::abs(step.x + before.x) < kToAndFro &&
        std::abs(step.y + before.y) < kToAndFro) {
      place = {place.x - step.x / 2, place.y - step.y / 2};
      break;
    }
    before = step;
  }
  return true;
}

FollowedPoint PointFollower::follow(Position point, Position guess) {
  FollowedPoint result{guess, false, 0};
  if (!holds(first_.front(), point)) return result;
  for (auto k = static_cast<int>(first_.size()) - 1; k >= 0; --k) {
    const auto at = static_cast<std::size_t>(k);
    const float scale = 1 / static_cast<float>(1 << k);
    Position place = scaled(result.place, scale);
    const Tensor tensor = prepare(first_[at], scaled(point, scale));
    const auto pixels = static_cast<double>(side_ * side_);
    const bool textured = tensor.smaller_eigenvalue() >= options_.min_eigenvalue * pixels;
    result.found = textured && holds(second_[at], place) && search(second_[at], tensor, place);
    if (result.found || k == 0) result.place = scaled(place, static_cast<float>(1 << k));
  }
  if (result.found)
    result.error = static_cast<float>(mean_difference(second_.front(), result.place));
  return result;
}

}  // namespace fovea::flow::cpu
