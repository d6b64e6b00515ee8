#include "cli/program/bytes.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

namespace fovea::cli {

std::uint64_t parse_bytes(const std::string& option, const std::string& text) {
  if (text.empty()) return 0;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  std::string unit(rest, end);
  for (const char* tail : {"iB", "B"}) {
    if (unit.size() > 1 && unit.ends_with(tail)) {
      unit.resize(unit.size() - std::char_traits<char>::length(tail));
      break;
    }
  }
  constexpr std::string_view kUnits = "KMGT";
  const auto power = unit.empty() ? std::string_view::npos : kUnits.find(unit[0]);
  const bool known = unit.empty() || (unit.size() == 1 && power != std::string_view::npos);
  if (!unit.empty() && known) value *= std::pow(1024.0, static_cast<double>(power + 1));
  if (error != std::errc{} || !known || !(value >= 1) || !(value < 0x1p62))
    throw InvalidArgument(fmt::format(
        "--{} is '{}'; expected bytes such as 512M or 2G (K, M, G, T are powers of 1024)", option,
        text));
  return static_cast<std::uint64_t>(value);
}

}  // namespace fovea::cli
