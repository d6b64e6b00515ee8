#pragma once

namespace fovea {

// A place in an image: x runs to the right and y down.
template <class T>
struct Position {
  T x{};
  T y{};

  bool operator==(const Position&) const = default;
};

}  // namespace fovea
