// Draws flow fields: arrows over the image, the second image warped back, confidence and errors.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/flow/show.h>
#include <fovea/report/color_map.h>
#include <fovea/report/draw.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/dispatch.h"
#include "core/parallel.h"
#include "flow/wheel.h"

namespace fovea::flow {
namespace {

constexpr std::int64_t kRows = 16;      // rows of an image that one task draws
constexpr double kLeastMotion = 1e-30;  // pixels

template <class Plane>
void require_plane(const Plane& plane, const io::FlowFieldView& field) {
  if (plane.width != field.u.width || plane.height != field.u.height)
    throw InvalidArgument(
        fmt::format("show: the flow is {}, but the image or plane beside it is {}",
                    detail::shape_text(field.u), detail::shape_text(plane)));
  detail::require_host("show", "a plane", plane.memory);
}

void require_field(const io::FlowFieldView& field) {
  require_plane(field.u, field);
  require_plane(field.v, field);
  if (!field.known.empty()) require_plane(field.known, field);
}

double longest_motion(const io::FlowFieldView& field) {
  float longest = 0;
  for (int y = 0; y < field.u.height; ++y)
    for (int x = 0; x < field.u.width; ++x)
      if (field.is_known(x, y))
        longest = std::max(longest, std::hypot(field.u.at(x, y), field.v.at(x, y)));
  return longest;
}

// Returns a gray, faint copy, on which arrows stand out.
Image<std::uint8_t> backdrop(ImageView<const std::uint8_t> image) {
  Image<std::uint8_t> picture(image.width, image.height, 3);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const report::Color color =
          image.channels >= 3
              ? report::Color{image.at(x, y, 0), image.at(x, y, 1), image.at(x, y, 2)}
              : report::Color{image.at(x, y), image.at(x, y), image.at(x, y)};
      const auto faint = static_cast<std::uint8_t>(48 + report::gray_of(color) * 5 / 8);
      for (int c = 0; c < 3; ++c) picture.at(x, y, c) = faint;
    }
  }
  return picture;
}

// Where one arrow starts and what it shows: the mean of the motions around it.
struct Cell {
  report::Point from{};
  double u = 0, v = 0;
};

std::vector<Cell> cells_of(const io::FlowFieldView& field, int step) {
  std::vector<Cell> cells;
  for (int top = 0; top < field.u.height; top += step) {
    for (int left = 0; left < field.u.width; left += step) {
      const int right = std::min(left + step, field.u.width);
      const int bottom = std::min(top + step, field.u.height);
      Cell cell{{(left + right) / 2.0, (top + bottom) / 2.0}};
      int count = 0;
      for (int y = top; y < bottom; ++y) {
        for (int x = left; x < right; ++x) {
          if (!field.is_known(x, y)) continue;
          cell.u += static_cast<double>(field.u.at(x, y));
          cell.v += static_cast<double>(field.v.at(x, y));
          ++count;
        }
      }
      if (count == 0) continue;
      cell.u /= count;
      cell.v /= count;
      cells.push_back(cell);
    }
  }
  return cells;
}

double longest_cell(const std::vector<Cell>& cells) {
  double longest = 0;
  for (const Cell& cell : cells) longest = std::max(longest, std::hypot(cell.u, cell.v));
  return longest;
}

// Interpolates between the four neighbors of (x, y); the caller makes sure that it lies inside.
std::uint8_t sample(ImageView<const std::uint8_t> image, float x, float y, int channel) {
  const int left = std::min(static_cast<int>(x), std::max(0, image.width - 2));
  const int top = std::min(static_cast<int>(y), std::max(0, image.height - 2));
  const int right = std::min(left + 1, image.width - 1);
  const int bottom = std::min(top + 1, image.height - 1);
  const float fx = x - static_cast<float>(left), fy = y - static_cast<float>(top);
  const auto at = [&](int i, int j) { return static_cast<float>(image.at(i, j, channel)); };
  const float upper = at(left, top) + fx * (at(right, top) - at(left, top));
  const float lower = at(left, bottom) + fx * (at(right, bottom) - at(left, bottom));
  return static_cast<std::uint8_t>(upper + fy * (lower - upper) + 0.5F);
}

}  // namespace

void describe(OptionVisitor& visit, WheelOptions& options) {
  visit("longest", options.longest, "motion in pixels that has the full color; longer is darker",
        1e-6, 1e9, {.absent = "the longest of the field"});
}

void describe(OptionVisitor& visit, ArrowOptions& options) {
  visit("step", options.step, "pixels between arrows", 1, 1e6,
        {.absent = "about 30 arrows along the longer side"});
  visit("scale", options.scale, "drawn length over the motion", 1e-6, 1e6,
        {.absent = "the longest arrow reaches a little past the next one"});
}

