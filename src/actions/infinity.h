#pragma once
#include <limits>

namespace fovea::actions {

template <class T>
inline constexpr T kInfinity = std::numeric_limits<T>::infinity();

}  // namespace fovea::actions
