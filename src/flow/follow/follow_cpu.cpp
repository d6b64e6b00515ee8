// The loops over a window are simple enough for the compiler to vectorize.
#include "flow/follow/follow_cpu.h"

#include <fovea/ops/pyramid.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fovea::flow::cpu {
namespace {

// A step that undoes the one before it up to so many pixels ends a level halfway between both.
constexpr float kToAndFro = 0.01F;

// Rows of windows have a multiple of this many numbers; those behind the window have no gradient.
constexpr std::size_t kLanes = 8;

// Pixels that do not count are multiplied by 0, so that they must not be NaN.
void clear_border(FollowLevel& level) {
  const int border = level.border;
  for (int y = -border; y < level.height + border; ++y) {
    float* row = level.pixels.row(y + border);
    const bool outside = y < 0 || y >= level.height;
    std::fill_n(row, outside ? border + level.width : border, 0.0F);
    std::fill_n(row + border + level.width, border, 0.0F);
  }
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

FollowLevel follow_level(int width, int height, const FollowOptions& options) {
  // A ring for gradients, one for interpolation, and what rows of windows are longer than windows.
  const int border = options.radius + 2 + static_cast<int>(kLanes);
  FollowLevel level{Image<float>(width + 2 * border, height + 2 * border), width, height, border};
  clear_border(level);
  return level;
}

FollowPyramid follow_pyramid(FollowLevel whole, const FollowOptions& options) {
  const int levels = follow_levels(options, whole.width, whole.height);
  FollowPyramid pyramid;
  pyramid.push_back(std::move(whole));
  for (int k = 1; k < levels; ++k) {
    FollowLevel& last = pyramid.back();
    FollowLevel half = follow_level((last.width + 1) / 2, (last.height + 1) / 2, options);
    gaussian_halve(ImageView<const float>(last.inside()), half.inside(), options.exec);
    pyramid.push_back(std::move(half));
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
      gradient_x_(side_ * stride_),
      gradient_y_(gradient_x_.size()) {}

// What of a window around a place lies inside of a level and `margin` pixels away from its border.
// Between two pixels, both have to.
WindowPart PointFollower::inside(const FollowLevel& level, Position center, int margin) const {
  const auto column = static_cast<int>(center.x), row = static_cast<int>(center.y);
  const int first = options_.radius + margin, side = static_cast<int>(side_);
  const int across = center.x > static_cast<float>(column) ? 1 : 0;
  const int down = center.y > static_cast<float>(row) ? 1 : 0;
  const auto to = [&](int place, int pixels) {
    return std::min(side, pixels - margin - place + options_.radius);
  };
  return {std::max(0, first - column), std::max(0, first - row), to(column + across, level.width),
          to(row + down, level.height)};
}

void PointFollower::prepare(const FollowLevel& level, Position point) {
  const Square square(level, point, options_.radius + 1);
  const std::size_t ring = side_ + 2;
  for (std::size_t j = 0; j < ring; ++j) {
    const auto pixel = square.row(level, static_cast<int>(j));
    for (std::size_t i = 0; i < ring; ++i) patch_[j * ring + i] = pixel(i);
  }
  first_part_ = inside(level, point, 1);
  part_ = {};
}

// Gradients after Scharr: 3 10 3 across the difference of the neighbors on both sides, over 32.
void PointFollower::differentiate() {
  const int side = static_cast<int>(side_);
  if (part_ != WindowPart{0, 0, side, side}) {
    std::ranges::fill(gradient_x_, 0.0F);
    std::ranges::fill(gradient_y_, 0.0F);
  }
  const std::size_t ring = side_ + 2;
  const auto left = static_cast<std::size_t>(part_.left),
             right = static_cast<std::size_t>(part_.right);
  for (auto j = static_cast<std::size_t>(part_.top); j < static_cast<std::size_t>(part_.bottom);
       ++j) {
    const float *above = patch_.data() + j * ring, *here = above + ring, *below = here + ring;
    float *x = gradient_x_.data() + j * stride_, *y = gradient_y_.data() + j * stride_;
    for (std::size_t i = left; i < right; ++i) {
      x[i] = (3 * ((above[i + 2] - above[i]) + (below[i + 2] - below[i])) +
              10 * (here[i + 2] - here[i])) /
             32;
      y[i] = (3 * ((below[i] - above[i]) + (below[i + 2] - above[i + 2])) +
              10 * (below[i + 1] - above[i + 1])) /
             32;
    }
  }
  tensor_ = {product(gradient_x_, gradient_x_), product(gradient_x_, gradient_y_),
             product(gradient_y_, gradient_y_)};
}

// Takes the pixels that lie inside where the window is at `place` in the second image, and returns
// whether these have texture.
bool PointFollower::count_pixels(const FollowLevel& level, Position place) {
  const WindowPart here = inside(level, place, 0);
  const WindowPart both = {
      std::max(here.left, first_part_.left), std::max(here.top, first_part_.top),
      std::min(here.right, first_part_.right), std::min(here.bottom, first_part_.bottom)};
  if (both.left >= both.right || both.top >= both.bottom) return false;
  if (both != part_) {
    part_ = both;
    differentiate();
    textured_ = tensor_.smaller_eigenvalue() >=
                options_.min_eigenvalue * static_cast<double>(side_ * side_);
  }
  return textured_;
}

// The sums of the differences between both images, times the gradients.
PointFollower::Slopes PointFollower::slopes(const FollowLevel& level, Position place) const {
  const Square square(level, place, options_.radius);
  LaneSums x, y;
  for (std::size_t j = 0; j < side_; ++j) {
    const auto pixel = square.row(level, static_cast<int>(j));
    const float* first = gray(j);
    const float *along = gradient_x_.data() + j * stride_, *down = gradient_y_.data() + j * stride_;
    for (std::size_t i = 0; i < stride_; i += kLanes)
      for (std::size_t k = 0; k < kLanes; ++k) {
        const float difference = pixel(i + k) - first[i + k];
        x.lanes[k] += difference * along[i + k];
        y.lanes[k] += difference * down[i + k];
      }
  }
  return {x.total(), y.total()};
}

double PointFollower::mean_difference(const FollowLevel& level, Position place) const {
  const Square square(level, place, options_.radius);
  double sum = 0;
  for (int j = part_.top; j < part_.bottom; ++j) {
    const auto pixel = square.row(level, j);
    const float* first = gray(static_cast<std::size_t>(j));
    for (auto i = static_cast<std::size_t>(part_.left); i < static_cast<std::size_t>(part_.right);
         ++i)
      sum += static_cast<double>(std::abs(pixel(i) - first[i]));
  }
  return sum / ((part_.right - part_.left) * (part_.bottom - part_.top));
}

// Steps of Newton's method from `place`, until they are short or go to and fro between two places.
// Returns false where they leave the image or find no texture; `place` is the last one inside then.
bool PointFollower::search(const FollowLevel& level, Position& place) {
  if (!holds(level, place) || !count_pixels(level, place)) return false;
  Position before{};
  for (int round = 0; round < options_.iterations; ++round) {
    const auto [x, y] = slopes(level, place);
    const Tensor& t = tensor_;
    const double determinant = t.xx * t.yy - t.xy * t.xy;
    const Position step{static_cast<float>((t.xy * y - t.yy * x) / determinant),
                        static_cast<float>((t.xy * x - t.xx * y) / determinant)};
    const Position next{place.x + step.x, place.y + step.y};
    if (!holds(level, next)) return false;
    place = next;
    const bool short_step = std::hypot(step.x, step.y) <= options_.epsilon;
    const bool to_and_fro = round > 0 && std::abs(step.x + before.x) < kToAndFro &&
                            std::abs(step.y + before.y) < kToAndFro;
    if (!short_step && to_and_fro) place = {place.x - step.x / 2, place.y - step.y / 2};
    if (!count_pixels(level, place)) return false;
    if (short_step || to_and_fro) break;
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
    prepare(first_[at], scaled(point, scale));
    result.found = search(second_[at], place);
    if (result.found || k == 0) result.place = scaled(place, static_cast<float>(1 << k));
  }
  if (result.found)
    result.error = static_cast<float>(mean_difference(second_.front(), result.place));
  return result;
}

}  // namespace fovea::flow::cpu
