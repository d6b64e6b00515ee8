#pragma once

namespace fovea {

// A place in an image: x runs to the right and y down.
template <class T>
struct Point {
  T x{};
  T y{};

  bool operator==(const Point&) const = default;
};

}  // namespace fovea
