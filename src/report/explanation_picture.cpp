// Explanations drawn over the picture that they belong to.
#include <fovea/core/error.h>
#include <fovea/core/options.h>
#include <fovea/report/explanation.h>
#include <fovea/report/montage.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/raster.h"

namespace fovea::report {
namespace {

// The part of the image that is shown, and how much it is enlarged.
struct Detail {
  Rect<int> part{};
  int scale = 1;

  Point at(Point point) const { return {(point.x - part.x) * scale, (point.y - part.y) * scale}; }
  Rect<double> at(const Rect<double>& box) const {
    return {(box.x - part.x) * scale, (box.y - part.y) * scale, box.width * scale,
            box.height * scale};
  }
};

Rect<double> united(const Rect<double>& a, const Rect<double>& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  const double left = std::min(a.x, b.x), top = std::min(a.y, b.y);
  return {left, top, std::max(a.right(), b.right()) - left, std::max(a.bottom(), b.bottom()) - top};
}

Detail detail_of(ImageView<const std::uint8_t> image, const Explanation& explanation,
                 const ExplanationPictureOptions& options) {
  Rect<double> shown = explanation.place;
  for (const HeatLayer& layer : explanation.layers) shown = united(shown, layer.place);
  Rect<int> part{0, 0, image.width, image.height};
  if (!options.whole_image && !shown.empty()) {
    const double around = options.margin * std::max(shown.width, shown.height);
    const double left = std::clamp(std::floor(shown.x - around), 0.0, image.width - 1.0);
    const double top = std::clamp(std::floor(shown.y - around), 0.0, image.height - 1.0);
    const double right = std::clamp(std::ceil(shown.right() + around), left + 1, 0.0 + image.width);
    const double bottom =
        std::clamp(std::ceil(shown.bottom() + around), top + 1, 0.0 + image.height);
    part = {static_cast<int>(left), static_cast<int>(top), static_cast<int>(right - left),
            static_cast<int>(bottom - top)};
  }
  return {part, std::max(1, (options.least_width + part.width - 1) / part.width)};
}

Image<std::uint8_t> enlarged(ImageView<const std::uint8_t> image, const Detail& detail) {
  Image<std::uint8_t> result(detail.part.width * detail.scale, detail.part.height * detail.scale,
                             3);
  for (int y = 0; y < result.height(); ++y)
    for (int x = 0; x < result.width(); ++x)
      for (int c = 0; c < 3; ++c)
        result.at(x, y, c) =
            image.at(detail.part.x + x / detail.scale, detail.part.y + y / detail.scale,
                     image.channels == 3 ? c : 0);
  return result;
}

void cover(Canvas picture, const HeatLayer& layer, const Detail& detail, float alpha) {
  const ImageView<const float> values = layer.values.view();
  const Image<std::uint8_t> heat = draw_layer(layer);
  const Rect<double> box = detail.at(layer.place);
  if (box.empty() || values.empty()) return;
  const int left = std::max(0, static_cast<int>(std::floor(box.x)));
  const int right = std::min(picture.width, static_cast<int>(std::ceil(box.right())));
  const int top = std::max(0, static_cast<int>(std::floor(box.y)));
  const int bottom = std::min(picture.height, static_cast<int>(std::ceil(box.bottom())));
  const auto column = [](double part, int count) {
    return std::clamp(static_cast<int>(std::floor(part * count)), 0, count - 1);
  };
  for (int y = top; y < bottom; ++y) {
    const int from_y = column((y + 0.5 - box.y) / box.height, values.height);
    for (int x = left; x < right; ++x) {
      const int from_x = column((x + 0.5 - box.x) / box.width, values.width);
      if (std::isnan(values.at(from_x, from_y))) continue;
      for (int c = 0; c < 3; ++c) {
        const float under = picture.at(x, y, c);
        const float over = heat.at(from_x, from_y, c);
        picture.at(x, y, c) =
            static_cast<std::uint8_t>(std::lround(under + alpha * (over - under)));
      }
    }
  }
}

void draw_shape(Canvas picture, const Shape& shape, const Detail& detail) {
  std::vector<Point> points;
  points.reserve(shape.points.size());
  for (const Point& point : shape.points) points.push_back(detail.at(point));
  if (points.empty()) return;
  const auto weight = static_cast<float>(std::clamp(shape.weight, 0.0, 1.0));
  const Stroke stroke{shape.color, 1 + 2 * weight, 0.35F + 0.65F * weight};
  switch (shape.kind) {
    case ShapeKind::kBox:
      if (points.size() >= 2)
        draw_box(picture,
                 {std::min(points[0].x, points[1].x), std::min(points[0].y, points[1].y),
                  std::abs(points[1].x - points[0].x), std::abs(points[1].y - points[0].y)},
                 stroke);
      break;
    case ShapeKind::kLine: draw_polyline(picture, points, stroke); break;
    case ShapeKind::kPolygon: draw_polyline(picture, points, stroke, true); break;
    case ShapeKind::kArrow:
      if (points.size() >= 2) draw_arrow(picture, points[0], points[1], stroke);
      break;
    case ShapeKind::kDots: {
      MarkerStyle style;
      style.color = shape.color;
      style.alpha = stroke.alpha;
      draw_markers(picture, points, style);
      break;
    }
  }
  if (shape.name.empty()) return;
  TextStyle style;
  style.color = readable_on(shape.color);
  style.background = shape.color;
  style.size = 11;
  style.keep_inside = true;
  draw_text(picture, {points[0].x + 4, points[0].y + 4}, shape.name, style);
}

Image<std::uint8_t> draw_one(ImageView<const std::uint8_t> image, const Explanation& explanation,
                             const Detail& detail, const HeatLayer* layer, float alpha) {
  Image<std::uint8_t> picture = enlarged(image, detail);
  if (layer) cover(picture.view(), *layer, detail, alpha);
  if (!explanation.place.empty())
    draw_box(picture.view(), detail.at(explanation.place), {kWhite, 1.5F, 0.9F});
  for (const Shape& shape : explanation.shapes)
    if (shape.frame < 0) draw_shape(picture.view(), shape, detail);
  if (!layer) return picture;
  const ColorMapOptions colors = colors_of(*layer);
  ColorBarStyle bar;
  bar.map = colors.map;
  bar.range = value_range(layer->values.view(), colors);
  return with_color_bar(picture.view(), bar);
}

}  // namespace

void describe(OptionVisitor& visit, ExplanationPictureOptions& options) {
  visit("heat-alpha", options.heat_alpha, "how much of the picture a layer covers", 0, 1);
  visit("least-width", options.least_width,
        "pixels; smaller pictures are enlarged by a whole number", 1, 8192);
  visit("margin", options.margin, "surroundings of the place that are shown, relative to its size",
        0, 100);
  visit("whole-image", options.whole_image,
        "show all of the picture instead of the place and its surroundings");
}

ColorMapOptions colors_of(const HeatLayer& layer) {
  ColorMapOptions options;
  options.map = layer.diverging ? ColorMap::kBalance : ColorMap::kEmber;
  options.symmetric = layer.diverging;
  options.low_percent = 0;
  options.high_percent = 100;
  return options;
}

Image<std::uint8_t> draw_layer(const HeatLayer& layer) {
  return apply_color_map(layer.values.view(), colors_of(layer));
}

Image<std::uint8_t> draw_explanation(ImageView<const std::uint8_t> image,
                                     const Explanation& explanation,
                                     const ExplanationPictureOptions& options) {
  if (image.empty() || image.memory != Memory::kHost ||
      (image.channels != 1 && image.channels != 3))
    throw InvalidArgument(fmt::format(
        "draw_explanation: the image has {}x{} pixels and {} channels; it must be gray or RGB, in "
        "host memory",
        image.width, image.height, image.channels));
  const Detail detail = detail_of(image, explanation, options);
  std::vector<Image<std::uint8_t>> pictures;
  pictures.reserve(std::max<std::size_t>(1, explanation.layers.size()));
  if (explanation.layers.empty())
    pictures.push_back(draw_one(image, explanation, detail, nullptr, options.heat_alpha));
  for (const HeatLayer& layer : explanation.layers)
    pictures.push_back(draw_one(image, explanation, detail, &layer, options.heat_alpha));
  std::vector<Tile> tiles;
  tiles.reserve(pictures.size());
  for (std::size_t i = 0; i < pictures.size(); ++i)
    tiles.push_back({pictures[i].view(),
                     i < explanation.layers.size() ? explanation.layers[i].name : std::string()});
  MontageOptions sheet;
  sheet.columns = static_cast<int>(std::min<std::size_t>(3, tiles.size()));
  return montage(tiles, sheet);
}

}  // namespace fovea::report
