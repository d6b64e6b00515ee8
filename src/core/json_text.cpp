#include "core/json_text.h"

#include <fovea/core/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fovea::detail {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// The length of the well-formed UTF-8 character at `i`, or 0. Overlong forms, surrogates and values
// over U+10FFFF are not well-formed.
std::size_t utf8_length(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<std::uint8_t>(text[k]) : 0U;
  };
  const std::uint32_t first = byte(i);
  std::size_t length = 0;
  std::uint32_t code = 0, least = 0;
  if (first < 0x80) return 1;
  if ((first & 0xE0U) == 0xC0) length = 2, code = first & 0x1FU, least = 0x80;
  else if ((first & 0xF0U) == 0xE0) length = 3, code = first & 0x0FU, least = 0x800;
  else if ((first & 0xF8U) == 0xF0) length = 4, code = first & 0x07U, least = 0x10000;
  else return 0;
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(i + k) & 0xC0U) != 0x80) return 0;
    code = code << 6 | (byte(i + k) & 0x3FU);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < least || code > 0x10FFFF || surrogate ? 0 : length;
}

template <class Number>
std::string number_text(Number value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "null";
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

std::string utf8_or_replaced(std::string_view text) {
  std::string kept;
  kept.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text, i);
    kept += length == 0 ? kReplacement : text.substr(i, length);
    i += std::max<std::size_t>(1, length);
  }
  return kept;
}

std::string json_quote(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const std::size_t length = utf8_length(text, i);
    if (length == 0) {
      quoted += kReplacement;
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') quoted += fmt::format("\\{}", c);
    else if (c == '\n') quoted += "\\n";
    else if (c == '\t') quoted += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20)
      quoted += fmt::format("\\u{:04x}", static_cast<int>(c));
    else quoted += text.substr(i, length);
    i += length;
  }
  return quoted + '"';
}

std::string json_number(double value) { return number_text(value); }
std::string json_number(float value) { return number_text(value); }

void check_json_depth(std::string_view text, const std::string& name) {
  constexpr int kMostDepth = 100;
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      else if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostDepth)
        throw FormatError(
            fmt::format("{}: JSON is nested more than {} deep at byte {}", name, kMostDepth, i));
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
}

}  // namespace fovea::detail