Image<std::uint8_t> wheel_picture(const io::FlowFieldView& field, const WheelOptions& options) {
  check_options(options);
  require_field(field);
  const double longest = options.longest ? *options.longest : longest_motion(field);
  // A field whose motion is too small for a float division has the color of no motion.
  const auto scale = static_cast<float>(longest > kLeastMotion ? 1 / longest : 0);
  const Exec& exec = options.exec;
  Image<std::uint8_t> picture(field.u.width, field.u.height, 3);
  parallel_for(exec, field.u.height, kRows, [&](std::int64_t begin, std::int64_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      for (int x = 0; x < field.u.width; ++x) {
        const report::Color color =
            field.is_known(x, y) ? wheel_color(field.u.at(x, y) * scale, field.v.at(x, y) * scale)
                                 : report::kBlack;
        picture.at(x, y, 0) = color.r;
        picture.at(x, y, 1) = color.g;
        picture.at(x, y, 2) = color.b;
      }
    }
  });
  return picture;
}

Image<std::uint8_t> wheel_key(int size) {
  if (size < 8 || size > 4096)
    throw InvalidArgument(
        fmt::format("show: the wheel is {} pixels wide; expected 8 to 4096", size));
  Image<float> u(size, size), v(size, size);
  Image<std::uint8_t> known(size, size);
  const float middle = static_cast<float>(size - 1) / 2;
  for (int y = 0; y < size; ++y) {
    for (int x = 0; x < size; ++x) {
      u.at(x, y) = (static_cast<float>(x) - middle) / middle;
      v.at(x, y) = (static_cast<float>(y) - middle) / middle;
      known.at(x, y) = std::hypot(u.at(x, y), v.at(x, y)) <= 1 ? 255 : 0;
    }
  }
  return wheel_picture({u, v, known}, {.longest = 1});
}

Image<std::uint8_t> arrows_picture(ImageView<const std::uint8_t> image,
                                   const io::FlowFieldView& field, const ArrowOptions& options) {
  check_options(options);
  require_field(field);
  require_plane(image, field);
  const int side = std::max(image.width, image.height);
  const int step = options.step.value_or(std::max(12, (side + 29) / 30));
  const std::vector<Cell> cells = cells_of(field, step);
  const double longest = longest_cell(cells);
  const double scale = options.scale.value_or(longest > 0 ? 1.3 * step / longest : 1);
  const auto thickness = std::max(1.2F, static_cast<float>(step) / 12);
  Image<std::uint8_t> picture = backdrop(image);
  for (const Cell& cell : cells) {
    const report::Point to{cell.from.x + scale * cell.u, cell.from.y + scale * cell.v};
    const double length = std::hypot(cell.u, cell.v);
    if (scale * length < 0.5) {
      report::fill_circle(picture, cell.from, thickness / 2, {report::kBlack, 0.5F});
      continue;
    }
    const auto hue =
        wheel_color(static_cast<float>(cell.u / length), static_cast<float>(cell.v / length));
    report::draw_arrow(picture, cell.from, to, {report::kBlack, thickness + 1.2F, 0.7F});
    report::draw_arrow(picture, cell.from, to, {hue, thickness, 1});
  }
  return picture;
}

Image<std::uint8_t> warp_picture(ImageView<const std::uint8_t> second,
                                 const io::FlowFieldView& field, const Exec& exec) {
  require_field(field);
  require_plane(second, field);
  Image<std::uint8_t> picture(second.width, second.height, second.channels);
  const auto right = static_cast<float>(second.width - 1);
  const auto bottom = static_cast<float>(second.height - 1);
  parallel_for(exec, second.height, kRows, [&](std::int64_t begin, std::int64_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      for (int x = 0; x < second.width; ++x) {
        const float from_x = static_cast<float>(x) + field.u.at(x, y);
        const float from_y = static_cast<float>(y) + field.v.at(x, y);
        const bool inside = field.is_known(x, y) && from_x >= 0 && from_x <= right && from_y >= 0 &&
                            from_y <= bottom;
        for (int c = 0; c < second.channels; ++c)
          picture.at(x, y, c) = inside ? sample(second, from_x, from_y, c) : std::uint8_t{0};
      }
    }
  });
  return picture;
}

Image<std::uint8_t> confidence_picture(ImageView<const float> confidence) {
  return report::apply_color_map(
      confidence, {.map = report::ColorMap::kTide, .automatic = false, .low = 0, .high = 1});
}

Image<std::uint8_t> error_picture(ImageView<const float> errors, double greatest) {
  if (!(greatest > 0))
    throw InvalidArgument(
        fmt::format("show: the greatest error is {} pixels; expected more than 0", greatest));
  return report::apply_color_map(errors, {.map = report::ColorMap::kEmber,
                                          .automatic = false,
                                          .low = 0,
                                          .high = greatest,
                                          .missing = {70, 84, 104}});
}

}  // namespace fovea::flow
