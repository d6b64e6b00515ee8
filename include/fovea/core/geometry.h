#pragma once
#include <algorithm>

namespace fovea {

// Width and height of an image, a window or a cell, in pixels.
struct Extent {
  int width = 0;
  int height = 0;

  bool operator==(const Extent&) const = default;
};

// An axis-aligned rectangle in pixels. (0, 0) is the outer corner of the image's top left pixel, x
// runs to the right and y down; the pixel in column x and row y covers Rect{x, y, 1, 1}.
template <class T>
struct Rect {
  T x{};
  T y{};
  T width{};
  T height{};

  T right() const { return x + width; }
  T bottom() const { return y + height; }
  T area() const { return width * height; }
  bool empty() const { return !(width > T{} && height > T{}); }

  bool operator==(const Rect&) const = default;
};

// The part that both rectangles cover; empty (width and height 0) where they do not overlap.
template <class T>
Rect<T> intersect(const Rect<T>& a, const Rect<T>& b) {
  const T left = std::max(a.x, b.x), top = std::max(a.y, b.y);
  const T width = std::min(a.right(), b.right()) - left;
  const T height = std::min(a.bottom(), b.bottom()) - top;
  if (!(width > T{} && height > T{})) return {left, top, T{}, T{}};
  return {left, top, width, height};
}

// The area that both rectangles cover.
template <class T>
T intersection_area(const Rect<T>& a, const Rect<T>& b) {
  return intersect(a, b).area();
}

// Intersection over union, from 0 to 1; 0 for two empty rectangles.
template <class T>
T overlap(const Rect<T>& a, const Rect<T>& b) {
  const T common = intersection_area(a, b);
  const T all = a.area() + b.area() - common;
  return all > T{} ? common / all : T{};
}

// The rectangle of a whole image.
inline Rect<int> whole(Extent extent) { return {0, 0, extent.width, extent.height}; }

}  // namespace fovea
