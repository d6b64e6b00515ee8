#pragma once
#include <cstddef>
#include <cstdint>

namespace fovea::detail {

// A node, arc or square as an index of a container.
inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace fovea::detail
