// Numbers in texts from outside.
#pragma once
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

namespace fovea::view {

// The number that is all of a text; nothing where it is none, or not finite.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(value)) return {};
  return value;
}

}  // namespace fovea::view
